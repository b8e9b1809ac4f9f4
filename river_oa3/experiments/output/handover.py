"""The hand-over: the preparation and the model as code, and the fitted model beside it."""

from __future__ import annotations

import inspect
import pprint
import textwrap
import typing
from collections.abc import Sequence
from pathlib import Path

import river_oa3
from river_oa3 import files
from river_oa3.active import ActiveLearner
from river_oa3.datasets import Stream
from river_oa3.datasets.paper_rows import INTERCEPT
from river_oa3.datasets.pieced import AnyStream, PiecedStream
from river_oa3.datasets.scaling import REACH, Scaling
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.methods import find
from river_oa3.experiments.output.files import write_bytes, write_text
from river_oa3.experiments.output.page_sections import Handover
from river_oa3.experiments.output.versions import versions

__all__ = ["PREPARE_NOTHING", "hand_over", "lines_of_use"]

PREPARE_NOTHING = '''\
def prepare(row):
    """The features of an event: a dict of numbers, which the model takes as it is."""
    return dict(row)
'''

HEAD = '''\
"""{title}

{use}
A label is True for {positive}. `ask` says that this label is worth its price: {rate:.4g} of a
label per event may be asked for. Any label that comes teaches the model, whether it was asked for
or not, as soon as it comes or much later.

`python model.py events.csv` predicts the rows of a CSV file, or of a file with an event as JSON on
each line. The fitted model is in {file}, which runs no code when it is loaded: `river-oa3 show
{file}` says what it holds. Made by river-oa3 {version}.
"""

{standard}

{imports}
'''
# What the code below needs, beyond what the preparation does.
NEEDED = ("import csv", "import json", "import sys", "from pathlib import Path")

TAIL = '''

def new_model():
    """The same model, which has learned nothing yet."""
    return {model}


def load(path=Path(__file__).with_name("{file}")):
    """The fitted model: it has learned {learned}."""
    return river_oa3.load(path)


def rows_of(path):
    """The events of a CSV file, or of a file of JSON lines."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        if Path(path).suffix == ".csv":
            yield from csv.DictReader(file{separator})
        else:
            yield from (json.loads(line) for line in file if line.strip())


def main(path):
    """Print an answer for each event: the label, its probability, and whether to ask."""
    model = load()
    for row in rows_of(path):
        x = {features}
        probability = model.classifier.predict_proba_one(x).get(True, 0.0)
        label, ask = model.predict_one(x)
        print(label, round(probability, 4), "ask" if ask else "", sep="\\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
'''

SCALED = '''

# The centre and the scale of each feature that most events have, from the file.
DENSE = {dense}

# What the other features are divided by, where it is not 1.
SCALES = {scales}


def scaled(x):
    """The features as this model wants them: brought to scale, in a row of length 1."""
    texts = {{f"{{name}}={{value}}": 1.0 for name, value in x.items() if isinstance(value, str)}}
    x = {{name: value for name, value in x.items() if not isinstance(value, str)}} | texts
    row = {{name: value / SCALES.get(name, 1.0) for name, value in x.items() if name not in DENSE}}
    for name, (centre, scale) in DENSE.items():
        row[name] = min(max((x.get(name, 0.0) - centre) / scale, -{reach}), {reach})
{intercept}    length = sum(value * value for value in row.values()) ** 0.5
    return {{name: value / length for name, value in row.items() if value}}
'''


def hand_over(
    comparison: Comparison,
    method: str,
    model: ActiveLearner,
    folder: Path,
    *,
    stream: AnyStream,
    raw: AnyStream,
    prepare: str = PREPARE_NOTHING,
    positive: str = "the positive class",
    as_they_are: bool = False,
    separator: str = ",",
) -> tuple[Handover, list[Path]]:
    """Write `model.py` and the fitted model, and say how to use them.

    Parameters
    ----------
    comparison
        What was compared.
    method
        The method that is handed over, one of this package.
    model
        The fitted model.
    folder
        Where the files go.
    stream, raw
        The events as the method took them, and as they came.
    prepare
        The code of the preparation, with a function `prepare`.
    positive
        What the positive class is called in the data.
    as_they_are
        Whether rows were left as they were for the paper's methods.
    separator
        What stands between the fields of the CSV file.

    """
    paths = [folder / "model.py", folder / "model.oa3"]
    is_scaled = not (find(method).takes_raw or as_they_are)
    features = "scaled(prepare(row))" if is_scaled else "prepare(row)"
    use = lines_of_use("scaled(prepare(event))" if is_scaled else "prepare(event)", is_scaled)
    model_code = _model(model)
    names = ["ActiveLearner", "budget", *(["metrics"] if "metrics." in model_code else [])]
    names += ["query"] if "query." in model_code else []
    kind = type(model.classifier).__name__
    ours = sorted([*names, *_of_package(kind)], key=lambda name: (name.islower(), name))
    imports = ["import river_oa3", f"from river_oa3 import {', '.join(ours)}"]
    if not _of_package(kind):
        imports.append(f"from river_oa3.first_order import {kind}")
    order = (
        "in their order"
        if isinstance(raw, Stream) or not raw.shuffled
        else "in an order drawn at random"
    )
    needed, body = _imports_and_body(prepare)
    code = HEAD.format(
        title=_in_docstring(f"{method} for {raw.title}, ready to use."),
        use=textwrap.indent(use, "    "),
        positive=_in_docstring(positive),
        rate=comparison.plan.budget / comparison.events,
        version=versions()["river-oa3"],
        file=paths[1].name,
        standard="\n".join(_sorted_imports([*NEEDED, *needed])),
        imports="\n".join(imports),
    )
    code += f"{body}\n"
    if is_scaled:
        code += _scaled_code(stream, raw)
    code += TAIL.format(
        model=model_code,
        file=paths[1].name,
        learned=f"the labels of all {len(raw):,} events, {order}",
        separator="" if separator == "," else f", delimiter={separator!r}",
        features=features,
    )
    write_bytes(paths[1], files.to_bytes(model))
    try:
        write_text(paths[0], code)
    except BaseException:
        # One is of no use without the other.
        paths[1].unlink(missing_ok=True)
        raise
    return Handover(method, use, code, tuple(path.name for path in paths)), paths


def lines_of_use(features: str, is_scaled: bool = False) -> str:
    """The lines that put a model to use."""
    names = "load, prepare, scaled" if is_scaled else "load, prepare"
    return (
        f"from model import {names}; model = load()\n"
        f"label, ask = model.predict_one({features})\n"
        f"if ask: model.learn_one({features}, true_label)\n"
    )


def _imports_and_body(code: str) -> tuple[list[str], str]:
    """The lines of code that import something, and all that follows them."""
    lines = code.strip("\n").splitlines()
    end = next(i for i, line in enumerate(lines) if not line.startswith(("import ", "from ")))
    body = "\n".join(lines[end:]).strip("\n")
    # Two empty lines before a function, one before anything else.
    return lines[:end], ("\n\n" if body.startswith("def ") else "\n") + body


def _sorted_imports(lines: Sequence[str]) -> list[str]:
    return sorted(set(lines), key=lambda line: (line.startswith("from "), line))


def _scaled_code(stream: AnyStream, raw: AnyStream) -> str:
    scaling: Scaling = raw.moments().scaling() if isinstance(raw, Stream) else raw.scaling
    names = stream.names[: len(raw.names)]
    rows = list(
        zip(
            names,
            scaling.centre.tolist(),
            scaling.scale.tolist(),
            scaling.dense.tolist(),
            strict=True,
        )
    )
    dense = {name: (centre, scale) for name, centre, scale, is_dense in rows if is_dense}
    scales = {name: scale for name, _, scale, is_dense in rows if not is_dense and scale != 1.0}
    infinite = "inf" in repr(dense) + repr(scales)
    code = SCALED.format(
        dense=_literal(dense),
        scales=_literal(scales),
        reach=REACH,
        intercept=f'    row["{INTERCEPT}"] = 1.0\n' if _has_intercept(stream) else "",
    )
    return (
        f'\n\n# A constant has nothing to tell.\ninf = float("inf")\n{code}' if infinite else code
    )


def _has_intercept(stream: AnyStream) -> bool:
    if isinstance(stream, PiecedStream):
        return stream.has_intercept
    return INTERCEPT in stream.names


def _literal(content: dict[typing.Any, typing.Any]) -> str:
    return pprint.pformat(content, width=96, sort_dicts=False)


def _model(model: ActiveLearner) -> str:
    parts = [_call(model.classifier)]
    if model.query is not None:
        parts.append(f"query.{_call(model.query)}")
    parts.append(f"budget=budget.{_call(model.budget)}")
    parts.append(f"seed={model.seed!r}")
    return "ActiveLearner(\n        " + ",\n        ".join(parts) + ",\n    )"


def _call(thing: typing.Any) -> str:
    """The call that makes a thing, with the parameters that somebody may want to change."""
    given = []
    for name in inspect.signature(type(thing)).parameters:
        value = getattr(thing, name)
        if name == "objective" and value is not None:
            given.append(f"objective=metrics.{_call(value)}")
        elif name not in ("cm", "pos_val", "clock"):
            given.append(f"{name}={value!r}")
    return f"{type(thing).__name__}({', '.join(given)})"


def _of_package(name: str) -> list[str]:
    return [name] if hasattr(river_oa3, name) else []


def _in_docstring(text: str) -> str:
    """A text that can neither end the docstring nor be read as an escape, on one line."""
    return " ".join(text.encode("unicode_escape").decode().replace('"', "'").split())

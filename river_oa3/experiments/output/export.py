"""The exported model: everything from the raw row to the answer in one file, and code to run it."""

from __future__ import annotations

import textwrap
import typing
from pathlib import Path

from river_oa3 import files
from river_oa3.datasets.chunked import AnyStream
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.fitting import Fitted
from river_oa3.experiments.output.files import write_bytes, write_text
from river_oa3.experiments.output.report import versions

__all__ = ["ExportedModel", "export", "own_score"]

CODE = '''\
"""{title}

{use}
{about}

{score}

`python model.py {example}` answers the rows of a file. The model is in {file}, which runs no code
when it is loaded: `river-oa3 show {file}` says what it holds. Made by river-oa3 {version}.
"""

import sys
from pathlib import Path

import river_oa3
from river_oa3.commands.answer import answer_file


def load(path=Path(__file__).with_name("{file}")):
    """The model, as it was when it had learned the labels of the file."""
    return river_oa3.load(path)


if __name__ == "__main__":
    sys.exit(answer_file(load, sys.argv))
'''

USE = """\
from model import load; model = load()
label, ask = model.predict_one(row)
if ask: model.learn_one(row, true_label)
"""


class ExportedModel(typing.NamedTuple):
    """A model that was written, and what puts it to use.

    Parameters
    ----------
    method
        Which method it is.
    lines
        The few lines of code that use it.
    code
        The whole of the code that was written.
    files
        The names of the files that were written.
    score
        How good the model was while it learned, in a sentence.

    """

    method: str
    lines: str
    code: str
    files: tuple[str, ...]
    score: str = ""


def export(
    comparison: Comparison,
    fitted: Fitted,
    folder: Path,
    *,
    raw: AnyStream,
    has_columns: bool = False,
    positive: str = "the positive class",
) -> tuple[ExportedModel, list[Path]]:
    """Write the model and `model.py`, and say how to use them.

    Parameters
    ----------
    comparison
        What was compared.
    fitted
        The model, and how good it was while it learned.
    folder
        Where the files go.
    raw
        The events as they came.
    has_columns
        Whether the model takes the rows of a table.
    positive
        What the positive class is called in the data.

    """
    paths = [folder / "model.py", folder / "model.oa3"]
    score = own_score(comparison, fitted)
    row = (
        "A row is a dict of column and value: texts, as a CSV file has them, or typed values."
        if has_columns
        else "A row is a dict of features and numbers."
    )
    code = CODE.format(
        title=_in_docstring(f"{fitted.method} for {raw.title}, ready to use."),
        use=textwrap.indent(USE, "    "),
        about=_paragraph(
            f"{row} A label is True for {positive}. `ask` says that this label is worth its price: "
            f"{comparison.plan.budget / comparison.events:.4g} of a label per event may be asked "
            "for. Any label that comes teaches the model, whether it was asked for or not, as soon "
            "as it comes or much later."
        ),
        score=_paragraph(score),
        example="events.csv" if has_columns else "events.jsonl",
        version=versions()["river-oa3"],
        file=paths[1].name,
    )
    write_bytes(paths[1], files.to_bytes(fitted.model))
    try:
        write_text(paths[0], code)
    except BaseException:
        # One is of no use without the other.
        paths[1].unlink(missing_ok=True)
        raise
    names = tuple(path.name for path in paths)
    return ExportedModel(fitted.method, USE, code, names, score), paths


def own_score(comparison: Comparison, fitted: Fitted) -> str:
    """How good the exported model was while it learned, which the table does not tell."""
    goal, budget = comparison.plan.goal, comparison.plan.budget
    score = goal.said(float(goal.score(fitted.counts)))
    return (
        f"The exported model has learned all {fitted.model.n_learned:,} labels. While it learned, "
        f"each event before its label, it had {score}; the table is about {budget:,} labels."
    )


def _paragraph(text: str) -> str:
    return textwrap.fill(_in_docstring(text), 100, break_long_words=False)


def _in_docstring(text: str) -> str:
    """A text that can neither end the docstring nor be read as an escape, on one line."""
    return " ".join(text.encode("unicode_escape").decode().replace('"', "'").split())

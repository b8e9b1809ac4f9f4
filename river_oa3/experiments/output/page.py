"""One page with all that a comparison found, which needs no network, no script and no other file.

Names and values of the data are text and nothing else, whatever they contain; and a policy in the
page lets it load nothing and run nothing, should that ever fail. What stands where, and how it
looks, is in `page.html`; here is what the page says.
"""

from __future__ import annotations

import base64
import importlib.resources
import importlib.util
import math
import re
import typing
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from river_oa3.experiments.budget_curve import BudgetCurve
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.output import words
from river_oa3.experiments.output.export import ExportedModel
from river_oa3.experiments.output.report import describe, references, table_cells, versions
from river_oa3.experiments.output.text import named_values, shortened, visible

if typing.TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

__all__ = ["available", "page"]

# Characters of a cell: a file may hold names and values of any length.
LONGEST_CELL = 100


def available() -> bool:
    """Whether jinja2 is there to fill the page."""
    return importlib.util.find_spec("jinja2") is not None


class Table(typing.NamedTuple):
    """A table of the page, in whose rows the first cell is a name."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    kind: str = "texts"
    apart: Sequence[Sequence[str]] = ()
    """Rows below the others, which are set off from them."""
    marked: Collection[tuple[int, int]] = ()
    """The cells to print strongly, by row and column."""
    chosen: str | None = None
    """The name of the row to tint."""


def page(
    findings: Findings,
    *,
    command: str,
    profile: Sequence[Sequence[str]] | None = None,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
    exported: ExportedModel | None = None,
    not_exported: str = "",
    pictures: Mapping[str, bytes] | None = None,
) -> str:
    """All that a comparison found, as HTML.

    Parameters
    ----------
    findings
        What it found.
    command
        The command line that made it.
    profile
        The columns of the file, a row each, below a row of heads.
    notes
        What was done to the file.
    warnings
        What to look at before trusting the numbers.
    exported
        The model that was written, where there is one.
    not_exported
        Why there is no model, where there is none.
    pictures
        PNG or SVG by caption.

    """
    comparison, share = findings.comparison, words.share_of_the_way(findings)
    sections = {
        "results": ("Results", True),
        "pictures": ("Pictures", True),
        "labels": ("How many labels", findings.curve is not None),
        "file": ("The file", profile or notes),
        "warnings": ("Warnings", warnings),
        "use": ("Use it", exported or not_exported),
        "settings": ("Settings and versions", True),
    }
    return _template().render(
        title=comparison.stream.title,
        decision=words.decision(findings),
        who_is_ahead=words.who_is_ahead(findings),
        tiles=_tiles(findings),
        operating_point=words.operating_point(findings),
        costs=words.costs(findings),
        against_constant=words.against_constant(findings),
        is_lost=words.is_lost(findings),
        too_good=words.too_good(findings),
        against_all_labels=words.against_all_labels(findings),
        best=findings.verdict.best,
        share=None if share is None else min(1.0, max(0.0, share)),
        percent=None if share is None else words.percent_of_the_way(share),
        sections={name: title for name, (title, is_there) in sections.items() if is_there},
        results=_results(findings),
        behind=_behind(findings),
        same_answers=words.same_answers(findings),
        judgement=words.judgement(findings),
        pictures={caption: _source(each) for caption, each in (pictures or {}).items()},
        enough_labels="" if findings.curve is None else _enough_labels(findings),
        curve=None if findings.curve is None else _curve(findings.curve),
        profile=_profile(profile) if profile else None,
        notes=notes,
        warnings=warnings,
        exported=exported,
        not_exported=not_exported,
        command=command,
        described=describe(comparison).splitlines(),
        parameters=Table(
            "Parameters of the methods.",
            ["method", "parameters"],
            [[method, named_values(each)] for method, each in comparison.parameters.items()],
        ),
        versions=Table("Versions.", ["what", "version"], list(versions().items())),
    )


def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        # Whatever no filter has made mark-up of.
        finalize=lambda text: text if hasattr(text, "__html__") else visible(str(text)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(text=_text, code=_code)
    source = importlib.resources.files(__package__).joinpath("page.html")
    return environment.from_string(source.read_text(encoding="utf-8"))


def _text(text: str) -> Markup:
    """A text as text: no mark-up, no control characters, and its direction kept to itself."""
    from markupsafe import Markup, escape

    # A number and its percent sign stay on one line.
    joined = re.sub(r"(?<=[0-9]) %", "&nbsp;%", escape(visible(text)))
    return Markup(f"<bdi>{joined}</bdi>")


def _code(text: str) -> Markup:
    """Lines of code, as they are."""
    from markupsafe import escape

    return escape(visible(text, keep="\n\t"))


def _tiles(findings: Findings) -> dict[str, str]:
    """The few numbers to take away."""
    comparison, verdict = findings.comparison, findings.verdict
    goal = comparison.plan.goal
    counts = comparison.counts(verdict.recommended)
    tiles = {
        f"{goal.head} of {verdict.recommended}": _number(np.mean(goal.score(counts))),
        f"labels bought, of {comparison.events:,} events": f"{np.mean(counts.labels):,.0f}",
        "of 100 alarms are right (precision)": _number(np.mean(counts.precision)),
        "alarms per 1,000 events": _number(np.mean(counts.alarms)),
        f"{goal.head} of a constant answer": _number(verdict.chance),
    }
    if findings.ceiling is not None:
        tiles[f"{goal.head} with all labels"] = _number(np.mean(goal.score(findings.ceiling)))
    if findings.curve is not None and findings.curve.enough is not None:
        tiles[f"labels are enough for {findings.curve.method}"] = f"{findings.curve.enough:,}"
    return tiles


def _number(value: typing.Any) -> str:
    """A score as large print has it: with decimals only where they say something."""
    return f"{float(value):,.{1 if abs(value) < 1000 else 0}f}"


def _results(findings: Findings) -> Table:
    """The table of all methods."""
    cells = table_cells(findings.comparison, references(findings))
    (heads, *rows), apart = (
        [[cell.replace(" +- ", " ± ") for cell in row] for row in part]
        for part in (cells.rows, cells.apart)
    )
    orders = findings.verdict.orders
    spread = f"Mean ± standard deviation over {orders} runs" if orders > 1 else "One run"
    return Table(
        f"{spread}. The best of a column is bold; the method to use is tinted.",
        heads,
        rows,
        kind="figures",
        apart=apart,
        marked={(i - 1, j) for i, j in cells.marked},
        chosen=findings.verdict.recommended,
    )


def _behind(findings: Findings) -> Table | None:
    """How far each method is behind the best, where there is more than one run."""
    verdict, unit = findings.verdict, findings.comparison.plan.goal.measure.unit
    if verdict.orders < 2 or not verdict.differences:
        return None
    figures = iter(words.amount(*(x for each in verdict.differences for x in each[1:]), figures=4))
    rows = [
        [each.method, *(next(figures) for _ in each[1:]), "yes" if each.is_significant else "no"]
        for each in verdict.differences
    ]
    return Table(
        f"How far the others are behind {verdict.best} ({unit}), with 95 % intervals. They are "
        "significantly worse where even the least that they may be behind is above zero.",
        ["method", "behind by", "at least", "at most", "significant"],
        rows,
        kind="figures",
    )


def _source(picture: bytes) -> str:
    """A picture, PNG or SVG, that is inside the page."""
    kind = "png" if picture.startswith(b"\x89PNG") else "svg+xml"
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"


def _enough_labels(findings: Findings) -> str:
    """How many labels are enough, or why no number is called so."""
    return words.enough_labels(findings) or (
        "No number of labels is shown to be enough: for that, the gain of twice as many labels and "
        f"that of all labels would have to be below {words.worthwhile(findings)} (95 % sure)."
    )


def _curve(curve: BudgetCurve) -> Table:
    """The score by the number of labels, and what twice as many gain."""
    measure = curve.goal.measure
    rows = []
    for budget, labels, mean, gain in zip(
        curve.budgets, curve.labels, curve.means, [None, *curve.gains], strict=True
    ):
        reach = f" ± {mean.high - mean.mean:,.2f}" if math.isfinite(mean.high) else ""
        row = [f"{budget:,}", f"{labels:,.0f}", f"{mean.mean:,.2f}{reach}"]
        row += ["", ""] if gain is None else [f"{gain.mean:+.2f}", _bound(gain.high)]
        rows.append(row)
    heads = ["labels allowed", "labels bought", measure.head]
    heads += [f"gain per doubling ({measure.gain_unit})", "at most"]
    enough = None if curve.enough is None else f"{curve.enough:,}"
    return Table(
        f"{curve.method} with other budgets, each with its 95 % interval over other runs and other "
        f"events.{'' if enough is None else ' The number that is enough is tinted.'}",
        heads,
        rows,
        kind="figures",
        chosen=enough,
    )


def _bound(value: float) -> str:
    return f"{value:+.2f}" if math.isfinite(value) else ""


def _profile(profile: Sequence[Sequence[str]]) -> Table:
    """The columns of the file."""
    heads, *rows = profile
    cut = [[shortened(visible(cell), LONGEST_CELL) for cell in row] for row in rows]
    return Table("The columns as they were found.", heads, cut, kind="texts profile")

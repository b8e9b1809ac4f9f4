"""What stands in each section of the page."""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping, Sequence

import numpy as np

from river_oa3.experiments.findings import Findings
from river_oa3.experiments.output import words
from river_oa3.experiments.output.page_parts import (
    bullets,
    code,
    escaped,
    figure,
    paragraphs,
    table,
)
from river_oa3.experiments.output.references import references
from river_oa3.experiments.output.report import describe
from river_oa3.experiments.output.table import table_cells
from river_oa3.experiments.output.text import named_values, shortened, visible
from river_oa3.experiments.output.versions import versions

__all__ = ["Handover", "file", "header", "labels", "pictures", "results", "settings", "use"]

NO_PICTURES = (
    "There are no pictures: they need matplotlib, which comes with pip install 'river-oa3[plots]'."
)
# Characters of a cell: a file may hold names and values of any length.
CELL = 100


class Handover(typing.NamedTuple):
    """What puts a model to use.

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


def header(findings: Findings, links: Mapping[str, str]) -> str:
    """What to do and why, and where to read on."""
    title = f'<p class="above">river-oa3 compare: {escaped(findings.comparison.stream.title)}</p>'
    items = "".join(
        f'<li><a href="#{name}">{escaped(text)}</a></li>' for name, text in links.items()
    )
    alarm = "warnings" if words.is_lost(findings) else ""
    parts = [
        title,
        f"<h1>{escaped(words.decision(findings))}</h1>",
        paragraphs([words.who_is_ahead(findings)], "lead"),
        _tiles(findings),
        paragraphs([words.operating_point(findings), words.costs(findings)]),
        paragraphs([words.against_constant(findings)], alarm),
        paragraphs([words.too_good(findings)], "warnings"),
        paragraphs([words.against_all_labels(findings)]),
        _way(findings),
        f'<nav aria-label="Sections"><ul>{items}</ul></nav>',
    ]
    return "\n".join(filter(None, parts))


def _tiles(findings: Findings) -> str:
    """The few numbers to take away."""
    comparison, verdict = findings.comparison, findings.verdict
    goal = comparison.plan.goal
    counts = comparison.counts(verdict.recommended)
    chosen, asked = goal.score(counts), float(np.mean(counts.labels))
    tiles = {
        f"{goal.head} of {verdict.recommended}": _number(np.mean(chosen)),
        f"labels bought, of {comparison.events:,} events": f"{asked:,.0f}",
        "of 100 alarms are right (precision)": _number(np.mean(counts.precision)),
        "alarms per 1,000 events": _number(np.mean(counts.alarms)),
        f"{goal.head} of always the same answer": _number(verdict.chance),
    }
    if findings.ceiling is not None:
        ceiling = np.mean(goal.score(findings.ceiling))
        tiles[f"{goal.head} with all labels"] = _number(ceiling)
    if findings.curve is not None and findings.curve.enough is not None:
        tiles[f"labels are enough for {findings.curve.method}"] = f"{findings.curve.enough:,}"
    shown = "\n".join(
        f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>"
        for name, value in tiles.items()
    )
    return f'<dl class="tiles">\n{shown}\n</dl>'


def _number(value: typing.Any) -> str:
    """A score as large print has it: with decimals only where they say something."""
    return f"{float(value):,.{1 if abs(value) < 1000 else 0}f}"


def _way(findings: Findings) -> str:
    """A bar of how much the best has of what all labels gain over a constant answer."""
    share = words.share_of_the_way(findings)
    if share is None:
        return ""
    done = 100.0 * min(1.0, max(0.0, share))
    return (
        '<div class="way" aria-hidden="true">\n'
        f'<div class="track"><span class="done" style="width: {done:.1f}%"></span></div>\n'
        '<div class="ends"><span>always the same answer</span>'
        f"<span>{escaped(findings.verdict.best)}: {words.percent_of_the_way(share)} %</span>"
        "<span>all labels</span></div>\n</div>"
    )


def results(findings: Findings) -> str:
    """The table of all methods, and the one that says who is behind whom."""
    comparison, verdict = findings.comparison, findings.verdict
    cells = table_cells(comparison, references(findings))
    heads, *rows = [[cell.replace(" +- ", " ± ") for cell in row] for row in cells.rows]
    apart = [[cell.replace(" +- ", " ± ") for cell in row] for row in cells.apart]
    return "\n".join(
        [
            table(
                _caption(findings),
                heads,
                [rows, apart],
                kind="figures",
                marked={(i - 1, j) for i, j in cells.marked},
                chosen=verdict.recommended,
            ),
            _leads(findings),
            paragraphs([words.same_answers(findings)]),
            paragraphs([words.judgement(findings)], "soft"),
        ]
    )


def _caption(findings: Findings) -> str:
    orders = findings.verdict.orders
    spread = f"Mean ± standard deviation over {orders} runs" if orders > 1 else "One run"
    return f"{spread}. The best of a column is bold; the method to use is tinted."


def _leads(findings: Findings) -> str:
    """How far each method is behind the best, where there is more than one run."""
    verdict, unit = findings.verdict, findings.comparison.plan.goal.measure.unit
    if verdict.orders < 2 or not verdict.differences:
        return ""
    figures = iter(words.amount(*(x for each in verdict.differences for x in each[1:]), figures=4))
    rows = [
        [each.method, *(next(figures) for _ in each[1:]), "yes" if each.is_significant else "no"]
        for each in verdict.differences
    ]
    return table(
        f"How far the others are behind {verdict.best} ({unit}), with 95 % intervals. They are "
        "significantly worse where even the least that they may be behind is above zero.",
        ["method", "behind by", "at least", "at most", "significant"],
        [rows],
        kind="figures",
    )


def pictures(found: Mapping[str, bytes]) -> str:
    """The pictures side by side where there is room, or what would have to be installed."""
    if not found:
        return paragraphs([NO_PICTURES])
    shown = "\n".join(figure(caption, picture) for caption, picture in found.items())
    return f'<div class="pictures">\n{shown}\n</div>'


def labels(findings: Findings) -> str:
    """How many labels are enough, and the curve that says so."""
    curve = findings.curve
    if curve is None:
        return ""
    measure = curve.goal.measure
    rows = []
    for budget, labels, mean, gain in zip(
        curve.budgets, curve.labels, curve.means, [None, *curve.gains], strict=True
    ):
        reach = f" ± {mean.high - mean.mean:,.2f}" if math.isfinite(mean.high) else ""
        row = [f"{budget:,}", f"{labels:,.0f}", f"{mean.mean:,.2f}{reach}"]
        row += ["", ""] if gain is None else [f"{gain.mean:+.2f}", _bound(gain.high)]
        rows.append(row)
    heads = [
        "labels allowed",
        "labels bought",
        measure.head,
        f"gain per doubling ({measure.gain_unit})",
        "at most",
    ]
    chosen = None if curve.enough is None else f"{curve.enough:,}"
    caption = f"{curve.method} with other budgets, each with its 95 % interval over other runs and "
    caption += "other events."
    if chosen is not None:
        caption += " The number that is enough is tinted."
    said = words.enough_labels(findings) or (
        f"No number of labels is shown to be enough: that would need gains of twice as many labels "
        f"and of all labels that are surely below {measure.worthwhile:g} {measure.gain_unit}."
    )
    return "\n".join(
        [
            paragraphs([said]),
            table(caption, heads, [rows], kind="figures", chosen=chosen),
        ]
    )


def _bound(value: float) -> str:
    return f"{value:+.2f}" if math.isfinite(value) else ""


def file(profile: Sequence[Sequence[str]] | None, notes: Sequence[str]) -> str:
    """The columns of the file, and what was done to them."""
    parts = []
    if profile:
        rows = [[shortened(visible(cell), CELL) for cell in row] for row in profile[1:]]
        caption = "The columns as they were found."
        parts.append(table(caption, profile[0], [rows], kind="texts profile"))
    if notes:
        parts += ["<h3>What was done</h3>", bullets(notes)]
    return "\n".join(parts)


def use(handover: Handover) -> str:
    """The lines that put the model to use, and the code behind them."""
    files = "".join(f"<li><code>{escaped(name)}</code></li>" for name in handover.files)
    return "\n".join(
        [
            paragraphs([f"The model is {handover.method}. {handover.score}".strip()]),
            paragraphs(["These lines put it to use:"]),
            code(handover.lines),
            f"<p>Written:</p>\n<ul>{files}</ul>" if files else "",
            f"<details>\n<summary>The whole code</summary>\n{code(handover.code)}\n</details>",
        ]
    )


def settings(findings: Findings, command: str) -> str:
    """All that it takes to do it again."""
    comparison = findings.comparison
    chosen = [[method, named_values(each)] for method, each in comparison.parameters.items()]
    return "\n".join(
        [
            code(command, wrap=True),
            bullets(describe(comparison).splitlines()),
            table("Parameters of the methods.", ["method", "parameters"], [chosen]),
            table("Versions.", ["what", "version"], [[list(each) for each in versions().items()]]),
        ]
    )

"""Pictures of what a comparison found: how many labels are enough, and those of the page."""

from __future__ import annotations

import typing

import numpy as np

from river_oa3.experiments.findings import Findings
from river_oa3.experiments.output.plots import (
    add_legend,
    available,
    draw_development,
    new_figure,
    rendered,
    styles_of,
)
from river_oa3.experiments.output.reference_lines import (
    GREY,
    draw_ceiling,
    draw_references,
    name_line,
)
from river_oa3.experiments.output.report import CONSTANT, references
from river_oa3.experiments.output.text import shortened, visible
from river_oa3.experiments.scores import METRICS, Metric

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["budget_curve", "pictures"]

# Of Okabe and Ito: the curve, and the point from which on more labels bring little.
BLUE, ORANGE = "#0072B2", "#D55E00"
# Narrow, so that what is written in a picture can be read on a phone.
WIDTH = 6.0


def pictures(findings: Findings) -> dict[str, bytes]:
    """The pictures of the page as SVG, by their captions; none without matplotlib."""
    if not available():
        return {}
    goal = findings.comparison.plan.goal
    # What counts comes first.
    metrics = sorted(METRICS.values(), key=lambda metric: metric != goal.measure)
    found = {
        f"The {metric.axis} against the number of events, mean over the runs. A marker stands "
        "where a method has spent its budget.": _panel(findings, metric)
        for metric in metrics
    }
    if findings.curve is not None:
        found[
            f"What other budgets would bring {findings.curve.method}: the mean over the runs, in a "
            "band of its 95 % interval, which covers other runs and other events."
        ] = budget_curve(findings)
    return {caption: rendered(figure, "svg") for caption, figure in found.items()}


def _panel(findings: Findings, metric: Metric) -> Figure:
    """How the methods develop by one metric, with the legend below."""
    comparison = findings.comparison
    figure, (axes,) = new_figure(1, 1, WIDTH, 4.9)
    draw_development(axes, comparison, metric, comparison.runs)
    draw_references(axes, comparison, metric, references(findings))
    add_legend(figure, styles_of(comparison.runs), below=True)
    return figure


def budget_curve(findings: Findings) -> Figure:
    """The score against the number of labels, with the budget that was used and what is enough."""
    curve, comparison = findings.curve, findings.comparison
    if curve is None:
        raise ValueError("there is no curve to draw: these findings have none")
    figure, (axes,) = new_figure(1, 1, WIDTH, 4.2)
    _, means, low, high = zip(*curve.means, strict=True)
    if np.isfinite([low, high]).all():
        axes.fill_between(curve.budgets, low, high, color=BLUE, alpha=0.18, linewidth=0)
    axes.plot(curve.budgets, means, "-o", color=BLUE, markersize=4, label=curve.method)
    axes.set_xscale("log")
    axes.set_xticks(curve.budgets, [f"{budget:,}" for budget in curve.budgets], fontsize=8)
    axes.minorticks_off()
    axes.axhline(findings.verdict.chance, color=GREY, linewidth=1.0, zorder=1.5)
    name_line(axes, curve.budgets[-1], findings.verdict.chance, CONSTANT)
    if findings.ceiling is not None:
        # To the left, where few labels leave the curve far from it.
        ceiling = float(curve.goal.score(findings.ceiling).mean())
        draw_ceiling(axes, ceiling, curve.budgets[0], side="left")
    axes.set_xlabel("labels (each step to the right: about twice as many)")
    axes.set_ylabel(curve.goal.measure.axis)
    axes.yaxis.set_major_formatter("{x:,.10g}")
    axes.margins(y=0.12)
    if not curve.goal.measure.bigger_is_better:
        axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    if curve.enough != comparison.plan.budget:
        _mark(axes, comparison.plan.budget, "budget used", GREY, 0.36, ":")
    if curve.enough is not None:
        at = curve.budgets.index(curve.enough)
        axes.plot(curve.enough, means[at], "D", color=ORANGE, markersize=9, zorder=4)
        also = ", the budget used" if curve.enough == comparison.plan.budget else ""
        _mark(axes, curve.enough, f"enough: {curve.enough:,}{also}", ORANGE, 0.45, "-")
    axes.set_title(
        f"{shortened(visible(comparison.stream.title), 40)}: {curve.method} by number of labels",
        fontsize=10,
        parse_math=False,
    )
    return figure


def _mark(axes: Axes, labels: int, name: str, color: str, height: float, dashes: str) -> None:
    """A number of labels, as a line up that is named where there is room."""
    axes.axvline(labels, color=color, linestyle=dashes, linewidth=1.2, zorder=1.4)
    low, high = axes.get_xlim()
    is_right = np.log(labels / low) > 0.6 * np.log(high / low)
    axes.annotate(
        name,
        (labels, height),
        (-4 if is_right else 4, 0),
        xycoords=axes.get_xaxis_transform(),
        textcoords="offset points",
        ha="right" if is_right else "left",
        fontsize=8,
        color=color,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.8},
    )

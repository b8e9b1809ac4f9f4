"""Pictures of comparisons, for people who do and do not tell red from green."""

from __future__ import annotations

import importlib.util
import io
import textwrap
import typing
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.methods import Style, find
from river_oa3.experiments.output.files import write_bytes
from river_oa3.experiments.output.report import ALL_LABELS, CONSTANT, references
from river_oa3.experiments.output.text import shortened, visible
from river_oa3.experiments.scores import METRICS, Counts, Metric
from river_oa3.experiments.verdict import constant_answer

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "add_legend",
    "available",
    "budget_curve",
    "development",
    "draw_development",
    "new_figure",
    "pictures",
    "rendered",
    "save",
    "styles_of",
    "wrapped",
]

KINDS: tuple[typing.Literal["png", "svg"], ...] = ("png", "svg")
# No method's colour.
GREY = "#6e6e6e"
# Of Okabe and Ito: the curve, and the point from which on more labels bring little.
BLUE, ORANGE = "#0072B2", "#D55E00"
# Narrow, so that what is written in a picture can be read on a phone.
WIDTH = 6.0


def available() -> bool:
    """Whether matplotlib is there to draw."""
    return importlib.util.find_spec("matplotlib") is not None


def new_figure(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """An empty figure, in inches, and its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and SVG."""
    paths = {kind: folder / f"{name}.{kind}" for kind in KINDS}
    for kind, path in paths.items():
        write_bytes(path, rendered(figure, kind))
    return list(paths.values())


def rendered(figure: Figure, kind: typing.Literal["png", "svg"]) -> bytes:
    """A figure as the content of a file."""
    content = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {}
    with warnings.catch_warnings():
        # A name in letters that the font lacks is drawn with boxes; that is nobody's mistake.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ ")
        figure.savefig(content, format=kind, dpi=150, metadata=metadata)
    return content.getvalue()


def draw_development(
    axes: Axes, comparison: Comparison, metric: Metric, methods: Iterable[str]
) -> None:
    """The metric against the number of events; a marker where a method's budget is spent."""
    goal = comparison.plan.goal
    ends = []
    for method, style in styles_of(methods).items():
        values = metric.score(goal, comparison.curves(method)).mean(axis=0)
        axes.plot(
            comparison.checkpoints,
            values,
            style.dashes,
            color=style.color,
            linewidth=style.width,
            zorder=style.height,
        )
        end = comparison.exhausted(method)
        if end is not None:
            height = np.interp(end, comparison.checkpoints, values)
            axes.plot(end, height, style.marker, color=style.color, markersize=6, zorder=3)
        ends.append(values)
    # A cost starts at zero and says how much there is; of a percentage the upper end matters.
    if metric.bigger_is_better:
        zoom(axes, ends)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.10g}")
    axes.set_xlabel("events")
    axes.set_ylabel(metric.axis)
    axes.grid(alpha=0.3)
    axes.margins(x=0.01)


def zoom(axes: Axes, curves: Sequence[NDArray[np.float64]]) -> None:
    """Leave out the first tenth of the events, where a curve may be anywhere, from the scale."""
    late = np.concatenate([curve[len(curve) // 10 :] for curve in curves])
    low, high = float(late.min()), float(late.max())
    room = 0.05 * max(high - low, 1.0)
    axes.set_ylim(low - room, min(high + room, 100.5))


def add_legend(
    figure: Figure, styles: Mapping[str, Style], title: str | None = None, below: bool = False
) -> None:
    """One legend for all panels, beside or below them."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=style.color,
            linestyle=style.dashes,
            marker=style.marker,
            markersize=5,
            linewidth=style.width,
            label=name,
        )
        for name, style in styles.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center" if below else "outside right center",
        ncols=4 if below else 1,
        title=title,
        frameon=False,
    )


def styles_of(methods: Iterable[str]) -> dict[str, Style]:
    """How the lines of methods are drawn."""
    return {method: find(method).style for method in methods}


def development(comparison: Comparison, references: Mapping[str, Counts] | None = None) -> Figure:
    """Sum and cost against events, with a marker where a method's budget is spent.

    The references, where given, are those of `report.references`.
    """
    figure, axes = new_figure(1, 2, 12, 4.6)
    for panel, metric in zip(axes, METRICS.values(), strict=True):
        draw_development(panel, comparison, metric, comparison.runs)
        draw_references(panel, comparison, metric, references or {})
    figure.suptitle(
        f"{shortened(visible(comparison.stream.title), 80)}: budget {comparison.plan.budget:,} of "
        f"{comparison.events:,} labels",
        parse_math=False,
    )
    add_legend(figure, styles_of(comparison.runs), "marker: budget spent")
    return figure


def draw_references(
    axes: Axes, comparison: Comparison, metric: Metric, references: Mapping[str, Counts]
) -> None:
    """A thin line of the best constant answer, and a dashed one of all labels.

    A cost grows with the events, and that of a constant answer may leave the panel at its top.
    """
    goal, (low, high) = comparison.plan.goal, axes.get_ylim()
    if CONSTANT in references:
        seen = comparison.curves(next(iter(comparison.runs)))
        constant = metric.score(goal, constant_answer(goal, metric, seen)).mean(axis=0)
        axes.plot(comparison.checkpoints, constant, "-", color=GREY, linewidth=1.0, zorder=1.5)
        low, high = min(low, constant[-1]), max(high, min(constant[-1], 2.0 * high))
        last = int(np.flatnonzero(constant <= high)[-1])
        name_line(axes, comparison.checkpoints[last], constant[last], CONSTANT)
    if ALL_LABELS in references:
        ceiling = float(metric.score(goal, references[ALL_LABELS]).mean())
        end = float(comparison.checkpoints[-1])
        # A cost is known at the end alone, and grows until there.
        draw_ceiling(axes, ceiling, end, start=None if metric.bigger_is_better else 0.85 * end)
        low, high = min(low, ceiling), max(high, ceiling)
    room = 0.04 * (high - low)
    axes.set_ylim(low - room if metric.bigger_is_better else low, high + room)


def draw_ceiling(
    axes: Axes,
    score: float,
    end: float,
    side: typing.Literal["left", "right"] = "right",
    start: float | None = None,
) -> None:
    """The score with all labels, as a dashed line that is named at one end.

    The line goes all the way across unless it has a `start`.
    """
    dashes = (0, (5, 3))
    if start is None:
        axes.axhline(score, linestyle=dashes, color=GREY, linewidth=1.2, zorder=1.5)
    else:
        axes.plot([start, end], [score] * 2, linestyle=dashes, color=GREY, linewidth=1.2, zorder=4)
    name_line(axes, end, score, ALL_LABELS, side)


def name_line(
    axes: Axes, x: float, y: float, name: str, side: typing.Literal["left", "right"] = "right"
) -> None:
    """A name at one end of a grey line, upon it."""
    axes.annotate(
        name,
        (x, y),
        (0, 2),
        textcoords="offset points",
        ha=side,
        va="bottom",
        fontsize=8,
        color=GREY,
        zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.75},
    )


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


def wrapped(title: str) -> str:
    """A title in lines that fit over a panel."""
    return textwrap.fill(shortened(visible(title), 240), 62)

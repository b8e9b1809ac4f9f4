"""Lines that methods are compared with in a picture: a constant answer, and all labels."""

from __future__ import annotations

import typing
from collections.abc import Mapping

import numpy as np

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.output.report import ALL_LABELS, CONSTANT
from river_oa3.experiments.scores import Counts, Metric
from river_oa3.experiments.verdict import constant_answer

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GREY", "draw_ceiling", "draw_references", "name_line"]

# No method's colour.
GREY = "#6e6e6e"


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

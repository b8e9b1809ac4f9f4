"""Pictures of comparisons, for people who do and do not tell red from green."""

from __future__ import annotations

import io
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.compare import Comparison
from river_oa3.experiments.report import write_bytes

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["available", "development", "save"]


class Style(typing.NamedTuple):
    color: str
    dashes: Literal["-", "--", "-.", ":"]
    marker: str


# Okabe and Ito's colours, which the colour-blind tell apart. Ours are solid, the second-order
# rivals dashed, the first-order ones dotted, and every method has a marker of its own.
STYLES: dict[str, Style] = {
    "PAA": Style("#E69F00", ":", "v"),
    "OAAL": Style("#D55E00", ":", "<"),
    "CSOAL": Style("#CC79A7", ":", ">"),
    "SOAL": Style("#56B4E9", "--", "P"),
    "SOAL-CS": Style("#009E73", "--", "X"),
    "OA3": Style("#000000", "-", "o"),
    "OA3-diag": Style("#0072B2", "-", "s"),
    "SOA3": Style("#D55E00", "-", "D"),
    "SSOA3": Style("#009E73", "-", "^"),
    "OA3-F": Style("#999999", "-.", "h"),
    "OA3-R": Style("#999999", "--", "*"),
}

UNITS = {"sum": "sum of sensitivity and specificity (%)", "cost": "cost of mistakes"}


def available() -> bool:
    """Whether matplotlib is there to draw."""
    try:
        import matplotlib as _  # noqa: F401
    except ImportError:
        return False
    return True


def _figure(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and SVG."""
    paths = []
    for kind in ("png", "svg"):
        content = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(content, format=kind, dpi=150, metadata=metadata)
        paths.append(folder / f"{name}.{kind}")
        write_bytes(paths[-1], content.getvalue())
    return paths


def draw_development(axes: Axes, comparison: Comparison, metric: str) -> None:
    """The metric against the number of events, a curve a method; a dot where its budget ends."""
    goal = comparison.plan.goal
    ends = []
    for method in comparison.runs:
        counts = comparison.curves(method)
        values = (goal.sum(counts) if metric == "sum" else goal.cost(counts)).mean(axis=0)
        style = STYLES[method]
        axes.plot(
            comparison.ticks, values, style.dashes, color=style.color, label=method, linewidth=1.6
        )
        end = comparison.exhausted(method)
        if end is not None:
            height = np.interp(end, comparison.ticks, values)
            axes.plot(end, height, style.marker, color=style.color, markersize=6, zorder=3)
        ends.append(values)
    if metric == "sum":
        zoom(axes, ends)
    axes.set_xlabel("events")
    axes.set_ylabel(UNITS[metric])
    axes.grid(alpha=0.3)
    axes.margins(x=0.01)


def zoom(axes: Axes, curves: Sequence[NDArray[np.float64]]) -> None:
    """Leave out the first tenth of the events, where a curve may be anywhere, from the scale."""
    late = np.concatenate([curve[len(curve) // 10 :] for curve in curves])
    low, high = float(late.min()), float(late.max())
    room = 0.05 * max(high - low, 1.0)
    axes.set_ylim(low - room, min(high + room, 100.5))


def add_legend(figure: Figure, methods: Iterable[str], title: str | None = None) -> None:
    """One legend for all panels, outside of them."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=STYLES[method].color,
            linestyle=STYLES[method].dashes,
            marker=STYLES[method].marker,
            markersize=5,
            linewidth=1.6,
            label=method,
        )
        for method in methods
    ]
    figure.legend(handles=handles, loc="outside right center", title=title, frameon=False)


def development(comparison: Comparison) -> Figure:
    """Sum and cost against events, with a marker where a method's budget is spent."""
    figure, axes = _figure(1, 2, 12, 4.6)
    for panel, metric in zip(axes, ("sum", "cost"), strict=True):
        draw_development(panel, comparison, metric)
    figure.suptitle(
        f"{comparison.stream.title}: budget {comparison.plan.budget:,} of "
        f"{comparison.events:,} labels"
    )
    add_legend(figure, comparison.runs, "marker: budget spent")
    return figure

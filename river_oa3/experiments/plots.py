"""Pictures of comparisons, for people who do and do not tell red from green."""

from __future__ import annotations

import importlib.util
import io
import textwrap
import typing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.report import write_bytes

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from river_oa3.experiments.speed import Measured

__all__ = [
    "available",
    "development",
    "developments",
    "heat_maps",
    "save",
    "scaling",
    "sweeps",
]


class Style(typing.NamedTuple):
    color: str
    dashes: Literal["-", "--", "-.", ":"]
    marker: str
    width: float = 1.6

    @property
    def height(self) -> float:
        """Broken lines lie upon solid ones, so that one that is met is not hidden."""
        return 2.0 if self.dashes == "-" else 2.5


# Colours of Okabe and Ito and of Tol, which the colour-blind tell apart. Ours are solid, the
# second-order rivals dashed, the first-order ones dotted, and each has a marker of its own.
STYLES: dict[str, Style] = {
    "PAA": Style("#E69F00", ":", "v"),
    "OAAL": Style("#882255", ":", "<"),
    "CSOAL": Style("#CC79A7", ":", ">"),
    "SOAL": Style("#56B4E9", "--", "P"),
    "SOAL-CS": Style("#999933", "--", "X"),
    "OA3": Style("#000000", "-", "o"),
    "OA3-diag": Style("#0072B2", "-", "s"),
    # Wider, because SSOA3 lies right upon it.
    "SOA3": Style("#D55E00", "-", "D", 4.0),
    "SSOA3": Style("#009E73", "-", "^"),
    "OA3-F": Style("#999999", "-.", "h"),
    "OA3-R": Style("#332288", "--", "*"),
}

UNITS = {"sum": "sum of sensitivity and specificity (%)", "cost": "cost of mistakes"}


def available() -> bool:
    """Whether matplotlib is there to draw."""
    return importlib.util.find_spec("matplotlib") is not None


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


def draw_development(
    axes: Axes, comparison: Comparison, metric: str, methods: Iterable[str]
) -> None:
    """The metric against the number of events; a marker where a method's budget is spent."""
    goal = comparison.plan.goal
    ends = []
    for method in methods:
        counts = comparison.curves(method)
        values = (goal.sum(counts) if metric == "sum" else goal.cost(counts)).mean(axis=0)
        style = STYLES[method]
        axes.plot(
            comparison.ticks,
            values,
            style.dashes,
            color=style.color,
            linewidth=style.width,
            zorder=style.height,
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
            linewidth=STYLES[method].width,
            label=method,
        )
        for method in methods
    ]
    figure.legend(handles=handles, loc="outside right center", title=title, frameon=False)


def development(comparison: Comparison) -> Figure:
    """Sum and cost against events, with a marker where a method's budget is spent."""
    figure, axes = _figure(1, 2, 12, 4.6)
    for panel, metric in zip(axes, ("sum", "cost"), strict=True):
        draw_development(panel, comparison, metric, comparison.runs)
    figure.suptitle(
        f"{comparison.stream.title}: budget {comparison.plan.budget:,} of "
        f"{comparison.events:,} labels"
    )
    add_legend(figure, comparison.runs, "marker: budget spent")
    return figure


def developments(
    panels: Sequence[tuple[Comparison, Literal["sum", "cost"], str]], methods: Sequence[str]
) -> Figure:
    """Panels of a metric against events, one a comparison, under their titles."""
    figure, axes = _grid(len(panels))
    for panel, (comparison, metric, title) in zip(axes, panels, strict=False):
        draw_development(panel, comparison, metric, methods)
        panel.set_title(wrapped(title), fontsize=10)
    add_legend(figure, methods, "marker: budget spent")
    return figure


def sweeps(
    panels: Mapping[str, Mapping[str, NDArray[np.float64]]],
    values: Sequence[float],
    metric: str,
    label: str,
    log: bool,
    title: str,
) -> Figure:
    """A metric against what was varied: mean and standard deviation, a panel a data set."""
    figure, axes = _grid(len(panels))
    for panel, (name, methods) in zip(axes, panels.items(), strict=False):
        for method, scores in methods.items():
            style = STYLES[method]
            panel.errorbar(
                values,
                scores.mean(axis=1),
                scores.std(axis=1, ddof=1) if scores.shape[1] > 1 else None,
                color=style.color,
                linestyle=style.dashes,
                marker=style.marker,
                markersize=4,
                linewidth=min(style.width, 2.6),
                elinewidth=0.8,
                capsize=2,
                zorder=style.height,
            )
        if log:
            panel.set_xscale("log")
        panel.set_title(wrapped(name), fontsize=10)
        panel.set_xlabel(label)
        panel.set_ylabel(UNITS[metric])
        panel.grid(alpha=0.3)
    figure.suptitle(title)
    add_legend(figure, next(iter(panels.values())), "bar: one deviation")
    return figure


def heat_maps(
    maps: Mapping[str, NDArray[np.float64]], exponents: Sequence[int], metric: str, title: str
) -> Figure:
    """A metric over both query biases, a panel a data set, the best value marked."""
    figure, axes = _grid(len(maps))
    for panel, (name, values) in zip(axes, maps.items(), strict=False):
        shades = "cividis" if metric == "sum" else "cividis_r"
        image = panel.imshow(values, origin="lower", cmap=shades, aspect="auto")
        row, column = np.unravel_index(
            np.nanargmax(values) if metric == "sum" else np.nanargmin(values), values.shape
        )
        panel.plot(column, row, "*", color="#D55E00", markersize=14, markeredgecolor="white")
        ticks = range(0, len(exponents), 2)
        labels = [f"$10^{{{exponents[tick]}}}$" for tick in ticks]
        panel.set_xticks(ticks, labels)
        panel.set_yticks(ticks, labels)
        panel.set_xlabel("delta_neg, the bias for predicted negatives")
        panel.set_ylabel("delta_pos, for predicted positives")
        panel.set_title(wrapped(name), fontsize=10)
        figure.colorbar(image, ax=panel, label="sum (%)" if metric == "sum" else "cost")
    figure.suptitle(f"{title}: lighter is better, the star is the best")
    return figure


# Ours in the colours that they have elsewhere, solid; the floor black; all others thin.
PEERS = ("#E69F00", "#CC79A7", "#56B4E9", "#882255", "#999933", "#117733", "#AA4499", "#888888")
SPEED: dict[str, Style] = {
    "floor": Style("#000000", ":", "", 2.2),
    "OA3Diag": Style("#0072B2", "-", "s", 2.2),
    "SSOA3": Style("#009E73", "-", "^", 2.2),
    "SOA3": Style("#D55E00", "-", "D", 2.2),
    "OA3": Style("#000000", "-", "o", 2.2),
    "ActiveLearner(SSOA3)": Style("#009E73", "--", "v", 1.6),
}
MARKERS = "PX*hp<>d"


def scaling(measured: Measured) -> Figure:
    """Microseconds an event as events, vocabulary and sketch grow; both axes logarithmic."""
    from matplotlib.lines import Line2D

    figure, axes = _figure(2, 2, 13, 9)
    names = measured.names
    peers = [name for name in names if name not in SPEED]
    styles = SPEED | {
        name: Style(PEERS[k % len(PEERS)], "--", MARKERS[k % len(MARKERS)], 1.1)
        for k, name in enumerate(peers)
    }
    for panel, sweep in zip(axes, measured.sweeps, strict=True):
        for name in names:
            points = [
                (value, times[name])
                for value, times in zip(sweep.values, sweep.times, strict=True)
                if name in times
            ]
            if points:
                style = styles[name]
                panel.plot(
                    *np.array(points).T,
                    color=style.color,
                    linestyle=style.dashes,
                    linewidth=style.width,
                    marker=style.marker,
                    markersize=5,
                )
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(sweep.title, fontsize=10)
        panel.set_xlabel(sweep.label)
        panel.set_ylabel("microseconds an event")
        panel.grid(alpha=0.3)
    handles = [
        Line2D(
            [],
            [],
            color=style.color,
            linestyle=style.dashes,
            linewidth=style.width,
            marker=style.marker,
            markersize=5,
            label=name,
        )
        for name, style in styles.items()
        if name in names
    ]
    figure.legend(handles=handles, loc="outside right center", frameon=False)
    figure.suptitle("predict + learn on one core; floor: walk the dict, look each name up")
    return figure


def _grid(panels: int) -> tuple[Figure, list[Axes]]:
    """Panels two a row; one that is left over is taken away."""
    columns = min(2, panels)
    rows = -(-panels // columns)
    figure, axes = _figure(rows, columns, 1.6 + 5.2 * columns, 4.2 * rows)
    for empty in axes[panels:]:
        empty.remove()
    return figure, axes[:panels]


def wrapped(title: str) -> str:
    """A title in lines that fit over a panel."""
    return textwrap.fill(title, 62)

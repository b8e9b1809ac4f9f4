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
from river_oa3.experiments.methods import Style, find
from river_oa3.experiments.output.files import write_bytes
from river_oa3.experiments.output.reference_lines import draw_references
from river_oa3.experiments.output.text import shortened, visible
from river_oa3.experiments.scores import METRICS, Counts, Metric

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "available",
    "development",
    "developments",
    "heat_maps",
    "new_figure",
    "rendered",
    "save",
    "sweeps",
]

KINDS: tuple[typing.Literal["png", "svg"], ...] = ("png", "svg")


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

    The references, where given, are those of `references.references`.
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


def developments(
    panels: Sequence[tuple[Comparison, Metric, str]], methods: Sequence[str]
) -> Figure:
    """Panels of a metric against events, one per comparison, under their titles."""
    figure, axes = _grid(len(panels))
    for panel, (comparison, metric, title) in zip(axes, panels, strict=False):
        draw_development(panel, comparison, metric, methods)
        panel.set_title(wrapped(title), fontsize=10, parse_math=False)
    add_legend(figure, styles_of(methods), "marker: budget spent")
    return figure


def sweeps(
    panels: Mapping[str, Mapping[str, NDArray[np.float64]]],
    values: Sequence[float],
    metric: Metric,
    label: str,
    log: bool,
    title: str,
) -> Figure:
    """A metric against what was varied: mean and standard deviation, a panel per data set."""
    figure, axes = _grid(len(panels))
    for panel, (name, methods) in zip(axes, panels.items(), strict=False):
        for method, style in styles_of(methods).items():
            scores = methods[method]
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
        panel.set_title(wrapped(name), fontsize=10, parse_math=False)
        panel.set_xlabel(label)
        panel.set_ylabel(metric.axis)
        panel.grid(alpha=0.3)
    figure.suptitle(title, parse_math=False)
    add_legend(figure, styles_of(next(iter(panels.values()))), "bar: one deviation")
    return figure


def heat_maps(
    maps: Mapping[str, NDArray[np.float64]], exponents: Sequence[int], metric: Metric, title: str
) -> Figure:
    """A metric over both query biases, a panel per data set, the best value marked."""
    figure, axes = _grid(len(maps))
    for panel, (name, values) in zip(axes, maps.items(), strict=False):
        shades = "cividis" if metric.bigger_is_better else "cividis_r"
        image = panel.imshow(values, origin="lower", cmap=shades, aspect="auto")
        row, column = np.unravel_index(metric.best(values), values.shape)
        panel.plot(column, row, "*", color="#D55E00", markersize=14, markeredgecolor="white")
        ticks = range(0, len(exponents), 2)
        labels = [f"$10^{{{exponents[tick]}}}$" for tick in ticks]
        panel.set_xticks(ticks, labels)
        panel.set_yticks(ticks, labels)
        panel.set_xlabel("delta_neg, the bias for predicted negatives")
        panel.set_ylabel("delta_pos, for predicted positives")
        panel.set_title(wrapped(name), fontsize=10, parse_math=False)
        figure.colorbar(image, ax=panel, label=metric.head)
    figure.suptitle(f"{title}: lighter is better, the star is the best", parse_math=False)
    return figure


def _grid(panels: int) -> tuple[Figure, list[Axes]]:
    """Panels, two per row; one that is left over is taken away."""
    columns = min(2, panels)
    rows = -(-panels // columns)
    figure, axes = new_figure(rows, columns, 1.6 + 5.2 * columns, 4.2 * rows)
    for empty in axes[panels:]:
        empty.remove()
    return figure, axes[:panels]


def wrapped(title: str) -> str:
    """A title in lines that fit over a panel."""
    return textwrap.fill(shortened(visible(title), 240), 62)

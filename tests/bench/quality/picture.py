"""The contest in a picture: means against budgets, and ours stream by stream."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import numpy as np

from river_oa3.experiments.methods import METHODS, Style
from river_oa3.experiments.output.plots import add_legend, new_figure, wrapped
from river_oa3.experiments.scores import METRICS

from ..quality.registry import CONTENDERS
from ..quality.standings import FIXED, HINDSIGHT, OURS, compared, interval
from ..quality.tables import ANY_PEER, Verdict

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw"]

# Those that no learner of the paper has in this picture.
COLORS = ("#E69F00", "#56B4E9", "#882255", "#999933", "#332288", "#888888")
MARKERS = "PX*hpd"
OURS_STYLE = Style("#D55E00", "-", "o", 3.0)


def draw(verdicts: Sequence[Verdict]) -> Figure:
    """A column per metric: above the means against the budget, below ours against all peers."""
    has_cells = all(each.ours is not None and each.strongest is not None for each in verdicts)
    rows = 2 if has_cells else 1
    height = 4.6 + (1.6 + 0.28 * len(verdicts[0].streams) if has_cells else 0.0)
    figure, axes = new_figure(rows, len(verdicts), 14, height)
    styles: dict[str, Style] = {}
    for panel, verdict in zip(axes, verdicts, strict=False):
        styles |= _draw_means(panel, verdict)
    if has_cells:
        for panel, verdict in zip(axes[len(verdicts) :], verdicts, strict=True):
            _draw_streams(panel, verdict)
    add_legend(figure, styles, "dashed: tuned in hindsight\ndotted: one best fixed setting")
    return figure


def _draw_means(axes: Axes, verdict: Verdict) -> dict[str, Style]:
    names = list(dict.fromkeys(each.contender for each in verdict.found))
    peers = [name for name in names if name != OURS and name not in METHODS]
    styles = {}
    for standing in verdict.found:
        name = standing.contender
        if name == ANY_PEER or (name != OURS and standing.how not in (FIXED, HINDSIGHT)):
            continue
        if name == OURS:
            style = OURS_STYLE
        elif name in METHODS:
            style = METHODS[name].style._replace(dashes="-", width=1.6)
        else:
            k = peers.index(name) % len(COLORS)
            style = Style(COLORS[k], "-", MARKERS[k])
        styles[CONTENDERS[name].title] = style
        axes.plot(
            [100 * share for share in verdict.contest.budgets],
            [interval(column)[0] for column in standing.means.T],
            "-" if name == OURS else "--" if standing.how == HINDSIGHT else ":",
            color=style.color,
            marker=style.marker,
            markersize=5,
            linewidth=OURS_STYLE.width if name == OURS else 1.4,
            zorder=3 if name == OURS else 2,
        )
    axes.set_xscale("log")
    ticks = [100 * share for share in verdict.contest.budgets]
    axes.set_xticks(ticks, [f"{tick:g} %" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("budget of labels")
    axes.set_ylabel(METRICS[verdict.metric].percent_head)
    axes.set_title(f"mean of {len(verdict.streams)} streams: {verdict.metric}", fontsize=10)
    axes.grid(alpha=0.3)
    return styles


def _draw_streams(axes: Axes, verdict: Verdict) -> None:
    """How far ours is ahead of the best of all peers, with its interval over orders."""
    assert verdict.ours is not None
    assert verdict.strongest is not None
    found = compared(verdict.metric, verdict.ours, verdict.strongest)
    budgets = verdict.contest.budgets
    places = np.arange(len(verdict.streams))
    for j, share in enumerate(budgets):
        shade = str(0.75 - 0.75 * j / max(1, len(budgets) - 1))
        axes.errorbar(
            found.per_stream[:, j],
            places + 0.16 * (j - (len(budgets) - 1) / 2),
            xerr=np.nan_to_num(found.per_stream_margins[:, j]),
            fmt="o",
            color=shade,
            markersize=4,
            elinewidth=0.8,
            label=f"{100 * share:g} %",
        )
    axes.axvline(0.0, color=OURS_STYLE.color, linewidth=1.0)
    axes.set_yticks(places, verdict.streams, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("points ahead; bar: 95 percent interval, paired over orders")
    title = f"ours with defaults against {verdict.strongest.title}: {verdict.metric}"
    axes.set_title(wrapped(title), fontsize=10)
    axes.legend(fontsize=8, title="budget", frameon=False)
    axes.grid(alpha=0.3)

"""How times grow, in pictures."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import numpy as np

from river_oa3.experiments.methods import METHODS, Style
from river_oa3.experiments.output.plots import add_legend, new_figure

from .contenders import CONTENDERS, FLOOR
from .growth import Sweep, taking_part

if typing.TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["scaling"]

# The floor black and dotted, all others but ours thin and dashed.
PEERS = ("#E69F00", "#CC79A7", "#56B4E9", "#882255", "#999933", "#117733", "#AA4499", "#888888")
MARKERS = "PX*hp<>d"
FLOOR_STYLE = Style("#000000", ":", "", 2.2)


def _styles(names: Sequence[str]) -> dict[str, Style]:
    """Ours in the colours that their methods have elsewhere."""
    peers = [name for name in names if name != FLOOR and CONTENDERS[name].method is None]
    styles = {}
    for name in names:
        method = CONTENDERS[name].method
        if name == FLOOR:
            styles[name] = FLOOR_STYLE
        elif method is not None:
            is_bare = CONTENDERS[name].is_bare
            style = METHODS[method].style
            styles[name] = style._replace(dashes="-" if is_bare else "--", width=2.2)
        else:
            k = peers.index(name)
            styles[name] = Style(PEERS[k % len(PEERS)], "--", MARKERS[k % len(MARKERS)], 1.1)
    return styles


def scaling(sweeps: Sequence[Sweep]) -> Figure:
    """Microseconds per event as events, vocabulary and sketch grow; both axes logarithmic."""
    figure, axes = new_figure(2, 2, 13, 9)
    styles = _styles(taking_part(times for sweep in sweeps for times in sweep.times))
    for panel, sweep in zip(axes, sweeps, strict=True):
        for name, style in styles.items():
            points = [
                (value, times[name])
                for value, times in zip(sweep.values, sweep.times, strict=True)
                if name in times
            ]
            if points:
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
        panel.set_ylabel("microseconds per event")
        panel.grid(alpha=0.3)
    add_legend(figure, styles)
    figure.suptitle("predict + learn on one core; floor: walk the dict, look each name up")
    return figure

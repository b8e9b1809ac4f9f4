"""How the default parameters were chosen: the least mean regret over data sets and budgets.

The regret of a setting is how much worse it is than the best setting of the grid for the same data
set, method and budget: in points for the sum, in percent for the cost.
"""

from __future__ import annotations

import itertools
import typing
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.lab import METRICS, Lab, Variation
from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.report import aligned
from river_oa3.experiments.scores import Goal

__all__ = ["regrets", "table"]

# The names of the three parameters, and what is tried for each.
GRID: dict[str, Sequence[float]] = {
    "eta": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
    "delta_pos": (0.01, 0.1, 1.0, 10.0),
    "delta_neg": (0.003, 0.01, 0.1, 1.0),
}
SHARES = (0.01, 0.05, 0.2)
PERMUTATIONS = 4
EVENTS = 20_000
# A full covariance of more features would take hours here.
LARGEST_FULL = 500
SHOWN = 15

Point = tuple[float, ...]


class Regret(typing.NamedTuple):
    """The mean regret of a setting, by metric."""

    point: Point
    sum: float
    cost: float


def regrets(lab: Lab, sets: Sequence[str]) -> list[Regret]:
    """The mean regret of each point of the grid, the least first.

    Both regrets count the same: each is divided by its mean over the grid before they are added.
    """
    points = list(itertools.product(*GRID.values()))
    found: dict[str, list[NDArray[np.float64]]] = {metric: [] for metric in METRICS}
    for name, metric in itertools.product(sets, METRICS):
        for means in _means(lab, name, Goal(metric), points):
            if metric == "sum":
                found[metric].append(np.nanmax(means) - means)
            else:
                best = max(float(np.nanmin(means)), 1e-9)
                found[metric].append(100.0 * (means - best) / best)
    by_sum, by_cost = (np.nanmean(found[metric], axis=0) for metric in METRICS)
    both = by_sum / by_sum.mean() + by_cost / by_cost.mean()
    return [
        Regret(points[k], float(by_sum[k]), float(by_cost[k])) for k in np.argsort(both).tolist()
    ]


def _means(
    lab: Lab, name: str, goal: Goal, points: Sequence[Point]
) -> typing.Iterator[NDArray[np.float64]]:
    """The mean score of each point, once for each method and budget."""
    stream = lab.stream(name)
    events = min(len(stream), EVENTS)
    methods = ["OA3-diag", "SSOA3", *(["OA3"] if len(stream.names) <= LARGEST_FULL else [])]
    for method, share in itertools.product(methods, SHARES):
        setting = lab.setting(name, goal, max(1, round(share * events)))
        variations = [
            Variation(method, float(k), tuple(zip(GRID, point, strict=True)), setting, goal)
            for k, point in enumerate(points)
        ]
        what = f"{method}, {share:.0%}"
        scores = lab.sweep(name, variations, PERMUTATIONS, what, events)
        yield np.array([scores[method, float(k)].mean() for k in range(len(points))])


def table(found: Sequence[Regret]) -> str:
    """The best settings, and the defaults wherever they stand."""
    chosen = _point(METHODS["OA3"].parameters)
    rows = [["place", *GRID, "regret of sum (points)", "of cost (%)", ""]]
    for place, regret in enumerate(found, start=1):
        if place <= SHOWN or regret.point == chosen:
            rows.append(
                [
                    str(place),
                    *(f"{value:g}" for value in regret.point),
                    f"{regret.sum:.2f}",
                    f"{regret.cost:.1f}",
                    "default" if regret.point == chosen else "",
                ]
            )
    return aligned(rows, set(), bold=False)


def _point(parameters: Mapping[str, float]) -> Point:
    return tuple(parameters[name] for name in GRID)

"""How the default parameters were chosen: the least mean regret over data sets and budgets.

The regret of a setting is how much worse it is than the best setting of the grid for the same data
set, method and budget: in points for the sum, in percent for the cost.
"""

from __future__ import annotations

import itertools
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.output.text import aligned
from river_oa3.experiments.scores import METRICS, Goal

from .experiment import Experiment, Say, write
from .study import Study, Variation

__all__ = ["Defaults", "regrets", "table"]

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
MAX_FULL_FEATURES = 500
MAX_SHOWN_ROWS = 15

Point = tuple[float, ...]


class Regret(typing.NamedTuple):
    """The mean regret of a setting, by the name of the metric."""

    point: Point
    by_metric: dict[str, float]


def regrets(study: Study, sets: Sequence[str]) -> list[Regret]:
    """The mean regret of each point of the grid, the least first.

    Both regrets count the same: each is divided by its mean over the grid before they are added.
    """
    points = list(itertools.product(*GRID.values()))
    found: dict[str, NDArray[np.float64]] = {}
    for metric in METRICS.values():
        every = [
            metric.regret(means)
            for name in sets
            for means in _means(study, name, Goal(metric.name), points)
        ]
        found[metric.name] = np.nanmean(every, axis=0)
    both = sum(regret / regret.mean() for regret in found.values())
    return [
        Regret(points[k], {name: float(regret[k]) for name, regret in found.items()})
        for k in np.argsort(both).tolist()
    ]


def _means(
    study: Study, name: str, goal: Goal, points: Sequence[Point]
) -> Iterator[NDArray[np.float64]]:
    """The mean score of each point, once for each method and budget."""
    events = min(study.events(name), EVENTS)
    for method, share in itertools.product(_methods(study, name), SHARES):
        setting = study.setting(name, goal, max(1, round(share * events)))
        variations = [
            Variation(method, float(k), tuple(zip(GRID, point, strict=True)), setting, goal)
            for k, point in enumerate(points)
        ]
        what = f"{method}, {share:.0%}"
        scores = study.sweep(name, variations, PERMUTATIONS, what, events)
        yield np.array([scores[method, float(k)].mean() for k in range(len(points))])


def _methods(study: Study, name: str) -> list[str]:
    has_full = len(study.stream(name).names) <= MAX_FULL_FEATURES
    return ["OA3-diag", "SSOA3", *(["OA3"] if has_full else [])]


def table(found: Sequence[Regret]) -> str:
    """The best settings, and the defaults wherever they stand."""
    chosen = _point(METHODS["OA3"].parameters)
    heads = [metric.regret_head for metric in METRICS.values()]
    rows = [["rank", *GRID, *heads, ""]]
    for rank, regret in enumerate(found, start=1):
        if rank <= MAX_SHOWN_ROWS or regret.point == chosen:
            rows.append(
                [
                    str(rank),
                    *(f"{value:g}" for value in regret.point),
                    *(f"{each:.2f}" for each in regret.by_metric.values()),
                    "default" if regret.point == chosen else "",
                ]
            )
    return aligned(rows)


def _point(parameters: Mapping[str, float]) -> Point:
    return tuple(parameters[name] for name in GRID)


class Defaults(Experiment):
    """How the default parameters were chosen."""

    def runs(self, study: Study) -> Iterator[tuple[str, str, int, int]]:
        """Each point of the grid, for each budget and metric."""
        points = len(list(itertools.product(*GRID.values())))
        for each in study.available(self.sets):
            for method in _methods(study, each):
                runs = points * len(SHARES) * len(METRICS) * PERMUTATIONS
                yield each, method, runs, min(study.events(each), EVENTS)

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Print and write the table of regrets."""
        sets = study.available(self.sets)
        text = table(regrets(study, sets))
        say(f"on {', '.join(map(study.title, sets))}\n\n{text}")
        return write(study, {f"{name}.txt": text + "\n"})

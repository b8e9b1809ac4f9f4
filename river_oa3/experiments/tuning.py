"""Parameters from the paper's grid, chosen on events in orders that are never reported.

The grid is 10^-5, 10^-4, .., 10^5 for each parameter. Its every other point is tried in one order
of the events, the better ones in a few, then the neighbours of the best, until no neighbour is
better. The best of all are tried in as many orders as are reported, for settings that fail now and
then look best in a few; the best mean wins.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Sequence

from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.running import TUNING, Parameters, Part, Task, Workers
from river_oa3.experiments.scores import Goal

__all__ = ["EXPONENTS", "tune"]

EXPONENTS = range(-5, 6)

COARSE = EXPONENTS[::2]
# The share of the coarse grid that is tried again, and in how many orders.
KEPT = 0.25
FEW = 4
# How many of the best have their neighbours tried.
CLIMBERS = 3
# How many reach the last round, and its number of orders.
FINALISTS = 8
MANY = 20

Point = tuple[int, ...]
Scores = dict[Point, list[float]]


def tune(
    workers: Workers,
    methods: Iterable[str],
    setting: Setting,
    goal: Goal,
    part: Part,
) -> dict[str, Parameters]:
    """The best parameters of each method for a goal.

    Parameters
    ----------
    workers
        Workers that hold the stream.
    methods
        The methods to tune.
    setting
        What else is set.
    goal
        What to be good at.
    part
        The events to tune on; its permutation is left out of account.

    """
    scores: dict[str, Scores] = {method: {} for method in methods}

    def evaluate(wanted: Iterable[tuple[str, Point, int]], what: str) -> None:
        """Score points of methods in so many orders, as far as that is not done yet."""
        tasks, places = [], {}
        for method, point, orders in wanted:
            known = scores[method].setdefault(point, [])
            for number in range(len(known), orders):
                task = Task(
                    method,
                    parameters(method, point),
                    setting,
                    part._replace(permutation=TUNING + number),
                    (part.stop - part.start,),
                )
                known.append(math.nan)
                places[task] = (known, number)
                tasks.append(task)
        for task, run in workers.run(tasks, what):
            known, number = places[task]
            counts = run and type(run.counts)(*(count[-1] for count in run.counts))
            known[number] = -math.inf if counts is None else goal.merit(counts)

    evaluate(
        (
            (method, point, 1)
            for method in scores
            for point in itertools.product(COARSE, repeat=len(METHODS[method].tuned))
        ),
        "tuning, coarse",
    )
    evaluate(
        (
            (method, point, FEW)
            for method in scores
            for point in _best(scores[method], math.ceil(KEPT * len(scores[method])), 1)
        ),
        "tuning, the better",
    )
    climbing = {method: _best(scores[method], CLIMBERS) for method in scores}
    while any(climbing.values()):
        before = {
            method: {point for point, merits in scores[method].items() if len(merits) >= FEW}
            for method in scores
        }
        evaluate(
            (
                (method, neighbour, FEW)
                for method, points in climbing.items()
                for point in points
                for neighbour in _neighbours(point)
            ),
            "tuning, fine",
        )
        climbing = {
            method: [
                point for point in _best(scores[method], CLIMBERS) if point not in before[method]
            ]
            for method in climbing
        }
    finalists = {method: _best(scores[method], FINALISTS) for method in scores}
    evaluate(
        ((method, point, MANY) for method, points in finalists.items() for point in points),
        "tuning, finals",
    )
    return {
        method: parameters(
            method, max(points, key=lambda point: statistics.fmean(scores[method][point]))
        )
        for method, points in finalists.items()
    }


def parameters(method: str, point: Point) -> Parameters:
    """The parameters of a method at a point of the grid, by exponents."""
    names = METHODS[method].tuned
    return tuple(
        (name, float(f"1e{exponent}")) for name, exponent in zip(names, point, strict=True)
    )


def _best(scores: Scores, n: int, orders: int = FEW) -> list[Point]:
    """The `n` best points in so many orders; of equals, those nearest to the middle of the grid."""
    return sorted(
        (point for point in scores if len(scores[point]) >= orders),
        key=lambda point: (-statistics.fmean(scores[point][:orders]), sum(map(abs, point)), point),
    )[:n]


def _neighbours(point: Point) -> Sequence[Point]:
    near = itertools.product(*((e - 1, e, e + 1) for e in point))
    return [neighbour for neighbour in near if all(e in EXPONENTS for e in neighbour)]

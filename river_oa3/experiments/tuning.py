"""Parameters from the paper's grid, chosen on events in orders that are never reported.

The grid is 10^-5, 10^-4, .., 10^5 for each parameter. Its every other point is tried in one order
of the events, the better ones in a few, then the neighbours of the best, until no neighbour is
better. The best of all are tried in as many orders as are reported, for settings that fail now and
then look best in a few; the best mean wins. Where a run takes long, the first stages can do with
fewer events than the last.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.runner import Runner
from river_oa3.experiments.scores import Goal
from river_oa3.experiments.tasks import TUNING, Parameters, Part, Run, Task

__all__ = ["PAPER", "QUICK", "Search", "Stage", "tune"]

Point = tuple[int, ...]
Scores = dict[Point, list[float]]


@dataclasses.dataclass(frozen=True)
class Stage:
    """In how many orders points are tried, and on how many events of each; None for all."""

    orders: int
    events: int | None = None


@dataclasses.dataclass(frozen=True)
class Search:
    """How thoroughly to look for parameters.

    Parameters
    ----------
    exponents
        The powers of ten that are tried for each parameter.
    step
        The coarse grid has every so many of them.
    coarse, fine, final
        The stages: the coarse grid, the better of its points and their neighbours, the finalists.
    kept
        The share of the coarse grid that is tried again.
    climbers
        How many of the best have their neighbours tried.
    finalists
        How many reach the last stage.

    """

    exponents: tuple[int, ...] = tuple(range(-5, 6))
    step: int = 2
    coarse: Stage = Stage(1)
    fine: Stage = Stage(4)
    final: Stage = Stage(20)
    kept: float = 0.25
    climbers: int = 3
    finalists: int = 8

    def on_events(self, coarse: int | None, fine: int | None, final: int | None) -> Search:
        """The same search with so many events in its stages."""
        return dataclasses.replace(
            self,
            coarse=Stage(self.coarse.orders, coarse),
            fine=Stage(self.fine.orders, fine),
            final=Stage(self.final.orders, final),
        )

    def grid(self, parameters: int) -> Iterable[Point]:
        """The points of the coarse grid, by exponents."""
        return itertools.product(self.exponents[:: self.step], repeat=parameters)

    def neighbours(self, point: Point) -> Sequence[Point]:
        """A point and those of the grid that are next to it in any direction."""
        near = itertools.product(*((e - 1, e, e + 1) for e in point))
        return [each for each in near if all(e in self.exponents for e in each)]

    def runs(self, parameters: int) -> list[tuple[Stage, int]]:
        """About how many runs each stage takes for a method with so many parameters."""
        whole = len(self.exponents) ** parameters
        coarse = len(self.exponents[:: self.step]) ** parameters
        # The best of the coarse grid and, as seen on the paper's sets, two rounds of neighbours.
        fine = math.ceil(self.kept * coarse) + 2 * self.climbers * (3**parameters - 1) // 2
        return [
            (self.coarse, coarse * self.coarse.orders),
            (self.fine, min(fine, whole) * self.fine.orders),
            (self.final, min(self.finalists, whole) * self.final.orders),
        ]


PAPER = Search()
# For a first table: one exponent in two, a few orders, and no more than so many events.
QUICK = Search(
    exponents=tuple(range(-3, 4)),
    coarse=Stage(1, 2_000),
    fine=Stage(2, 2_000),
    final=Stage(4, 4_000),
    climbers=1,
    finalists=3,
)


def tune(
    runner: Runner,
    methods: Iterable[str],
    setting: Setting,
    goal: Goal,
    part: Part,
    search: Search | None = None,
) -> dict[str, Parameters]:
    """The best parameters of each method for a goal.

    Parameters
    ----------
    runner
        What runs the tasks.
    methods
        The methods to tune.
    setting
        What else is set; the budget is its probability's share of the events of a stage.
    goal
        What to be good at.
    part
        The events to tune on, shuffled or as they come; its number is left out of account.
    search
        How thoroughly to look; None does as the paper's tables need it.

    """
    search = search or PAPER
    evaluated = _Evaluated(runner, tuple(methods), setting, goal, part)
    coarse, fine, final = search.coarse, search.fine, search.final
    names = evaluated.methods
    evaluated.add(
        {method: search.grid(len(METHODS[method].tuned)) for method in names},
        coarse,
        "tuning, coarse",
    )
    kept = {
        method: evaluated.best(
            method, math.ceil(search.kept * len(evaluated.scores(method, coarse))), coarse
        )
        for method in names
    }
    evaluated.add(kept, fine, "tuning, the better")
    climbing = {method: evaluated.best(method, search.climbers, fine) for method in names}
    while any(climbing.values()):
        before = {method: set(evaluated.tried(method, fine)) for method in names}
        near = {
            method: [each for point in points for each in search.neighbours(point)]
            for method, points in climbing.items()
        }
        evaluated.add(near, fine, "tuning, fine")
        climbing = {
            method: [
                point
                for point in evaluated.best(method, search.climbers, fine)
                if point not in before[method]
            ]
            for method in names
        }
    finalists = {method: evaluated.best(method, search.finalists, fine) for method in names}
    evaluated.add(finalists, final, "tuning, finals")
    return {
        method: parameters(method, _winner(points, evaluated.scores(method, final)))
        for method, points in finalists.items()
    }


def parameters(method: str, point: Point) -> Parameters:
    """The parameters of a method at a point of the grid, by exponents."""
    names = METHODS[method].tuned
    return tuple(
        (name, float(f"1e{exponent}")) for name, exponent in zip(names, point, strict=True)
    )


def _winner(points: Sequence[Point], scores: Scores) -> Point:
    return max(points, key=lambda point: statistics.fmean(scores[point]))


class _Evaluated:
    """What was found out: for each method and number of events, the objective by point and order.

    Runs on different numbers of events are never averaged; those of a stage serve the next one if
    that has as many events.
    """

    def __init__(
        self, runner: Runner, methods: tuple[str, ...], setting: Setting, goal: Goal, part: Part
    ):
        self.methods = methods
        self._runner = runner
        self._setting = setting
        self._goal = goal
        self._part = part
        self._scores: dict[tuple[str, int], Scores] = {}

    def scores(self, method: str, stage: Stage) -> Scores:
        return self._scores.setdefault((method, self._events(stage)), {})

    def _events(self, stage: Stage) -> int:
        events = self._part.stop - self._part.start
        return events if stage.events is None else min(events, stage.events)

    def tried(self, method: str, stage: Stage) -> Iterable[Point]:
        """The points that were tried in all orders of a stage."""
        scores = self.scores(method, stage)
        return (point for point, found in scores.items() if len(found) >= stage.orders)

    def best(self, method: str, n: int, stage: Stage) -> list[Point]:
        """The best points; of equals, those nearest to the middle of the grid."""
        scores = self.scores(method, stage)
        return sorted(
            self.tried(method, stage),
            key=lambda point: (
                -statistics.fmean(scores[point][: stage.orders]),
                sum(map(abs, point)),
                point,
            ),
        )[:n]

    def add(self, wanted: Mapping[str, Iterable[Point]], stage: Stage, what: str) -> None:
        """Score points of methods in the orders of a stage, as far as that is not done yet."""
        events = self._events(stage)
        # As large a share of the events is asked about as in what is reported.
        budget = max(1, round(self._setting.probability * events))
        setting = dataclasses.replace(self._setting, budget=budget)
        tasks, indices = [], {}
        for method, points in wanted.items():
            for point in points:
                known = self.scores(method, stage).setdefault(point, [])
                for order in range(len(known), stage.orders):
                    part = self._part._replace(stop=self._part.start + events)
                    part = part.numbered(TUNING + order)
                    task = Task(method, parameters(method, point), setting, part, (events,))
                    known.append(math.nan)
                    indices[task] = (known, order)
                    tasks.append(task)
        for task, run in self._runner.run(tasks, what):
            known, order = indices[task]
            known[order] = -math.inf
            if isinstance(run, Run):
                known[order] = self._goal.objective(run.final)

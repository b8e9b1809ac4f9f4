"""How many labels would be enough: one method with budgets that double from step to step."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.scores import Counts, Goal
from river_oa3.experiments.verdict import Difference, Scores, constant_answer, difference

__all__ = ["BudgetCurve", "steps_around"]


@dataclasses.dataclass(frozen=True)
class BudgetCurve:
    """What one method did with each of several budgets, in the same runs.

    Its intervals cover other runs and other events, as those of a verdict do.

    Parameters
    ----------
    method
        Whose curve it is.
    goal
        What is scored.
    budgets
        Numbers of labels, rising.
    counts
        The counts with each budget: arrays of runs by checkpoints.
    every_label
        The counts of AutoOA3 with all labels.
    in_time
        Whether the events come in the order of time in all runs, and not shuffled.

    """

    method: str
    goal: Goal
    budgets: tuple[int, ...]
    counts: tuple[Counts, ...]
    every_label: Counts
    in_time: bool = False

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores: a row per budget, a column per run."""
        scores: NDArray[np.float64] = np.array([each.runs for each in self._turned])
        return np.asarray(self.goal.measure.objective(scores))

    @property
    def means(self) -> list[Difference]:
        """The mean score with each budget."""
        found = []
        for scores in self._turned:
            runs, moves = np.zeros_like(scores.runs), np.zeros_like(scores.moves)
            nothing = Scores(runs, moves, self.in_time)
            _, *ends = difference("", scores, nothing)
            mean, *sides = self.goal.measure.objective(np.array(ends))
            found.append(Difference(self.method, mean, min(sides), max(sides)))
        return found

    @property
    def labels(self) -> list[float]:
        """How many labels were bought with each budget, on average."""
        return [float(np.mean(np.asarray(each.labels)[:, -1])) for each in self.counts]

    @property
    def gains(self) -> list[Difference]:
        """What each step brings, per doubling, in the unit of `Metric.gain_unit`."""
        doublings = np.diff(np.log2(self.budgets))
        return [
            self._gain(before, after, float(each))
            for before, after, each in zip(self._turned, self._turned[1:], doublings, strict=False)
        ]

    @property
    def gaps(self) -> list[Difference]:
        """What all labels would bring beyond each budget, in the unit of `Metric.gain_unit`."""
        every = Scores.of(self.goal, self.every_label, self.in_time)
        return [self._gain(scores, every) for scores in self._turned]

    @property
    def enough(self) -> int | None:
        """The smallest budget that is shown to be enough; None where none is.

        From there on neither twice as many labels nor all of them bring what the metric calls
        worthwhile, and the upper ends of the intervals say so too. Nor is a number enough for what
        a constant answer does as well. Budgets are looked at from the largest down and none below
        one that is not enough, so luck has a single chance.
        """
        found = None
        for budget, gain, gap, lead in zip(
            self.budgets[-2::-1], self.gains[::-1], self.gaps[-2::-1], self._leads[-2::-1],
            strict=True,
        ):  # fmt: skip
            if (
                not max(gain.high, gap.high) < self.goal.measure.worthwhile
                or not lead.is_significant
            ):
                break
            found = budget
        return found

    @functools.cached_property
    def _turned(self) -> list[Scores]:
        return [Scores.of(self.goal, each, self.in_time) for each in self.counts]

    @property
    def _leads(self) -> list[Difference]:
        """How far each budget is ahead of the best constant answer."""
        constant = constant_answer(self.goal, self.goal.measure, self.every_label)
        baseline = Scores.of(self.goal, constant, self.in_time)
        return [difference(self.method, scores, baseline) for scores in self._turned]

    def _gain(self, before: Scores, after: Scores, doublings: float = 1.0) -> Difference:
        measure = self.goal.measure
        start = float(np.mean(before.runs))
        _, *ends = difference("", after, before)
        gains = [
            float(measure.gain(measure.objective(start), measure.objective(start + end)))
            for end in ends
        ]
        return Difference(self.method, *(gain / doublings for gain in gains))


def steps_around(budget: int, events: int, least: int = 10) -> tuple[int, ...]:
    """The budget, its half, quarter and eighth, and its double to eightfold, as far as they fit.

    Examples
    --------

    >>> from river_oa3.experiments.budget_curve import steps_around

    >>> steps_around(100, events=500)
    (12, 25, 50, 100, 200, 400, 500)

    """
    steps = {round(budget * 2.0**power) for power in range(-3, 4)}
    fitting = {step for step in steps if least <= step < events}
    if max(steps) >= events:
        fitting.add(events)
    return tuple(sorted(fitting | {budget}))

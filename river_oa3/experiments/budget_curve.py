"""How many labels would be enough: one method with budgets that double from step to step."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.scores import Goal

__all__ = ["BudgetCurve", "steps_around"]


@dataclasses.dataclass(frozen=True)
class BudgetCurve:
    """The score of one method for each of several budgets, in the same orders.

    Parameters
    ----------
    method
        Whose curve it is.
    goal
        What is scored.
    budgets
        Numbers of labels, rising.
    scores
        The scores: a row per budget, a column per order.

    """

    method: str
    goal: Goal
    budgets: tuple[int, ...]
    scores: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean score for each budget."""
        return np.asarray(self.scores.mean(axis=1), dtype=np.float64)

    @property
    def enough(self) -> int | None:
        """The smallest budget from which on no doubling brings what the metric calls worthwhile.

        None where the last step still does: the curve does not reach that far.
        """
        found = None
        for budget, gain in zip(self.budgets[-2::-1], self.gains[::-1], strict=True):
            if gain >= self.goal.measure.worthwhile:
                break
            found = budget
        return found

    @property
    def gains(self) -> NDArray[np.float64]:
        """What each step brings, per doubling, in the unit of `Metric.gain_unit`."""
        steps = self.goal.measure.gain(self.means[:-1], self.means[1:])
        return np.asarray(steps / np.diff(np.log2(self.budgets)), dtype=np.float64)


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

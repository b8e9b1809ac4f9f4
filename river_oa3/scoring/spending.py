"""What a budget says to an event that comes next."""

from __future__ import annotations

import copy
import typing

from river_oa3.budget import UNLIMITED, Budget, Pace, RateBudget, WindowBudget

__all__ = ["Spending"]


class Spending(typing.NamedTuple):
    """Whether an event may be asked about, and how fast to spend.

    Examples
    --------

    >>> from river_oa3 import budget
    >>> from river_oa3.scoring.spending import Spending

    >>> Spending.on_next(budget.TotalBudget(0)).can_ask
    False

    """

    can_ask: bool
    pace: Pace

    @classmethod
    def on_next(cls, budget: Budget | None) -> Spending:
        """What the budget says to the next event; nothing is spent."""
        if budget is None:
            return cls(True, UNLIMITED)
        after = copy.deepcopy(budget)
        after.tick()
        return cls(after.can_ask(), after.pace())

    @classmethod
    def on_batch(cls, budget: Budget | None) -> Spending:
        """The same for a batch: where the next event finds nothing left, a later one may."""
        now = cls.on_next(budget)
        if now.can_ask:
            return now
        if isinstance(budget, RateBudget):
            return now._replace(can_ask=True)
        if isinstance(budget, WindowBudget) and isinstance(budget.every, int):
            later = copy.deepcopy(budget)
            later._events += -later._events % budget.every
            return cls.on_next(later)
        return now

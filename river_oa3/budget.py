"""How many labels may be asked for, and when.

`ActiveLearner` calls `tick` once for every event, then `can_ask`, and `spend` when it asks.
A budget object may be shared by several active learners, which then spend from one purse.
"""

from __future__ import annotations

import abc
import datetime as dt
import math
import time
from collections.abc import Callable

from river import base

from river_oa3._core import checks

__all__ = ["Budget", "RateBudget", "TotalBudget", "WindowBudget"]

Clock = Callable[[], "dt.datetime | float"]


class Budget(base.Base, abc.ABC):
    """A purse of labels: what an active learner may still ask for, and what it pays with."""

    @property
    @abc.abstractmethod
    def left(self) -> int:
        """The number of labels that could be asked for right now."""

    def can_ask(self) -> bool:
        """Whether a label can be asked for right now."""
        return self.left > 0

    @abc.abstractmethod
    def tick(self) -> None:
        """Note that an event has come."""

    def spend(self) -> None:
        """Pay for one label; an empty purse raises a `ValueError`."""
        if not self.can_ask():
            raise ValueError("there is no label left to spend")
        self._spend()

    @abc.abstractmethod
    def _spend(self) -> None: ...

    @property
    def stamp(self) -> int | None:
        """Marks the time of an ask for `refund`, where that matters."""
        return None

    @abc.abstractmethod
    def refund(self, stamp: int | None = None) -> None:
        """Take back the price of one label that was asked for and never came.

        Parameters
        ----------
        stamp
            What `stamp` was when the label was asked for. None means just now.

        """


class TotalBudget(Budget):
    """So many labels in all.

    Parameters
    ----------
    labels
        The number of labels.

    Examples
    --------

    >>> from river_oa3 import budget

    >>> purse = budget.TotalBudget(2)
    >>> purse.spend()
    >>> purse.left
    1

    """

    def __init__(self, labels: int):
        self.labels = checks.count("a budget, or its labels,", labels)
        self._spent = 0

    @property
    def left(self) -> int:
        return self.labels - self._spent

    def can_ask(self) -> bool:
        return self._spent < self.labels

    def tick(self) -> None:
        pass

    def _spend(self) -> None:
        self._spent += 1

    def refund(self, stamp: int | None = None) -> None:
        self._spent = max(0, self._spent - 1)


class RateBudget(Budget):
    """A share of the events, with little memory of those that nobody asked about.

    Every event brings `rate` of a label into the purse, which holds no more than a window's worth.
    So the first n events cost at most `1 + rate * n` labels, and a month in which nobody asked does
    not become an hour in which everybody does: no more than `rate * window` labels are saved up.
    Where a rule wants to ask about more than the rate, the purse is mostly empty, and what is asked
    about is close to first come, first served.

    Parameters
    ----------
    rate
        The share of events, above 0 and up to 1.
    window
        The number of events whose labels can be saved up.

    Examples
    --------

    >>> from river_oa3 import budget

    >>> purse = budget.RateBudget(rate=0.25, window=100)
    >>> asked = []
    >>> for _ in range(9):
    ...     purse.tick()
    ...     asked.append(purse.can_ask())
    ...     if asked[-1]:
    ...         purse.spend()
    >>> asked
    [True, False, False, False, True, False, False, False, True]

    """

    def __init__(self, rate: float, window: int = 1000):
        self.rate = checks.share("rate", rate)
        self.window = checks.positive_integer("window", window)
        # A label and the next event's share fit in, or steady demand would lose some of its due.
        self._most = max(1.0 + self.rate, self.rate * self.window)
        self._saved = 1.0 - self.rate

    @property
    def left(self) -> int:
        # Shares such as 0.1 are not exact, and ten of them should make a label.
        return math.floor(self._saved + 1e-9)

    def tick(self) -> None:
        self._saved = min(self._most, self._saved + self.rate)

    def _spend(self) -> None:
        self._saved -= 1.0

    def refund(self, stamp: int | None = None) -> None:
        self._saved = min(self._most, self._saved + 1.0)


class WindowBudget(Budget):
    """So many labels in every so many events, or in every so much time.

    Windows of time start at multiples of their length since 1970 in UTC: a day starts at midnight.
    What is left at the end of a window is lost, and so is what would be given back later. A clock
    that goes back opens no new window.

    Parameters
    ----------
    labels
        The number of labels in each window.
    every
        The length of a window: a number of events, or a `datetime.timedelta`.
    clock
        Tells the time, as a `datetime.datetime` or in seconds since 1970. The default is the
        system's clock; a replay gives its own. It has to be picklable for the budget to be.

    Examples
    --------

    >>> import datetime as dt
    >>> from river_oa3 import budget

    >>> now = dt.datetime(2024, 5, 1, 23, 59, tzinfo=dt.timezone.utc)
    >>> purse = budget.WindowBudget(labels=1, every=dt.timedelta(days=1), clock=lambda: now)
    >>> purse.spend()
    >>> purse.can_ask()
    False
    >>> now += dt.timedelta(minutes=1)
    >>> purse.can_ask()
    True

    """

    def __init__(self, labels: int, every: int | dt.timedelta, clock: Clock | None = None):
        self.labels = checks.count("labels", labels)
        if isinstance(every, dt.timedelta):
            if every <= dt.timedelta(0):
                raise ValueError(f"every must be longer than nothing, not {every!r}")
        else:
            every = checks.positive_integer("every", every)
        self.every = every
        self.clock = clock
        self._events = 0
        self._window: int | None = None
        self._spent = 0

    def _turn(self) -> None:
        """Open the window of now, if it is a new one."""
        window = self._now()
        if self._window is None or window > self._window:
            self._window = window
            self._spent = 0

    def _now(self) -> int:
        if isinstance(self.every, int):
            return max(0, self._events - 1) // self.every
        now = time.time() if self.clock is None else self.clock()
        seconds = now.timestamp() if isinstance(now, dt.datetime) else now
        if not isinstance(seconds, (int, float)) or not math.isfinite(seconds):
            raise ValueError(f"the clock must give a datetime, or seconds since 1970, not {now!r}")
        return math.floor(seconds / self.every.total_seconds())

    @property
    def left(self) -> int:
        self._turn()
        return self.labels - self._spent

    def tick(self) -> None:
        self._events += 1
        self._turn()

    def _spend(self) -> None:
        self._spent += 1

    @property
    def stamp(self) -> int | None:
        return self._window

    def refund(self, stamp: int | None = None) -> None:
        self._turn()
        if stamp is None or stamp == self._window:
            self._spent = max(0, self._spent - 1)

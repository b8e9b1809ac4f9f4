"""What is known of a column as long as all of it reads as numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53
"""All smaller integers are floats."""

_DAYS = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


class NumberScan:
    """Count, range, mean and deviation of numbers that come in chunks; NaN is a gap."""

    def __init__(self) -> None:
        self.count = 0
        self.smallest = math.inf
        self.largest = -math.inf
        self.mean = 0.0
        self.is_whole = True
        self.is_even = True
        """Whether the next number is always as much more, or as much less."""
        self.never_falls = True
        self.never_repeats = True
        """Whether no number is followed by the same one."""
        self.may_be_days = True
        """Whether all are days such as 20240131."""
        self.is_long = True
        """Whether all are integers that have more digits than floats."""
        self.infinite = 0
        self.infinite_at: int | None = None
        self._squares = 0.0
        self._has_step = False
        self._last: int | float | None = None
        self.step: int | float = 0
        """From the first number to the second."""

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(self._squares / self.count) if self.count else 0.0

    def add(
        self,
        values: NDArray[np.float64],
        rows: NDArray[np.int64] | int,
        exact: NDArray[np.int64] | None = None,
    ) -> None:
        """Take the next numbers, which stand in these rows, or in those from this one on.

        `exact` holds the same, without gaps, where floats have too few digits for them.
        """
        finite = np.isfinite(values)
        if not finite.all():
            infinite = np.flatnonzero(np.isinf(values))
            if len(infinite) and self.infinite_at is None:
                first = infinite[0]
                self.infinite_at = int(rows + first if isinstance(rows, int) else rows[first])
            self.infinite += len(infinite)
            values = values[finite]
        if not len(values):
            return
        self.smallest = min(self.smallest, float(values.min()))
        self.largest = max(self.largest, float(values.max()))
        self.is_whole = self.is_whole and bool((values == np.rint(values)).all())
        self.is_long = self.is_long and exact is not None and bool((np.abs(exact) >= EXACT).all())
        self._look_for_steps(values if exact is None else exact)
        self._look_for_days(values)
        self._add_mean_and_deviation(values)

    def _look_for_steps(self, values: NDArray[np.float64] | NDArray[np.int64]) -> None:
        last = values[:0] if self._last is None else np.array([self._last], dtype=values.dtype)
        with np.errstate(over="ignore"):
            steps = np.diff(values, prepend=last)
        self._last = values[-1].item()
        if not len(steps):
            return
        self.never_falls = self.never_falls and bool((steps >= 0).all())
        self.never_repeats = self.never_repeats and bool((steps != 0).all())
        if not self._has_step:
            self.step, self._has_step = steps[0].item(), True
        self.is_even = self.is_even and self.step != 0 and bool((steps == self.step).all())

    def _look_for_days(self, values: NDArray[np.float64]) -> None:
        if not self.may_be_days:
            return
        self.may_be_days = self.is_whole and self.smallest >= 19e6 and self.largest < 21e6
        if self.may_be_days:
            years, days = np.divmod(values.astype(np.int64), 10_000)
            months, days = np.divmod(days, 100)
            is_day = (months >= 1) & (months <= 12) & (days >= 1) & (days <= _DAYS[months % 13])
            is_leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
            self.may_be_days = bool((is_day & (is_leap | (months != 2) | (days < 29))).all())

    def _add_mean_and_deviation(self, values: NDArray[np.float64]) -> None:
        """Merge those of two chunks as Chan, Golub and LeVeque do, which loses no digits."""
        n = len(values)
        # Two passes over the largest of floats overflow; a deviation may be infinite, a mean not.
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(values.sum())
            mean = total / n if math.isfinite(total) else float((values / n).sum())
            squares = float(np.square(values - mean).sum())
        both = self.count + n
        difference = mean - self.mean
        if math.isfinite(difference):
            self.mean += difference * (n / both)
            self._squares += squares + difference * difference * (self.count * (n / both))
        else:
            self.mean = self.mean * (self.count / both) + mean * (n / both)
            self._squares = math.inf
        self.count = both

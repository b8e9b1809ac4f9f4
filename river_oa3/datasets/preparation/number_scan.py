"""What is known of a column as long as all of it reads as numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


class NumberScan:
    """Count, range, mean and deviation of numbers that come in chunks; NaN is a gap."""

    def __init__(self) -> None:
        self.count = 0
        self.smallest = math.inf
        self.largest = -math.inf
        self.mean = 0.0
        self.is_whole = True
        self.goes_up_by_one = True
        self.infinite = 0
        self.infinite_at: int | None = None
        self._squares = 0.0
        self._last: float | None = None

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(self._squares / self.count) if self.count else 0.0

    def add(self, values: NDArray[np.float64], rows: NDArray[np.int64] | int) -> None:
        """Take the next numbers, which stand in these rows, or in those from this one on."""
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
        self._look_for_steps(values)
        self._add_moments(values)

    def _look_for_steps(self, values: NDArray[np.float64]) -> None:
        if self.goes_up_by_one:
            before = values[0] - 1.0 if self._last is None else self._last
            with np.errstate(over="ignore"):
                self.goes_up_by_one = bool((np.diff(values, prepend=before) == 1.0).all())
            self._last = float(values[-1])

    def _add_moments(self, values: NDArray[np.float64]) -> None:
        """Merge the moments of two parts, by Chan, Golub and LeVeque, which loses no digits."""
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

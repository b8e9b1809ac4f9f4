"""Which rows a sample takes: the same ones in every pass, whatever batches the rows come in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Taker = Callable[[int], NDArray[np.bool_] | None]
"""Which of the next rows, so many, are taken; None for all of them."""


def taker(below: float | None, seed: int) -> Taker:
    """Take the rows whose random number lies below a bound, from the first row on."""
    if below is None:
        return lambda n: None
    generator = np.random.default_rng([seed, 1])
    return lambda n: generator.random(n) < below


class RowSample:
    """Finds the bound below which the random numbers of a sample lie, and counts its classes.

    A share is such a bound. Where a number of rows is wanted, the bound is known at the end.
    """

    def __init__(self, wanted: float | None, seed: int):
        # What is no amount is refused at the end, with all else that is wrong.
        self._wanted = wanted if wanted is not None and wanted > 0.0 else None
        self._generator = np.random.default_rng([seed, 1])
        self._drawn: NDArray[np.float64] = np.empty(0)
        self._codes: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._counts: dict[int, int] = {}
        self._rows = 0

    def add(self, codes: NDArray[np.int64]) -> None:
        """Draw for the next rows, whose classes have these codes."""
        self._rows += len(codes)
        if self._wanted is None:
            return
        drawn = self._generator.random(len(codes))
        if self._wanted < 1.0:
            self._count(codes[drawn < self._wanted])
            return
        self._drawn = np.concatenate([self._drawn, drawn])
        self._codes = np.concatenate([self._codes, codes])
        if len(self._drawn) > 2 * self._wanted + len(codes):
            self._cut()

    def finish(self) -> float | None:
        """The bound; None where all rows are taken."""
        if self._wanted is None or self._wanted >= max(self._rows, 1):
            return None
        if self._wanted < 1.0:
            return self._wanted
        self._cut()
        self._count(self._codes)
        return float(np.nextafter(self._drawn.max(), 2.0))

    def count(self, codes: list[int]) -> int:
        """How many rows of the sample are of these classes, once it is finished."""
        return sum(self._counts.get(code, 0) for code in codes)

    def _cut(self) -> None:
        most = int(self._wanted or 0)
        order = np.argsort(self._drawn, kind="stable")[:most]
        self._drawn, self._codes = self._drawn[order], self._codes[order]

    def _count(self, codes: NDArray[np.int64]) -> None:
        for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
            self._counts[int(code)] = self._counts.get(int(code), 0) + int(count)

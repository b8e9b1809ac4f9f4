"""The scale of each column, and rows brought to it: what the paper's methods want done first.

A column that is not zero in most rows is standardised over all rows, zeros among them, and cut off
at four deviations. Any other is divided by the root mean square of what is not zero in it, so that
zeros stay zeros, and a column of ones stays as it is.
"""

from __future__ import annotations

import typing

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

__all__ = ["Moments", "Scaling"]

DENSE = 0.5
"""A column is dense where more than this share of the rows is not zero in it."""

REACH = 4.0
"""Values of dense columns end so many deviations from the mean."""

Numbers = NDArray[np.float64]


class Scaling(typing.NamedTuple):
    """What is taken from the values of each column, and what they are divided by."""

    centre: Numbers
    scale: Numbers
    dense: NDArray[np.bool_]

    def apply(self, X: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """The rows of a matrix, brought to scale."""
        rows, columns = X.shape
        dense = np.flatnonzero(self.dense)
        place = np.cumsum(self.dense) - 1
        is_dense = self.dense[X.indices]
        row_of = np.repeat(np.arange(rows), np.diff(X.indptr))
        table = np.zeros((rows, len(dense)))
        table[row_of[is_dense], place[X.indices[is_dense]]] = X.data[is_dense]
        table = np.clip((table - self.centre[dense]) / self.scale[dense], -REACH, REACH)
        rest = ~is_dense
        parts = (
            np.concatenate([table.ravel(), X.data[rest] / self.scale[X.indices[rest]]]),
            (
                np.concatenate([np.repeat(np.arange(rows), len(dense)), row_of[rest]]),
                np.concatenate([np.tile(dense, rows), X.indices[rest]]),
            ),
        )
        return scipy.sparse.csr_array(scipy.sparse.coo_array(parts, shape=(rows, columns)))


class Moments:
    """Counts, means and squared deviations of what is not zero in each column.

    They come together part by part, in any number of parts.

    Parameters
    ----------
    columns
        How many columns there are.

    """

    def __init__(self, columns: int):
        self.rows = 0
        self.counts = np.zeros(columns)
        self._means = np.zeros(columns)
        self._squares = np.zeros(columns)
        self._largest = np.zeros(columns)

    def widen(self, columns: int) -> None:
        """Make room for columns that were not there before."""
        more = columns - len(self.counts)
        if more > 0:
            for name in ("counts", "_means", "_squares", "_largest"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more)]))

    def add(self, data: Numbers, indices: NDArray[typing.Any], rows: int) -> None:
        """Take in what is not zero in some more rows."""
        columns = len(self.counts)
        self.rows += rows
        counts = np.bincount(indices, minlength=columns).astype(np.float64)
        np.maximum.at(self._largest, indices, np.abs(data))
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.bincount(indices, data, columns) / np.maximum(counts, 1.0)
            squares = np.bincount(indices, (data - means[indices]) ** 2, columns)
            both = np.maximum(self.counts + counts, 1.0)
            apart = means - self._means
            self._squares += squares + apart**2 * self.counts * counts / both
            self._means += apart * counts / both
        self.counts += counts

    def scaling(self) -> Scaling:
        """The scale of each column."""
        share = self.counts / max(1, self.rows)
        dense = share > DENSE
        with np.errstate(over="ignore", invalid="ignore"):
            variance = self._squares / np.maximum(self.counts, 1.0)
            square = variance + self._means**2
            centre = np.where(dense, share * self._means, 0.0)
            # Zeros pull the mean toward them, and add to the variance.
            around = share * (variance + self._means**2 * (1.0 - share))
            scale = np.sqrt(np.where(dense, around, square))
        # Values too large to be squared are divided by the largest.
        too_large = ~np.isfinite(scale) | ~np.isfinite(centre)
        centre[too_large] = 0.0
        scale[too_large] = self._largest[too_large]
        # A constant has nothing to tell; one that stays within rounding of its mean is constant.
        is_constant = scale <= 1e-12 * np.abs(centre)
        scale[is_constant | (scale == 0.0)] = np.inf
        return Scaling(centre, scale, dense)

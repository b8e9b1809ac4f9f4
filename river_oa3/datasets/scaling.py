"""The scale of each column, and rows brought to it: what the paper's methods want done first.

A column that is not zero in most rows is standardised over all rows, zeros among them, and cut off
at four deviations. Any other is divided by the root mean square of what is not zero in it, so that
zeros stay zeros, and a column of ones stays as it is. Numbers that are missing, which are NaN, are
filled with the mean of their column before, and each such column has another one that flags them.
"""

from __future__ import annotations

import typing

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.fixed_scaler import REACH

__all__ = ["Gaps", "MeansAndDeviations", "Scaling"]

DENSE = 0.5
"""A column is dense where more than this share of the rows is not zero in it."""

Numbers = NDArray[np.float64]


class Gaps(typing.NamedTuple):
    """The columns in which numbers are missing, and what each column's are filled with."""

    columns: NDArray[np.int64]
    fills: Numbers

    def fill(self, X: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """The rows of a matrix without gaps, and with a column of flags for each that had some."""
        rows, columns = X.shape
        shape = (rows, columns + len(self.columns))
        at = np.flatnonzero(np.isnan(X.data))
        data = X.data.copy()
        data[at] = self.fills[X.indices[at]]
        place = np.zeros(columns, dtype=np.int64)
        place[self.columns] = columns + np.arange(len(self.columns))
        row_of = np.searchsorted(X.indptr, at, side="right") - 1
        ends = X.indptr[1:][row_of]
        counts = np.bincount(row_of, minlength=rows)
        parts = (
            np.insert(data, ends, 1.0),
            np.insert(X.indices, ends, place[X.indices[at]]),
            X.indptr + np.concatenate([[0], np.cumsum(counts)]),
        )
        return scipy.sparse.csr_array(parts, shape=shape)


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


class MeansAndDeviations:
    """Counts, means and squared deviations of what is not zero in each column.

    They come together chunk by chunk, in any number of chunks.

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
        self._gaps = np.zeros(columns)

    def widen(self, columns: int) -> None:
        """Make room for columns that were not there before."""
        more = columns - len(self.counts)
        if more > 0:
            for name in ("counts", "_means", "_squares", "_largest", "_gaps"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more)]))

    def add(self, data: Numbers, indices: NDArray[typing.Any], rows: int) -> None:
        """Take in what is not zero in some more rows."""
        columns = len(self.counts)
        self.rows += rows
        gaps = np.isnan(data)
        if gaps.any():
            self._gaps += np.bincount(indices[gaps], minlength=columns)
            data, indices = data[~gaps], indices[~gaps]
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

    @property
    def n_present(self) -> int:
        """How many columns some row has a value in, or a gap."""
        return int(np.count_nonzero(self.counts + self._gaps))

    @property
    def gaps(self) -> Gaps:
        """Where numbers are missing, and the mean of those that are not, zeros among them."""
        with np.errstate(over="ignore", invalid="ignore"):
            known = np.maximum(self.rows - self._gaps, 1.0)
            fills = self._means * (self.counts / known)
        return Gaps(np.flatnonzero(self._gaps), np.where(np.isfinite(fills), fills, 0.0))

    def filled(self) -> MeansAndDeviations:
        """Of the same rows with their gaps filled, and with the flags of those."""
        columns, fills = self.gaps
        size = len(self.counts)
        filled = MeansAndDeviations(size)
        filled.rows = self.rows
        for name in ("counts", "_means", "_squares", "_largest"):
            setattr(filled, name, getattr(self, name).copy())
        filled.widen(size + len(columns))
        columns = columns[fills[columns] != 0.0]
        filled._take_in(columns, self._gaps[columns], fills[columns])
        flags = np.arange(size, len(filled.counts))
        filled._take_in(flags, self._gaps[self._gaps > 0.0], np.ones(len(flags)))
        return filled

    def _take_in(self, columns: NDArray[np.int64], counts: Numbers, values: Numbers) -> None:
        """So many times the same value in each of these columns."""
        before = self.counts[columns]
        with np.errstate(over="ignore", invalid="ignore"):
            apart = values - self._means[columns]
            self._squares[columns] += apart**2 * before * counts / (before + counts)
            self._means[columns] += apart * counts / (before + counts)
        self.counts[columns] += counts
        self._largest[columns] = np.maximum(self._largest[columns], np.abs(values))

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

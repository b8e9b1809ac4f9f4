"""A whole stream in memory: events as rows of a sparse matrix, with their labels."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.labels import Labels, positives
from river_oa3.datasets.scaling import Gaps, MeansAndDeviations, Scaling

MAX_COLUMNS = 2**26
"""A matrix with more columns, or a file with a larger index, holds a mistake or hashed names."""

MAX_NUMBERED_COLUMNS = 2**16
"""Up to so many columns without names are all kept; of more, those that are not zero everywhere.

A column costs memory for its name. Indices that are ids or hashes lie millions apart, and few of
them occur.
"""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Stream:
    """Events as rows of a sparse matrix, with their labels.

    `stream` makes one from any matrix, `open_stream` from a file, a name, a frame or an iterable.

    Parameters
    ----------
    name
        What the stream is called.
    X
        One event per row: float64 data, int32 indices in order, int64 index pointers, no zeros. NaN
        is a missing number.
    y
        Whether each event is positive.
    names
        The feature name of each column.
    note
        What makes it a part or a substitute; empty where it is the real thing.
    permutations
        Orders of the events that come with the data, one order per row.

    Examples
    --------

    >>> from river_oa3 import datasets

    >>> stream = datasets.stream("toy", [[3, 4], [0, 2], [0, 0]], [1, 0, 0], names=["a", "b"])
    >>> stream
    Stream(name='toy', events=3, features=2, positives=1)

    >>> for x, y in stream.unit_rows().events():
    ...     print(x, y)
    {'a': 0.6, 'b': 0.8} True
    {'b': 1.0} False
    {} False

    """

    name: str
    X: scipy.sparse.csr_array
    y: NDArray[np.bool_]
    names: list[Hashable]
    note: str = ""
    permutations: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        return (
            f"Stream(name={self.title!r}, events={len(self)}, features={len(self.names)}, "
            f"positives={self.positives})"
        )

    @property
    def title(self) -> str:
        """The name, with the note where there is one."""
        return f"{self.name} ({self.note})" if self.note else self.name

    @property
    def positives(self) -> int:
        """The number of positive events."""
        return int(np.count_nonzero(self.y))

    @property
    def negatives(self) -> int:
        """The number of negative events."""
        return len(self) - self.positives

    @property
    def nonzeros(self) -> int:
        """How many values are not zero."""
        return int(self.X.nnz)

    @property
    def reading(self) -> float:
        """About how many nanoseconds it takes to read a value, which is in memory already."""
        return 0.0

    @functools.cached_property
    def n_features(self) -> int:
        """Features that some event has; a file may leave out numbers in between."""
        return len(np.unique(self.X.indices))

    @functools.cached_property
    def n_empty(self) -> int:
        """Events without features."""
        return int((np.diff(self.X.indptr) == 0).sum())

    @functools.cached_property
    def has_missing(self) -> bool:
        """Whether a number is missing, NaN in its place."""
        return bool(np.isnan(self.X.data).any())

    def refuse_missing(self, why: str) -> None:
        """Refuse missing numbers by the first of them.

        Parameters
        ----------
        why
            Who does not take them.

        """
        if self.has_missing:
            entry = int(np.flatnonzero(np.isnan(self.X.data))[0])
            event = int(np.searchsorted(self.X.indptr, entry, side="right"))
            feature = short_repr(self.names[self.X.indices[entry]])
            raise DataError(f"event {event}: feature {feature} is missing, which {why}: fill it")

    @functools.cached_property
    def squares(self) -> NDArray[np.float64]:
        """The squared length of each row; infinite where that is too large for a float."""
        with np.errstate(over="ignore"):
            return np.asarray(self.X.multiply(self.X).sum(axis=1), dtype=np.float64)

    def events(self, order: Iterable[int] | None = None) -> Iterator[tuple[dict[Any, float], bool]]:
        """The events as river takes them: a dict of what is not zero, and a label."""
        indptr = self.X.indptr.tolist()
        for row in range(len(self)) if order is None else order:
            start, stop = indptr[row], indptr[row + 1]
            features = [self.names[column] for column in self.X.indices[start:stop].tolist()]
            values = self.X.data[start:stop].tolist()
            yield dict(zip(features, values, strict=True)), bool(self.y[row])

    def means_and_deviations(self) -> MeansAndDeviations:
        """Counts, means and deviations of the columns."""
        scales = MeansAndDeviations(len(self.names))
        scales.add(self.X.data, self.X.indices, len(self))
        return scales

    def filled(self, gaps: Gaps | None = None, names: list[Hashable] | None = None) -> Stream:
        """The stream with missing numbers filled with the means of their columns, and flagged.

        Each column that has gaps has another one behind all others that is 1 there.
        """
        if gaps is None:
            gaps = self.means_and_deviations().gaps
        if not len(gaps.columns):
            return self
        filled = gaps.fill(self.X)
        X = _canonical(filled.data, filled.indices, filled.indptr, filled.shape)
        return dataclasses.replace(self, X=X, names=names or with_flags(self.names, gaps))

    def scaled(self, scaling: Scaling | None = None) -> Stream:
        """The stream with every column brought to scale, by its own values unless told otherwise.

        Columns that most events have are standardised; any other is divided by the root mean square
        of what is not zero in it.
        """
        self.refuse_missing("scaling does not take")
        scaled = (scaling or self.means_and_deviations().scaling()).apply(self.X)
        X = _canonical(scaled.data, scaled.indices, scaled.indptr, scaled.shape)
        return dataclasses.replace(self, X=X)

    def unit_rows(self) -> Stream:
        """The stream with every row that is not empty divided by its Euclidean length."""
        self.refuse_missing("leaves a row without a length")
        counts = np.diff(self.X.indptr)
        filled = counts > 0
        starts, counts = self.X.indptr[:-1][filled], counts[filled]
        data = self.X.data
        if len(data):
            # Powers of two take the squares into range and round nothing.
            _, exponents = np.frexp(np.maximum.reduceat(np.abs(data), starts))
            data = np.ldexp(data, np.repeat(-exponents, counts))
            data = data / np.repeat(np.sqrt(np.add.reduceat(data * data, starts)), counts)
        X = _canonical(data, self.X.indices, self.X.indptr, self.X.shape)
        return dataclasses.replace(self, X=X)

    def with_intercept(self) -> Stream:
        """The stream with one more column, "intercept", that is 1 in every row."""
        if "intercept" in self.names:
            raise DataError(f"{self.name} has a feature 'intercept' already: do not add another")
        rows, columns = self.X.shape
        ends = self.X.indptr[1:]
        X = _canonical(
            np.insert(self.X.data, ends, 1.0),
            np.insert(self.X.indices, ends, columns),
            self.X.indptr + np.arange(rows + 1),
            (rows, columns + 1),
        )
        return dataclasses.replace(self, X=X, names=[*self.names, "intercept"])


def with_flags(names: list[Hashable], gaps: Gaps) -> list[Hashable]:
    """The names of columns, and behind them those of the flags of what is missing in some."""
    return unique([*names, *(f"{names[column]} is missing" for column in gaps.columns)])


def unique(names: Sequence[Hashable]) -> list[Hashable]:
    """The same names, of which a second one of the same name ends in (2)."""
    found: dict[Hashable, None] = {}
    taken = set(names) if len(set(names)) < len(names) else ()
    for name in names:
        candidate, count = name, 1
        while candidate in found or (count > 1 and candidate in taken):
            count += 1
            candidate = f"{name} ({count})"
        found[candidate] = None
    return list(found)


def stream(
    name: str,
    X: Any,
    labels: Labels,
    *,
    positive: Any = None,
    names: Sequence[Hashable] | None = None,
    note: str = "",
    permutations: ArrayLike | None = None,
    missing: bool = False,
) -> Stream:
    """Make a stream of a matrix, sparse or dense, and its labels, and check both.

    Parameters
    ----------
    name
        What the stream is called.
    X
        One event per row.
    labels
        The class of each event, of any kind.
    positive
        The positive class. Where none is named, True, 1 and +1 are, and of two other classes the
        rarer one.
    names
        The feature name of each column; 0, 1, 2... where there are none. Columns without names
        that are zero everywhere are left out where there are more than 65,536 columns.
    note
        What makes it a part or a substitute.
    permutations
        Orders of the events that come with the data, one order per row.
    missing
        Whether NaN stands for a missing number, as AutoOA3 takes it, and is no mistake.

    Examples
    --------

    >>> from river_oa3 import datasets

    >>> datasets.stream("mail", [[1, 0], [0, 1], [1, 1]], ["spam", "ham", "ham"])
    Stream(name='mail', events=3, features=2, positives=1)

    """
    matrix = _sparse(X) if scipy.sparse.issparse(X) else _dense(X)
    rows, columns = matrix.shape
    if rows == 0:
        raise DataError(f"{name} has no events: at least one of each class is needed")
    if columns > MAX_COLUMNS:
        raise DataError(
            f"{name} has {columns:,} columns: the most is {MAX_COLUMNS:,}, so leave those out "
            "that are always zero"
        )
    if names is None:
        matrix, features = _numbered(matrix)
    else:
        features = list(names)
        _check_names(name, features, columns)
    _check_finite(matrix, features, missing)
    labels = labels if isinstance(labels, np.ndarray) else list(labels)
    if getattr(labels, "ndim", 1) != 1 or len(labels) != rows:
        raise DataError(
            f"{name} has {rows:,} rows and {np.size(labels):,} labels: give one label per row"
        )
    orders = None if permutations is None else _orders(name, permutations, rows)
    return Stream(name, matrix, positives(labels, positive), features, note, orders)


def _canonical(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: tuple[int, int]
) -> scipy.sparse.csr_array:
    # Zeros are removed in place, and the indices may be those of another stream.
    copy = not data.all()
    matrix = scipy.sparse.csr_array(
        (data, indices, indptr), shape=shape, dtype=np.float64, copy=copy
    )
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    # SciPy gives both the same type, the smaller one where it can.
    matrix.indices = matrix.indices.astype(np.int32, copy=False)
    matrix.indptr = matrix.indptr.astype(np.int64, copy=False)
    return matrix


def _sparse(X: Any) -> scipy.sparse.csr_array:
    _check_kind(X.dtype, X.ndim)
    copy = scipy.sparse.csr_array(X, copy=True)
    try:
        copy.check_format(full_check=True)
    except ValueError as error:
        raise DataError(f"a damaged sparse matrix, make it again: {error}") from error
    return _canonical(copy.data, copy.indices, copy.indptr, copy.shape)


def _dense(X: Any) -> scipy.sparse.csr_array:
    matrix = np.asarray(X)
    _check_kind(matrix.dtype, matrix.ndim)
    # Images are large: only what is not zero ever becomes a float.
    mask = matrix != 0
    columns = np.arange(matrix.shape[1], dtype=np.int32)
    indices = np.broadcast_to(columns, matrix.shape)[mask]
    indptr = np.zeros(len(matrix) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(mask, axis=1), out=indptr[1:])
    return _canonical(matrix[mask], indices, indptr, matrix.shape)


def _numbered(X: scipy.sparse.csr_array) -> tuple[scipy.sparse.csr_array, list[Hashable]]:
    """A matrix whose columns are called by their numbers."""
    rows, columns = X.shape
    if columns <= MAX_NUMBERED_COLUMNS:
        return X, list(range(columns))
    used, indices = np.unique(X.indices, return_inverse=True)
    return _canonical(X.data, indices, X.indptr, (rows, len(used))), used.tolist()


def _check_kind(dtype: np.dtype[Any], ndim: int) -> None:
    if ndim != 2:
        raise DataError(f"an array of {ndim} dimensions: give a matrix with one event per row")
    if dtype.kind not in "biuf":
        raise DataError(f"a matrix of {dtype}, not of numbers: encode what is not a number first")


def _check_names(name: str, features: list[Hashable], columns: int) -> None:
    if len(features) != columns:
        raise DataError(
            f"{name} has {columns:,} columns and {len(features):,} names: give one for each column"
        )
    seen: set[Hashable] = set()
    for feature in features:
        if feature in seen:
            raise DataError(f"{name} has two features called {short_repr(feature)}: rename one")
        seen.add(feature)


def _check_finite(X: scipy.sparse.csr_array, features: list[Hashable], missing: bool) -> None:
    for entry in np.flatnonzero(np.isinf(X.data) if missing else ~np.isfinite(X.data)):
        event = int(np.searchsorted(X.indptr, entry, side="right"))
        feature, value = features[X.indices[entry]], X.data[entry]
        raise DataError(
            f"event {event}: feature {short_repr(feature)} is {value}, not a finite number: fill "
            "it or drop the event"
        )


def _orders(name: str, permutations: ArrayLike, rows: int) -> NDArray[np.int64]:
    orders = np.asarray(permutations)
    if (
        orders.ndim != 2
        or orders.dtype.kind not in "iu"
        or orders.shape[1] != rows
        or not (np.sort(orders, axis=1) == np.arange(rows)).all()
    ):
        raise DataError(
            f"the permutations of {name} are not orders of its {rows:,} rows: leave them out"
        )
    return orders.astype(np.int64)

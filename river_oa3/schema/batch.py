"""Columns of Arrow as sparse rows: the features that `Schema.transform_one` gives each row."""

from __future__ import annotations

import typing
from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

from river_oa3._core.category import Category
from river_oa3.schema import values as cells
from river_oa3.schema.column import Column
from river_oa3.schema.features import Feature, date_features, features
from river_oa3.schema.schema import Schema, no_known_column, unreadable
from river_oa3.schema.values import UnreadableError

if typing.TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Encoder", "SparseRows", "as_python"]

Ints = NDArray[np.int64]

_DAY = 86_400_000_000
_HOUR = _DAY // 24
# 1970 began on a Thursday.
_FIRST_WEEKDAY = 3
_NO_DATE = 7 * 24


class SparseRows(typing.NamedTuple):
    """Rows one after another: what is not zero, with NaN for a number that is missing."""

    data: NDArray[np.float64]
    indices: NDArray[np.int32]
    counts: Ints
    """How many values each row has."""


class _Entries(typing.NamedTuple):
    """Values of one column's features: rows in order, then as the features come."""

    rows: Ints
    indices: Ints
    data: NDArray[np.float64]


class Encoder:
    """Encodes a table batch by batch; each feature keeps its place from batch to batch.

    Parameters
    ----------
    schema
        What the columns are.

    Examples
    --------

    >>> import pyarrow as pa
    >>> from river_oa3 import Schema
    >>> from river_oa3.schema.batch import Encoder

    >>> encoder = Encoder(Schema({"size": "number", "colour": "category"}))
    >>> columns = {"size": pa.array(["1.5", "NA"]), "colour": pa.array(["red", None])}
    >>> rows = encoder.encode(columns, 2)
    >>> rows.data, rows.indices, rows.counts
    (array([1.5, 1. , nan, 1. ]), array([0, 1, 0, 2], dtype=int32), array([2, 2]))
    >>> encoder.names
    ['size', Category('colour', 'red'), Category('colour', '(missing)')]

    """

    def __init__(self, schema: Schema):
        self.schema = schema
        self.names: list[Hashable] = []
        """The feature that each column of the sparse rows is, a category by name and value."""
        self._places: dict[tuple[str, str | None], int] = {}

    def encode(
        self,
        columns: Mapping[str, pa.Array | tuple[pa.Array, Ints | None]],
        n: int,
        errors: dict[int, ValueError] | None = None,
    ) -> SparseRows:
        """The features of some rows.

        Parameters
        ----------
        columns
            The values of each column, with the rows that have it where not all of them do.
        n
            How many rows there are.
        errors
            Gets what is wrong with a row, by its number; such a row is left empty. Without it the
            first such row is refused.

        """
        found: dict[int, ValueError] = {}
        parts: list[_Entries] = []
        is_known = self._may_lack_all(columns, n)
        for name, column, to in self.schema._features:
            values, rows = _of(columns.get(name))
            is_known[slice(None) if rows is None else rows] = True
            parts += self._entries(values, rows, column, to, found, name)
            if rows is not None and not column.sparse:
                absent = np.setdiff1d(np.arange(n), rows, assume_unique=True)
                parts += self._entries(None, absent, column, to, found, name)
        for row in np.flatnonzero(~is_known).tolist():
            found[row] = no_known_column(self.schema, columns)
        if found and errors is None:
            raise found[min(found)]
        if errors is not None:
            errors.update(sorted(found.items()))
            bad = np.array(sorted(found), dtype=np.int64)
            parts = [_without(part, bad) for part in parts] if found else parts
        return _by_rows(parts, n)

    def _may_lack_all(self, columns: Mapping[str, typing.Any], n: int) -> NDArray[np.bool_]:
        """Which rows are taken even if no column of theirs is a feature."""
        if not self.schema._takes_empty_rows:
            return np.zeros(n, dtype=bool)
        has_other, has_named = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        for name, found in columns.items():
            rows = found[1] if isinstance(found, tuple) else None
            has = has_named if name in self.schema.columns else has_other
            has[slice(None) if rows is None else rows] = True
        return has_named | ~has_other

    def _entries(
        self,
        values: pa.Array | None,
        rows: Ints | None,
        column: Column,
        to: str,
        errors: dict[int, ValueError],
        name: str,
    ) -> list[_Entries]:
        """The features of the values in these rows, or of a gap in each of them."""
        if values is None:
            codes = np.zeros(len(typing.cast(Ints, rows)), dtype=np.int64)
            made = [self._placed(features(None, column, to))] if len(codes) else []
        else:
            numbers = _as_numbers(values, column) if column.kind == "number" else None
            if numbers is not None:
                at = np.flatnonzero(numbers)
                place = self._place(to, None)
                part = _Entries(at, np.full(len(at), place), numbers[at])
                return [part if rows is None else part._replace(rows=rows[at])]
            codes, distinct = _distinct(values, column, to)
            made, bad = [], {}
            for code, value in enumerate(distinct):
                try:
                    is_made = type(value) is tuple
                    made.append(self._placed(value if is_made else features(value, column, to)))
                except UnreadableError as error:
                    made.append(([], []))
                    bad[code] = unreadable(name, value, error)
            if bad:
                at = np.flatnonzero(np.isin(codes, list(bad)))
                places = at if rows is None else rows[at]
                for code, row in zip(codes[at].tolist(), places.tolist(), strict=True):
                    errors.setdefault(row, bad[code])
        part = _repeated(made, codes)
        return [part if rows is None else part._replace(rows=rows[part.rows])]

    def _placed(self, made: tuple[Feature, ...]) -> tuple[list[int], list[float]]:
        """The places and the values of features that are not zero."""
        places, data = [], []
        for name, value in made:
            if isinstance(value, str):
                places.append(self._place(name, value))
                data.append(1.0)
            elif value != 0.0:
                places.append(self._place(name, None))
                data.append(np.nan if value is None else value)
        return places, data

    def _place(self, name: str, value: str | None) -> int:
        place = self._places.setdefault((name, value), len(self.names))
        if place == len(self.names):
            self.names.append(name if value is None else Category(name, value))
        return place


def _of(found: typing.Any) -> tuple[pa.Array | None, Ints | None]:
    """The values of a column, and the rows that have it; None where all have."""
    if found is None:
        return None, np.empty(0, dtype=np.int64)
    values, rows = found if isinstance(found, tuple) else (found, None)
    return (_plain(values), rows)


def _plain(values: pa.Array) -> pa.Array:
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if str(values.type) in ("large_string", "string_view"):
        values = values.cast(pa.string())
    return values


def _as_numbers(values: pa.Array, column: Column) -> NDArray[np.float64] | None:
    """The numbers, NaN at gaps, where Arrow reads them just as Python does; else None."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_string(kind):
        if column.decimal != ".":
            return None
        # Most columns need no more than the first try, which is ten times as fast as the last.
        tries = [lambda: values, lambda: _without_gaps(values, column)][bool(column.gaps) :]
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind):
        tries = [lambda: values]
    else:
        return None
    for some in tries:
        try:
            found = some().cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            continue
        return None if np.isinf(found).any() else typing.cast("NDArray[np.float64]", found)
    return None


def _without_gaps(texts: pa.Array, column: Column) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(texts)
    gaps = pa.array(sorted(cells.GAPS.union(column.gaps)))
    return pc.if_else(pc.is_in(pc.utf8_lower(texts), gaps), pa.scalar(None, pa.string()), texts)


def _distinct(values: pa.Array, column: Column, to: str) -> tuple[Ints, list[typing.Any]]:
    """The place of each value among the distinct ones, and these, some as features already."""
    if column.kind == "date" and column.form is None:
        dates = _as_dates(values)
        if dates is not None:
            present, codes = np.unique(dates, return_inverse=True)
            made = [
                None if code == _NO_DATE else date_features(code // 24, code % 24, column, to)
                for code in present.tolist()
            ]
            return codes.astype(np.int64), made
    import pyarrow as pa

    try:
        encoded = values.dictionary_encode(null_encoding="encode")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return np.arange(len(values)), values.to_pylist()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, as_python(encoded.dictionary)


def as_python(values: pa.Array) -> list[typing.Any]:
    """The values that `Schema.transform_one` takes, each the same as in the batch."""
    import pyarrow as pa

    values = _plain(values)
    if pa.types.is_timestamp(values.type) and values.type.unit == "ns":
        values = values.cast(pa.timestamp("us", values.type.tz), safe=False)
    try:
        return list(values.to_pylist())
    except UnicodeDecodeError:
        return [_decoded(content) for content in values.cast(pa.binary()).to_pylist()]


def _decoded(content: bytes | None) -> str | bytes | None:
    """A text; bytes, which every kind of column refuses, where they are not UTF-8."""
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        return content


def _as_dates(values: pa.Array) -> Ints | None:
    """24 times the weekday, and the hour, of dates that Arrow reads as Python does; else None."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_string(kind):
        moments = None
        for target in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
            try:
                moments = values.cast(target)
                break
            except pa.ArrowInvalid:
                continue
    elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        moments = values
    else:
        return None
    if moments is None:
        return None
    if pa.types.is_timestamp(moments.type) and moments.type.unit == "ns":
        stamps, day, hour = moments.cast(pa.int64()), _DAY * 1000, _HOUR * 1000
    else:
        zone = getattr(moments.type, "tz", None)
        stamps = moments.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64())
        day, hour = _DAY, _HOUR
    gaps = stamps.is_null().to_numpy(zero_copy_only=False)
    found = stamps.fill_null(0).to_numpy(zero_copy_only=False)
    code = (found // day + _FIRST_WEEKDAY) % 7 * 24 + found % day // hour
    return np.where(gaps, _NO_DATE, code).astype(np.int64)


def _repeated(made: list[tuple[list[int], list[float]]], codes: Ints) -> _Entries:
    """The features of each row, given those of each distinct value and which one a row has."""
    lengths = np.array([len(places) for places, _ in made], dtype=np.int64)
    places = np.array([place for some, _ in made for place in some], dtype=np.int64)
    data = np.array([value for _, some in made for value in some], dtype=np.float64)
    if not len(codes) or not len(places):
        nothing = np.empty(0, dtype=np.int64)
        return _Entries(nothing, nothing, np.empty(0))
    if len(places) == len(made) and (lengths == 1).all():
        return _Entries(np.arange(len(codes)), places[codes], data[codes])
    here = lengths[codes]
    rows = np.repeat(np.arange(len(codes)), here)
    starts = (np.cumsum(lengths) - lengths)[codes]
    at = np.arange(len(rows)) + np.repeat(starts - (np.cumsum(here) - here), here)
    return _Entries(rows, places[at], data[at])


def _without(part: _Entries, rows: Ints) -> _Entries:
    kept = ~np.isin(part.rows, rows)
    return _Entries(part.rows[kept], part.indices[kept], part.data[kept])


def _by_rows(parts: list[_Entries], n: int) -> SparseRows:
    """The entries row by row, in the order of the parts."""
    counts = np.zeros(n, dtype=np.int64)
    heres = [np.bincount(part.rows, minlength=n) for part in parts]
    for here in heres:
        counts += here
    next_places = np.cumsum(counts) - counts
    data = np.empty(int(counts.sum()))
    indices = np.empty(len(data), dtype=np.int32)
    for part, here in zip(parts, heres, strict=True):
        firsts = np.cumsum(here) - here
        places = next_places[part.rows] + np.arange(len(part.rows)) - firsts[part.rows]
        data[places] = part.data
        indices[places] = part.indices
        next_places += here
    return SparseRows(data, indices, counts)

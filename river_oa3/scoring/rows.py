"""Arrow's columns as sparse rows for the compiled core, without a dictionary per row."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Callable, Hashable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from river_oa3._core import checks
from river_oa3._core.category import Category
from river_oa3._core.repeats import first_repeats
from river_oa3.schema import Schema
from river_oa3.schema.batch import Encoder

__all__ = [
    "Packed",
    "Rows",
    "is_number",
    "is_text",
    "rows_of_columns",
    "rows_of_maps",
    "rows_of_table",
]

Numbers = NDArray[np.float64]
Indices = NDArray[np.int32]


NO_TEXT = "text that is not in UTF-8"


@dataclasses.dataclass(frozen=True, slots=True)
class Rows:
    """Events as sparse rows; those that a model would refuse are empty, with the reason.

    NaN is a missing number.
    """

    data: Numbers
    indices: Indices
    indptr: NDArray[np.int64]
    names: list[Hashable]
    errors: dict[int, str]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def event(self, row: int) -> dict[Hashable, typing.Any]:
        """One of the events, as a dictionary; zeros are left out."""
        part = slice(self.indptr[row], self.indptr[row + 1])
        x: dict[Hashable, typing.Any] = {}
        for value, index in zip(self.data[part].tolist(), self.indices[part].tolist(), strict=True):
            name = self.names[index]
            if type(name) is Category:
                if value != 0.0:
                    x[name.name] = name.value
            elif value != 0.0:
                x[name] = None if math.isnan(value) else value
        return x


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers, or nothing."""
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )


def is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


class Packed(typing.NamedTuple):
    """Numbers of several features in one list per event, which moves faster than a column each."""

    lists: pa.ListArray
    names: tuple[str, ...]
    # Of each among all features.
    places: tuple[int, ...]


def rows_of_columns(
    columns: Mapping[str, pa.Array], is_raw: bool = True, packed: Packed | None = None
) -> Rows:
    """Events of one column per feature.

    Parameters
    ----------
    columns
        Each feature's values: numbers or texts.
    is_raw
        Whether the model takes texts as categories, and nulls and NaN as missing, as AutoOA3 does.
    packed
        Further features.

    Examples
    --------

    >>> import pyarrow as pa
    >>> from river_oa3.scoring import rows_of_columns

    >>> rows = rows_of_columns({"amount": pa.array([3.5, None]), "land": pa.array(["FR", "XX"])})
    >>> [rows.event(i) for i in range(2)]
    [{'amount': 3.5, 'land': 'FR'}, {'amount': None, 'land': 'XX'}]

    """
    n = len(next(iter(columns.values()))) if columns else 0
    n_features, names = len(columns), typing.cast("list[Hashable]", [])
    places: typing.Iterable[int] = range(n_features)
    if packed is not None:
        n, n_features = len(packed.lists), n_features + len(packed.names)
        places = sorted({*range(n_features)}.difference(packed.places))
    data = np.empty((n, n_features))
    indices = np.empty((n, n_features), dtype=np.int32)
    errors: dict[int, str] = {}
    if packed is not None:
        _unpack(packed, data, indices, errors, is_raw)
        names.extend(packed.names)
    for j, (name, column) in zip(places, columns.items(), strict=True):
        if is_text(column.type):
            if not is_raw:
                _refuse(errors, name, column, range(n), as_number)
            data[:, j], indices[:, j] = _categories(name, column, names, errors)
            continue
        data[:, j] = numbers_of(column)
        indices[:, j] = len(names)
        names.append(name)
        bad = _bad(data[:, j], is_raw)
        if len(bad):
            _refuse(errors, name, column, bad, as_number if not is_raw else _as_feature)
    indptr = np.arange(0, data.size + 1, max(1, n_features), dtype=np.int64)
    if not n_features:
        indptr = np.zeros(n + 1, dtype=np.int64)
    _clear(data, indptr, errors)
    return Rows(data.reshape(-1), indices.reshape(-1), indptr, names, errors)


def _unpack(
    packed: Packed, data: Numbers, indices: Indices, errors: dict[int, str], is_raw: bool
) -> None:
    """Put packed numbers into their places."""
    numbers, n_packed = packed.lists.flatten(), len(packed.names)
    # All of them, if they stand side by side, in one copy.
    where = slice(None) if n_packed == data.shape[1] else list(packed.places)
    data[:, where] = numbers_of(numbers).reshape(len(data), n_packed)
    indices[:, where] = np.arange(n_packed, dtype=np.int32)
    check = _as_feature if is_raw else as_number
    for i in _bad(data[:, where].reshape(-1), is_raw).tolist():
        name = packed.names[i % n_packed]
        errors.setdefault(i // n_packed, _words(check, name, numbers[i].as_py()))


def rows_of_maps(maps: pa.MapArray, is_raw: bool = True) -> Rows:
    """Events of one map per event, from the name of a feature to its value."""
    offsets = maps.offsets.to_numpy().astype(np.int64)
    start, stop = int(offsets[0]), int(offsets[-1])
    codes, names, bad_names = _encoded(maps.keys[start:stop])
    values = maps.items[start:stop]
    indptr = offsets - start
    # Nothing at all is not an event without features.
    is_null = maps.is_null().to_numpy(zero_copy_only=False)
    words = _words(lambda _, event: checks.as_mapping(event), "", None)
    errors = dict.fromkeys(np.flatnonzero(is_null).tolist(), words)

    for i in _having(maps.keys[start:stop], codes, bad_names):
        errors.setdefault(_row_of(i, indptr), f"the name of a feature is {NO_TEXT}")
    for i in first_repeats(codes, indptr, len(names)):
        words = f"feature {names[codes[i]]!r} is there more than once"
        errors.setdefault(_row_of(i, indptr), words)

    def refuse(
        bad: typing.Iterable[int], check: Callable[[Hashable, typing.Any], typing.Any]
    ) -> None:
        for i in bad:
            row = _row_of(i, indptr)
            errors.setdefault(row, _words(check, names[codes[i]], values[int(i)].as_py()))

    if is_text(values.type):
        if not is_raw:
            refuse(range(len(values)), as_number)
        text_codes, known, bad_texts = _encoded(values)
        for i in _having(values, text_codes, bad_texts):
            words = f"feature {names[codes[i]]!r} is {NO_TEXT}"
            errors.setdefault(_row_of(i, indptr), words)
        n_texts = max(1, len(known))
        found, codes = np.unique(codes.astype(np.int64) * n_texts + text_codes, return_inverse=True)
        data = np.where(values.is_null().to_numpy(zero_copy_only=False), 0.0, 1.0)
        categories: list[Hashable] = (
            [Category(names[int(each) // n_texts], known[int(each) % n_texts]) for each in found]
            if known
            else []
        )
        if not known:
            codes = np.zeros(len(values), dtype=np.int32)
            categories = [""] if len(values) else []
        names = categories
    else:
        data = numbers_of(values)
        bad = _bad(data, is_raw)
        refuse(bad, as_number if not is_raw else _as_feature)
    data = np.array(data)
    _clear(data, indptr, errors)
    return Rows(data, codes.astype(np.int32), indptr, names, errors)


def rows_of_table(
    schema: Schema,
    columns: Mapping[str, pa.Array | tuple[pa.Array, NDArray[np.int64] | None]],
    n: int,
) -> Rows:
    """Events of the rows of a table, as a schema reads them.

    Parameters
    ----------
    schema
        What the columns are.
    columns
        The values of each column, with the rows that have it where not all of them do.
    n
        How many rows there are.

    Examples
    --------

    >>> import pyarrow as pa
    >>> from river_oa3 import Schema
    >>> from river_oa3.scoring import rows_of_table

    >>> schema = Schema({"amount": "number", "land": "category"})
    >>> columns = {"id": pa.array([7, 8]), "amount": pa.array(["3.5", "?"])}
    >>> rows = rows_of_table(schema, columns, 2)
    >>> [rows.event(i) for i in range(2)]
    [{'amount': 3.5, 'land': '(missing)'}, {'amount': None, 'land': '(missing)'}]

    """
    # One for each batch: values that come once, as of a column of ids, would pile up in it.
    encoder, errors = Encoder(schema), dict[int, ValueError]()
    found = encoder.encode(columns, n, errors)
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(found.counts, out=indptr[1:])
    words = {row: str(error) for row, error in errors.items()}
    return Rows(found.data, found.indices, indptr, encoder.names, words)


def _row_of(entry: int, indptr: NDArray[np.int64]) -> int:
    return int(np.searchsorted(indptr, entry, side="right")) - 1


def numbers_of(column: pa.Array) -> Numbers:
    """A column as floats, NaN where it is null."""
    if pa.types.is_null(column.type):
        return np.full(len(column), math.nan)
    if pa.types.is_decimal(column.type):
        # By way of their digits: their own way to a float may end beside the nearest.
        column = pc.cast(column, pa.string())
    if column.type != pa.float64():
        column = pc.cast(column, pa.float64(), safe=False)
    return typing.cast(Numbers, column.to_numpy(zero_copy_only=False))


def as_number(name: Hashable, value: typing.Any) -> float:
    """What a learner of the paper's makes of a value."""
    number = checks.as_number(name, value)
    if not math.isfinite(number):
        checks.refuse_value(name, number)
    return number


def _as_feature(name: Hashable, value: typing.Any) -> None:
    number = checks.as_feature(name, value)
    if isinstance(number, float) and math.isinf(number):
        checks.refuse_value(name, number)


def _bad(numbers: Numbers, is_raw: bool) -> NDArray[np.intp]:
    return np.flatnonzero(np.isinf(numbers) if is_raw else ~np.isfinite(numbers))


def _refuse(
    errors: dict[int, str],
    name: Hashable,
    column: pa.Array,
    rows: typing.Iterable[int],
    check: Callable[[Hashable, typing.Any], typing.Any],
) -> None:
    """Note what a model would say of these values, in its own words."""
    for row in rows:
        errors.setdefault(int(row), _words(check, name, column[int(row)].as_py()))


def _words(
    check: Callable[[Hashable, typing.Any], typing.Any], name: Hashable, value: typing.Any
) -> str:
    try:
        check(name, value)
    except (OverflowError, TypeError, ValueError) as error:
        return str(error)
    return f"feature {name!r} is {value!r}, which is not a number"


def _categories(
    name: Hashable, column: pa.Array, names: list[Hashable], errors: dict[int, str]
) -> tuple[Numbers, NDArray[np.int64]]:
    """An indicator per row; `names` gets those of the column's categories."""
    codes, texts, bad = _encoded(column)
    for row in _having(column, codes, bad):
        errors.setdefault(row, f"feature {name!r} is {NO_TEXT}")
    is_there = ~column.is_null().to_numpy(zero_copy_only=False)
    start = len(names)
    names += [Category(name, text) for text in texts] or [Category(name, "")]
    return is_there.astype(np.float64), codes.astype(np.int64) + start


def _having(texts: pa.Array, codes: Indices, bad: list[int]) -> list[int]:
    """Where texts are among the bad ones."""
    if not bad:
        return []
    is_there = ~texts.is_null().to_numpy(zero_copy_only=False)
    return np.flatnonzero(np.isin(codes, bad) & is_there).tolist()


def _encoded(texts: pa.Array) -> tuple[Indices, list[typing.Any], list[int]]:
    """The place of each text among those that there are, these, and the places of bad ones.

    Nulls are anywhere.
    """
    if pa.types.is_dictionary(texts.type) and texts.dictionary.null_count:
        texts = texts.cast(texts.type.value_type)
    if not pa.types.is_dictionary(texts.type):
        texts = texts.dictionary_encode()
    codes = texts.indices.fill_null(0).to_numpy(zero_copy_only=False)
    known = texts.dictionary
    if len(known) > len(codes):
        # One dictionary for many batches, of which this one needs a part.
        found, codes = np.unique(codes, return_inverse=True)
        known = known.take(pa.array(found))
    try:
        return codes.astype(np.int32), known.to_pylist(), []
    except UnicodeDecodeError:
        contents = [each.as_buffer().to_pybytes() for each in known]
        decoded = [content.decode(errors="replace") for content in contents]
        bad = [i for i, text in enumerate(decoded) if text.encode() != contents[i]]
        return codes.astype(np.int32), decoded, bad


def _clear(data: Numbers, indptr: NDArray[np.int64], errors: dict[int, str]) -> None:
    flat = data.reshape(-1)
    for row in errors:
        flat[indptr[row] : indptr[row + 1]] = 0.0

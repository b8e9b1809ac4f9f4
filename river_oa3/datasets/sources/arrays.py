"""Columns as those who read them expect: of few types, and with no text that is not UTF-8."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from river_oa3.datasets.errors import DataError
from river_oa3.datasets.sources.source import arrow

if TYPE_CHECKING:
    import pyarrow as pa

Where = Callable[[int], str]
"""The place of a value, by its index in a column."""

_NOTHING = type(None)


def plain(values: pa.Array, where: Where) -> pa.Array:
    """A column without dictionaries, its texts of the one type string."""
    pa = arrow("a table")
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if str(values.type) in ("large_string", "string_view"):
        values = values.cast(pa.string())
    if pa.types.is_string(values.type):
        try:
            values.validate(full=True)
        except pa.ArrowInvalid:
            texts = values.cast(pa.binary()).to_pylist()
            row = next(row for row, text in enumerate(texts) if not _is_utf8(text or b""))
            raise DataError(
                f"{where(row)}: a text that is not UTF-8: write the table again with texts in UTF-8"
            ) from None
    return values


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def typed(values: Sequence[Any], where: Where) -> pa.Array:
    """Python's values as flags where all are, numbers where all are, and texts otherwise.

    Where there is a list or an object among them, nothing is told but that: it is no feature.
    """
    pa = arrow("a table")
    kinds = set(map(type, values)) - {_NOTHING}
    try:
        if not kinds:
            return pa.nulls(len(values))
        if kinds & {list, tuple}:
            return pa.nulls(len(values), pa.list_(pa.null()))
        if dict in kinds:
            return pa.nulls(len(values), pa.struct([]))
        if kinds == {bool}:
            return pa.array(values, pa.bool_())
        if kinds == {float}:
            return pa.array(values, pa.float64())
        if kinds <= {bool, int, float}:
            return pa.array([None if v is None else float(v) for v in values], pa.float64())
        if kinds == {str}:
            return pa.array(values, pa.string())
        return pa.array([None if v is None else _text(v) for v in values], pa.string())
    except (OverflowError, UnicodeEncodeError, TypeError):
        row, problem = next((row, _problem(v)) for row, v in enumerate(values) if _problem(v))
        raise DataError(f"{where(row)}: {problem}") from None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        # Too large a number is one beside texts too: which rows come together must not matter.
        float(value)
        return json.dumps(value)
    raise TypeError


def _problem(value: Any) -> str | None:
    try:
        if value is not None:
            _text(value).encode()
    except OverflowError:
        return "a number too large for any float: write it as a text, or leave it out"
    except UnicodeEncodeError:
        return "a text with half a character (a lone surrogate): replace it"
    except TypeError:
        return (
            f"holds a {type(value).__name__}, and must hold a number, a text or a flag: write it "
            "as one of them, or leave the column out"
        )
    return None

"""What the cells of a column mean: the same whether they come as texts or with a type."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from river_oa3.schema.values import GAPS, as_text

if TYPE_CHECKING:
    import pyarrow as pa

Family = Literal["text", "number", "flag", "date", "nothing", "unfit"]

# Digits with an e among them may be a hash: "12e4567" is no number that anybody would write.
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$"


def family(kind: pa.DataType) -> Family:
    """What the cells of a type may be."""
    import pyarrow as pa

    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind) or types.is_time(kind):
        return "text"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_boolean(kind):
        return "flag"
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    return "nothing" if types.is_null(kind) else "unfit"


def as_texts(values: pa.Array) -> pa.Array:
    """Texts without the blanks around them; null where nothing is left, which is a gap."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = pa.types
    # Arrow and Python spell these differently; here and in production it is Python that does.
    if (
        types.is_floating(values.type)
        or types.is_decimal(values.type)
        or types.is_time(values.type)
    ):
        encoded = values.dictionary_encode()
        spelled = [_spelled(value) for value in encoded.dictionary.to_pylist()]
        return pa.array(spelled, pa.string()).take(encoded.indices)
    texts = values.cast(pa.string())
    if family(values.type) != "text":
        return texts
    texts = pc.utf8_trim_whitespace(texts)
    blank = pc.equal(pc.binary_length(texts), 0)
    if pc.any(blank).as_py():
        texts = pc.if_else(blank, pa.scalar(None, pa.string()), texts)
    return texts


def _spelled(value: Any) -> str | None:
    if isinstance(value, Decimal):
        value = float(value)
    return None if value != value else str(as_text(value))


def as_numbers(values: pa.Array) -> NDArray[np.float64] | None:
    """The numbers, NaN at gaps; None where something is not a number.

    A text is a number where Python's `float` reads it.
    """
    import pyarrow as pa

    kind = family(values.type)
    if kind == "text":
        return _numbers_of_texts(values.cast(pa.string()))
    if pa.types.is_decimal(values.type):
        # The cast to a float is not always the nearest one.
        values = values.cast(pa.string())
    elif kind == "flag":
        values = values.cast(pa.int8())
    elif kind not in ("number", "nothing"):
        return None if values.null_count < len(values) else np.full(len(values), np.nan)
    return as_array(values.cast(pa.float64(), safe=False))


def as_array(values: pa.Array) -> NDArray[Any]:
    """An array of NumPy's, with NaN for null."""
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _numbers_of_texts(texts: pa.Array) -> NDArray[np.float64] | None:
    import pyarrow as pa

    # Most columns need no more than the first try, which is ten times as fast as the last.
    for prepared in (lambda: texts, lambda: without_gaps(texts)):
        try:
            return as_array(prepared().cast(pa.float64()))
        except pa.ArrowInvalid:
            continue
    encoded = without_gaps(texts).dictionary_encode()
    try:
        numbers = [float(text) for text in encoded.dictionary.to_pylist()]
    except ValueError:
        return None
    return as_array(pa.array(numbers, pa.float64()).take(encoded.indices))


def without_gaps(texts: pa.Array) -> pa.Array:
    """Texts without the blanks around them; null where they stand for a gap."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(texts)
    gap = pc.is_in(pc.utf8_lower(trimmed), pa.array(sorted(GAPS)))
    return pc.if_else(gap, pa.scalar(None, pa.string()), trimmed)


def as_flags(values: pa.Array) -> NDArray[np.int8] | None:
    """1 for true, 0 for false, -1 for a gap; None where something else is found."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = family(values.type)
    if kind == "text":
        texts = pc.utf8_lower(without_gaps(values.cast(pa.string())))
        known = pc.index_in(texts, pa.array(["false", "true"]))
        if known.null_count > texts.null_count:
            return None
        values = known
    elif kind not in ("flag", "nothing") and values.null_count < len(values):
        return None
    return as_codes(values.cast(pa.int8()))


def as_codes(values: pa.Array) -> NDArray[Any]:
    """Small integers as an array of NumPy's, with -1 for null."""
    return np.asarray(values.fill_null(-1).to_numpy(zero_copy_only=False))


def join(pieces: Sequence[pa.Array]) -> pa.Array:
    """Cells of one column one after the other.

    Where their types differ, as in JSON they may, they are numbers if all can be, else texts. What
    has lists among it is no feature, whatever else there is.
    """
    import pyarrow as pa

    kinds = {piece.type for piece in pieces if not pa.types.is_null(piece.type)}
    unfit = [kind for kind in kinds if family(kind) == "unfit"]
    if unfit and len(kinds) > 1:
        return pa.nulls(sum(map(len, pieces)), unfit[0])
    if len(kinds) > 1 and {family(kind) for kind in kinds} <= {"number", "flag"}:
        numbers = [as_numbers(piece) for piece in pieces]
        return pa.concat_arrays([pa.array(some, from_pandas=True) for some in numbers])
    if len(kinds) > 1:
        return pa.concat_arrays([as_texts(piece) for piece in pieces])
    if kinds:
        kind = next(iter(kinds))
        pieces = [piece.cast(kind) for piece in pieces]
    return pa.concat_arrays(pieces)

"""What the cells of a column mean: the same whether they come as texts or with a type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.number_scan import EXACT
from river_oa3.schema.values import GAPS, as_text

if TYPE_CHECKING:
    import pyarrow as pa

Family = Literal["text", "number", "flag", "date", "nothing", "unfit"]

# Digits with an e among them may be a hash: "12e4567" is no number that anybody would write.
MOST_WORDS = 2
"""So many words may stand among numbers before they are taken for texts."""

_WITH_COMMA = r"^[+-]?(([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)(,[0-9]+)?|,[0-9]+)$"
# No thousands have one, two or four digits, or a point before a comma.
_DECIMAL_COMMA = r"^[+-]?([0-9]*,([0-9]{1,2}|[0-9]{4,})|[0-9.]*\.[0-9]{3},[0-9]+|,[0-9]+)$"
_MINUTES = r":[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?"
_TIME = rf"(?i)^(([01]?[0-9]|2[0-3]){_MINUTES}|(0?[1-9]|1[0-2]){_MINUTES} ?[ap]m)$"
_YES = ("true", "yes", "y", "t")
_NO = ("false", "no", "n", "f")

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


def as_numbers(
    values: pa.Array, decimal: str = ".", gaps: Collection[str] = ()
) -> NDArray[np.float64] | None:
    """The numbers, NaN at gaps; None where something is not a number.

    A text is a number where Python's `float` reads it. `gaps` are words for a gap, besides the
    usual ones.
    """
    import pyarrow as pa

    kind = family(values.type)
    if kind == "text":
        found = _numbers_of_texts(values.cast(pa.string()), decimal)
        return None if found is None or found.words.keys() - set(gaps) else found.numbers
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


class Numbers(NamedTuple):
    """The cells of a column of numbers, in which a few words may stand for a gap."""

    numbers: NDArray[np.float64]
    """NaN at gaps and at words."""
    words: dict[str, int]
    """What is no number, in small letters, and how often it occurs."""


def as_integers(values: pa.Array) -> NDArray[np.int64] | None:
    """The integers, without gaps, where they have more digits than floats; None where they fit."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if family(values.type) == "text":
        # Most columns of texts have longer or shorter ones.
        longest = pc.max(pc.binary_length(values.cast(pa.string()))).as_py() or 0
        if not (16 <= longest <= 20 and _is_number(pc.first(values).as_py() or "")):
            return None
        values = without_gaps(values.cast(pa.string()))
    elif not pa.types.is_integer(values.type):
        return None
    try:
        integers = as_array(values.drop_null().cast(pa.int64()))
    except pa.ArrowInvalid:
        return None
    is_exact = not len(integers) or np.abs(integers.astype(np.float64)).max() < EXACT
    return None if is_exact else np.asarray(integers, dtype=np.int64)


def read_numbers(values: pa.Array, decimal: str = ".") -> Numbers | None:
    """Numbers and up to two words among them; None where they are something else.

    Digits with a zero in front are a code, of which the zero is a part.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if family(values.type) != "text":
        numbers = as_numbers(values)
        return None if numbers is None else Numbers(numbers, {})
    texts = values.cast(pa.string())
    zero = pc.starts_with(texts, "0")
    if pc.any(zero).as_py():
        codes = pc.match_substring_regex(texts.filter(zero.fill_null(False)), r"^0[0-9]+$")
        if pc.any(codes).as_py():
            return None
    return _numbers_of_texts(texts, decimal)


def has_decimal_comma(values: pa.Array) -> bool:
    """Whether a comma in some number cannot stand between thousands."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(values.cast(pa.string()))
    return bool(pc.any(pc.match_substring_regex(texts, _DECIMAL_COMMA)).as_py())


def _numbers_of_texts(texts: pa.Array, decimal: str) -> Numbers | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == ",":
        texts = without_gaps(texts)
        here = pc.match_substring_regex(texts, _WITH_COMMA)
        others = texts.filter(pc.invert(here))
        if pc.any(pc.match_substring_regex(others, "[0-9]")).as_py():
            return None
        points = pc.replace_substring(pc.replace_substring(texts, ".", ""), ",", ".")
        texts = pc.if_else(here, points, texts)
    # Most columns need no more than the first try, which is ten times as fast as the last. But it
    # fails once for each value, which takes longer than all else where the values are words.
    first = pc.first(texts).as_py()
    is_likely = first is None or _is_number(first)
    for prepared in (lambda: texts, lambda: without_gaps(texts)) if is_likely else ():
        try:
            return Numbers(as_array(prepared().cast(pa.float64())), {})
        except pa.ArrowInvalid:
            continue
    encoded = without_gaps(texts).dictionary_encode()
    numbers = np.empty(len(encoded.dictionary) + 1)
    numbers[-1] = np.nan
    codes_of: dict[str, list[int]] = {}
    for code, text in enumerate(encoded.dictionary.to_pylist()):
        try:
            numbers[code] = float(text)
        except ValueError:
            numbers[code] = np.nan
            codes_of.setdefault(text.lower(), []).append(code)
            if len(codes_of) > MOST_WORDS or any(letter.isdigit() for letter in text):
                return None
    codes = as_codes(encoded.indices)
    words = {word: int(np.count_nonzero(np.isin(codes, found))) for word, found in codes_of.items()}
    return Numbers(numbers[codes], words)


def without_gaps(texts: pa.Array) -> pa.Array:
    """Texts without the blanks around them; null where they stand for a gap."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(texts)
    gap = pc.is_in(pc.utf8_lower(trimmed), pa.array(sorted(GAPS)))
    return pc.if_else(gap, pa.scalar(None, pa.string()), trimmed)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.strip().lower() in GAPS
    return True


def as_times(values: pa.Array) -> NDArray[np.bool_] | None:
    """Which cells are a time of day; None where one is neither that nor a gap."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if family(values.type) not in ("text", "nothing"):
        return None
    texts = without_gaps(values.cast(pa.string()))
    times = pc.match_substring_regex(texts, _TIME)
    if not pc.all(times, min_count=0).as_py():
        return None
    return as_array(times.fill_null(False))


def as_flags(values: pa.Array) -> NDArray[np.int8] | None:
    """1 for true, 0 for false, -1 for a gap; None where something else is found."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = family(values.type)
    if kind == "text":
        texts = pc.utf8_lower(without_gaps(values.cast(pa.string())))
        known = pc.index_in(texts, pa.array([*_NO, *_YES]))
        if known.null_count > texts.null_count:
            return None
        values = pc.greater_equal(known, len(_NO))
    elif kind not in ("flag", "nothing") and values.null_count < len(values):
        return None
    return as_codes(values.cast(pa.int8()))


def as_codes(values: pa.Array) -> NDArray[Any]:
    """Small integers as an array of NumPy's, with -1 for null."""
    return np.asarray(values.fill_null(-1).to_numpy(zero_copy_only=False))


def join(chunks: Sequence[pa.Array]) -> pa.Array:
    """Cells of one column one after the other.

    Where their types differ, as in JSON they may, they are numbers if all can be, else texts. What
    has lists among it is no feature, whatever else there is.
    """
    import pyarrow as pa

    kinds = {chunk.type for chunk in chunks if not pa.types.is_null(chunk.type)}
    unfit = [kind for kind in kinds if family(kind) == "unfit"]
    if unfit and len(kinds) > 1:
        return pa.nulls(sum(map(len, chunks)), unfit[0])
    if len(kinds) > 1 and {family(kind) for kind in kinds} <= {"number", "flag"}:
        numbers = [as_numbers(chunk) for chunk in chunks]
        return pa.concat_arrays([pa.array(some, from_pandas=True) for some in numbers])
    if len(kinds) > 1:
        return pa.concat_arrays([as_texts(chunk) for chunk in chunks])
    if kinds:
        kind = next(iter(kinds))
        chunks = [chunk.cast(kind) for chunk in chunks]
    return pa.concat_arrays(chunks)

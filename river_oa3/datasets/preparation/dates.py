"""Dates as microseconds since 1970, in UTC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.reading import family, without_gaps
from river_oa3.schema.values import date_forms

if TYPE_CHECKING:
    import pyarrow as pa

_ISO = re.compile("[0-9]{4}-")

GAP = np.iinfo(np.int64).min
"""What stands for no date."""

DAY = 86_400_000_000
"""The microseconds of a day."""

# A zone stands after a time: without one, the day of a date would look like it.
_ZONE = r":[0-9]{2}.*(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"


def as_timestamps(values: pa.Array, day_first: bool | None = None) -> NDArray[np.int64] | None:
    """Microseconds since 1970, `GAP` at gaps; None where something is not a date.

    `day_first` tells how to read 3/4/2024; None says that all dates are in ISO's form, which is
    faster to read.
    """
    import pyarrow as pa

    kind = family(values.type)
    if kind == "text":
        texts = without_gaps(values.cast(pa.string()))
        timestamps = _of_iso(texts)
        if timestamps is None and day_first is not None:
            timestamps = _of_any_form(texts, day_first)
        return None if timestamps is None else _microseconds(timestamps)
    if kind == "date":
        return _microseconds(values)
    return np.full(len(values), GAP) if values.null_count == len(values) else None


def _of_iso(texts: pa.Array) -> pa.Array | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    # A cast fails once for each value, and most columns of texts have no dates.
    first = pc.first(texts).as_py()
    if first is not None and not _ISO.match(first):
        return None
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    return None


def _of_any_form(texts: pa.Array, day_first: bool) -> pa.Array | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = texts.dictionary_encode()
    texts = encoded.dictionary
    has_words = bool(pc.any(pc.match_substring_regex(texts, "(?i)[a-z]{2}")).as_py())
    for pattern, form in date_forms(day_first, has_words):
        texts = pc.replace_substring_regex(texts, pattern, form)
    zoned = pc.match_substring_regex(texts, _ZONE)
    nothing = pa.scalar(None, pa.string())
    try:
        here = pc.if_else(zoned, nothing, texts).cast(pa.timestamp("us"))
        there = pc.if_else(zoned, texts, nothing).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:
        return None
    return pc.coalesce(here, there.cast(pa.timestamp("us"))).take(encoded.indices)


def _microseconds(values: pa.Array) -> NDArray[np.int64]:
    import pyarrow as pa

    # Arrow's own cast from nanoseconds rounds towards 1970.
    is_fine = pa.types.is_timestamp(values.type) and values.type.unit == "ns"
    if not is_fine:
        zone = getattr(values.type, "tz", None)
        values = values.cast(pa.timestamp("us", zone), safe=False)
    gaps = np.asarray(values.is_null().to_numpy(zero_copy_only=False))
    timestamps = np.asarray(values.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False))
    return np.where(gaps, GAP, timestamps // 1000 if is_fine else timestamps)

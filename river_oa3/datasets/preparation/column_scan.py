"""What one column holds, found in one pass without knowing beforehand what it is."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.date_scan import DateScan
from river_oa3.datasets.preparation.dates import GAP, as_timestamps
from river_oa3.datasets.preparation.distinct import Distinct, hash_integers, hash_values
from river_oa3.datasets.preparation.number_scan import NumberScan
from river_oa3.datasets.preparation.reading import (
    MOST_WORDS,
    Numbers,
    as_flags,
    as_integers,
    as_numbers,
    as_texts,
    as_times,
    family,
    has_decimal_comma,
    read_numbers,
)
from river_oa3.datasets.preparation.value_counts import ValueCounts

if TYPE_CHECKING:
    import pyarrow as pa

Rows = NDArray[np.int64] | int
"""The rows that cells stand in, or the first of them where none lies between."""

WORD = r"\S*\pL\S*"
"""A word has a letter in it: a telephone number is none."""

# A number behind a few letters, as in p-0017 and INV-2024-0017; digits of which there are many; a
# long word with digits, as in 5d41402abc4b2a76 and a UUID.
ID = (
    r"^(\pL{0,12}[-_#/:.]?([0-9]+[-_/:.])*[0-9]{3,}|(0x)?[0-9a-fA-F]{8,}"
    r"|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4,12}){4}|[A-Za-z_-]{0,8}[0-9][0-9A-Za-z_-]{8,})$"
)
"""What texts look like that tell one thing from all others."""


class ColumnScan:
    """What a column would be as numbers, flags, dates, times and texts, each until it is refuted.

    A column of numbers may hold texts in its last rows, and is then a column of texts. So what
    texts need is kept for numbers, too: the file is not read twice for it.

    Parameters
    ----------
    decimal
        The sign before decimals; None to find out.

    """

    def __init__(self, decimal: str | None = None) -> None:
        self.rows = 0
        self.numbers: NumberScan | None = NumberScan()
        self.number_words: dict[str, int] = {}
        """What stands among numbers and is none, and how often."""
        self.commas: NumberScan | None = NumberScan() if decimal == "," else None
        """Numbers with a decimal comma, from the first one on or as they are asked for."""
        self.comma_words: dict[str, int] = {}
        self.is_comma_certain = decimal == ","
        self._may_be_commas = decimal != "."
        self.dates: DateScan | None = DateScan()
        self.times = 0
        """How many cells are times of day."""
        self.may_be_times = True
        self.may_be_flags = True
        self.filled = 0
        """How many cells hold something other than a blank, "NA" and the like among it."""
        self.values = ValueCounts()
        # These are kept once there are too many values to count each.
        self.distinct = Distinct()
        self.words = 0
        self.ids = 0
        """How many cells look as an id does."""
        self.example: str | None = None
        self.unfit: str | None = None
        """The type of cells that cannot be a feature."""

    def add(self, cells: pa.Array, rows: Rows) -> None:
        """Take the next cells of the column."""
        import pyarrow as pa

        self.rows += len(cells)
        if pa.types.is_time(cells.type):
            cells = as_texts(cells)
        kind = family(cells.type)
        if kind == "unfit":
            self.unfit = str(cells.type)
        if kind in ("unfit", "nothing") or cells.null_count == len(cells):
            return
        integers = as_integers(cells)
        read = self._read_numbers(cells, rows, integers)
        # In this order: a text that reads as a number is none of the others.
        is_number = read is not None and not read.words
        if kind == "text" and (self.commas is not None or not is_number):
            is_number = self._are_commas(cells, rows) or is_number
        is_read = (
            is_number or self._are_flags(cells) or self._are_dates(cells) or self._are_times(cells)
        )
        if kind == "date":
            self._add_typed_dates(cells)
            return
        numbers = None if read is None or read.words else read.numbers
        keys = self._keys(cells, numbers, integers)
        self.filled += len(keys)
        if self.example is None and len(keys):
            self.example = as_texts(keys[:1])[0].as_py()
        if not self.values.is_full:
            self.values.add(keys)
            if not self.values.is_full:
                return
            self._take_over_from_values()
        if numbers is None or integers is not None:
            self.distinct.add(hash_values(keys))
        else:
            self.distinct.add(hash_values(_known(numbers)))
        self.words += len(keys) if is_read else count_words(keys)
        self.ids += 0 if is_read or not pa.types.is_string(keys.type) else count_ids(keys)

    def _read_numbers(
        self, cells: pa.Array, rows: Rows, integers: NDArray[np.int64] | None
    ) -> Numbers | None:
        before = self.numbers
        found = None if before is None else read_numbers(cells)
        if found is not None and before is not None:
            for word, count in found.words.items():
                self.number_words[word] = self.number_words.get(word, 0) + count
            if len(self.number_words) > MOST_WORDS:
                found = None
        if found is None or before is None:
            if before is not None:
                self._start_commas(before)
            self.numbers = None
            return None
        if found.words:
            self._start_commas(before)
        if not np.isnan(found.numbers).all():
            before.add(found.numbers, rows, integers)
            self.dates = None
            self.may_be_times = False
            # JSON may have flags and numbers in one column: together they are numbers.
            self.may_be_flags = self.may_be_flags and family(cells.type) == "flag"
        return found

    def _start_commas(self, before: NumberScan) -> None:
        """Go on as with decimal commas from where there are some: so far, there was no point."""
        if self.commas is None and self._may_be_commas and before.is_whole:
            self.commas = copy.copy(before)

    def _are_commas(self, cells: pa.Array, rows: Rows) -> bool:
        found = None if self.commas is None else read_numbers(cells, ",")
        if found is not None:
            for word, count in found.words.items():
                self.comma_words[word] = self.comma_words.get(word, 0) + count
        if found is None or self.commas is None or len(self.comma_words) > MOST_WORDS:
            self.commas = None
            self._may_be_commas = False
            return False
        if not np.isnan(found.numbers).all():
            self.commas.add(found.numbers, rows)
            self.dates = None
            self.may_be_times = self.may_be_flags = False
        self.is_comma_certain = self.is_comma_certain or has_decimal_comma(cells)
        return not found.words

    def _are_flags(self, cells: pa.Array) -> bool:
        flags = as_flags(cells) if self.may_be_flags else None
        self.may_be_flags = flags is not None
        if flags is not None and (flags >= 0).any():
            self.dates = None
            self.may_be_times = False
        return flags is not None

    def _are_dates(self, cells: pa.Array) -> bool:
        if self.dates is not None and not self.dates.add(cells):
            self.dates = None
        return self.dates is not None

    def _are_times(self, cells: pa.Array) -> bool:
        times = as_times(cells) if self.may_be_times else None
        self.may_be_times = times is not None
        self.times += 0 if times is None else int(times.sum())
        return times is not None

    def _keys(
        self,
        cells: pa.Array,
        numbers: NDArray[np.float64] | None,
        integers: NDArray[np.int64] | None,
    ) -> pa.Array:
        """The values that are told apart: numbers where they have that type, otherwise texts."""
        import pyarrow as pa

        if family(cells.type) == "number":
            if integers is not None:
                return pa.array(integers)
            numbers = as_numbers(cells) if numbers is None else numbers
            return pa.array(_known(numbers))
        if numbers is not None and integers is None and self.values.is_full:
            known = _known(numbers)
            # With as many gaps as nulls, no text stands for a gap, and numbers are faster.
            if len(known) == len(cells) - cells.null_count:
                return pa.array(known)
        return as_texts(cells).drop_null()

    def _take_over_from_values(self) -> None:
        """Go on with a rough count of the distinct values where counting each has come this far."""
        import pyarrow as pa

        counts = self.values.counts
        texts = [key for key in counts if isinstance(key, str)]
        numbers = [key for key in counts if not isinstance(key, str)]
        for keys in (
            pa.array(texts, pa.string()),
            pa.array([key for key in numbers if isinstance(key, int)], pa.int64()),
            pa.array([key for key in numbers if isinstance(key, float)], pa.float64()),
        ):
            self.distinct.add(hash_values(keys))
        self.words = weighed(texts, counts, WORD) + sum(counts[number] for number in numbers)
        self.ids = weighed(texts, counts, ID)

    def _add_typed_dates(self, cells: pa.Array) -> None:
        timestamps = as_timestamps(cells)
        assert timestamps is not None
        known = timestamps[timestamps != GAP]
        self.filled += len(known)
        self.words += len(known)
        self.distinct.add(hash_integers(known))
        self.values.is_full = True
        if self.example is None:
            self.example = str(cells.drop_null()[0])


def _known(numbers: NDArray[np.float64] | None) -> NDArray[np.float64]:
    assert numbers is not None
    gaps = np.isnan(numbers)
    return numbers[~gaps] if gaps.any() else numbers


def count_words(texts: pa.Array) -> int:
    """How many words these texts have together."""
    import pyarrow.compute as pc

    return int(pc.sum(pc.count_substring_regex(texts, WORD)).as_py() or 0)


def count_ids(texts: pa.Array) -> int:
    """How many of these texts look as an id does."""
    import pyarrow.compute as pc

    return int(pc.sum(pc.match_substring_regex(texts, ID)).as_py() or 0)


def weighed(texts: list[str], counts: Mapping[Any, int], pattern: str) -> int:
    """How often a pattern occurs in texts, each of which stands in so many rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.count_substring_regex(pa.array(texts, pa.string()), pattern).to_pylist()
    return sum(n * counts[text] for n, text in zip(found, texts, strict=True))

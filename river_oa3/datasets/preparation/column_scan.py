"""What one column holds, found in one pass without knowing beforehand what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.date_scan import DateScan
from river_oa3.datasets.preparation.dates import GAP, as_moments
from river_oa3.datasets.preparation.distinct import Distinct, hash_integers, hash_values
from river_oa3.datasets.preparation.number_scan import NumberScan
from river_oa3.datasets.preparation.reading import as_flags, as_numbers, as_texts, family
from river_oa3.datasets.preparation.value_counts import ValueCounts

if TYPE_CHECKING:
    import pyarrow as pa

Rows = NDArray[np.int64] | int
"""The rows that cells stand in, or the first of them where none lies between."""


class ColumnScan:
    """What a column would be as numbers, flags, dates and texts, each until it is refuted.

    A column of numbers may hold a text in its last row, and is then a column of texts. So what
    texts need is kept for numbers, too: the file is not read twice for it.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.numbers: NumberScan | None = NumberScan()
        self.dates: DateScan | None = DateScan()
        self.may_be_flags = True
        self.filled = 0
        """How many cells hold something other than a blank, "NA" and the like among it."""
        self.values = ValueCounts()
        # These two are kept once there are too many values to count each.
        self.distinct = Distinct()
        self.words = 0
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
        numbers = self._as_numbers(cells, rows)
        # In this order: a text that reads as a number is none of the others.
        is_read = numbers is not None or self._are_flags(cells) or self._are_dates(cells)
        if kind == "date":
            self._add_typed_dates(cells)
            return
        keys = self._keys(cells, numbers)
        self.filled += len(keys)
        if self.example is None and len(keys):
            self.example = as_texts(keys[:1])[0].as_py()
        if not self.values.is_full:
            self.values.add(keys)
            if not self.values.is_full:
                return
            self._take_over_from_values()
        self.distinct.add(hash_values(keys if numbers is None else _known(numbers)))
        self.words += len(keys) if is_read else _count_words(keys)

    def _as_numbers(self, cells: pa.Array, rows: Rows) -> NDArray[np.float64] | None:
        numbers = None if self.numbers is None else as_numbers(cells)
        if numbers is None or self.numbers is None:
            self.numbers = None
            return None
        if not np.isnan(numbers).all():
            self.numbers.add(numbers, rows)
            self.dates = None
            # JSON may have flags and numbers in one column: together they are numbers.
            self.may_be_flags = self.may_be_flags and family(cells.type) == "flag"
        return numbers

    def _are_flags(self, cells: pa.Array) -> bool:
        flags = as_flags(cells) if self.may_be_flags else None
        self.may_be_flags = flags is not None
        if flags is not None and (flags >= 0).any():
            self.dates = None
        return flags is not None

    def _are_dates(self, cells: pa.Array) -> bool:
        if self.dates is not None and not self.dates.add(cells):
            self.dates = None
        return self.dates is not None

    def _keys(self, cells: pa.Array, numbers: NDArray[np.float64] | None) -> pa.Array:
        """The values that are told apart: numbers where they have that type, otherwise texts."""
        import pyarrow as pa

        if family(cells.type) == "number":
            numbers = as_numbers(cells) if numbers is None else numbers
            return pa.array(_known(numbers))
        if numbers is not None and self.values.is_full:
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
        self.distinct.add(hash_values(pa.array(texts, pa.string())))
        self.distinct.add(hash_values(pa.array(numbers, pa.float64())))
        self.words = sum(len(text.split()) * counts[text] for text in texts)
        self.words += sum(counts[number] for number in numbers)

    def _add_typed_dates(self, cells: pa.Array) -> None:
        moments = as_moments(cells)
        assert moments is not None
        known = moments[moments != GAP]
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


def _count_words(texts: pa.Array) -> int:
    import pyarrow.compute as pc

    return int(pc.sum(pc.count_substring_regex(texts, r"\S+")).as_py() or 0)

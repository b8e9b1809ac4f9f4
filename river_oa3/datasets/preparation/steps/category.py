"""Few values, an indicator for each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from river_oa3._core.category import Category
from river_oa3.datasets.preparation.reading import as_codes, as_flags, as_numbers, as_texts
from river_oa3.datasets.preparation.row_code import as_text
from river_oa3.datasets.preparation.steps.step import Call, Part, Step, indicators, literal

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = "(missing)"
"""The value that a gap is."""


@dataclass(frozen=True, kw_only=True)
class CategoryStep(Step):
    """One indicator per value, as AutoOA3 makes of a text; a gap is a value, too.

    A value that was not there in the first pass has no column. A model in production is given it as
    it is and learns it as it goes.
    """

    values: tuple[str, ...]
    reads: Literal["given", "number", "flag"] = "given"
    """The function of `row_code` that gives what is spelled as a text."""

    @property
    def names(self) -> list[Hashable]:
        return [Category(self.column, value) for value in self.values]

    def encode(self, cells: pa.Array) -> list[Part]:
        encoded = self._texts(cells).dictionary_encode()
        places = {value: place for place, value in enumerate(self.values)}
        known = [places.get(text, -1) for text in encoded.dictionary.to_pylist()]
        # The last one is for gaps, whose index is -1.
        columns = np.array([*known, places.get(MISSING, -1)])[as_codes(encoded.indices)]
        rows = np.flatnonzero(columns >= 0)
        return [indicators(rows, columns[rows])]

    def _texts(self, cells: pa.Array) -> pa.Array:
        import pyarrow as pa

        if self.reads == "given":
            return as_texts(cells)
        values: Any = as_numbers(cells) if self.reads == "number" else as_flags(cells)
        if values is None:
            raise self._refuse(f"a {self.reads}")
        distinct, codes = np.unique(values, return_inverse=True)
        if self.reads == "flag":
            spelled = [None if value < 0 else as_text(bool(value)) for value in distinct]
        else:
            spelled = [None if value != value else as_text(value) for value in distinct.tolist()]
        return pa.array(spelled, pa.string()).take(pa.array(codes))

    def line(self) -> str:
        gap = ", a gap among them" if MISSING in self.values else ""
        return f"a category, one indicator for each of {len(self.values):,} values{gap}"

    def call(self) -> Call:
        read = [] if self.reads == "given" else [self.reads]
        return Call("add_category", [literal(self.column), *read])

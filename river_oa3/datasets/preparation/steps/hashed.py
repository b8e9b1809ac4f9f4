"""Texts of too many values for an indicator each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from river_oa3.datasets.preparation.reading import as_codes, as_texts
from river_oa3.datasets.preparation.row_code import bucket
from river_oa3.datasets.preparation.steps.step import Call, Part, Step, indicators, literal

if TYPE_CHECKING:
    import pyarrow as pa

BUCKETS = 1024


@dataclass(frozen=True, kw_only=True)
class HashedStep(Step):
    """1 in the bucket that the hash of a text falls into."""

    to: str
    """What the names of the buckets start with: the column's name unless others do so."""

    @property
    def names(self) -> list[Hashable]:
        return [*(f"{self.to}#{number}" for number in range(BUCKETS)), *self._missing_name()]

    def encode(self, cells: pa.Array) -> list[Part]:
        encoded = as_texts(cells).dictionary_encode()
        buckets = [bucket(text) for text in encoded.dictionary.to_pylist()]
        columns = np.array([*buckets, -1], dtype=np.int64)[as_codes(encoded.indices)]
        rows = np.flatnonzero(columns >= 0)
        return [indicators(rows, columns[rows]), *self._missing_part(columns < 0, BUCKETS)]

    def line(self) -> str:
        flagged = ", gaps flagged" if self.missing else ""
        return f"a text of many values, hashed into {BUCKETS:,} buckets{flagged}"

    def call(self) -> Call:
        return Call("add_hashed", [literal(self.column), *self._missing_argument(), *self._to()])

    def _to(self) -> list[str]:
        return [] if self.to == self.column else [f"to={literal(self.to)}"]

"""Texts in free words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from river_oa3.datasets.preparation.reading import as_codes, as_texts
from river_oa3.datasets.preparation.row_code import buckets_of_words
from river_oa3.datasets.preparation.steps.hashed import BUCKETS, HashedStep
from river_oa3.datasets.preparation.steps.step import Call, Part, indicators, literal

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class WordsStep(HashedStep):
    """1 in the bucket of each word."""

    def encode(self, cells: pa.Array) -> list[Part]:
        encoded = as_texts(cells).dictionary_encode()
        found = [buckets_of_words(text) for text in encoded.dictionary.to_pylist()]
        # The last one is for gaps, whose index is -1.
        buckets = [np.array(some, dtype=np.int64) for some in [*found, []]]
        codes = as_codes(encoded.indices)
        lengths = np.array([len(some) for some in buckets])[codes]
        rows = np.repeat(np.arange(len(codes)), lengths)
        columns = np.concatenate([buckets[code] for code in codes] or [np.empty(0, np.int64)])
        return [indicators(rows, columns), *self._missing_part(codes < 0, BUCKETS)]

    def line(self) -> str:
        flagged = ", gaps flagged" if self.missing else ""
        return f"free text, its words hashed into {BUCKETS:,} buckets{flagged}"

    def call(self) -> Call:
        return Call("add_words", [literal(self.column), *self._missing_argument(), *self._to()])

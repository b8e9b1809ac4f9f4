"""The classes of the label column, counted as they come."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.reading import as_codes, as_texts, family
from river_oa3.datasets.sources import Batch
from river_oa3.schema.values import as_text

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CLASSES = 10_000
"""A column of more values is not a label, and need not be counted to the end."""

Codes = NDArray[np.int64]


class LabelScan:
    """Classes in order of first appearance, and the code of each row."""

    def __init__(self) -> None:
        self.classes: dict[str, int] = {}
        self.counts: list[int] = []
        self.first_rows: list[int] = []
        self.missing = 0
        self.missing_at: int | None = None
        self.unfit: str | None = None

    @property
    def is_overrun(self) -> bool:
        return len(self.classes) > MOST_CLASSES

    def add(self, chunk: Batch, label: str) -> Codes:
        """Count the classes of a chunk; the code of each of its rows, -1 where there is none."""
        codes = np.full(chunk.n, -1, dtype=np.int64)
        cells = chunk.columns.get(label)
        if cells is not None and family(cells.values.type) == "unfit":
            self.unfit = str(cells.values.type)
        elif cells is not None and not self.is_overrun:
            codes[slice(None) if cells.rows is None else cells.rows] = self._coded(cells.values)
        missing = np.flatnonzero(codes < 0)
        if len(missing) and self.missing_at is None:
            self.missing_at = chunk.start + int(missing[0])
        self.missing += len(missing)
        self._count(codes, chunk.start)
        return codes

    def miss(self, rows: int) -> None:
        """Count rows at the start that came before any label."""
        self.missing += rows
        self.missing_at = 0

    def _count(self, codes: Codes, start: int) -> None:
        found, firsts, counts = np.unique(codes, return_index=True, return_counts=True)
        for code, first, count in zip(found.tolist(), firsts, counts, strict=True):
            if code == len(self.counts):
                self.counts.append(0)
                self.first_rows.append(start + int(first))
            if code >= 0:
                self.counts[code] += int(count)

    def _coded(self, cells: pa.Array) -> Codes:
        encoded = as_texts(cells).dictionary_encode()
        names = [class_text(text) for text in encoded.dictionary.to_pylist()]
        known = np.array(
            [self.classes.setdefault(name, len(self.classes)) for name in names], dtype=np.int64
        )
        # The last one is for rows that have no label, whose index is -1.
        codes: Codes = np.append(known, -1)[as_codes(encoded.indices)]
        return codes


def class_text(value: Any) -> str:
    """One text for all ways to write a class: 1, 1.0 and "+1" are one class, "True" is "true"."""
    text = str(as_text(value)).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(as_text(number)) if math.isfinite(number) else text


def is_positive(cells: pa.Array, positive: set[str]) -> NDArray[np.bool_]:
    """Whether each label is of a positive class."""
    encoded = as_texts(cells).dictionary_encode()
    known = [class_text(text) in positive for text in encoded.dictionary.to_pylist()]
    found: NDArray[np.bool_] = np.array([*known, False])[as_codes(encoded.indices)]
    return found

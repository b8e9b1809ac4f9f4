"""Some rows of each class, for what cannot be told from sums: medians and leakage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.reading import join
from river_oa3.datasets.sources import Batch, Cells

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 5_000
"""Of each class."""

# A file of JSON lines may have any number of columns, few of which matter.
_COLUMNS = 1_000


class ClassSample:
    """The rows of one class with the smallest of random numbers: each row is as likely to be one.

    Which rows are taken depends on the numbers alone, not on the chunks in which they come.
    """

    def __init__(self) -> None:
        self.count = 0
        """How many rows of the class there were."""
        self._ranks: NDArray[np.float64] = np.empty(0)
        self._chunks: dict[str, list[pa.Array]] = {}

    def __len__(self) -> int:
        return len(self._ranks)

    def column(self, name: str) -> pa.Array:
        """The cells of a column, null where a row has none, in random order."""
        import pyarrow as pa

        if name not in self._chunks:
            return pa.nulls(len(self))
        return join(self._chunks[name])

    @property
    def columns(self) -> list[str]:
        return list(self._chunks)

    def add(self, chunk: Batch, rows: NDArray[np.int64], ranks: NDArray[np.float64]) -> None:
        """Take some of these rows of a chunk, whose random numbers these are."""
        self.count += len(rows)
        if len(self) == ROWS:
            lower = ranks < self._ranks.max()
            rows, ranks = rows[lower], ranks[lower]
        # Of a first chunk nearly all would be thrown away again.
        lowest = np.argsort(ranks, kind="stable")[:ROWS]
        rows, ranks = rows[lowest], ranks[lowest]
        if not len(rows):
            return
        before = len(self)
        kept = np.argsort(np.concatenate([self._ranks, ranks]), kind="stable")[:ROWS]
        for name in [*self._chunks, *(name for name in chunk.columns if name not in self._chunks)]:
            if name in self._chunks or len(self._chunks) < _COLUMNS:
                self._keep(name, before, _taken(chunk, name, rows), kept)
        self._ranks = np.concatenate([self._ranks, ranks])[kept]

    def _keep(self, name: str, before: int, cells: pa.Array, kept: NDArray[np.int64]) -> None:
        import pyarrow as pa

        old = self._chunks.get(name, [pa.nulls(before)])
        self._chunks[name] = [join([*old, cells]).take(pa.array(kept))]


def _taken(chunk: Batch, name: str, rows: NDArray[np.int64]) -> pa.Array:
    """The cells of a column in these rows, null where a row does not have it."""
    import pyarrow as pa

    cells: Cells | None = chunk.columns.get(name)
    if cells is None or not len(cells.values):
        return pa.nulls(len(rows))
    if cells.rows is None:
        return cells.values.take(pa.array(rows))
    at = np.searchsorted(cells.rows, rows).clip(0, len(cells.rows) - 1)
    return cells.values.take(pa.array(at, mask=cells.rows[at] != rows))

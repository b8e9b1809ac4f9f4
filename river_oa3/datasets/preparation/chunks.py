"""A table in chunks of one size, whatever the sizes of the batches it comes in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from river_oa3.datasets.preparation.reading import join
from river_oa3.datasets.sources import Batch, Cells

_CELLS = 2**22


def in_chunks(batches: Iterable[Batch], rows: int | None = None) -> Iterator[Batch]:
    """The same rows in chunks that depend on nothing but the number of columns.

    Sums of floats depend on what is summed together. A CSV and a Parquet file of one table come in
    different batches and should still give one mean, to the last bit.
    """
    waiting: list[Batch] = []
    for batch in batches:
        rows = rows or _chunk_rows(len(batch.columns))
        while batch.n:
            room = rows - sum(chunk.n for chunk in waiting)
            waiting.append(part(batch, 0, min(room, batch.n)))
            batch = part(batch, min(room, batch.n), batch.n)
            if waiting[-1].n == room:
                yield _joined(waiting)
                waiting = []
    if waiting:
        yield _joined(waiting)


def _chunk_rows(columns: int) -> int:
    """Fewer rows of more columns, so that a chunk of wide rows is no larger."""
    return max(1 << ((_CELLS // max(columns, 1)).bit_length() - 1), 256)


def part(batch: Batch, start: int, stop: int) -> Batch:
    """The rows of a batch from `start` up to `stop`."""
    if start == 0 and stop == batch.n:
        return batch
    columns = {name: _part(cells, start, stop) for name, cells in batch.columns.items()}
    return Batch(batch.start + start, stop - start, columns, batch.done)


def _part(cells: Cells, start: int, stop: int) -> Cells:
    if cells.rows is None:
        return Cells(cells.values.slice(start, stop - start), None)
    first, last = np.searchsorted(cells.rows, [start, stop])
    return Cells(cells.values.slice(first, last - first), cells.rows[first:last] - start)


def _joined(chunks: list[Batch]) -> Batch:
    if len(chunks) == 1:
        return chunks[0]
    names = dict.fromkeys(name for chunk in chunks for name in chunk.columns)
    columns = {name: _joined_cells(name, chunks) for name in names}
    n = sum(chunk.n for chunk in chunks)
    return Batch(chunks[0].start, n, columns, chunks[-1].done)


def _joined_cells(name: str, chunks: list[Batch]) -> Cells:
    having = [chunk for chunk in chunks if name in chunk.columns]
    values = join([chunk.columns[name].values for chunk in having])
    if len(having) == len(chunks) and all(chunk.columns[name].rows is None for chunk in chunks):
        return Cells(values, None)
    start = chunks[0].start
    return Cells(values, np.concatenate([rows_of(chunk, name) - start for chunk in having]))


def rows_of(batch: Batch, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The numbers, in the whole table, of the rows that have the column."""
    rows = batch.columns[name].rows
    return batch.start + (np.arange(batch.n) if rows is None else rows)

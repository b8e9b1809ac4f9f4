"""The second pass over a table: its rows as sparse rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.steps import Part, Step
from river_oa3.datasets.sources import Batch
from river_oa3.datasets.spool import Block

Ints = NDArray[np.int64]


def encode(
    batch: Batch,
    steps: Sequence[Step],
    starts: Sequence[int],
    y: NDArray[np.bool_],
    taken: NDArray[np.bool_] | None,
) -> Block:
    """The rows of a batch that are taken; the encoded columns of each step start at `starts`."""
    rows = np.arange(batch.n) if taken is None else np.flatnonzero(taken)
    parts: list[Part] = []
    for step, start in zip(steps, starts, strict=True):
        parts += [part._replace(columns=part.columns + start) for part in _parts(batch, step, rows)]
    data, indices, counts = _by_rows(parts, len(rows))
    return Block(data, indices, counts, y[rows])


def _parts(batch: Batch, step: Step, rows: Ints) -> list[Part]:
    """The entries of a step, by the place of their row among those that are taken."""
    import pyarrow as pa

    cells = batch.columns.get(step.column)
    if cells is None:
        # None of these rows has it: JSON's lines may well lack a key for long.
        return [] if step.is_sparse else step.encode(pa.nulls(len(rows)))
    if cells.rows is None:
        everything = len(rows) == batch.n
        return step.encode(cells.values if everything else cells.values.take(pa.array(rows)))
    _, here, places = np.intersect1d(cells.rows, rows, assume_unique=True, return_indices=True)
    found = step.encode(cells.values.take(pa.array(here)))
    return [part._replace(rows=places[part.rows]) for part in found]


def _by_rows(parts: list[Part], n: int) -> tuple[NDArray[np.float64], NDArray[np.int32], Ints]:
    """The entries row by row. Parts come in the order of their columns, so nothing is sorted."""
    counts = np.zeros(n, dtype=np.int64)
    for part in parts:
        counts += np.bincount(part.rows, minlength=n)
    next_places = np.cumsum(counts) - counts
    data = np.empty(int(counts.sum()))
    indices = np.empty(len(data), dtype=np.int32)
    for part in parts:
        here = np.bincount(part.rows, minlength=n)
        firsts = np.cumsum(here) - here
        places = next_places[part.rows] + np.arange(len(part.rows)) - firsts[part.rows]
        data[places] = part.values
        indices[places] = part.columns
        next_places += here
    return data, indices, counts

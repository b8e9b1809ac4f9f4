"""LIBSVM files that are larger than memory, read twice: for the labels, then chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import files
from river_oa3.datasets.chunk_writer import ChunkWriter, EncodedRows
from river_oa3.datasets.chunked import AnyStream
from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.labels import positives
from river_oa3.datasets.libsvm import Lines, read_lines, scan_libsvm

__all__ = ["LARGE", "read_large_libsvm"]

LARGE = 24_000_000
"""A file with more bytes than this may hold more values than are kept in memory."""


def read_large_libsvm(
    path: Path,
    folder: Path,
    *,
    positive: Any = None,
    in_order: Callable[[NDArray[np.bool_]], bool] = lambda y: False,
    seed: int = 0,
    progress: Callable[[float, int], None] | None = None,
) -> AnyStream:
    """The stream of a file, in chunks in a folder where it has many values.

    A column is the index in the file, and those that occur are numbered one after the other: what
    they cost goes by how many there are, not by how large they are.

    Parameters
    ----------
    path
        The file, which may be compressed.
    folder
        Where chunks are written.
    positive
        The positive class, as `open_stream` takes it.
    in_order
        Whether the events are to be taken as they come, by their labels.
    seed
        Of the generator that says which row goes to which chunk.
    progress
        Called with the share of the events that has been read, and how many those are.

    """
    labels, values = scan_libsvm(path)
    if not len(labels):
        raise DataError(f"{path} has no events: at least one of each class is needed")
    y = positives(labels, positive)
    stem, _ = files.parted(path)
    writer = ChunkWriter(stem, folder, len(y), values, in_order(y), seed)
    columns: dict[int, int] = {}
    done = 0
    for lines in read_lines(path):
        n = len(lines.counts)
        rows = _encoded(path, lines, y[done : done + n], done, columns)
        writer.add(rows, len(columns))
        done += n
        if progress is not None:
            progress(done / len(y), done)
    if done != len(y):
        raise DataError(f"{path} changed while it was read: run the command again")
    names: list[Hashable] = list(columns)
    return writer.finish(names)


def _encoded(
    path: Path, lines: Lines, y: NDArray[np.bool_], before: int, columns: dict[int, int]
) -> EncodedRows:
    bad = np.flatnonzero(~np.isfinite(lines.data))
    rows = np.repeat(np.arange(len(lines.counts)), lines.counts)
    if len(bad):
        event, index = before + int(rows[bad[0]]) + 1, int(lines.indices[bad[0]])
        raise DataError(
            f"{path}, event {event}: feature {short_repr(index)} is {lines.data[bad[0]]}, not a "
            "finite number: fill it or drop the event"
        )
    used, inverse = np.unique(lines.indices, return_inverse=True)
    numbers = np.array(
        [columns.setdefault(index, len(columns)) for index in used.tolist()], dtype=np.int32
    )
    kept = np.flatnonzero(lines.data)
    placed = numbers[inverse] if len(used) else np.empty(0, np.int32)
    order = kept[np.lexsort((placed[kept], rows[kept]))]
    counts = np.bincount(rows[order], minlength=len(lines.counts)).astype(np.int64)
    return EncodedRows(lines.data[order], placed[order], counts, y)

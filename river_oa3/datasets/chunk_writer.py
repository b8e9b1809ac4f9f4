"""Rows on their way to a stream: in memory while they are few, else in chunks on disk."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets.chunked import (
    AnyStream,
    ChunkedStream,
    EncodedRows,
    chunk_files,
    read_chunk,
)
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.scaling import MeansAndDeviations
from river_oa3.datasets.streams import Stream

__all__ = ["CHUNK", "IN_MEMORY", "ChunkWriter", "EncodedRows", "written_out"]

IN_MEMORY = 4_000_000
"""A stream with no more values than this, some 50 MB, is kept in memory."""

CHUNK = 2_000_000
"""About so many values make a chunk."""


class ChunkWriter:
    """Takes the rows of a stream some at a time, in memory or in chunks on disk.

    Parameters
    ----------
    name
        What the stream is called.
    folder
        Where chunks are written; made where they are needed.
    events
        How many rows there will be.
    nonzeros
        About how many values, which says whether there are chunks, and how many.
    in_order
        Whether the events are to be taken as they come. Otherwise rows go to the chunks at
        random, so that reading chunks in any order is reading events in any order.
    seed
        Of the generator that says which row goes to which chunk.
    places
        The place of each row among those that are taken in order; as they come where there is none.

    """

    def __init__(
        self,
        name: str,
        folder: Path,
        events: int,
        nonzeros: int,
        in_order: bool = False,
        seed: int = 0,
        places: NDArray[np.int64] | None = None,
    ):
        self._name = name
        self._folder = folder
        self._events = events
        self._in_order = in_order
        self._places = places
        self._n_chunks = 1 if nonzeros <= IN_MEMORY else math.ceil(nonzeros / CHUNK)
        self._generator = np.random.default_rng((seed, 1 << 32))
        self._kept: list[EncodedRows] = []
        self._rows = np.zeros(self._n_chunks, dtype=np.int64)
        self._scales: MeansAndDeviations | None = None
        self._n_added = self._positives = self._nonzeros = self._n_empty = 0

    def add(self, rows: EncodedRows, columns: int) -> None:
        """Take in some rows, of a stream that has so many columns by now."""
        if self._n_chunks == 1:
            self._kept.append(rows)
            return
        self._scales = _widened(self._scales, columns)
        self._scales.add(rows.data, rows.indices, len(rows.counts))
        self._positives += int(np.count_nonzero(rows.y))
        self._nonzeros += len(rows.data)
        self._n_empty += int(np.count_nonzero(rows.counts == 0))
        self._distribute(rows)

    def finish(self, names: list[Hashable], note: str = "") -> AnyStream:
        """The stream of all rows."""
        if self._n_chunks == 1:
            rows = _joined(self._kept)
            if self._places is not None:
                rows = _taken(rows, np.argsort(self._places))
            return Stream(self._name, *_matrix(rows, len(names)), names, note)
        scales = _widened(self._scales, len(names))
        self._fill_in()
        self._sort_chunks()
        return ChunkedStream(
            self._name,
            self._folder,
            tuple(self._rows.tolist()),
            names,
            self._positives,
            self._nonzeros,
            self._n_empty,
            scales.n_present,
            scales.gaps,
            scales.filled().scaling(),
            shuffled=not self._in_order,
            note=note,
        )

    def _distribute(self, added: EncodedRows) -> None:
        """Put each row into its chunk, behind those that are there."""
        n = len(added.counts)
        if self._in_order:
            places = np.arange(self._n_added, self._n_added + n)
            places = places if self._places is None else self._places[places]
            chunks = self._chunk_of(places)
        else:
            chunks = (self._generator.random(n) * self._n_chunks).astype(np.int64)
        self._n_added += n
        order = np.argsort(chunks, kind="stable")
        data, indices, counts, y = _taken(added, order)
        number, first = np.unique(chunks[order], return_index=True)
        last = [*first[1:].tolist(), n]
        ends = np.concatenate([[0], np.cumsum(counts)])
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for chunk, start, stop in zip(number.tolist(), first.tolist(), last, strict=True):
                values = slice(ends[start], ends[stop])
                self._rows[chunk] += stop - start
                rows = EncodedRows(data[values], indices[values], counts[start:stop], y[start:stop])
                _append(self._folder, chunk, rows)
        except OSError as error:
            raise _no_room(self._folder.parent, error) from None

    def _chunk_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The chunks of rows at these places in the order in which they are taken."""
        return np.minimum(rows * self._n_chunks // self._events, self._n_chunks - 1)

    def _sort_chunks(self) -> None:
        """Sort the rows of each chunk, which lie in it as they came, by their places."""
        if self._places is None:
            return
        by_chunk = np.argsort(self._chunk_of(self._places), kind="stable")
        ends = np.cumsum(self._rows)
        for chunk, (stop, n) in enumerate(zip(ends.tolist(), self._rows.tolist(), strict=True)):
            order = np.argsort(self._places[by_chunk[stop - n : stop]])
            if not np.array_equal(order, np.arange(n)):
                rows = _taken(read_chunk(self._folder, chunk), order)
                try:
                    for path in chunk_files(self._folder, chunk).values():
                        path.unlink()
                    _append(self._folder, chunk, rows)
                except OSError as error:
                    raise _no_room(self._folder.parent, error) from None

    def _fill_in(self) -> None:
        """Make the files of chunks that have no row."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for chunk in np.flatnonzero(self._rows == 0).tolist():
                for path in chunk_files(self._folder, chunk).values():
                    path.touch()
        except OSError as error:
            raise _no_room(self._folder.parent, error) from None


def written_out(
    stream: ChunkedStream, progress: Callable[[float, int], None] | None = None
) -> ChunkedStream:
    """The same stream with all that is done to its rows done once, in files of its own.

    Every method in every order reads all chunks, and scaling takes many times as long as reading.
    `progress` is called with the share that is done, and the events so far.
    """
    folder, events = stream.folder / "scaled", 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, rows in enumerate(stream.rows):
            chunk = stream.chunk(number)
            counts = np.diff(chunk.X.indptr)
            _append(folder, number, EncodedRows(chunk.X.data, chunk.X.indices, counts, chunk.y))
            events += rows
            if progress is not None:
                progress(events / max(1, len(stream)), events)
    except OSError as error:
        raise _no_room(stream.folder.parent, error) from None
    return dataclasses.replace(stream, folder=folder, is_done=True)


def _taken(rows: EncodedRows, order: NDArray[np.int64]) -> EncodedRows:
    """The rows in this order."""
    starts = np.concatenate([[0], np.cumsum(rows.counts)])
    counts = rows.counts[order]
    places = np.arange(int(counts.sum())) + np.repeat(
        starts[order] - (np.cumsum(counts) - counts), counts
    )
    return EncodedRows(rows.data[places], rows.indices[places], counts, rows.y[order])


def _append(folder: Path, number: int, rows: EncodedRows) -> None:
    """Put rows into the files of a chunk, behind those that are there."""
    parts = {
        "data": rows.data,
        "indices": rows.indices.astype(np.int32, copy=False),
        "counts": rows.counts.astype(np.int32),
        "y": rows.y,
    }
    for part, path in chunk_files(folder, number).items():
        with path.open("ab") as file:
            file.write(np.ascontiguousarray(parts[part]).data)


def _no_room(folder: Path, error: OSError) -> DataError:
    return DataError(
        f"cannot keep the prepared events in {folder} ({error.strerror}): choose another --output, "
        "or a part of the events with --sample"
    )


def _widened(scales: MeansAndDeviations | None, columns: int) -> MeansAndDeviations:
    if scales is None:
        return MeansAndDeviations(columns)
    scales.widen(columns)
    return scales


def _joined(added: list[EncodedRows]) -> EncodedRows:
    return EncodedRows(
        np.concatenate([np.empty(0), *(rows.data for rows in added)]),
        np.concatenate([np.empty(0, np.int32), *(rows.indices for rows in added)]),
        np.concatenate([np.empty(0, np.int64), *(rows.counts for rows in added)]),
        np.concatenate([np.empty(0, np.bool_), *(rows.y for rows in added)]),
    )


def _matrix(rows: EncodedRows, columns: int) -> tuple[scipy.sparse.csr_array, NDArray[np.bool_]]:
    """The rows as a matrix, and their labels."""
    indptr = np.concatenate([[0], np.cumsum(rows.counts)])
    X = scipy.sparse.csr_array((rows.data, rows.indices, indptr), shape=(len(rows.y), columns))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int64)
    return X, rows.y

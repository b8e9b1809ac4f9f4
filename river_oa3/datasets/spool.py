"""Rows on their way to a stream: in memory while they are few, else in pieces on disk."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError
from river_oa3.datasets.pieced import AnyStream, Block, PiecedStream, piece_files, read_block
from river_oa3.datasets.scaling import MeansAndDeviations
from river_oa3.datasets.streams import Stream

__all__ = ["IN_MEMORY", "PIECE", "Block", "Spool", "written_out"]

IN_MEMORY = 4_000_000
"""A stream with no more values than this, some 50 MB, is kept in memory."""

PIECE = 2_000_000
"""About so many values make a piece."""


class Spool:
    """Takes the rows of a stream block by block.

    Parameters
    ----------
    name
        What the stream is called.
    folder
        Where pieces are written; made where they are needed.
    events
        How many rows there will be.
    nonzeros
        About how many values, which says whether there are pieces, and how many.
    in_order
        Whether the events are to be taken as they come. Otherwise rows are dealt to the pieces at
        random, so that reading pieces in any order is reading events in any order.
    seed
        Makes the dealing repeatable.
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
        self._n_pieces = 1 if nonzeros <= IN_MEMORY else math.ceil(nonzeros / PIECE)
        self._generator = np.random.default_rng((seed, 1 << 32))
        self._kept: list[Block] = []
        self._rows = np.zeros(self._n_pieces, dtype=np.int64)
        self._scales: MeansAndDeviations | None = None
        self._n_added = self._positives = self._nonzeros = self._n_empty = 0

    def add(self, block: Block, columns: int) -> None:
        """Take in some rows, of a stream that has so many columns by now."""
        if self._n_pieces == 1:
            self._kept.append(block)
            return
        self._scales = _widened(self._scales, columns)
        self._scales.add(block.data, block.indices, len(block.counts))
        self._positives += int(np.count_nonzero(block.y))
        self._nonzeros += len(block.data)
        self._n_empty += int(np.count_nonzero(block.counts == 0))
        self._deal(block)

    def finish(self, names: list[Hashable], note: str = "") -> AnyStream:
        """The stream of all rows."""
        if self._n_pieces == 1:
            rows = _joined(self._kept)
            if self._places is not None:
                rows = _taken(rows, np.argsort(self._places))
            return Stream(self._name, *_matrix(rows, len(names)), names, note)
        scales = _widened(self._scales, len(names))
        self._fill_in()
        self._sort_pieces()
        return PiecedStream(
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

    def _deal(self, block: Block) -> None:
        """Put each row into its piece, behind those that are there."""
        n = len(block.counts)
        if self._in_order:
            rows = np.arange(self._n_added, self._n_added + n)
            rows = rows if self._places is None else self._places[rows]
            pieces = self._piece_of(rows)
        else:
            pieces = (self._generator.random(n) * self._n_pieces).astype(np.int64)
        self._n_added += n
        order = np.argsort(pieces, kind="stable")
        data, indices, counts, y = _taken(block, order)
        number, first = np.unique(pieces[order], return_index=True)
        last = [*first[1:].tolist(), n]
        ends = np.concatenate([[0], np.cumsum(counts)])
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for piece, start, stop in zip(number.tolist(), first.tolist(), last, strict=True):
                values = slice(ends[start], ends[stop])
                self._rows[piece] += stop - start
                dealt = Block(data[values], indices[values], counts[start:stop], y[start:stop])
                _append(self._folder, piece, dealt)
        except OSError as error:
            raise _no_room(self._folder.parent, error) from None

    def _piece_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pieces of rows at these places in the order in which they are taken."""
        return np.minimum(rows * self._n_pieces // self._events, self._n_pieces - 1)

    def _sort_pieces(self) -> None:
        """Sort the rows of each piece, which lie in it as they came, by their places."""
        if self._places is None:
            return
        by_piece = np.argsort(self._piece_of(self._places), kind="stable")
        ends = np.cumsum(self._rows)
        for piece, (stop, n) in enumerate(zip(ends.tolist(), self._rows.tolist(), strict=True)):
            order = np.argsort(self._places[by_piece[stop - n : stop]])
            if not np.array_equal(order, np.arange(n)):
                rows = _taken(read_block(self._folder, piece), order)
                try:
                    for path in piece_files(self._folder, piece).values():
                        path.unlink()
                    _append(self._folder, piece, rows)
                except OSError as error:
                    raise _no_room(self._folder.parent, error) from None

    def _fill_in(self) -> None:
        """Make the files of pieces that were dealt no row."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for piece in np.flatnonzero(self._rows == 0).tolist():
                for path in piece_files(self._folder, piece).values():
                    path.touch()
        except OSError as error:
            raise _no_room(self._folder.parent, error) from None


def written_out(
    stream: PiecedStream, progress: Callable[[float, int], None] | None = None
) -> PiecedStream:
    """The same stream with all that is done to its rows done once, in files of its own.

    Every method in every order reads all pieces, and scaling takes many times as long as reading.
    `progress` is called with the share that is done, and the events so far.
    """
    folder, events = stream.folder / "scaled", 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, rows in enumerate(stream.rows):
            piece = stream.piece(number)
            counts = np.diff(piece.X.indptr)
            _append(folder, number, Block(piece.X.data, piece.X.indices, counts, piece.y))
            events += rows
            if progress is not None:
                progress(events / max(1, len(stream)), events)
    except OSError as error:
        raise _no_room(stream.folder.parent, error) from None
    return dataclasses.replace(stream, folder=folder, is_done=True)


def _taken(block: Block, order: NDArray[np.int64]) -> Block:
    """The rows of a block in this order."""
    starts = np.concatenate([[0], np.cumsum(block.counts)])
    counts = block.counts[order]
    places = np.arange(int(counts.sum())) + np.repeat(
        starts[order] - (np.cumsum(counts) - counts), counts
    )
    return Block(block.data[places], block.indices[places], counts, block.y[order])


def _append(folder: Path, number: int, rows: Block) -> None:
    """Put rows into the files of a piece, behind those that are there."""
    parts = {
        "data": rows.data,
        "indices": rows.indices.astype(np.int32, copy=False),
        "counts": rows.counts.astype(np.int32),
        "y": rows.y,
    }
    for part, path in piece_files(folder, number).items():
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


def _joined(blocks: list[Block]) -> Block:
    return Block(
        np.concatenate([np.empty(0), *(block.data for block in blocks)]),
        np.concatenate([np.empty(0, np.int32), *(block.indices for block in blocks)]),
        np.concatenate([np.empty(0, np.int64), *(block.counts for block in blocks)]),
        np.concatenate([np.empty(0, np.bool_), *(block.y for block in blocks)]),
    )


def _matrix(rows: Block, columns: int) -> tuple[scipy.sparse.csr_array, NDArray[np.bool_]]:
    """The rows as a matrix, and their labels."""
    indptr = np.concatenate([[0], np.cumsum(rows.counts)])
    X = scipy.sparse.csr_array((rows.data, rows.indices, indptr), shape=(len(rows.y), columns))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int64)
    return X, rows.y

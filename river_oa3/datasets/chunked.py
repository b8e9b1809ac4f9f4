"""A stream that is larger than memory: chunks in a folder, of which one is read at a time."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError
from river_oa3.datasets.scaling import Gaps, Scaling
from river_oa3.datasets.streams import Stream, with_flags

__all__ = ["AnyStream", "ChunkedStream", "EncodedRows", "chunk_files", "read_chunk"]


class EncodedRows(NamedTuple):
    """Some rows: values that are not zero, their columns in order, how many per row, and labels."""

    data: NDArray[np.float64]
    indices: NDArray[np.int32]
    counts: NDArray[np.int64]
    y: NDArray[np.bool_]


def chunk_files(folder: Path, number: int) -> dict[str, Path]:
    """The files of a chunk: values, their columns, how many there are per row, and labels."""
    return {part: folder / f"{number}.{part}" for part in ("data", "indices", "counts", "y")}


def read_chunk(folder: Path, number: int) -> EncodedRows:
    """The rows of a chunk, as they lie in its files."""
    files = chunk_files(folder, number)
    return EncodedRows(
        np.fromfile(files["data"], dtype=np.float64),
        np.fromfile(files["indices"], dtype=np.int32),
        np.fromfile(files["counts"], dtype=np.int32).astype(np.int64),
        np.fromfile(files["y"], dtype=np.bool_),
    )


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ChunkedStream:
    """Events in chunks on disk, with what is known of all of them.

    Where the chunks are `shuffled`, each has its rows by chance: the chunks in any
    order, each with its rows in any order, make up a random order of the events. Otherwise they lie
    one behind the other.

    Parameters
    ----------
    name
        What the stream is called.
    folder
        Where the chunks are. They are gone when whoever made them is done.
    rows
        How many rows each chunk has.
    names
        The feature name of each column.
    positives
        The number of positive events.
    nonzeros
        How many values are not zero.
    n_empty
        Events without features.
    n_present
        Features that some event has, before gaps are filled.
    gaps
        Where numbers are missing in the raw rows, and what they are filled with.
    scaling
        The scale of the columns of the raw rows once they are filled.
    shuffled
        Whether each row went to a chunk at random.
    is_filled, is_scaled, has_intercept, has_unit_rows
        What is done to the rows of a chunk when it is read, in this order.
    is_done
        Whether it has been done to the files already.
    note
        What makes it a part or a substitute.

    """

    name: str
    folder: Path
    rows: tuple[int, ...]
    names: list[Hashable]
    positives: int
    nonzeros: int
    n_empty: int
    n_present: int
    gaps: Gaps
    scaling: Scaling
    shuffled: bool = True
    is_filled: bool = False
    is_scaled: bool = False
    has_intercept: bool = False
    has_unit_rows: bool = False
    is_done: bool = False
    note: str = ""

    def __len__(self) -> int:
        return sum(self.rows)

    def __repr__(self) -> str:
        return (
            f"ChunkedStream(name={self.title!r}, events={len(self)}, features={len(self.names)}, "
            f"positives={self.positives}, chunks={len(self.rows)})"
        )

    @property
    def title(self) -> str:
        """The name, with the note where there is one."""
        return f"{self.name} ({self.note})" if self.note else self.name

    @property
    def negatives(self) -> int:
        """The number of negative events."""
        return len(self) - self.positives

    @property
    def n_features(self) -> int:
        """Features that some event has."""
        flags = len(self.gaps.columns) if self.is_filled else 0
        return self.n_present + flags + self.has_intercept

    @property
    def reading(self) -> float:
        """About how many nanoseconds it takes to read a value, once all is done to the files."""
        return 10.0

    @property
    def is_as_written(self) -> bool:
        """Whether there is nothing to do to the rows of a chunk when it is read."""
        is_changed = self.is_scaled or self.has_intercept or self.has_unit_rows
        return self.is_done or not (is_changed or (self.is_filled and len(self.gaps.columns)))

    def filled(self) -> ChunkedStream:
        """The stream with missing numbers filled with the means of their columns, and flagged."""
        if self.is_filled:
            return self
        return dataclasses.replace(self, is_filled=True, names=with_flags(self.names, self.gaps))

    def scaled(self, scaling: Scaling | None = None) -> ChunkedStream:
        """The stream with every column brought to scale, by its own values unless told."""
        return dataclasses.replace(self, is_scaled=True, scaling=scaling or self.scaling)

    def with_intercept(self) -> ChunkedStream:
        """The stream with one more column, "intercept", that is 1 in every row."""
        if "intercept" in self.names:
            raise DataError(f"{self.name} has a feature 'intercept' already: do not add another")
        return dataclasses.replace(self, has_intercept=True)

    def unit_rows(self) -> ChunkedStream:
        """The stream with every row that is not empty divided by its Euclidean length."""
        return dataclasses.replace(self, has_unit_rows=True)

    def chunk(self, number: int) -> Stream:
        """One of the chunks."""
        return _read(self, number)

    def walk(
        self, stop: int, generator: np.random.Generator | None, start: int = 0
    ) -> Iterator[tuple[Stream, NDArray[np.int64]]]:
        """The events from `start` to `stop` in chunks, each with the order of its rows.

        At random with a generator.
        """
        if (generator is None) == self.shuffled:
            raise ValueError(
                "chunks with rows at random have no first event, others no random order"
            )
        numbers = np.arange(len(self.rows))
        for number in numbers if generator is None else generator.permutation(numbers):
            n = self.rows[number]
            order = np.arange(n) if generator is None else generator.permutation(n)
            if stop <= 0:
                return
            if start < n:
                yield self.chunk(int(number)), order[max(start, 0) : stop]
            start, stop = start - n, stop - n


AnyStream = Stream | ChunkedStream


# All methods of an order that run one after another read the same chunk first.
@functools.lru_cache(maxsize=2)
def _read(stream: ChunkedStream, number: int) -> Stream:
    try:
        data, indices, counts, y = read_chunk(stream.folder, number)
    except OSError as error:
        raise DataError(
            f"a chunk of {stream.name} is gone from {stream.folder} ({error.strerror}): leave that "
            "folder alone while the command runs"
        ) from None
    indptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    names = stream.names
    if stream.is_done and stream.has_intercept:
        names = [*names, "intercept"]
    elif stream.is_filled and not stream.is_done:
        names = names[: len(names) - len(stream.gaps.columns)]
    X = scipy.sparse.csr_array((data, indices, indptr), shape=(len(counts), len(names)))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int64)
    chunk = Stream(stream.name, X, y, names, stream.note)
    if stream.is_as_written:
        return chunk
    if stream.is_filled:
        chunk = chunk.filled(stream.gaps, stream.names)
    if stream.is_scaled:
        chunk = chunk.scaled(stream.scaling)
    if stream.has_intercept:
        chunk = chunk.with_intercept()
    return chunk.unit_rows() if stream.has_unit_rows else chunk

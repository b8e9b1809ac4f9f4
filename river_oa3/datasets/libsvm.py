"""LIBSVM's text format: a label and index:value pairs on each line."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.files import opened
from river_oa3.datasets.streams import MAX_COLUMNS


class Lines(NamedTuple):
    """Some lines of a file: values, their indices, how many there are per line, and labels."""

    data: NDArray[np.float64]
    indices: NDArray[np.int32]
    counts: NDArray[np.int64]
    labels: NDArray[np.float64]


def read_libsvm(path: Path | str) -> tuple[scipy.sparse.csr_array, NDArray[np.float64]]:
    """The rows and labels of a file, which may be compressed; a column is the index in the file.

    Comments, blank lines and `qid:` are passed over.
    """
    parts = list(read_lines(Path(path)))
    data, indices, counts, labels = (
        np.concatenate([np.empty(0, dtype), *(part[k] for part in parts)])
        for k, dtype in enumerate((np.float64, np.int32, np.int64, np.float64))
    )
    indptr = np.concatenate([[0], np.cumsum(counts)])
    shape = (len(labels), int(indices.max()) + 1 if len(indices) else 0)
    return scipy.sparse.csr_array((data, indices, indptr), shape=shape), labels


def read_lines(path: Path, most: int = 1_000_000) -> Iterator[Lines]:
    """The lines of a file in chunks of about so many values."""
    labels, data, indices, counts = array("d"), array("d"), array("i"), array("q")
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            tokens = line.partition(b"#")[0].split()
            if not tokens:
                continue
            before = len(indices)
            try:
                _read_line(tokens, labels, data, indices)
            except ValueError as error:
                raise DataError(f"{path}, line {number}: {error}") from None
            counts.append(len(indices) - before)
            if len(indices) + len(counts) >= most:
                yield _lines(data, indices, counts, labels)
                labels, data, indices, counts = array("d"), array("d"), array("i"), array("q")
    if counts:
        yield _lines(data, indices, counts, labels)


def _lines(data: array, indices: array, counts: array, labels: array) -> Lines:  # type: ignore[type-arg]  # generic in stubs alone
    return Lines(np.array(data), np.array(indices, np.int32), np.array(counts), np.array(labels))


def scan_libsvm(path: Path) -> tuple[NDArray[np.float64], int]:
    """The labels of a file, and about how many values it has, without reading them."""
    labels, values = array("d"), 0
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            first = line.split(None, 1)[:1]
            if not first or first[0].startswith(b"#"):
                continue
            try:
                labels.append(_label(first[0].partition(b"#")[0]))
            except ValueError as error:
                raise DataError(f"{path}, line {number}: {error}") from None
            values += line.count(b":")
    return np.array(labels), values


def _read_line(tokens: list[bytes], labels: array, data: array, indices: array) -> None:  # type: ignore[type-arg]  # generic in stubs alone
    labels.append(_label(tokens[0]))
    start = len(indices)
    for token in tokens[1:]:
        index, _, value = token.partition(b":")
        if index == b"qid":
            continue
        try:
            # Python reads 1_000 as a number, and nobody else does.
            if b"_" in token:
                raise ValueError
            column = int(index)
            data.append(float(value))
        except ValueError:
            raise ValueError(f"expected index:value, found {_text(token)}") from None
        if not 0 <= column < MAX_COLUMNS:
            raise ValueError(
                f"expected an index from 0 to {MAX_COLUMNS - 1:,}, found {_text(index)}: number "
                "the features one after the other"
            )
        indices.append(column)
    seen = indices[start:]
    if len(set(seen)) < len(seen):
        raise ValueError("expected each index once, found one twice: add the values up or drop one")


def _label(token: bytes) -> float:
    if b"," in token:
        raise ValueError(
            f"expected one label, found several, {_text(token)}: keep the one to be predicted"
        )
    try:
        if b"_" in token:
            raise ValueError
        return float(token)
    except ValueError:
        raise ValueError(
            f"expected a number as label and index:value pairs, found {_text(token)}"
        ) from None


def _text(token: bytes) -> str:
    return short_repr(token.decode(errors="backslashreplace"))

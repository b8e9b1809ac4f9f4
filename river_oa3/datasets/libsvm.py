"""LIBSVM's text format: a label and index:value pairs on each line."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.files import opened
from river_oa3.datasets.streams import MAX_COLUMNS


def read_libsvm(path: Path | str) -> tuple[scipy.sparse.csr_array, NDArray[np.float64]]:
    """The rows and labels of a file, which may be compressed; a column is the index in the file.

    Comments, blank lines and `qid:` are passed over.
    """
    path = Path(path)
    labels, data, indices, indptr = array("d"), array("d"), array("i"), array("q", [0])
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            tokens = line.partition(b"#")[0].split()
            if not tokens:
                continue
            try:
                _read_line(tokens, labels, data, indices)
            except ValueError as error:
                raise DataError(f"{path}, line {number}: {error}") from None
            indptr.append(len(indices))
    columns = np.frombuffer(indices, dtype=np.int32) if indices else np.empty(0, dtype=np.int32)
    X = scipy.sparse.csr_array(
        (np.array(data), columns, np.array(indptr)),
        shape=(len(labels), int(columns.max()) + 1 if len(columns) else 0),
    )
    return X, np.array(labels)


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

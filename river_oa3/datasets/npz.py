"""NumPy's archives of arrays: a matrix, dense or in the parts of CSR, and its labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError

_CSR = ("data", "indices", "indptr", "shape")
_WANTED = ("X", *_CSR, "y", "y_raw", "permutations")


class Arrays(NamedTuple):
    """A matrix, its labels +1 and -1, and what else an archive may have."""

    X: Any
    y: NDArray[Any]
    y_raw: NDArray[Any] | None
    permutations: NDArray[Any] | None

    def labels(self, positive: Any = None) -> NDArray[Any]:
        """The labels to look for a positive class in: all the classes, where one is named."""
        return self.y if positive is None or self.y_raw is None else self.y_raw


def read_npz(path: Path | str) -> Arrays:
    """The matrix and the labels of an archive with `y` and `X` or the parts of a CSR matrix."""
    path = Path(path)
    found = _load(path)
    if "y" not in found:
        raise DataError(f"{path} has no array y: add the labels, +1 and -1, under this name")
    if "X" in found:
        X: Any = found["X"]
    else:
        missing = [name for name in _CSR if name not in found]
        if missing:
            raise DataError(
                f"{path} has no array {missing[0]}: save a dense matrix as X, or a sparse one as "
                "data, indices, indptr and shape"
            )
        X = _csr(path, *(found[name] for name in _CSR))
    return Arrays(X, found["y"], found.get("y_raw"), found.get("permutations"))


def _load(path: Path) -> dict[str, NDArray[Any]]:
    files.check(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in _WANTED if name in archive.files}
    # A damaged archive fails in as many ways as it has parts.
    except Exception as error:
        raise DataError(
            f"cannot read {path} as an archive of plain arrays: save it again with numpy.savez"
        ) from error


def _csr(
    path: Path,
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    shape: NDArray[Any],
) -> scipy.sparse.csr_array:
    try:
        if any(part.dtype.kind not in "iu" for part in (indices, indptr, shape)):
            raise ValueError("indices, indptr and shape must be integers")
        if len(indices) != len(data) or indptr[-1] != len(data):
            raise ValueError("data, indices and indptr do not belong together")
        matrix = scipy.sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(f"{path} holds no sound CSR matrix, save it again: {error}") from error
    return matrix

"""The files that hold the paper's sets, and how each kind of them is read."""

from __future__ import annotations

import dataclasses
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.labels import Labels
from river_oa3.datasets.libsvm import read_libsvm
from river_oa3.datasets.npz import read_npz

_IAD_FEATURES = 1558
_CIFAR_RECORD_BYTES = 1 + 3072


class Content(NamedTuple):
    """What the files of a set hold."""

    X: Any
    labels: Labels
    permutations: Any = None


@dataclasses.dataclass(frozen=True)
class Source:
    """Files that hold a set, all of them needed, and what they hold of it.

    Parameters
    ----------
    files
        Their names, in any case; those of LIBSVM may be compressed.
    read
        How to read them, given the class that is positive.
    positive
        The class that is positive in these files.
    note
        What a result on them has to be called.
    drops_rows
        Whether rows with missing values are removed: then a number of rows that is not the
        paper's is noted and not refused.

    """

    files: tuple[str, ...]
    read: Callable[[list[Path], str], Content]
    positive: str
    note: str = ""
    drops_rows: bool = False

    def find_in(self, present: dict[str, Path]) -> list[Path]:
        """The paths of all its files, or none; `present` has the paths by name in lower case."""
        endings = ("", *files.COMPRESSED) if self.read is from_libsvm else ("",)
        found = [
            next((path for end in endings if (path := present.get((file + end).casefold()))), None)
            for file in self.files
        ]
        paths = [path for path in found if path is not None]
        return paths if len(paths) == len(found) else []


def from_npz(paths: list[Path], positive: str) -> Content:
    """The matrix, labels and orders of an archive of arrays."""
    arrays = read_npz(paths[0])
    return Content(arrays.X, arrays.labels(positive), arrays.permutations)


def from_libsvm(paths: list[Path], positive: str) -> Content:
    """The rows of all files, one after the other, with the columns from index 1 on."""
    parts = [read_libsvm(path) for path in paths]
    width = max(X.shape[1] for X, _ in parts)
    for X, _ in parts:
        X.resize(X.shape[0], width)
    X = scipy.sparse.vstack([X for X, _ in parts], format="csr")
    if not (X.indices == 0).any():
        X = X[:, 1:]
    return Content(X, np.concatenate([labels for _, labels in parts]))


def from_ad_data(paths: list[Path], positive: str) -> Content:
    """Internet Advertisements, `ad.data` or UCI's zip of it, without the rows that have gaps."""
    path, rows, labels = paths[0], [], []
    for number, line in enumerate(_member(path, "ad.data").splitlines(), start=1):
        if not line.strip() or b"?" in line:
            continue
        *fields, label = line.split(b",")
        try:
            if len(fields) != _IAD_FEATURES:
                raise ValueError(f"found {len(fields)} values")
            rows.append(np.array([float(field) for field in fields]))
        except ValueError as error:
            raise DataError(
                f"{path}, line {number}: expected {_IAD_FEATURES} numbers and a label, {error}: "
                "get the file again"
            ) from None
        labels.append(label.strip().decode(errors="backslashreplace"))
    X: NDArray[np.float64] = np.array(rows).reshape(len(rows), _IAD_FEATURES)
    return Content(X, labels)


def from_cifar(paths: list[Path], positive: str) -> Content:
    """The first batch of CIFAR-10, `data_batch_1.bin` or the archive with it: a class, an image."""
    path = paths[0]
    content = _member(path, "data_batch_1.bin")
    if len(content) % _CIFAR_RECORD_BYTES:
        raise DataError(f"{path} is cut short: get the file again")
    records = np.frombuffer(content, dtype=np.uint8).reshape(-1, _CIFAR_RECORD_BYTES)
    return Content(records[:, 1:], records[:, 0])


def _member(path: Path, name: str) -> bytes:
    """A file, or the one of this name in an archive: nothing else is taken out."""
    files.check(path)
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return archive.read(name)
        if path.name.lower().endswith((".tar.gz", ".tar")):
            with tarfile.open(path) as tar:
                for member in tar:
                    if member.isfile() and Path(member.name).name == name:
                        file = tar.extractfile(member)
                        return b"" if file is None else file.read()
            raise KeyError(f"no {name} in it")
    except (OSError, EOFError, KeyError, tarfile.TarError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"cannot read {path}, get the file again: {error}") from error
    with files.opened(path) as plain:
        return plain.read()

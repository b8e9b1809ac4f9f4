"""Two of the paper's sets in the files that their makers publish."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError

_IAD_FEATURES = 1558
_CIFAR_RECORD = 1 + 3072


def read_ad_data(path: Path) -> tuple[NDArray[np.float64], list[str]]:
    """Internet Advertisements, `ad.data` or UCI's zip of it, without the rows that have gaps."""
    rows, labels = [], []
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
    return np.array(rows).reshape(len(rows), _IAD_FEATURES), labels


def read_cifar_batch(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The first batch of CIFAR-10, `data_batch_1.bin` or the archive with it: a class, an image."""
    content = _member(path, "data_batch_1.bin")
    if len(content) % _CIFAR_RECORD:
        raise DataError(f"{path} is cut short: get the file again")
    records = np.frombuffer(content, dtype=np.uint8).reshape(-1, _CIFAR_RECORD)
    return records[:, 1:], records[:, 0]


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

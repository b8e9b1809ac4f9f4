"""Files that may be compressed, and the errors of those that cannot be read."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from river_oa3.datasets.errors import DataError

COMPRESSED = (".bz2", ".gz", ".xz")

_MAGIC = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed where its first ones say that it is compressed."""
    check(path)
    try:
        with open(path, "rb") as plain:
            start = plain.read(6)
        opener = next((opener for magic, opener in _MAGIC if start.startswith(magic)), open)
        with cast(IO[bytes], opener(path, "rb")) as file:
            yield file
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"cannot read {path}, get the file again: {error}") from error


def check(path: Path) -> None:
    """Refuse what is not a file or has nothing in it."""
    if os.path.isdir(path):
        raise DataError(f"{path} is a folder: name a file in it")
    if not os.path.isfile(path):
        raise DataError(f"no such file: {path}")
    if not os.path.getsize(path):
        raise DataError(f"{path} is empty: get the file again")


def parted(path: Path) -> tuple[str, str]:
    """The name of a file and the suffix that tells its format, without that of compression."""
    if path.suffix.lower() in COMPRESSED:
        path = path.with_suffix("")
    return path.stem, path.suffix.lower()

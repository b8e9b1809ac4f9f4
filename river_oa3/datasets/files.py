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
from typing import IO, BinaryIO, cast

from river_oa3.datasets.errors import DataError

COMPRESSED = (".bz2", ".gz", ".xz")

_MAGIC = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed where its first ones say that it is compressed."""
    check(path)
    with readable(path), open(path, "rb") as packed, unpacked(packed) as file:
        yield file


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Name the file in the errors of reading and decompressing it."""
    try:
        yield
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"cannot read {path}, get the file again: {error}") from error


def unpacked(packed: BinaryIO) -> IO[bytes]:
    """What an open file holds, decompressed where its first bytes say that it is compressed."""
    start = packed.read(6)
    packed.seek(0)
    opener = next((opener for magic, opener in _MAGIC if start.startswith(magic)), None)
    return packed if opener is None else cast(IO[bytes], opener(packed, "rb"))


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

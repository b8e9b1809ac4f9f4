"""A file that must stay as it is from the first time it is opened to the last."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.sources.encoding import AsUtf8, check_encoding, encoding_of_mark


class Unchanged:
    """Opens a file any number of times, and refuses one that changed since the first."""

    def __init__(self, path: Path, encoding: str | None = None):
        files.check(path)
        self.path = path
        # Without it a text is in what its first bytes tell, or in UTF-8.
        self._encoding = None if encoding is None else check_encoding(encoding)
        self._state = self._look()

    @contextlib.contextmanager
    def opened(self) -> Iterator[OpenFile]:
        """The file from its start; what fails because the file changed says that it did."""
        self.check()
        try:
            with (
                files.readable(self.path),
                open(self.path, "rb") as packed,
                files.unpacked(packed) as file,
            ):
                yield OpenFile(packed, self._decoded(file), compressed=file is not packed)
        except Exception:
            self.check()
            raise
        self.check()

    def _decoded(self, file: IO[bytes]) -> IO[bytes]:
        # What is open can be looked into, be it compressed or not.
        start = cast("io.BufferedReader", file).peek(4)[:4]
        encoding = self._encoding or encoding_of_mark(start)
        if encoding is None:
            return file
        return cast("IO[bytes]", io.BufferedReader(AsUtf8(file, encoding, self.path)))

    def check(self) -> None:
        """Refuse a file that was written to, replaced or removed."""
        if self._look() != self._state:
            raise DataError(
                f"{self.path} changed while it was read: wait until nothing writes to it, or "
                "copy it and name the copy"
            )

    def _look(self) -> tuple[int, ...] | None:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev


class OpenFile:
    """The bytes of a file, decompressed, and how far it has been read."""

    def __init__(self, packed: BinaryIO, file: IO[bytes], compressed: bool):
        self.file = file
        self.compressed = compressed
        self._packed = packed
        self._size = os.fstat(packed.fileno()).st_size

    def done(self) -> float:
        """The share of the file, compressed as it may be, that has been read."""
        return min(1.0, self._packed.tell() / self._size)

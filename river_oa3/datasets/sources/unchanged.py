"""A file that must stay as it is from the first time it is opened to the last."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError


class Unchanged:
    """Opens a file any number of times, and refuses one that changed since the first."""

    def __init__(self, path: Path):
        files.check(path)
        self.path = path
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
                yield OpenFile(packed, file)
        except Exception:
            self.check()
            raise
        self.check()

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

    def __init__(self, packed: BinaryIO, file: IO[bytes]):
        self.file = file
        self.compressed = file is not packed
        self._packed = packed
        self._size = os.fstat(packed.fileno()).st_size

    def done(self) -> float:
        """The share of the file, compressed as it may be, that has been read."""
        return min(1.0, self._packed.tell() / self._size)

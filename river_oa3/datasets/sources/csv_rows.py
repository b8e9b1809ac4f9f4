"""The rows of a CSV file as Python reads them: slowly, and each with its lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import IO, NamedTuple

LONGEST = 4 * 1024 * 1024
"""The most bytes of a row, and what is read at a time."""


class Row(NamedTuple):
    first: int
    """The number of the line that the row starts on."""
    last: int
    fields: list[str]
    """What is not UTF-8 is in them as surrogates."""


class TooLongError(Exception):
    """A row that starts on this line and is longer than any may be."""

    def __init__(self, line: int):
        super().__init__(line)
        self.line = line


def rows(file: IO[bytes], separator: str) -> Iterator[Row]:
    """Each row that is not blank."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    reader = csv.reader(_lines(text), delimiter=separator)
    first = 1
    # A setting of the whole process, so it is put back between any two rows.
    while True:
        before = csv.field_size_limit(LONGEST)
        try:
            fields = next(reader, None)
        except csv.Error as error:
            raise TooLongError(first) from error
        finally:
            csv.field_size_limit(before)
        if fields is None:
            return
        if fields:
            yield Row(first, reader.line_num, fields)
        first = reader.line_num + 1


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    while line := text.readline(LONGEST):
        if len(line) == LONGEST and line[-1] not in "\r\n":
            raise csv.Error("a line that is too long")
        yield line

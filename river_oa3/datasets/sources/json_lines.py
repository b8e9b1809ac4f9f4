"""JSON lines: an object on each line, whose keys are the columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.sources.arrays import typed
from river_oa3.datasets.sources.encoding import likely_encoding
from river_oa3.datasets.sources.json_objects import NotAnObjectError, NotUtf8Error, read_object
from river_oa3.datasets.sources.source import Batch, Cells, Source, arrow, no_events
from river_oa3.datasets.sources.unchanged import Unchanged

_BATCH_ROWS = 8_192
_BATCH_BYTES = 8 * 1024 * 1024
_LONGEST = 16 * 1024 * 1024


class _Row(NamedTuple):
    line: int
    found: dict[str, Any]


class JsonLines(Source):
    """Objects, of which a key that a line lacks is a column it lacks; "a.b" is a key in a key."""

    kind = "JSON lines"
    columns = None
    is_nested = True

    def __init__(self, path: Path, encoding: str | None = None):
        arrow(path)
        self.path: Path = path
        self.name = files.parted(path)[0]
        self._unchanged = Unchanged(path, encoding)

    def lines(self) -> Iterator[bytes]:
        """The lines that are not blank, one for each row, as they are written but in UTF-8."""
        with self._unchanged.opened() as opened:
            for _, line in self._lines(opened.file):
                yield line.strip()

    def batches(self, problems: list[str] | None = None) -> Iterator[Batch]:
        start = 0
        with self._unchanged.opened() as opened:
            for rows in self._rows(opened.file, problems):
                columns = self._columns(rows)
                self._unchanged.check()
                yield Batch(start, len(rows), columns, opened.done())
                start += len(rows)
        if not start:
            raise no_events(self.path)

    def _rows(self, file: IO[bytes], problems: list[str] | None) -> Iterator[list[_Row]]:
        rows: list[_Row] = []
        size = 0
        is_said = False
        for number, line in self._lines(file):
            try:
                try:
                    rows.append(_Row(number, read_object(line)))
                except NotUtf8Error as error:
                    if problems is None:
                        raise
                    if not is_said:
                        problems.append(f"{self.path}, line {number}: {error}")
                        is_said = True
                    # What else is wrong is to be found too.
                    text = line.decode(likely_encoding(line), errors="replace")
                    rows.append(_Row(number, read_object(text.encode())))
            except NotAnObjectError as error:
                raise DataError(f"{self.path}, line {number}: {error}") from None
            size += len(line)
            if len(rows) == _BATCH_ROWS or size >= _BATCH_BYTES:
                yield rows
                rows, size = [], 0
        if rows:
            yield rows

    def _lines(self, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
        """Each line that is not blank, and its number."""
        number = 0
        while line := file.readline(_LONGEST):
            number += 1
            if len(line) == _LONGEST and not line.endswith(b"\n"):
                raise DataError(
                    f"{self.path}, line {number}: longer than {_LONGEST // 1024**2} MB: write one "
                    "object on each line"
                )
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield number, line

    def _columns(self, rows: list[_Row]) -> dict[str, Cells]:
        alike = len({tuple(row.found) for row in rows}) == 1
        return self._of_alike(rows) if alike else self._of_others(rows)

    def _of_alike(self, rows: list[_Row]) -> dict[str, Cells]:
        # Row by row, as going through all rows for each column is slow.
        columns = zip(*(row.found.values() for row in rows), strict=True)
        return {
            name: Cells(self._typed(name, values, rows), None)
            for name, values in zip(rows[0].found, columns, strict=True)
        }

    def _of_others(self, rows: list[_Row]) -> dict[str, Cells]:
        having: dict[str, list[int]] = {}
        for index, row in enumerate(rows):
            for name in row.found:
                having.setdefault(name, []).append(index)
        columns = {}
        for name, indices in having.items():
            some = [rows[index] for index in indices]
            values = self._typed(name, [row.found[name] for row in some], some)
            everywhere = len(some) == len(rows)
            columns[name] = Cells(values, None if everywhere else np.array(indices, np.int64))
        return columns

    def _typed(self, name: str, values: Sequence[Any], rows: list[_Row]) -> Any:
        return typed(
            values, lambda i: f"{self.path}, line {rows[i].line}, column {short_repr(name)}"
        )

    def _place(self, row: int) -> str:
        with self._unchanged.opened() as opened:
            for index, (number, _) in enumerate(self._lines(opened.file)):
                if index == row:
                    return f"line {number}"
        return super()._place(row)

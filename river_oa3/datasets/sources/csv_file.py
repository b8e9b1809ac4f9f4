"""CSV files, compressed or not: every field is a text, and an empty one a gap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.sources.csv_chunks import CutError, chunks
from river_oa3.datasets.sources.csv_header import read_header
from river_oa3.datasets.sources.csv_problems import problem_of
from river_oa3.datasets.sources.csv_rows import LONGEST, TooLongError, rows
from river_oa3.datasets.sources.encoding import likely_encoding
from river_oa3.datasets.sources.source import Batch, Cells, Source, arrow
from river_oa3.datasets.sources.unchanged import Unchanged


class CsvFile(Source):
    """Text with a header and a separator, which is found in the header: , ; | or a tab."""

    kind = "CSV"
    columns: list[str]

    def __init__(self, path: Path, encoding: str | None = None):
        arrow(path)
        self.path: Path = path
        self.name = files.parted(path)[0]
        self._unchanged = Unchanged(path, encoding)
        with self._unchanged.opened() as opened:
            self._header = read_header(path, opened.file.read(LONGEST))
        self.columns = self._header.names
        self.remarks = self._header.remarks

    @property
    def separator(self) -> str:
        """What stands between two fields."""
        return self._header.separator

    def batches(self, problems: list[str] | None = None) -> Iterator[Batch]:
        pa = arrow(self.path)
        start, skipped = 0, self._header.last_line
        self._say(self._header.problems, problems)
        is_said = bool(self._header.problems)
        with self._unchanged.opened() as opened:
            try:
                for chunk in chunks(opened.file, self._header.separator):
                    try:
                        columns = self._parsed(pa, chunk, skipped)
                    except pa.ArrowException as error:
                        if problems is None or _is_utf8(chunk):
                            raise
                        if not is_said:
                            self._say([str(self._problem(error))], problems)
                            is_said = True
                        # What else is wrong is to be found too.
                        text = chunk.decode(likely_encoding(chunk), errors="replace")
                        columns = self._parsed(pa, text.encode(), skipped)
                    n, skipped = len(columns[0]), 0
                    self._unchanged.check()
                    if n:
                        cells = (Cells(values, None) for values in columns)
                        named = dict(zip(self.columns, cells, strict=True))
                        yield Batch(start, n, named, opened.done())
                    start += n
            except (pa.ArrowException, CutError) as error:
                self._unchanged.check()
                raise self._problem(error) from error

    def _parsed(self, pa: Any, chunk: bytes, skipped: int) -> list[Any]:
        csv = arrow(self.path, "pyarrow.csv")
        # By number, as pyarrow would look for types by the names, of which some may be odd.
        columns = [str(j) for j in range(len(self.columns))]
        table = csv.read_csv(
            pa.BufferReader(chunk),
            csv.ReadOptions(
                use_threads=False,
                block_size=len(chunk) + 1,
                column_names=columns,
                skip_rows=skipped,
            ),
            csv.ParseOptions(delimiter=self._header.separator, newlines_in_values=True),
            csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                # Many writers quote everything, and Python's reader cannot tell the difference.
                quoted_strings_can_be_null=True,
            ),
        )
        return [pa.concat_arrays(column.chunks) for column in table.columns]

    def _problem(self, error: Exception) -> DataError:
        with self._unchanged.opened() as opened:
            return problem_of(self.path, opened.file, self._header, error)

    def _say(self, found: list[str], problems: list[str] | None) -> None:
        if problems is not None:
            problems += found
        elif found:
            raise DataError(found[0])

    def _place(self, row: int) -> str:
        with self._unchanged.opened() as opened:
            try:
                # The header is a row too.
                for number, found in enumerate(rows(opened.file, self._header.separator), -1):
                    if number == row:
                        return f"line {found.first}"
            except TooLongError:
                pass
        return super()._place(row)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True

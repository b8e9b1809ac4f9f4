"""What is wrong with a CSV file that pyarrow gave up on, and on which line."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.sources.csv_chunks import OpenQuoteError
from river_oa3.datasets.sources.csv_header import Header
from river_oa3.datasets.sources.csv_rows import LONGEST, Row, TooLongError, rows
from river_oa3.datasets.sources.encoding import remedy


def problem_of(path: Path, file: IO[bytes], header: Header, error: Exception) -> DataError:
    """Read the file again, in Python, up to the first row that cannot be used."""
    row, is_open = None, isinstance(error, OpenQuoteError)
    try:
        found = rows(file, header.separator)
        for row in found:
            problem = _problem(row, header)
            # An open quote takes all fields behind it into the last row.
            if problem is not None and not (is_open and next(found, None) is None):
                return DataError(f"{path}, {problem}")
    except TooLongError as long:
        return DataError(
            f"{path}, line {long.line}: a row longer than {LONGEST // 1024**2} MB: close the "
            "quote that was opened there, or shorten the row"
        )
    if is_open and row is not None:
        column = header.names[min(len(row.fields), len(header.names)) - 1]
        return DataError(
            f"{path}, line {row.first}, column {short_repr(column)}: a quote is opened and never "
            "closed: close it, or write it twice if it is part of a text"
        )
    return DataError(f"cannot read {path} as a table of text, check the file: {error}")


def _problem(row: Row, header: Header) -> str | None:
    found, expected = len(row.fields), len(header.names)
    if found != expected:
        return (
            f"line {row.first}: expected {expected:,} fields as in the header, found {found:,}: "
            "write as many, in quotes where one holds the separator "
            f"{short_repr(header.separator)}"
        )
    for name, field in zip(header.names, row.fields, strict=True):
        place = f"line {row.first}, column {short_repr(name)}"
        if "\0" in field:
            return f"{place}: a NUL byte, so the file is damaged or no text: get the file again"
        try:
            field.encode()
        except UnicodeEncodeError as error:
            byte = ord(field[error.start]) - 0xDC00
            text = field.encode(errors="surrogateescape")
            return f"{place}: byte 0x{byte:02x} is not UTF-8: {remedy(text)}"
    return None

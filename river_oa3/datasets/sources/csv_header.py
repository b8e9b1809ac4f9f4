"""The first row of a CSV file: the names of the columns and what separates them."""

from __future__ import annotations

import io
import itertools
import math
import re
from pathlib import Path
from typing import NamedTuple

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError, first_few, short_repr
from river_oa3.datasets.sources.csv_rows import LONGEST, TooLongError, rows
from river_oa3.datasets.sources.source import check_names, no_events

AS_UTF8 = "save it as UTF-8 (in a spreadsheet, 'CSV UTF-8'; elsewhere, iconv -t utf-8)"

_SEPARATORS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
# A header ends long before, and the rest may hold quotes that are not in pairs.
_SNIFFED = 65_536


class Header(NamedTuple):
    names: list[str]
    separator: str
    last_line: int
    """The number of the line that the header ends on."""


def read_header(path: Path, start: bytes) -> Header:
    """The header of a file, of which the first bytes are given."""
    if not start:
        raise DataError(f"{path} is empty: get the file again")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in start[:256]:
        raise DataError(f"{path} is not UTF-8, but UTF-16 or no text at all: {AS_UTF8}")
    separator = _separator(path, start[:_SNIFFED].decode("utf-8-sig", errors="replace"))
    try:
        found = list(itertools.islice(rows(io.BytesIO(start), separator), 2))
    except TooLongError as error:
        raise _too_long(path, error.line) from None
    if not found:
        raise DataError(f"{path} holds blank lines alone: get the file again")
    header = found[0]
    _check_header(path, header.first, header.fields)
    if len(found) == 1:
        raise _too_long(path, header.first) if len(start) == LONGEST else no_events(path)
    return Header(header.fields, separator, header.last)


def _separator(path: Path, start: str) -> str:
    """What stands most often in the first line, outside quotes."""
    line = _QUOTED.sub("", start).lstrip("\r\n").partition("\n")[0].partition("\r")[0]
    if files.parted(path)[1] == ".tsv" and "\t" in line:
        return "\t"
    return max(_SEPARATORS, key=line.count)


def _check_header(path: Path, line: int, names: list[str]) -> None:
    for number, name in enumerate(names, start=1):
        try:
            name.encode()
        except UnicodeEncodeError:
            shown = name.encode(errors="surrogateescape").decode("latin-1")
            raise DataError(
                f"{path}, line {line}: the name of column {number}, perhaps {short_repr(shown)}, "
                f"is not UTF-8: {AS_UTF8}"
            ) from None
    if all(_is_number(name) for name in names):
        raise DataError(
            f"{path}, line {line}: the first row must name the columns, and holds numbers alone "
            f"({first_few(names, 5)}): write a row of names above it"
        )
    check_names(f"{path}, line {line}", names)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _too_long(path: Path, line: int) -> DataError:
    return DataError(
        f"{path}, line {line}: the row that should name the columns is longer than "
        f"{LONGEST // 1024**2} MB: break the file into lines, and close every quote"
    )

"""The first row of a CSV file: the names of the columns and what separates them."""

from __future__ import annotations

import io
import itertools
import math
import re
import shlex
from pathlib import Path
from typing import NamedTuple

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError, first_few, short_repr
from river_oa3.datasets.sources.csv_rows import LONGEST, TooLongError, rows
from river_oa3.datasets.sources.encoding import AS_UTF8, likely_encoding, remedy
from river_oa3.datasets.sources.source import no_events

_SEPARATORS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
# A header ends long before, and the rest may hold quotes that are not in pairs.
_SNIFFED = 65_536


class Header(NamedTuple):
    names: list[str]
    separator: str
    last_line: int
    """The number of the line that the header ends on."""
    problems: list[str]
    """What is wrong with the names, which were read as they are likely to be meant."""
    remarks: list[str]
    """What was done with names that others have too."""


def read_header(path: Path, start: bytes) -> Header:
    """The header of a file, of which the first bytes are given."""
    if not start:
        raise DataError(f"{path} is empty: get the file again")
    if b"\0" in start[:256]:
        raise DataError(
            f"{path} is not UTF-8, but UTF-16 or no text at all: name the encoding with "
            f"--encoding {likely_encoding(start[:256])}, or {AS_UTF8}"
        )
    separator = _separator(path, start[:_SNIFFED].decode("utf-8-sig", errors="replace"))
    try:
        found = list(itertools.islice(rows(io.BytesIO(start), separator), 2))
    except TooLongError as error:
        raise _too_long(path, error.line) from None
    if not found:
        raise DataError(f"{path} holds blank lines alone: get the file again")
    header = found[0]
    place = f"{path}, line {header.first}"
    if len(found) == 1:
        raise _too_long(path, header.first) if len(start) == LONGEST else no_events(path)
    if all(_is_number(name) for name in header.fields):
        raise DataError(
            f"{place}: the first row must name the columns, and holds numbers alone "
            f"({first_few(header.fields, 5)}): write a row of names above it"
        )
    names, problems = _decoded(place, header.fields)
    names, remarks = _apart(place, [name.strip() for name in names])
    return Header(names, separator, header.last, problems, remarks)


def _separator(path: Path, start: str) -> str:
    """What stands most often in the first line, outside quotes."""
    line = _QUOTED.sub("", start).lstrip("\r\n").partition("\n")[0].partition("\r")[0]
    if files.parted(path)[1] == ".tsv" and "\t" in line:
        return "\t"
    return max(_SEPARATORS, key=line.count)


def _decoded(place: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Names in UTF-8; those that are not are read as they are likely to be meant."""
    found, problems = [], []
    for number, name in enumerate(names, start=1):
        try:
            name.encode()
            found.append(name)
        except UnicodeEncodeError:
            text = name.encode(errors="surrogateescape")
            found.append(text.decode(likely_encoding(text)))
            problems.append(f"{place}: the name of column {number} is not UTF-8: {remedy(text)}")
    return found, problems[:1]


def _apart(place: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Names that are told apart: a second column of one name has a number behind it."""
    found: list[str] = []
    taken = set(names)
    new: dict[str, list[str]] = {}
    for name in names:
        free, count = name, 1
        while free in found or (count > 1 and free in taken):
            count += 1
            free = f"{name} ({count})".strip()
        found.append(free)
        if free != name:
            new.setdefault(name, []).append(free)
    remarks = [
        f"{place}: {1 + len(others):,} columns are called {short_repr(name)}: those behind the "
        f"first are taken as {first_few([short_repr(other) for other in others], 5)}; rename "
        f"them, or leave one out with --drop {shlex.quote(others[0])}"
        for name, others in new.items()
    ]
    return found, remarks


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

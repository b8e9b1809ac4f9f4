"""A CSV file in chunks of whole rows.

pyarrow can cut a file itself, but does so in threads that outlive whoever stops reading early, and
that bring the process down when they then call Python.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

from river_oa3.datasets.sources.csv_rows import LONGEST


class CutError(Exception):
    """Bytes that are no rows of text."""


class OpenQuoteError(CutError):
    """A file that ends inside a quote."""


def chunks(file: IO[bytes], separator: str) -> Iterator[bytes]:
    """The bytes of a file, cut where a row ends."""
    quotes = _quotes(separator.encode())
    rest = b""
    # A quote at the start of the file is one behind this mark too.
    mark = file.read(len(codecs.BOM_UTF8))
    if mark != codecs.BOM_UTF8:
        rest = mark
    while block := file.read(LONGEST):
        if b"\0" in block:
            raise CutError("a NUL byte")
        rest += block
        end = _end_of_rows(rest, quotes)
        if end:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > LONGEST:
            raise CutError("a row that is too long")
    # With a line break after it the last row is whole, unless a quote holds the break too.
    if _end_of_rows(rest + b"\n", quotes) != len(rest) + 1:
        raise OpenQuoteError("a quote that is never closed")
    if rest:
        yield rest


def _quotes(separator: bytes) -> re.Pattern[bytes]:
    """Quoted fields of a row side by side; a quote is one at the start of a field alone."""
    between = re.escape(separator)
    body = rb'[^"]*+(?:""[^"]*+)*+(?:"|\Z)'
    return re.compile(
        rb'"(?:(?<=\A")|(?<=[\r\n%b]"))%b(?:%b"%b)*+' % (between, body, between, body)
    )


def _end_of_rows(text: bytes, quotes: re.Pattern[bytes]) -> int:
    """Where the last row ends that is whole, in a text that starts with a row."""
    stop = len(text)
    found = list(quotes.finditer(text)) if b'"' in text else []
    for match in reversed(found):
        end = _after_break(text, match.end(), stop)
        if end:
            return end
        stop = match.start()
    return _after_break(text, 0, stop)


def _after_break(text: bytes, start: int, stop: int) -> int:
    """Where a line starts last in a part of a text; 0 if none does."""
    return max(text.rfind(b"\n", start, stop), text.rfind(b"\r", start, stop)) + 1

"""Texts that are not UTF-8: which encoding they are in, and the same bytes as UTF-8."""

from __future__ import annotations

import codecs
import io
from pathlib import Path
from typing import IO, Any

from river_oa3.datasets.errors import DataError, short_repr

AS_UTF8 = "save it as UTF-8 (in a spreadsheet, 'CSV UTF-8'; elsewhere, iconv -t utf-8)"

# The longer mark first: that of UTF-16 is the start of it.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SHOWN = 20


def check_encoding(name: str) -> str | None:
    """An encoding as Python calls it; None for UTF-8, which needs no decoding."""
    try:
        "".encode(name)
        found = codecs.lookup(name).name
    except LookupError:
        raise DataError(
            f"--encoding {name} is no encoding that is known: give one such as latin-1, cp1252 or "
            "utf-16"
        ) from None
    return None if found in ("utf-8", "utf-8-sig", "ascii") else found


def encoding_of_mark(start: bytes) -> str | None:
    """The encoding that a byte order mark at the start of a file tells; None for UTF-8."""
    return next((name for mark, name in _MARKS if start.startswith(mark)), None)


def likely_encoding(text: bytes) -> str:
    """What bytes that are not UTF-8 are likely to be."""
    if b"\0" in text:
        return "utf-16-le" if text[1:2] == b"\0" else "utf-16-be"
    # Of these two, latin-1 has nothing but controls from 0x80 to 0x9f, and Windows the euro sign.
    try:
        is_windows = any(0x80 <= byte < 0xA0 for byte in text)
        text.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252" if is_windows else "latin-1"


def remedy(text: bytes, encoding: str | None = None) -> str:
    """What to do about a text that is not UTF-8."""
    encoding = encoding or likely_encoding(text)
    shown = text.decode(encoding, errors="replace")
    at = next((i for i, letter in enumerate(shown) if not letter.isascii()), 0)
    start = max(0, at - _SHOWN // 2)
    shown = short_repr(shown[start : start + _SHOWN])
    return f"say --encoding {encoding} if it should read {shown}, or {AS_UTF8}"


class AsUtf8(io.RawIOBase):
    """The bytes of a file in another encoding, as UTF-8."""

    def __init__(self, file: IO[bytes], encoding: str, path: Path):
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._encoding = encoding
        self._path = path
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._waiting:
            block = self._file.read(len(buffer))
            try:
                text = self._decoder.decode(block, final=not block)
                self._waiting = text.encode()
            except UnicodeError as error:
                raise DataError(
                    f"{self._path} is not in the encoding {self._encoding} ({error}): name "
                    "another with --encoding"
                ) from None
            if not block:
                break
        found = self._waiting[: len(buffer)]
        self._waiting = self._waiting[len(buffer) :]
        buffer[: len(found)] = found
        return len(found)

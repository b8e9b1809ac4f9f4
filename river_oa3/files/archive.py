"""A zip archive of stored entries, written in one way and read in no other.

Any tool opens it. Reading takes nothing on trust: entries follow each other without a gap, and the
directory and the end are byte for byte those that this module would write. The archive's comment is
the SHA-256 of all that comes before it.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator, Mapping

from river_oa3.files.errors import FileError

__all__ = ["LARGEST_FILE", "check_whole", "read_entries", "starts_as_archive", "write_archive"]

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_LOCAL_MAGIC, _CENTRAL_MAGIC, _END_MAGIC = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_VERSION, _PLAIN, _STORED = 20, 0, 0
# Midnight of 1 January 1980, the first that a zip archive knows: the same model, the same bytes.
_TIME, _DATE = 0, (1 << 5) | 1
_READABLE = 0o644 << 16

_COMMENT = b"river_oa3 sha256 "
_COMMENT_SIZE = len(_COMMENT) + 64
# Where entries start and how long they are is written in 32 bits, and their number in 16.
_MOST_BYTES = 2**32 - 2
_MOST_ENTRIES = 2**16 - 2
# With the directory, whose names are short.
LARGEST_FILE = 2**32 + 2**24


def write_archive(entries: Mapping[str, bytes]) -> bytes:
    """The archive of these entries, in their order."""
    pieces: list[bytes] = []
    directory: list[bytes] = []
    position = 0
    for name, content in entries.items():
        raw_name, size = name.encode("ascii"), len(content)
        if position + size > _MOST_BYTES or len(directory) >= _MOST_ENTRIES:
            raise FileError(
                f"the model takes more than {_MOST_BYTES} bytes or {_MOST_ENTRIES} arrays, and a "
                "file holds no more: SSOA3Classifier and OA3DiagClassifier take less"
            )
        sums = zlib.crc32(content), size, size, len(raw_name)
        pieces += (_local_header(*sums), raw_name, content)
        directory.append(_central_header(*sums, position) + raw_name)
        position += _LOCAL.size + len(raw_name) + size
    pieces += (*directory, _end(directory, position))
    checksum = hashlib.sha256()
    for piece in pieces:
        checksum.update(piece)
    return b"".join((*pieces, _COMMENT, checksum.hexdigest().encode()))


def starts_as_archive(content: memoryview, first: str) -> bool:
    """Whether this is the beginning of an archive whose first entry has this name."""
    start = _LOCAL.size + len(first)
    return content[:4] == _LOCAL_MAGIC and content[_LOCAL.size : start] == first.encode()


def check_whole(content: memoryview) -> None:
    """Refuse what has been cut, or changed, since it was written."""
    body, comment = content[:-_COMMENT_SIZE], bytes(content[-_COMMENT_SIZE:])
    if not comment.startswith(_COMMENT):
        raise FileError("it is cut off, or was added to: it does not end in its checksum")
    if comment[len(_COMMENT) :] != hashlib.sha256(body).hexdigest().encode():
        raise FileError("it has been changed or damaged: its checksum does not fit")


def read_entries(content: memoryview) -> dict[str, memoryview]:
    """The entries of a whole archive; they are its memory, and nothing is copied."""
    entries: dict[str, memoryview] = {}
    directory: list[bytes] = []
    position = 0
    for header, raw_name, entry in _local_entries(content):
        name = raw_name.decode("ascii", "replace")
        if name in entries or not (name.isascii() and name.isprintable()):
            raise FileError(f"the entry {name!a} is there twice, or has no name to speak of")
        if position > _MOST_BYTES or len(entries) >= _MOST_ENTRIES:
            raise FileError("it has more entries, or bytes, than this package writes")
        entries[name] = entry
        directory.append(_central_header(*header, position) + raw_name)
        position += _LOCAL.size + len(raw_name) + len(entry)
    tail = b"".join((*directory, _end(directory, position)))
    if content[position:-_COMMENT_SIZE] != tail:
        raise FileError(
            "its directory is not that of its entries; entries that another program has compressed "
            "or changed are not read"
        )
    return entries


def _local_entries(
    content: memoryview,
) -> Iterator[tuple[tuple[int, int, int, int], bytes, memoryview]]:
    position, end = 0, len(content)
    while content[position : position + 4] == _LOCAL_MAGIC and position + _LOCAL.size <= end:
        header = content[position : position + _LOCAL.size]
        *_, crc, size, stored_size, name_size, _ = _LOCAL.unpack(header)
        sums = crc, size, stored_size, name_size
        if header != _local_header(*sums) or size != stored_size:
            raise FileError("an entry is compressed, encrypted or not written by this package")
        name_end = position + _LOCAL.size + name_size
        position = name_end + size
        if position > end:
            raise FileError("an entry is longer than the file")
        entry = content[name_end:position]
        if zlib.crc32(entry) != crc:
            raise FileError("an entry is damaged: its checksum does not fit")
        yield sums, bytes(content[name_end - name_size : name_end]), entry


def _local_header(crc: int, size: int, stored_size: int, name_size: int) -> bytes:
    return _LOCAL.pack(
        _LOCAL_MAGIC, _VERSION, _PLAIN, _STORED, _TIME, _DATE, crc, size, stored_size, name_size, 0
    )


def _central_header(crc: int, size: int, stored_size: int, name_size: int, position: int) -> bytes:
    return _CENTRAL.pack(
        *(_CENTRAL_MAGIC, _VERSION | 3 << 8, _VERSION, _PLAIN, _STORED, _TIME, _DATE),
        *(crc, size, stored_size, name_size, 0, 0, 0, 0, _READABLE, position),
    )


def _end(directory: list[bytes], position: int) -> bytes:
    n, size = len(directory), sum(map(len, directory))
    return _END.pack(_END_MAGIC, 0, 0, n, n, size, position, _COMMENT_SIZE)

"""A model as bytes: its JSON, its arrays, and a manifest that says what wrote them."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import typing
from collections import Counter

from river_oa3.files.archive import check_whole, read_entries, starts_as_archive, write_archive
from river_oa3.files.errors import FileError
from river_oa3.files.parts import Reader, Writer, register_kinds
from river_oa3.state import shown

__all__ = ["FORMAT", "MOST_BYTES", "Content", "from_bytes", "read", "to_bytes"]

# The largest value of SQLite, and nearly of PostgreSQL, less what stands beside it.
MOST_BYTES = 10**9 - 2**20

# Files of a higher number are refused; what a lower one means is kept for ever.
FORMAT = 1

_MANIFEST, _MODEL, _ARRAY = "manifest.json", "model.json", ".npy"
# Numbers of JSON are short: longer integers are written in another way.
_LONGEST_INTEGER = 20
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))


class Content(typing.NamedTuple):
    """A model, and what its file says of itself."""

    model: typing.Any
    format: int
    versions: dict[str, str]


def to_bytes(model: typing.Any, most: int = MOST_BYTES) -> bytes:
    """The content of a model's file; the same model gives the same bytes.

    One that would take more than `most` bytes, which by default is what databases hold in one
    value, is refused before it is made.
    """
    register_kinds()
    writer = Writer(most)
    part = writer.part(model)
    manifest = {"format": FORMAT, "versions": _versions()}
    entries = {_MANIFEST: _dumped(manifest), _MODEL: _dumped(part)}
    entries |= {name + _ARRAY: content for name, content in writer.arrays.items()}
    return write_archive(entries)


def from_bytes(data: bytes) -> typing.Any:
    """The model of a file's content; damage of any kind is a `FileError`.

    No code of the file's is run: what it can hold is a fixed list of kinds. Memory is taken for
    what is there, not for what the file says is there.
    """
    return read(data).model


def read(data: bytes) -> Content:
    """All that a file holds."""
    register_kinds()
    content = memoryview(data).toreadonly().cast("B")
    _check_kind(content)
    check_whole(content)
    entries = read_entries(content)
    number, versions = _read_manifest(_loaded(entries, _MANIFEST))
    model = _loaded(entries, _MODEL)
    for name in entries:
        if not name.endswith(_ARRAY):
            raise FileError(f"its entry {shown(name)} is not an array")
    reader = Reader({name.removesuffix(_ARRAY): entry for name, entry in entries.items()})
    part = reader.part(model, "model")
    reader.check_all_taken()
    return Content(part, number, versions)


def _check_kind(content: memoryview) -> None:
    if starts_as_archive(content, _MANIFEST):
        return
    if len(content) == 0:
        raise FileError("it is empty")
    if content[:2] in _PICKLES:
        raise FileError(
            "it is no .oa3 file, and looks like a pickle, which runs code when it is loaded. If "
            "you made it yourself: load it by pickle.load(open(path, 'rb')), and river_oa3.save "
            "the model that comes out"
        )
    raise FileError("it is no .oa3 file: river_oa3.save writes them")


def _read_manifest(manifest: dict[str, typing.Any]) -> tuple[int, dict[str, str]]:
    number, versions = manifest.pop("format", None), manifest.pop("versions", None)
    if type(number) is not int or number < 1:
        raise FileError(f"its format is {shown(number)}, not a number")
    if number > FORMAT:
        raise FileError(
            f"it is of format {number}, and this version of river_oa3 reads formats up to "
            f"{FORMAT}: upgrade river_oa3"
        )
    if type(versions) is not dict or not all(type(v) is str for v in versions.values()):
        raise FileError("its manifest does not say what versions it was written with")
    if manifest:
        raise FileError(f"its manifest says what nothing is known of: {shown(sorted(manifest))}")
    return number, versions


def _dumped(content: typing.Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def _loaded(entries: dict[str, memoryview], name: str) -> dict[str, typing.Any]:
    """Take an entry of JSON."""
    if name not in entries:
        raise FileError(f"its entry {name} is missing")
    try:
        content = json.loads(
            bytes(entries.pop(name)).decode("ascii"),
            parse_int=_short_integer,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except (ValueError, RecursionError) as error:
        raise FileError(f"its entry {name} cannot be read: {error}") from None
    if type(content) is not dict:
        raise FileError(f"its entry {name} is not an object of JSON")
    return content


def _object(pairs: list[tuple[str, typing.Any]]) -> dict[str, typing.Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the key {shown(twice)} is there twice")
    return found


def _short_integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise ValueError(f"an integer has {len(digits)} digits")
    return int(digits)


def _refuse_constant(constant: str) -> typing.NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


@functools.cache
def _versions() -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in ("river-oa3", "river")}

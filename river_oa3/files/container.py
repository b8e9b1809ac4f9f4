"""A model as bytes: its JSON, its arrays, and a manifest of both."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import typing

from river_oa3.files.archive import check_whole, read_entries, starts_as_archive, write_archive
from river_oa3.files.errors import FileError
from river_oa3.files.parts import Reader, Writer
from river_oa3.files.values import shown

__all__ = ["FORMAT", "Manifest", "from_bytes", "read_manifest", "to_bytes"]

# Files of a higher number are refused; what a lower one means is kept for ever.
FORMAT = 1

_MANIFEST, _MODEL, _ARRAY = "manifest.json", "model.json", ".npy"
# Numbers of JSON are short: longer integers are written in another way.
_LONGEST_INTEGER = 20


class Manifest(typing.NamedTuple):
    """What a file says of itself."""

    format: int
    versions: dict[str, str]
    entries: dict[str, memoryview]


def to_bytes(model: typing.Any) -> bytes:
    """The content of a model's file."""
    writer = Writer()
    part = writer.part(model)
    entries = {_MODEL: _dumped(part)}
    entries |= {name + _ARRAY: content for name, content in writer.arrays.items()}
    manifest = {
        "format": FORMAT,
        "versions": _versions(),
        "sha256": {name: hashlib.sha256(entry).hexdigest() for name, entry in entries.items()},
    }
    return write_archive({_MANIFEST: _dumped(manifest), **entries})


def from_bytes(data: bytes) -> typing.Any:
    """The model of a file's content; damage of any kind is a `FileError`.

    No code of the file's is run: what it can hold is a fixed list of kinds.
    """
    entries = read_manifest(data).entries
    reader = Reader(
        {
            name.removesuffix(_ARRAY): entry
            for name, entry in entries.items()
            if name.endswith(_ARRAY)
        }
    )
    model = reader.part(_loaded(entries, _MODEL), "model")
    reader.check_all_taken()
    return model


def read_manifest(data: bytes) -> Manifest:
    """What a file says of itself, its checksums and its format found right."""
    content = memoryview(data).toreadonly().cast("B")
    _check_kind(content)
    check_whole(content)
    entries = read_entries(content)
    manifest = _loaded(entries, _MANIFEST)
    number = manifest.get("format")
    if type(number) is not int or number < 1:
        raise FileError(f"its format is {shown(number)}, not a number")
    if number > FORMAT:
        raise FileError(
            f"it is of format {number}, and this version of river_oa3 reads formats up to "
            f"{FORMAT}: upgrade river_oa3"
        )
    del entries[_MANIFEST]
    _check_entries(manifest.get("sha256"), entries)
    return Manifest(number, _checked_versions(manifest), entries)


def _check_kind(content: memoryview) -> None:
    if starts_as_archive(content, _MANIFEST):
        return
    if len(content) == 0:
        raise FileError("it is empty")
    if content[:1] == b"\x80" and content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise FileError(
            "it is no .oa3 file, and looks like a pickle. If it is your own, for a pickle runs code "
            "when it is loaded: model = pickle.load(open(path, 'rb')), and river_oa3.save(model, "
            "'model.oa3') makes a file of it"
        )
    raise FileError("it is no .oa3 file: river_oa3.save writes them")


def _check_entries(sums: typing.Any, entries: dict[str, memoryview]) -> None:
    if type(sums) is not dict or sums.keys() != entries.keys():
        raise FileError("its manifest does not list the entries that are there")
    for name, entry in entries.items():
        if sums[name] != hashlib.sha256(entry).hexdigest():
            raise FileError(f"its entry {name} is damaged: the checksum does not fit")
        if name != _MODEL and not name.endswith(_ARRAY):
            raise FileError(f"its entry {shown(name)} is neither the model nor an array")


def _checked_versions(manifest: dict[str, typing.Any]) -> dict[str, str]:
    versions = manifest.get("versions")
    if type(versions) is not dict or not all(type(v) is str for v in versions.values()):
        raise FileError("its manifest does not say what versions it was written with")
    return versions


def _dumped(content: typing.Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def _loaded(entries: dict[str, memoryview], name: str) -> dict[str, typing.Any]:
    if name not in entries:
        raise FileError(f"its entry {name} is missing")
    try:
        content = json.loads(
            bytes(entries[name]).decode("ascii"),
            parse_int=_short_integer,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError) as error:
        raise FileError(f"its entry {name} cannot be read: {error}") from None
    if type(content) is not dict:
        raise FileError(f"its entry {name} is not an object of JSON")
    return content


def _short_integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise ValueError(f"an integer has {len(digits)} digits")
    return int(digits)


def _refuse_constant(constant: str) -> typing.NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


@functools.cache
def _versions() -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in ("river-oa3", "river")}

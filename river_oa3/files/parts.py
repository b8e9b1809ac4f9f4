"""The parts that a model is made of, as JSON: a kind, its parameters and its state.

Each kind has a codec: a function that writes an object into fields, and one that makes an object
out of them. Nothing else is made, whatever a file says.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from river_oa3.files import values
from river_oa3.files.arrays import Array, array_bytes, array_from_bytes
from river_oa3.files.errors import FileError

__all__ = ["Codec", "Fields", "Reader", "Writer", "check_attributes", "register"]

MOST_PARTS_NESTED = 20
# Counts of events, labels and the like.
LARGEST_COUNT = 2**53
KEEP = (
    "Pickle it yourself (a pickle runs code when it is loaded: load your own alone), or leave it "
    "out of what is stored"
)

Json = dict[str, typing.Any]


class Codec(typing.NamedTuple):
    """How one type is stored."""

    kind: str
    type: type
    encode: Callable[[typing.Any, Writer], Json]
    decode: Callable[[Fields], typing.Any]


_by_kind: dict[str, Codec] = {}
_by_type: dict[type, Codec] = {}
# What to do instead, for types that are often met and cannot be stored.
_remedies: dict[type, str] = {}


def register(
    kind: str,
    type: type,
    encode: Callable[[typing.Any, Writer], Json],
    decode: Callable[[Fields], typing.Any],
) -> None:
    """Add a type that can be stored; its subclasses are not, for they may be anything."""
    codec = Codec(kind, type, encode, decode)
    _by_kind[kind] = codec
    _by_type[type] = codec


def register_remedy(type: type, remedy: str) -> None:
    """Say what to do about a type that cannot be stored."""
    _remedies[type] = remedy


def full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def check_attributes(part: typing.Any, known: Iterable[str]) -> None:
    """Refuse an object that somebody has given attributes, or methods, of its own."""
    extra = sorted(map(repr, vars(part).keys() - set(known)))
    if extra:
        raise FileError(
            f"a {full_name(type(part))} with {', '.join(extra)} beside what it comes with cannot "
            "be stored in a file: take it off"
        )


class Writer:
    """Turns a model into JSON, with its arrays beside it."""

    def __init__(self) -> None:
        self.arrays: dict[str, bytes] = {}

    def part(self, part: typing.Any) -> Json:
        """An object of a registered type."""
        codec = _by_type.get(type(part))
        if codec is None:
            raise FileError(_refusal(part))
        return {"kind": codec.kind, **codec.encode(part, self)}

    def array(self, name: str, array: NDArray[typing.Any]) -> str:
        """Store an array; the name stands for it."""
        unique, n = name, 1
        while unique in self.arrays:
            n += 1
            unique = f"{name}-{n}"
        self.arrays[unique] = array_bytes(array)
        return unique

    def numbers(self, name: str, numbers: Iterable[float]) -> str:
        """Store some floats as an array."""
        return self.array(name, np.fromiter(numbers, dtype=np.float64))

    def value(self, value: typing.Any) -> typing.Any:
        """A plain value."""
        try:
            return values.to_json(value)
        except TypeError as error:
            raise FileError(str(error)) from None

    def names(self, names: Iterable[Hashable]) -> list[typing.Any]:
        """Names of features."""
        try:
            return list(map(values.name_to_json, names))
        except TypeError as error:
            raise FileError(str(error)) from None


def _refusal(part: typing.Any) -> str:
    kind = type(part)
    remedy = _remedies.get(kind)
    if remedy is None and callable(part) and hasattr(part, "__qualname__"):
        name = f"{part.__module__}.{part.__qualname__}"
        return f"the function {name} is code, which a file does not hold. {KEEP}"
    if remedy is not None:
        return f"a {full_name(kind)} cannot be stored in a file: {remedy}"
    for known in kind.__mro__[1:]:
        if known in _by_type:
            return (
                f"a {full_name(kind)} cannot be stored in a file: it is a class of its own, made "
                f"from {known.__name__}. {KEEP}"
            )
    return f"a {full_name(kind)} cannot be stored in a file. {KEEP}"


class Reader:
    """Makes a model out of JSON and arrays."""

    def __init__(self, arrays: Mapping[str, memoryview]):
        self._arrays = dict(arrays)

    def part(self, content: typing.Any, path: str, depth: int = 0) -> typing.Any:
        if type(content) is not dict or type(content.get("kind")) is not str:
            raise FileError(f"{path} is not a part of a model, with a kind")
        codec = _by_kind.get(content["kind"])
        if codec is None:
            raise FileError(
                f"{path} is of the kind {values.shown(content['kind'])}, which this version of "
                "river_oa3 does not know"
            )
        if depth > MOST_PARTS_NESTED:
            raise FileError(f"{path} is nested more than {MOST_PARTS_NESTED} deep")
        fields = Fields(self, path, content, depth)
        try:
            part = codec.decode(fields)
        except FileError:
            raise
        except (ArithmeticError, MemoryError, TypeError, ValueError) as error:
            raise FileError(f"{path}, {codec.kind}: {error}") from None
        fields.check_all_taken()
        return part

    def array(self, name: typing.Any, path: str) -> Array:
        """An array, once: what several parts share would take more memory than the file."""
        content = self._arrays.pop(name, None) if type(name) is str else None
        if content is None:
            raise FileError(f"{path}: there is no array {values.shown(name)}, or it was used twice")
        try:
            return array_from_bytes(content)
        except ValueError as error:
            raise FileError(f"the array {values.shown(name)} is damaged: {error}") from None

    def check_all_taken(self) -> None:
        if self._arrays:
            names = values.shown(sorted(self._arrays))
            raise FileError(f"there are arrays that belong to nothing: {names}")


class Fields:
    """What is stored of one part; each field is taken by name, and checked."""

    def __init__(self, reader: Reader, path: str, content: Json, depth: int):
        self._reader = reader
        self.path = path
        self._content = {name: value for name, value in content.items() if name != "kind"}
        self._depth = depth

    def _where(self, name: str) -> str:
        return f"{self.path}.{name}"

    def take(self, name: str) -> typing.Any:
        """A field as it stands in the file."""
        if name not in self._content:
            raise FileError(f"{self._where(name)} is missing")
        return self._content.pop(name)

    def left(self) -> list[str]:
        """The names of fields that have not been taken."""
        return list(self._content)

    def inner(self, name: str) -> Fields:
        """A field that is an object with fields of its own."""
        content = self.take(name)
        if type(content) is not dict:
            self.refuse(name, f"is {values.shown(content)}, not an object")
        return Fields(self._reader, self._where(name), content, self._depth)

    def optional(self, read: Callable[[str], typing.Any], name: str) -> typing.Any:
        """None where the field is null, or what `read` makes of it."""
        if name in self._content and self._content[name] is None:
            return self.take(name)
        return read(name)

    def refuse(self, name: str, what: str) -> typing.NoReturn:
        raise FileError(f"{self._where(name)} {what}")

    def value(self, name: str) -> typing.Any:
        """A plain value."""
        content = self.take(name)
        try:
            return values.from_json(content)
        except ValueError as error:
            self.refuse(name, f"cannot be read: {error}")

    def integer(self, name: str, least: int = 0, most: int = LARGEST_COUNT) -> int:
        number = self.value(name)
        if type(number) is not int or not least <= number <= most:
            self.refuse(name, f"is {values.shown(number)}, not an integer from {least} to {most}")
        return number

    def number(self, name: str, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite float."""
        number = self.value(name)
        if type(number) is not float or not math.isfinite(number) or not least <= number <= most:
            limits = "" if math.isinf(least) and math.isinf(most) else f" from {least} to {most}"
            self.refuse(name, f"is {values.shown(number)}, not a finite number{limits}")
        return number

    def flag(self, name: str) -> bool:
        flag = self.take(name)
        if type(flag) is not bool:
            self.refuse(name, f"is {values.shown(flag)}, neither true nor false")
        return flag

    def text(self, name: str) -> str:
        text = self.take(name)
        if type(text) is not str:
            self.refuse(name, f"is {values.shown(text)}, not a text")
        return text

    def list(self, name: str) -> list[typing.Any]:
        content = self.take(name)
        if type(content) is not list:
            self.refuse(name, f"is {values.shown(content)}, not a list")
        return content

    def names(self, name: str) -> list[Hashable]:
        """Names of features, each of them once."""
        content = self.list(name)
        try:
            names = list(map(values.name_from_json, content))
            values.check_distinct_hashes(names)
        except ValueError as error:
            self.refuse(name, f"holds what is no name: {error}")
        if len(set(names)) != len(names):
            self.refuse(name, "holds a name twice")
        return names

    def array(self, name: str) -> Array:
        return self._reader.array(self.take(name), self._where(name))

    def numbers(self, name: str, size: int) -> NDArray[np.float64]:
        """So many finite floats."""
        array = self.array(name)
        if array.dtype != np.float64 or array.shape != (size,) or not np.isfinite(array).all():
            self.refuse(name, f"is not an array of {size} finite numbers")
        return typing.cast(NDArray[np.float64], array)

    def part(self, name: str, kind: type | tuple[type, ...] = object) -> typing.Any:
        return self.made(self.take(name), name, kind)

    def optional_part(self, name: str, kind: type | tuple[type, ...] = object) -> typing.Any:
        content = self.take(name)
        return None if content is None else self.made(content, name, kind)

    def made(
        self, content: typing.Any, name: str, kind: type | tuple[type, ...] = object
    ) -> typing.Any:
        """The part of a content that has been taken."""
        part = self._reader.part(content, self._where(name), self._depth + 1)
        # Not isinstance: river's looks through wrappers.
        if not issubclass(type(part), kind):
            self.refuse(name, f"cannot be a {type(part).__name__}")
        return part

    def check_all_taken(self) -> None:
        if self._content:
            names = values.shown(sorted(self._content))
            raise FileError(f"{self.path} has fields that nothing is known of: {names}")

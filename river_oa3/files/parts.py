"""The parts that a model is made of, as JSON: a kind, its parameters and its state.

Each kind has a codec: a function that writes an object into fields, and one that makes an object
out of them. Nothing else is made, whatever a file says.
"""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from river_oa3.files import values
from river_oa3.files.arrays import array_bytes
from river_oa3.files.errors import FileError
from river_oa3.files.fields import Fields, Json

__all__ = ["Codec", "Fields", "Json", "Reader", "Writer", "check_attributes", "register"]

MOST_PARTS_NESTED = 20
ANOTHER_WAY = (
    "leave it out of what is stored, or pickle the whole (a pickle runs code when it is loaded: "
    "load your own alone)"
)


class Codec(typing.NamedTuple):
    """How one type is stored."""

    kind: str
    type: type
    encode: Callable[[typing.Any, Writer], Json]
    decode: Callable[[Fields], typing.Any]
    # Whether it is stored as parameters alone: then it does not matter who else uses it.
    is_setting: bool


_by_kind: dict[str, Codec] = {}
_by_type: dict[type, Codec] = {}
# What to do instead, for types that are often met and cannot be stored.
_remedies: dict[type, str] = {}


def register(
    type: type,
    encode: Callable[[typing.Any, Writer], Json],
    decode: Callable[[Fields], typing.Any],
    is_setting: bool = False,
) -> None:
    """Add a type that can be stored; its subclasses are not, for they may be anything."""
    codec = Codec(type.__name__, type, encode, decode, is_setting)
    _by_kind[codec.kind] = _by_type[type] = codec


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

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._n_bytes = 0
        self.arrays: dict[str, bytes] = {}
        self._n_called: Counter[str] = Counter()
        # By their ids; held, so that no other object gets the same.
        self._written: dict[int, typing.Any] = {}

    def part(self, part: typing.Any) -> Json:
        """An object of a registered type."""
        codec = _by_type.get(type(part))
        if codec is None:
            raise FileError(_refusal(part))
        if id(part) in self._written and not codec.is_setting:
            raise FileError(
                f"the same {full_name(type(part))} is used in two places, which would be two of "
                "them when it is loaded: give each place its own"
            )
        self._written[id(part)] = part
        return {"kind": codec.kind, **codec.encode(part, self)}

    def optional_part(self, part: typing.Any) -> Json | None:
        return None if part is None else self.part(part)

    def array(self, name: str, array: NDArray[typing.Any]) -> str:
        """Store an array; the name stands for it."""
        self._n_called[name] += 1
        unique = name if self._n_called[name] == 1 else f"{name}-{self._n_called[name]}"
        self._count(array.nbytes)
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

    def count(self, number: int) -> int:
        """A number of events, labels or the like."""
        return min(int(number), values.LARGEST_COUNT)

    def integer(self, what: str, number: int) -> typing.Any:
        """An integer that somebody has chosen, no larger than `Fields.integer` takes."""
        if not abs(number) <= values.LARGEST_INTEGER:
            raise FileError(f"{what} of {values.shown(number)} cannot be stored: 2**63 is the most")
        return self.value(number)

    def names(self, names: Iterable[Hashable]) -> list[typing.Any]:
        """Names of features."""
        listed = list(names)
        self._count(sum(map(values.size_in_json, listed)))
        try:
            return list(map(values.name_to_json, listed))
        except TypeError as error:
            raise FileError(str(error)) from None

    def _count(self, n_bytes: int) -> None:
        """Refuse what is too large while it is not there twice yet."""
        self._n_bytes += n_bytes
        if self._n_bytes > self._most_bytes:
            raise FileError(
                f"the model takes more than {self._most_bytes:,} bytes, of names and numbers: give "
                "AutoOA3Classifier a smaller max_features, or use shorter names; SSOA3Classifier "
                "and OA3DiagClassifier take less than a full covariance"
            )


def _refusal(part: typing.Any) -> str:
    kind = type(part)
    if kind in _remedies:
        return f"a {full_name(kind)} cannot be stored in a file: {_remedies[kind]}"
    if callable(part) and hasattr(part, "__qualname__"):
        name = f"{part.__module__}.{part.__qualname__}"
        return f"{name} is code, which no file holds: {ANOTHER_WAY}"
    for known in kind.__mro__[1:]:
        if known in _by_type:
            return (
                f"a {full_name(kind)} cannot be stored in a file, for it is a class of its own, "
                f"made from {known.__name__}: {ANOTHER_WAY}"
            )
    return f"a {full_name(kind)} cannot be stored in a file: {ANOTHER_WAY}"


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
            raise FileError(f"{path}, {codec.kind}: {values.on_a_line(error)}") from None
        fields.check_all_taken()
        return part

    def take_array(self, name: str) -> memoryview | None:
        """An array's content, once: what several parts share would take more than the file."""
        return self._arrays.pop(name, None)

    def check_all_taken(self) -> None:
        if self._arrays:
            names = values.shown(sorted(self._arrays))
            raise FileError(f"there are arrays that belong to nothing: {names}")

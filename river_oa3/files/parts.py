"""The parts that a model is made of, as JSON: a kind, its parameters and its state.

Each kind has a codec: a function that writes an object into fields, and one that makes an object
out of them. Nothing else is made, whatever a file says.
"""

from __future__ import annotations

import datetime as dt
import functools
import importlib
import typing
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from river_oa3.files import values
from river_oa3.files.arrays import array_bytes
from river_oa3.files.errors import FileError
from river_oa3.files.fields import Fields, Json
from river_oa3.state import LARGEST_INTEGER, Stateful, counted, shown

__all__ = [
    "Codec",
    "Fields",
    "Json",
    "Reader",
    "Writer",
    "check_attributes",
    "check_goes_on",
    "is_known",
    "refusal",
    "register",
    "register_room",
]

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
# Where they are registered, by modules that are imported when there is a file.
_rooms = [f"river_oa3.files.{name}" for name in ("asking", "learners", "steps")]
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
    if full_name(_by_kind.get(codec.kind, codec).type) != full_name(type):
        raise ValueError(
            f"files know another {codec.kind}: give {full_name(type)} a name of its own"
        )
    _by_kind[codec.kind] = _by_type[type] = codec


def register_room(module: str) -> None:
    """Name a module that registers types of its own, to be imported when there is a file."""
    _rooms.append(module)


@functools.cache
def register_kinds() -> None:
    """Import what can be in a file, when there is one: river's metrics take long to import."""
    for module in _rooms:
        importlib.import_module(module)


def is_known(type: type) -> bool:
    """Whether objects of this type can be stored."""
    register_kinds()
    return type in _by_type


def register_remedy(type: type, remedy: str) -> None:
    """Say what to do about a type that cannot be stored, and about those made from it."""
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


def check_goes_on(part: Stateful, state: Mapping[str, typing.Any]) -> None:
    """Refuse a state that is not the one from which the part goes on, now that it has taken it."""
    given, found = (
        {name: values.to_json(value) for name, value in each.items() if not _is_array(value)}
        for each in (state, part.state())
    )
    for name in given.keys() | found.keys():
        if given.get(name) != found.get(name):
            raise ValueError(f"{name} is {shown(given.get(name))}, and becomes another")


def _is_array(value: typing.Any) -> bool:
    return isinstance(value, np.ndarray)


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
            raise FileError(refusal(part))
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
        return counted(number)

    def integer(self, what: str, number: int) -> typing.Any:
        """An integer that somebody has chosen, no larger than `Fields.integer` takes."""
        if not abs(number) <= LARGEST_INTEGER:
            raise FileError(f"{what} of {shown(number)} cannot be stored: 2**63 is the most")
        return self.value(number)

    def span(self, what: str, span: int | dt.timedelta) -> typing.Any:
        """A number of events, or a time."""
        if isinstance(span, dt.timedelta):
            return [span.days, span.seconds, span.microseconds]
        return self.integer(what, span)

    def state(self, state: Mapping[str, typing.Any]) -> Json:
        """What a part gives of itself: plain values, and arrays by their names."""
        return {
            name: self.array(name, value) if _is_array(value) else self.value(value)
            for name, value in state.items()
        }

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


def refusal(part: typing.Any, remedy: str = ANOTHER_WAY) -> str:
    """Why a part cannot be stored, and what to do instead."""
    kind, why = type(part), ""
    if callable(part) and hasattr(part, "__qualname__"):
        return f"{part.__module__}.{part.__qualname__} is code, which no file holds: {remedy}"
    if bases := [known for known in kind.__mro__[1:] if known in _by_type]:
        why = f", for it is a class of its own, made from {bases[0].__name__}"
    for known in reversed(kind.__mro__):
        remedy = _remedies.get(known, remedy)
    return f"a {full_name(kind)} cannot be stored in a file{why}: {remedy}"


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
                f"{path} is of the kind {shown(content['kind'])}, which this version of "
                "river_oa3 does not know. One of your own is registered before it is loaded: see "
                "river_oa3.files.register"
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
            names = shown(sorted(self._arrays))
            raise FileError(f"there are arrays that belong to nothing: {names}")

"""What a file says of one part of a model, field by field: each of its type, in its limits."""

from __future__ import annotations

import datetime as dt
import typing
from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

from river_oa3.files import values
from river_oa3.files.arrays import Array, array_from_bytes
from river_oa3.files.errors import FileError
from river_oa3.state import LARGEST_INTEGER, State, shown

if typing.TYPE_CHECKING:
    from river_oa3.files.parts import Reader

__all__ = ["Fields", "Json"]

Json = dict[str, typing.Any]


class Fields(State):
    """The fields of one part, or of an object inside it."""

    _error = FileError

    def __init__(self, reader: Reader, path: str, content: Json, depth: int):
        super().__init__({name: content[name] for name in content if name != "kind"}, path)
        self._reader = reader
        self._depth = depth

    def value(self, name: str) -> typing.Any:
        """A plain value."""
        content = self.take(name)
        try:
            return values.from_json(content)
        except ValueError as error:
            self.refuse(name, f"cannot be read: {error}")

    def any_number(self, name: str) -> float:
        """A float, which need not be finite."""
        number = self.value(name)
        if type(number) is not float:
            self.refuse(name, f"is {shown(number)}, not a number")
        return number

    def text(self, name: str) -> str:
        text = self.take(name)
        if type(text) is not str:
            self.refuse(name, f"is {shown(text)}, not a text")
        return text

    def items(self, name: str) -> list[typing.Any]:
        """A list as it stands in the file."""
        content = self.take(name)
        if type(content) is not list:
            self.refuse(name, f"is {shown(content)}, not a list")
        return content

    def name(self, name: str) -> Hashable:
        """What can be the name of a feature."""
        content = self.take(name)
        try:
            return values.name_from_json(content)
        except ValueError as error:
            self.refuse(name, f"is no name: {error}")

    def names(self, name: str) -> list[Hashable]:
        """Names of features, each of them once."""
        content = self.items(name)
        try:
            names = list(map(values.name_from_json, content))
            values.check_distinct(names)
        except ValueError as error:
            self.refuse(name, f"cannot be names: {error}")
        return names

    def array(self, name: str) -> Array:
        entry = self.text(name)
        content = self._reader.take_array(entry)
        if content is None:
            self.refuse(name, f"has no array {shown(entry)}, or one that is used elsewhere")
        try:
            return array_from_bytes(content)
        except ValueError as error:
            self.refuse(name, f"is damaged: {error}")

    def numbers(self, name: str, size: int) -> NDArray[np.float64]:
        """So many floats, which need not be finite."""
        array = self.array(name)
        if array.dtype != np.float64 or array.shape != (size,):
            self.refuse(name, f"is not an array of {size} numbers")
        return typing.cast(NDArray[np.float64], array)

    def inner(self, name: str) -> Fields:
        """A field that is an object with fields of its own."""
        return self.inside(self.take(name), name)

    def inside(self, content: typing.Any, name: str) -> Fields:
        """The fields of an object that was taken from this place."""
        if type(content) is not dict:
            self.refuse(name, f"is {shown(content)}, not an object")
        return Fields(self._reader, f"{self.path}.{name}", content, self._depth)

    def part(self, name: str, kinds: tuple[type, ...] = (object,)) -> typing.Any:
        part = self._reader.part(self.take(name), f"{self.path}.{name}", self._depth + 1)
        # Not isinstance: river's looks through wrappers.
        if not issubclass(type(part), kinds):
            self.refuse(name, f"cannot be a {type(part).__name__}")
        return part

    def optional_part(self, name: str, kinds: tuple[type, ...] = (object,)) -> typing.Any:
        return self.optional(lambda name: self.part(name, kinds), name)

    def span(self, name: str) -> int | dt.timedelta:
        """A number of events, or a time in days, seconds and microseconds."""
        span = self.value(name)
        if type(span) is list and [type(number) for number in span] == [int, int, int]:
            return dt.timedelta(*span)
        if type(span) is not int or span > LARGEST_INTEGER:
            self.refuse(name, "is neither a number of events nor a time")
        return span

    def state(self, like: Mapping[str, typing.Any]) -> dict[str, typing.Any]:
        """All that is left, as a state: arrays are where this one has them."""
        return {
            name: self.array(name) if isinstance(like.get(name), np.ndarray) else self.value(name)
            for name in self.left()
        }

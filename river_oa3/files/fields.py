"""What a file says of one part of a model, field by field: each of its type, in its limits."""

from __future__ import annotations

import math
import typing
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from river_oa3.files import values
from river_oa3.files.arrays import Array, array_from_bytes
from river_oa3.files.errors import FileError
from river_oa3.files.values import LARGEST_COUNT, LARGEST_INTEGER

if typing.TYPE_CHECKING:
    from river_oa3.files.parts import Reader

__all__ = ["Fields", "Json"]

Json = dict[str, typing.Any]


class Fields:
    """The fields of one part, or of an object inside it."""

    def __init__(self, reader: Reader, path: str, content: Json, depth: int):
        self._reader = reader
        self.path = path
        self._content = {name: value for name, value in content.items() if name != "kind"}
        self._depth = depth

    def refuse(self, name: str, what: str) -> typing.NoReturn:
        raise FileError(f"{self.path}.{name} {what}")

    def take(self, name: str) -> typing.Any:
        """A field as it stands in the file."""
        if name not in self._content:
            self.refuse(name, "is missing")
        return self._content.pop(name)

    def is_null(self, name: str) -> bool:
        """Whether the field is there and null; then it is taken."""
        if self._content.get(name, False) is not None:
            return False
        self.take(name)
        return True

    def left(self) -> list[str]:
        """The names of fields that have not been taken."""
        return list(self._content)

    def check_all_taken(self) -> None:
        if self._content:
            names = values.shown(sorted(self._content))
            raise FileError(f"{self.path} has fields that nothing is known of: {names}")

    def value(self, name: str) -> typing.Any:
        """A plain value."""
        content = self.take(name)
        try:
            return values.from_json(content)
        except ValueError as error:
            self.refuse(name, f"cannot be read: {error}")

    def count(self, name: str) -> int:
        """A number of events, labels or the like."""
        return self.integer(name, 0, LARGEST_COUNT)

    def integer(self, name: str, least: int = 0, most: int = LARGEST_INTEGER) -> int:
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

    def any_number(self, name: str) -> float:
        """A float, which need not be finite."""
        number = self.value(name)
        if type(number) is not float:
            self.refuse(name, f"is {values.shown(number)}, not a number")
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

    def items(self, name: str) -> list[typing.Any]:
        """A list as it stands in the file."""
        content = self.take(name)
        if type(content) is not list:
            self.refuse(name, f"is {values.shown(content)}, not a list")
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
            self.refuse(name, f"has no array {values.shown(entry)}, or one that is used elsewhere")
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
            self.refuse(name, f"is {values.shown(content)}, not an object")
        return Fields(self._reader, f"{self.path}.{name}", content, self._depth)

    def part(self, name: str, kinds: tuple[type, ...] = (object,)) -> typing.Any:
        part = self._reader.part(self.take(name), f"{self.path}.{name}", self._depth + 1)
        # Not isinstance: river's looks through wrappers.
        if not issubclass(type(part), kinds):
            self.refuse(name, f"cannot be a {type(part).__name__}")
        return part

    def optional_part(self, name: str, kinds: tuple[type, ...] = (object,)) -> typing.Any:
        return None if self.is_null(name) else self.part(name, kinds)

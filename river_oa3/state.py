"""What use has made of an object, as plain values: given by it, and taken back by it alone.

Budgets, rules for asking, `ActiveLearner` and `AskedQuality` have a pair of methods. `state()` is a
dict of all that has changed since the object was made; how it was made, its parameters, is no part
of it. `restore(state)` goes on from there. It checks what it takes, and changes nothing where that
cannot be.
"""

from __future__ import annotations

import math
import reprlib
import typing
from collections.abc import Callable, Mapping

__all__ = ["LARGEST_COUNT", "LARGEST_INTEGER", "State", "Stateful", "counted", "shown"]

# Nobody counts so many events or labels: what is stored stops here, and has room to go on counting.
LARGEST_COUNT = 2**52
# Of other integers, such as a budget of as many labels as there can be.
LARGEST_INTEGER = 2**63
# The largest integers that are floats, all of them.
_LARGEST_EXACT = 2**53

_Value = typing.TypeVar("_Value")


class Stateful(typing.Protocol):
    """Gives and takes its own state."""

    def state(self) -> dict[str, typing.Any]: ...

    def restore(self, state: dict[str, typing.Any]) -> None: ...


def counted(number: int) -> int:
    """A number of events, labels or the like, as a state holds it."""
    return min(int(number), LARGEST_COUNT)


class State:
    """A state that is taken back, field by field: each of its type, in its limits.

    Parameters
    ----------
    content
        What `state()` gave, or what somebody made up.
    path
        Where it is from, for those who are told what is wrong with it.

    Examples
    --------

    >>> from river_oa3.state import State

    >>> State({"spent": 3}).count("spent")
    3
    >>> State({"spent": -3}).count("spent")
    Traceback (most recent call last):
        ...
    ValueError: spent is -3, not an integer from 0 to 4503599627370496

    """

    _error: type[ValueError] = ValueError

    def __init__(self, content: Mapping[str, typing.Any], path: str = ""):
        if not isinstance(content, Mapping):
            raise self._error(f"{path or 'a state'} is {shown(content)}, not an object")
        self._content = dict(content)
        self.path = path

    def _inside(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def refuse(self, name: str, what: str) -> typing.NoReturn:
        raise self._error(f"{self._inside(name)} {what}")

    def take(self, name: str) -> typing.Any:
        """A field as it stands there."""
        if name not in self._content:
            self.refuse(name, "is missing")
        return self._content.pop(name)

    def value(self, name: str) -> typing.Any:
        """A plain value."""
        return self.take(name)

    def is_null(self, name: str) -> bool:
        """Whether the field is there and None; then it is taken."""
        if self._content.get(name, False) is not None:
            return False
        self.take(name)
        return True

    def optional(self, read: Callable[[str], _Value], name: str) -> _Value | None:
        """A field that may be None."""
        return None if self.is_null(name) else read(name)

    def left(self) -> list[str]:
        """The names of fields that have not been taken."""
        return list(self._content)

    def check_all_taken(self) -> None:
        if self._content:
            names = shown(sorted(self._content, key=str))
            raise self._error(f"{self.path or 'it'} has fields that nothing is known of: {names}")

    def count(self, name: str) -> int:
        """A number of events, labels or the like."""
        return self.integer(name, 0, LARGEST_COUNT)

    def integer(self, name: str, least: int = 0, most: int = LARGEST_INTEGER) -> int:
        number = self.value(name)
        if type(number) is not int or not least <= number <= most:
            self.refuse(name, f"is {shown(number)}, not an integer from {least} to {most}")
        return number

    def number(self, name: str, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite float."""
        number = self.value(name)
        if type(number) is int and abs(number) <= _LARGEST_EXACT:
            number = float(number)
        if type(number) is not float or not math.isfinite(number) or not least <= number <= most:
            limits = "" if math.isinf(least) and math.isinf(most) else f" from {least} to {most}"
            self.refuse(name, f"is {shown(number)}, not a finite number{limits}")
        return number

    def flag(self, name: str) -> bool:
        flag = self.take(name)
        if type(flag) is not bool:
            self.refuse(name, f"is {shown(flag)}, neither true nor false")
        return flag

    def inner(self, name: str) -> State:
        """A field that is an object with fields of its own."""
        return State(self.take(name), self._inside(name))


_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 60


def shown(value: typing.Any) -> str:
    """A value in a few words, whatever it is and however long."""
    text = _short.repr(value).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 60 else text[:57] + "..."

"""Python's plain values as JSON, and back: nothing is rounded, and no type becomes another.

What JSON has is itself. What it lacks is an object with one key that starts with a dollar sign,
`{"$tuple": [1, 2]}`, and so is a dictionary whose keys JSON has no place for.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Collection, Hashable
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring_ascii

import numpy as np

from river_oa3._core.category import Category
from river_oa3.state import shown

__all__ = [
    "check_distinct",
    "from_json",
    "name_from_json",
    "name_to_json",
    "on_a_line",
    "size_in_json",
    "to_json",
]

MOST_NESTED = 50
# Beyond it not every reader of JSON keeps an integer as it is.
_LARGEST_IN_JSON = 2**53
# Of integers and Decimals: what is longer takes long to print, compare and turn into a ratio.
_MOST_BITS = 4096
_LARGEST_EXPONENT = 1000
# Equal hashes that chance may bring about; with many more, looking names up would take for ever.
_MOST_EQUAL_HASHES = 1000

_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def to_json(value: typing.Any) -> typing.Any:
    """What `json.dumps` takes, and `from_json` turns into the same value again.

    Strings, numbers, None, Decimals, and lists, tuples and dictionaries of them; NumPy's scalars
    become Python's. Anything else is a `TypeError` that names its type.

    Examples
    --------

    >>> from river_oa3.files.values import from_json, to_json

    >>> to_json({"amount": 3.5, "country": "FR"})
    {'amount': 3.5, 'country': 'FR'}
    >>> to_json({1: (True, float("inf"))})
    {'$dict': [[1, {'$tuple': [True, {'$float': 'inf'}]}]]}
    >>> from_json(_)
    {1: (True, inf)}

    """
    return _encoded(value, 0)


def _encoded(value: typing.Any, depth: int) -> typing.Any:
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else {"$float": str(value)}
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return _encoded_int(value)
    if depth >= MOST_NESTED:
        raise TypeError(f"a value is nested more than {MOST_NESTED} deep: flatten it first")
    if kind is dict:
        return _encoded_dict(value, depth + 1)
    if kind is list:
        return [_encoded(item, depth + 1) for item in value]
    if kind is tuple:
        return {"$tuple": [_encoded(item, depth + 1) for item in value]}
    if kind is Category:
        return {"$category": [_encoded(value.name, depth + 1), _encoded(value.value, depth + 1)]}
    if kind is Decimal and _is_short(value):
        return {"$decimal": str(value)}
    if isinstance(value, np.generic):
        plain = value.item()
        if type(plain) in (str, bool, int, float):
            return _encoded(plain, depth)
    raise TypeError(
        f"{shown(value)} is a {kind.__module__}.{kind.__qualname__}, which cannot be stored: turn "
        "it into a number, a text, None, or a tuple, list or dict of these"
    )


def _encoded_int(value: int) -> typing.Any:
    if -_LARGEST_IN_JSON <= value <= _LARGEST_IN_JSON:
        return value
    if value.bit_length() > _MOST_BITS:
        raise TypeError(
            f"an integer of {value.bit_length()} bits cannot be stored, {_MOST_BITS} can: turn it "
            "into a float or a text"
        )
    return {"$int": hex(value)}


def _is_short(value: Decimal) -> bool:
    """Whether a Decimal can be turned into a ratio of integers in no time."""
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):  # infinite or not a number
        return len(digits) <= 1
    return len(digits) <= _LARGEST_EXPONENT and abs(exponent) <= _LARGEST_EXPONENT


def _encoded_dict(value: dict[typing.Any, typing.Any], depth: int) -> dict[str, typing.Any]:
    if all(type(key) is str and key[:1] != "$" for key in value):
        return {key: _encoded(item, depth) for key, item in value.items()}
    return {"$dict": [[_encoded(key, depth), _encoded(item, depth)] for key, item in value.items()]}


def from_json(content: typing.Any) -> typing.Any:
    """The value that `to_json` was given; a `ValueError` where it cannot have made this."""
    return _decoded(content, 0)


def _decoded(content: typing.Any, depth: int) -> typing.Any:
    kind = type(content)
    if kind is float:
        if not math.isfinite(content):
            raise ValueError(f"the number {content} is written in no way that this package writes")
        return content
    if kind is str or kind is bool or kind is int or content is None:
        return content
    if depth >= MOST_NESTED:
        raise ValueError(f"a value is nested more than {MOST_NESTED} deep")
    if kind is list:
        return [_decoded(item, depth + 1) for item in content]
    if kind is not dict:
        raise ValueError(f"{shown(content)} is no value of JSON")
    if len(content) == 1:
        ((tag, inner),) = content.items()
        if tag in _TAGS:
            return _TAGS[tag](inner, depth + 1)
    if any(key[:1] == "$" for key in content):
        raise ValueError(f"{shown(content)} is no value that this version of river_oa3 knows")
    return {key: _decoded(item, depth + 1) for key, item in content.items()}


def _tuple(content: typing.Any, depth: int) -> tuple[typing.Any, ...]:
    return tuple(_decoded(item, depth) for item in _a_list("$tuple", content))


def _dict(content: typing.Any, depth: int) -> dict[typing.Any, typing.Any]:
    pairs = _a_list("$dict", content)
    if not all(type(pair) is list and len(pair) == 2 for pair in pairs):
        raise ValueError("a '$dict' must be a list of pairs")
    keys = [_hashable(_decoded(key, depth)) for key, _ in pairs]
    check_distinct(keys)
    return {key: _decoded(pair[1], depth) for key, pair in zip(keys, pairs, strict=True)}


def _category(content: typing.Any, depth: int) -> Category:
    parts = [_decoded(item, depth) for item in _a_list("$category", content)]
    if len(parts) != 2 or type(parts[1]) is not str:
        raise ValueError("a '$category' must be a name and a text")
    return Category(_hashable(parts[0]), parts[1])


def _int(content: typing.Any, depth: int) -> int:
    if type(content) is str and len(content) <= 3 + _MOST_BITS // 4:
        try:
            number = int(content, 16)
            if hex(number) == content and abs(number) > _LARGEST_IN_JSON:
                return number
        except ValueError:
            pass
    raise ValueError(f"an '$int' must be a number in hex, not {shown(content)}")


def _float(content: typing.Any, depth: int) -> float:
    if type(content) is str and content in _NOT_FINITE:
        return _NOT_FINITE[content]
    raise ValueError(f"a '$float' must be nan, inf or -inf, not {shown(content)}")


def _decimal(content: typing.Any, depth: int) -> Decimal:
    if type(content) is str and len(content) <= 2 * _LARGEST_EXPONENT:
        try:
            number = Decimal(content)
            if str(number) == content and _is_short(number):
                return number
        except InvalidOperation:
            pass
    raise ValueError(f"a '$decimal' must be a number as text, not {shown(content)}")


_TAGS: dict[str, Callable[[typing.Any, int], typing.Any]] = {
    "$tuple": _tuple,
    "$dict": _dict,
    "$category": _category,
    "$int": _int,
    "$float": _float,
    "$decimal": _decimal,
}


def _a_list(tag: str, content: typing.Any) -> list[typing.Any]:
    if type(content) is not list:
        raise ValueError(f"a '{tag}' must be a list, not {shown(content)}")
    return content


def _hashable(value: typing.Any) -> Hashable:
    try:
        hash(value)
    except (TypeError, ValueError):  # the latter of a Decimal that signals
        raise ValueError(f"{shown(value)} cannot be a name or a key") from None
    return typing.cast(Hashable, value)


def on_a_line(text: object, most: int = 300) -> str:
    """Anybody's text on one line, of a length that can be read; nothing in it moves a cursor."""
    line = " ".join(str(text)[: 4 * most].split()).encode("unicode_escape").decode()
    return line if len(line) <= most else line[: most - 3] + "..."


def check_distinct(keys: Collection[Hashable]) -> None:
    """Refuse keys of which two are equal, or so many have the same hash as would take for ever."""
    if len(keys) - len(set(map(hash, keys))) > _MOST_EQUAL_HASHES:
        raise ValueError(f"{len(keys)} of them share {len(set(map(hash, keys)))} hashes")
    if len(set(keys)) != len(keys):
        raise ValueError("one of them is there twice")


def name_to_json(name: Hashable) -> typing.Any:
    """A feature's name as JSON; a `TypeError` where it could not be told from another again."""
    if type(name) is str:
        return name
    try:
        hash(name)
    except TypeError:
        raise TypeError(f"{name!r} cannot be a feature's name: it has no hash") from None
    if _holds_nan(name):
        raise TypeError(f"the feature's name {name!r} equals nothing, not even itself: rename it")
    return to_json(name)


def size_in_json(name: Hashable) -> int:
    """The bytes that the letters of a name will take."""
    if type(name) is Category:
        return size_in_json(name.name) + size_in_json(name.value)
    return len(encode_basestring_ascii(name)) if type(name) is str else 0


def name_from_json(content: typing.Any) -> Hashable:
    """The name that `name_to_json` was given."""
    if type(content) is str:
        return content
    name = _hashable(from_json(content))
    if _holds_nan(name):
        raise ValueError(f"the feature's name {shown(name)} equals nothing, not even itself")
    return name


def _holds_nan(name: typing.Any) -> bool:
    if type(name) is tuple:
        return any(map(_holds_nan, name))
    if type(name) is Category:
        return _holds_nan(name.name)
    return isinstance(name, (float, Decimal)) and name != name

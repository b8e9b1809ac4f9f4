"""Python's plain values as JSON, and back: nothing is rounded, and no type becomes another.

What JSON has is itself. What it lacks is an object with one key that starts with a dollar sign,
`{"$tuple": [1, 2]}`, and so is a dictionary whose keys JSON has no place for.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Collection, Hashable
from decimal import Decimal, InvalidOperation

import numpy as np

from river_oa3._core.category import Category

__all__ = [
    "check_distinct_hashes",
    "from_json",
    "name_from_json",
    "name_to_json",
    "shown",
    "to_json",
]

MOST_NESTED = 50
# Beyond it not every reader of JSON keeps an integer as it is.
_LARGEST_INTEGER = 2**53
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
        return value if -_LARGEST_INTEGER <= value <= _LARGEST_INTEGER else {"$int": hex(value)}
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
    if kind is Decimal:
        return {"$decimal": str(value)}
    if isinstance(value, np.generic):
        plain = value.item()
        if type(plain) in (str, bool, int, float):
            return _encoded(plain, depth)
    raise TypeError(
        f"{value!r} is a {kind.__module__}.{kind.__qualname__}, which cannot be stored: turn it "
        "into a number, a text, None, or a tuple, list or dict of these"
    )


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
        raise ValueError(f"{content!r} is no value of JSON")
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
    check_distinct_hashes(keys)
    value = {key: _decoded(pair[1], depth) for key, pair in zip(keys, pairs, strict=True)}
    if len(value) != len(pairs):
        raise ValueError("a '$dict' has the same key twice")
    return value


def _category(content: typing.Any, depth: int) -> Category:
    parts = [_decoded(item, depth) for item in _a_list("$category", content)]
    if len(parts) != 2 or type(parts[1]) is not str:
        raise ValueError("a '$category' must be a name and a text")
    return Category(_hashable(parts[0]), parts[1])


def _int(content: typing.Any, depth: int) -> int:
    # In hex, which takes no longer than it is long.
    if type(content) is str and content.lstrip("-")[:2] == "0x":
        return int(content, 16)
    raise ValueError(f"an '$int' must be a number in hex, not {shown(content)}")


def _float(content: typing.Any, depth: int) -> float:
    if type(content) is str and content in _NOT_FINITE:
        return _NOT_FINITE[content]
    raise ValueError(f"a '$float' must be nan, inf or -inf, not {shown(content)}")


def _decimal(content: typing.Any, depth: int) -> Decimal:
    try:
        if type(content) is str:
            return Decimal(content)
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


def shown(value: typing.Any) -> str:
    """A value in a few words, whatever it is."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


def check_distinct_hashes(keys: Collection[Hashable]) -> None:
    """Refuse keys that were chosen to have the same hash, which would take for ever to look up."""
    if len(keys) - len(set(map(hash, keys))) > _MOST_EQUAL_HASHES:
        raise ValueError(f"{len(keys)} names share {len(set(map(hash, keys)))} hashes")


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

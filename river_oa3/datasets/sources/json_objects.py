"""One line of JSON as an object, and why another is none."""

from __future__ import annotations

import json
from typing import Any

from river_oa3.datasets.errors import short_repr
from river_oa3.datasets.sources.encoding import remedy

_EXAMPLE = 'write one whole object on each line, as {"size": 1.5, "label": 0}'
# More digits than any float has, and fewer than Python refuses to read.
_DIGITS = 400


class NotAnObjectError(ValueError):
    """What is wrong with a line, and the fix."""


class NotUtf8Error(NotAnObjectError):
    """A line in another encoding."""


def read_object(line: bytes) -> dict[str, Any]:
    """The keys and values of a line, each key once; objects in it are flattened.

    Examples
    --------

    >>> from river_oa3.datasets.sources.json_objects import read_object

    >>> read_object(b'{"amount": {"value": 3, "tax": {"rate": 0.2}}, "label": 1}')
    {'amount.value': 3, 'amount.tax.rate': 0.2, 'label': 1}

    """
    try:
        found = _parsed(line.decode())
    except UnicodeDecodeError as error:
        byte = line[error.start]
        raise NotUtf8Error(f"byte 0x{byte:02x} is not UTF-8: {remedy(line)}") from None
    except json.JSONDecodeError as error:
        raise NotAnObjectError(
            f"no JSON ({error.msg}, at character {error.pos + 1}): {_EXAMPLE}"
        ) from None
    except RecursionError:
        raise NotAnObjectError(f"objects or lists too deep in one another: {_EXAMPLE}") from None
    if not isinstance(found, dict):
        start = short_repr(line[:60].decode(errors="replace").strip())
        raise NotAnObjectError(f"expected an object, found {start}: {_EXAMPLE}")
    return flattened(found) if any(type(value) is dict for value in found.values()) else found


def flattened(content: dict[str, Any]) -> dict[str, Any]:
    """An object without objects in it: their keys stand behind a point."""
    found: dict[str, Any] = {}
    # No recursion, as objects may lie deep in one another.
    waiting = [("", iter(content.items()))]
    while waiting:
        start, items = waiting[-1]
        for key, value in items:
            name = start + key
            if type(value) is dict:
                waiting.append((f"{name}.", iter(value.items())))
                break
            if name in found:
                raise NotAnObjectError(
                    f"key {short_repr(name)} stands twice, once as a key in an object: rename one"
                )
            found[name] = value
        else:
            waiting.pop()
    return found


def _parsed(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (json.JSONDecodeError, NotAnObjectError):
        raise
    except ValueError:
        # Python reads no number of thousands of digits; a shorter one is refused by its key.
        return json.loads(text, object_pairs_hook=_each_once, parse_int=_shortened)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotAnObjectError(f"key {short_repr(twice)} stands twice: rename or remove one")
    if not "".join(found).isascii():
        for key in found:
            _check_key(key)
    return found


def _check_key(key: str) -> None:
    try:
        key.encode()
    except UnicodeEncodeError:
        raise NotAnObjectError(
            f"key {short_repr(key)} has half a character (a lone surrogate): rename it"
        ) from None


def _shortened(digits: str) -> int:
    return int(digits[:_DIGITS])


_DECODER = json.JSONDecoder(object_pairs_hook=_each_once)

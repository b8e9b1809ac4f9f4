"""The error for data that cannot be used as it is."""

from __future__ import annotations

from typing import Any


class DataError(ValueError):
    """What is wrong with the data, and the fix, in one line.

    Examples
    --------

    >>> from river_oa3 import datasets

    >>> datasets.open_stream([({"a": 1.0}, True), ({"a": None}, False)])
    Traceback (most recent call last):
        ...
    river_oa3.datasets.errors.DataError: event 2: feature 'a' is None, ... fill it first, ...

    """

    def __init__(self, message: str):
        # Names, paths and the reasons of other libraries may hold line breaks.
        super().__init__(" ".join(part.strip() for part in message.splitlines()))


def first_few(items: list[Any], most: int) -> str:
    """The first few of a list, and how many more there are."""
    text = ", ".join(str(item) for item in items[:most])
    return text if len(items) <= most else f"{text} and {len(items) - most:,} more"


def short_repr(value: Any) -> str:
    """A value as it goes into a message: on one line, and not much of it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

"""The features that a value of a column becomes."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping

from river_oa3._core.category import kept_text
from river_oa3.schema import values
from river_oa3.schema.column import Column

__all__ = ["MISSING", "WEEKDAYS", "Feature", "base_names", "date_features", "features"]

MISSING = "(missing)"
"""The category that a gap is."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_WORD = re.compile(r"\w+")

Feature = tuple[str, float | str | None]
"""A name and a value: a number, a category, or None where a number is missing."""


def features(value: typing.Any, column: Column, name: str) -> tuple[Feature, ...]:
    """What a value becomes, under names that start with `name`.

    Raises an `UnreadableError` where it is not what the column says.
    """
    kind = column.kind
    value = values.plain(value)
    if isinstance(value, str):
        word = value.lower()
        if word in column.gaps or (kind not in ("category", "text") and word in values.GAPS):
            value = None
    if kind == "category":
        return ((name, MISSING if value is None else values.as_text(value)),)
    if kind == "text":
        words = () if value is None else _WORD.findall(values.as_text(value).lower())
        return tuple((f"{name}: {kept_text(word)}", 1.0) for word in dict.fromkeys(words))
    if kind == "date":
        if value is None:
            return ((f"{name}.weekday", MISSING),)
        found = values.date(value, column.day_first, column.form)
        return date_features(found.weekday(), found.hour, column, name)
    if value is None:
        return ((name, None),)
    if kind == "number":
        return ((name, values.number(value, column.decimal)),)
    if kind == "boolean":
        return ((name, values.boolean(value)),)
    hours, hour = values.time(value)
    return ((name, hours), (f"{name}.hour", f"{hour:02}"))


def date_features(weekday: int, hour: int, column: Column, name: str) -> tuple[Feature, ...]:
    """What a date becomes. Its age is no feature: what only grows is never seen twice."""
    day = (f"{name}.weekday", WEEKDAYS[weekday])
    return (day, (f"{name}.hour", f"{hour:02}")) if column.hours else (day,)


def base_names(columns: Mapping[str, Column]) -> dict[str, str]:
    """What the names of each column's features start with: its own name, unless some would meet."""
    names = {}
    taken = {name for name, column in columns.items() if column.kind != "left out"}
    for name, column in columns.items():
        base, count = name, 1
        while _meets(base, column, taken):
            count += 1
            base = f"{name} ({count})"
        names[name] = base
        if column.kind in ("date", "time"):
            taken |= {f"{base}.weekday", f"{base}.hour"}
    return names


def _meets(base: str, column: Column, taken: set[str]) -> bool:
    if column.kind == "date":
        return not taken.isdisjoint((f"{base}.weekday", f"{base}.hour"))
    if column.kind == "time":
        return f"{base}.hour" in taken
    if column.kind == "text":
        start = f"{base}: "
        return any(each.startswith(start) and _WORD.fullmatch(each, len(start)) for each in taken)
    return False

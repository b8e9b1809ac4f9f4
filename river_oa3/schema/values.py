"""What a cell says: a text as a file holds it, or a value that has a type already."""

from __future__ import annotations

import datetime as dt
import math
import re
import typing
from decimal import Decimal

import numpy as np

__all__ = [
    "GAPS",
    "SLASHES",
    "UnreadableError",
    "as_text",
    "boolean",
    "date",
    "date_forms",
    "number",
    "plain",
    "time",
]

GAPS = frozenset({"", "-", ".", "?", "n/a", "na", "nan", "nat", "none", "null"})
"""Words for a gap among numbers, dates, times and booleans; elsewhere they may be values."""

TRUE = frozenset({"true", "yes", "y", "t", "1", "1.0"})
FALSE = frozenset({"false", "no", "n", "f", "0", "0.0"})

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# Dates in words, such as "Fri, 5 Jan 2024", "05-Jan-24" and "January 5th, 2024".
WORD_FORMS = (
    (r"(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*[., ]+", ""),
    *(
        (rf"(?i)^([0-9]{{1,2}})(st|nd|rd|th)?[. -]+{month}[a-z]*[., -]+{years}", rf"{form}\1\4")
        for number, month in enumerate(MONTHS, 1)
        for years, form in (
            (r"([0-9]{4})($|[^0-9])", rf"\3-{number:02}-"),
            (r"([0-6][0-9])($|[^0-9])", rf"20\3-{number:02}-"),
            (r"([7-9][0-9])($|[^0-9])", rf"19\3-{number:02}-"),
        )
    ),
    *(
        (
            rf"(?i)^{month}[a-z]*[. -]+([0-9]{{1,2}})(st|nd|rd|th)?[, -]+([0-9]{{4}})",
            rf"\3-{number:02}-\1",
        )
        for number, month in enumerate(MONTHS, 1)
    ),
)

# Other ways to write a date, and the same in ISO's form: 2024/1/31, 31.1.2024, 31.01.24, one digit
# for two, too many digits of a second, and zones after a blank.
DATE_FORMS = (
    (r"^([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})", r"\1-\2-\3"),
    (r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", r"\3-\2-\1"),
    (r"^([0-9]{2})\.([0-9]{2})\.([0-6][0-9])($|[^0-9.])", r"20\3-\2-\1\4"),
    (r"^([0-9]{2})\.([0-9]{2})\.([7-9][0-9])($|[^0-9.])", r"19\3-\2-\1\4"),
    (r"^([0-9]{4})-([0-9])-", r"\1-0\2-"),
    (r"^([0-9]{4}-[0-9]{2})-([0-9])($|[^0-9])", r"\1-0\2\3"),
    (r"^([0-9-]{10}), *", r"\1 "),
    (r"^([0-9-]{10})[ T]+([0-9]):", r"\1 0\2:"),
    (r"(:[0-9]{2}\.[0-9]{6})[0-9]+", r"\1"),
    (r"(:[0-9.]+) ?(Z|UTC|GMT)$", r"\1+00:00"),
    (r"(:[0-9.]+) ([+-][0-9]{2}:?[0-9]{2})$", r"\1\2"),
)

# Hours that are counted to twelve, behind a date in ISO's form.
HALF_DAYS = (
    (r"(?i)^([0-9-]{10})[ T]12(:[0-9:.]+) ?am$", r"\1 00\2"),
    (r"(?i)^([0-9-]{10})[ T](0[0-9]|1[01])(:[0-9:.]+) ?am$", r"\1 \2\3"),
    (r"(?i)^([0-9-]{10})[ T]12(:[0-9:.]+) ?pm$", r"\1 12\2"),
    *(
        (rf"(?i)^([0-9-]{{10}})[ T]{hour:02}(:[0-9:.]+) ?pm$", rf"\1 {hour + 12}\2")
        for hour in range(1, 12)
    ),
)

# Dates such as 31/1/2024, 31-1-2024 and 31/1/24, the day before the month.
DAY_FIRST = (
    (r"^([0-9]{1,2})[/-]([0-9]{1,2})[/-]([0-9]{4})", r"\3-\2-\1"),
    (r"^([0-9]{1,2})/([0-9]{1,2})/([0-6][0-9])($|[^0-9])", r"20\3-\2-\1\4"),
    (r"^([0-9]{1,2})/([0-9]{1,2})/([7-9][0-9])($|[^0-9])", r"19\3-\2-\1\4"),
)

# Dates such as 1/31/2024, 1-31-2024 and 1/31/24, the month before the day.
MONTH_FIRST = (
    (r"^([0-9]{1,2})[/-]([0-9]{1,2})[/-]([0-9]{4})", r"\3-\1-\2"),
    (r"^([0-9]{1,2})/([0-9]{1,2})/([0-6][0-9])($|[^0-9])", r"20\3-\1-\2\4"),
    (r"^([0-9]{1,2})/([0-9]{1,2})/([7-9][0-9])($|[^0-9])", r"19\3-\1-\2\4"),
)
SLASHES = r"^\s*[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{2}"
"""Dates of which a reader cannot tell what the first number is."""

_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}(?:\.[0-9]+)?))? ?([ap]m)?", re.I)
# 1.234,5: points stand between groups of three digits alone.
_COMMA = re.compile(r"[+-]?([0-9]{1,3}(\.[0-9]{3})+|[0-9]*)(,[0-9]*)?([eE][+-]?[0-9]{1,2})?")
_EPOCH = dt.datetime(1970, 1, 1)
_UNITS = {"seconds": 1, "milliseconds": 1000}


class UnreadableError(ValueError):
    """What a value is not, such as "a number"."""


def plain(value: typing.Any) -> typing.Any:
    """A value of Python's own, a text without the blanks around it; None for a gap.

    A date with a zone is taken in UTC, as whatever else, so that no zone of a session matters.
    """
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, np.generic):
        if isinstance(value, np.datetime64):
            value = value.astype("datetime64[us]")
        value = value.item()
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        try:
            return value.astimezone(dt.UTC)
        except OverflowError:  # the first and the last day that there is
            return value
    try:
        return None if value != value else value  # NaN and pandas' NaT differ from themselves
    except TypeError:  # whether pandas' NA does so is NA
        return None
    except ValueError:  # an array, which whoever reads it refuses
        return value


def as_text(value: typing.Any) -> str:
    """The one text for all ways to give a value: 1, 1.0 and "1" are alike, True is "true"."""
    if isinstance(value, str):
        if value.endswith(".0") and value[:-2].isdecimal():
            return value[:-2]
        return value.lower() if value in ("True", "False", "TRUE", "FALSE") else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if not isinstance(value, (int, float, dt.date, dt.time)):
        raise UnreadableError("a text")
    return str(value)


def number(value: typing.Any, decimal: str = ".") -> float | None:
    """A finite number; None for one that is not there."""
    if decimal == "," and isinstance(value, str):
        if not _COMMA.fullmatch(value):
            raise UnreadableError("a number with a decimal comma")
        value = value.replace(".", "").replace(",", ".")
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UnreadableError("a number") from None
    if math.isinf(result):
        raise UnreadableError("a finite number")
    return None if math.isnan(result) else result


def boolean(value: typing.Any) -> float:
    """1 for true, 0 for false."""
    text = str(value).lower()
    if text in TRUE:
        return 1.0
    if text in FALSE:
        return 0.0
    raise UnreadableError("true or false")


def date(value: typing.Any, day_first: bool | None = None, form: str | None = None) -> dt.datetime:
    """A date, in UTC where it has a zone."""
    try:
        found = _date(value, day_first, form)
        return found if found.tzinfo is None else found.astimezone(dt.UTC).replace(tzinfo=None)
    except UnreadableError:
        raise
    except (AttributeError, OverflowError, TypeError, ValueError):
        as_written = "" if form is None else f" written as {form!r}"
        raise UnreadableError(f"a date{as_written}") from None


def _date(value: typing.Any, day_first: bool | None, form: str | None) -> dt.datetime:
    if isinstance(value, dt.datetime):
        return value
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    if form in _UNITS:
        return _EPOCH + dt.timedelta(seconds=float(value) / _UNITS[form])
    text = as_text(value)
    if form is not None:
        return dt.datetime.strptime(text, form)
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        pass
    if day_first is None and re.match(SLASHES, text):
        raise UnreadableError("a date that can be told: say day_first=True or day_first=False")
    for pattern, iso in date_forms(day_first, has_words=bool(re.search("(?i)[a-z]{2}", text))):
        text = re.sub(pattern, iso, text)
    return dt.datetime.fromisoformat(text)


def date_forms(day_first: bool | None, has_words: bool) -> tuple[tuple[str, str], ...]:
    """Patterns, one after the other, that bring dates into ISO's form.

    Words need fifty patterns more, and most columns have none.
    """
    order = DAY_FIRST if day_first else MONTH_FIRST
    words, half_days = (WORD_FORMS, HALF_DAYS) if has_words else ((), ())
    return (*order, *words, *DATE_FORMS, *half_days)


def time(value: typing.Any) -> tuple[float, int]:
    """The hours since midnight, with and without what is beyond the full hour."""
    if isinstance(value, (dt.datetime, dt.time)):
        seconds = value.minute * 60 + value.second + value.microsecond / 1e6
        return value.hour + seconds / 3600.0, value.hour
    found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise UnreadableError("a time of day")
    hour, minute, second = int(found[1]), int(found[2]), float(found[3] or 0)
    if found[4] is not None:
        if not 1 <= hour <= 12:
            raise UnreadableError("a time of day")
        hour = hour % 12 + 12 * (found[4].lower() == "pm")
    if hour > 23 or minute > 59 or second >= 61.0:
        raise UnreadableError("a time of day")
    return hour + (minute * 60 + second) / 3600.0, hour

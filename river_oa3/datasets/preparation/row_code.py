# mypy: allow-untyped-defs, allow-untyped-calls
"""How one row becomes the features of one event: the functions that model.py is given.

`code.py` copies what is needed of this file, so that a model in production reads a row just as the
experiments did, without this package's help. That is why it is written in plain Python without
types, imports nothing but the standard library, and repeats no name of the rest of the package.
"""

import math
import re
import zlib
from datetime import UTC, datetime, timedelta

# Texts that stand for a gap among numbers, dates and flags; elsewhere they may be values.
GAPS = {"", "-", ".", "?", "n/a", "na", "nan", "nat", "none", "null"}

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

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def given(row, name, gaps=("",)):
    """The value in a column, a text without the blanks around it; None where there is a gap."""
    value = row.get(name)
    if isinstance(value, str):
        value = value.strip()
        return None if value.lower() in gaps else value
    return None if value != value else value  # NaN alone differs from itself


def as_text(value):
    """A value as the text that a file would hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def number(row, name):
    """The number in a column; None where there is a gap."""
    value = given(row, name, GAPS)
    if value is None:
        return None
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"column {name!r} holds {value!r}, not a number") from None
    if math.isinf(result):
        raise ValueError(f"column {name!r} holds {value!r}, not a finite number")
    return None if math.isnan(result) else result


def flag(row, name):
    """Whether a column says true; None where there is a gap."""
    value = given(row, name, GAPS)
    if value is None:
        return None
    if str(value).lower() not in ("true", "false"):
        raise ValueError(f"column {name!r} holds {value!r}, neither true nor false")
    return str(value).lower() == "true"


def moment(row, name, to_iso=str):
    """The time in a column, in UTC where it has a zone; None where there is a gap."""
    value = given(row, name, GAPS)
    if value is None:
        return None
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(to_iso(value))
        elif not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
    except (AttributeError, ValueError):
        raise ValueError(f"column {name!r} holds {value!r}, not a date") from None
    return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)


def day_first(text):
    """A date in ISO's form, where 3/4/2024 is in April."""
    return rewritten(text, (*DAY_FIRST, *WORD_FORMS, *DATE_FORMS, *HALF_DAYS))


def month_first(text):
    """A date in ISO's form, where 3/4/2024 is in March."""
    return rewritten(text, (*MONTH_FIRST, *WORD_FORMS, *DATE_FORMS, *HALF_DAYS))


def rewritten(text, forms):
    """A text with patterns replaced one after the other."""
    for pattern, form in forms:
        text = re.sub(pattern, form, text)
    return text


def bucket(text):
    """The number of the bucket that a text falls into: the same one always and everywhere."""
    return zlib.crc32(text.encode(errors="replace")) % 1024


def buckets_of_words(text):
    """The buckets of the words of a text, in small letters, each bucket once."""
    return sorted({bucket(word) for word in re.findall(r"\w+", text.lower())})


def add_number(x, row, name, fill, missing=None):
    """A number; at a gap what it is filled with, if anything, and a flag."""
    value = number(row, name)
    if value is not None:
        x[name] = value
        return
    if fill is not None:
        x[name] = fill
    if missing:
        x[missing] = 1.0


def add_flag(x, row, name, missing=None):
    """1 for true and 0 for false; at a gap, another flag."""
    value = flag(row, name)
    if value is not None:
        x[name] = float(value)
    elif missing:
        x[missing] = 1.0


def add_category(x, row, name, read=given):
    """A text that stands for one of a few values; a gap is one of them."""
    value = read(row, name)
    x[name] = "(missing)" if value is None else as_text(value)


def add_hashed(x, row, name, missing=None, to=None):
    """A text of very many values: 1 in one of 1,024 buckets."""
    value = given(row, name)
    if value is not None:
        x[f"{to or name}#{bucket(as_text(value))}"] = 1.0
    elif missing:
        x[missing] = 1.0


def add_words(x, row, name, missing=None, to=None):
    """A text in free words: 1 in the bucket of each word, in small letters."""
    value = given(row, name)
    if value is not None:
        for found in buckets_of_words(as_text(value)):
            x[f"{to or name}#{found}"] = 1.0
    elif missing:
        x[missing] = 1.0


def add_date(x, row, name, earliest, hour=False, missing=None, to_iso=str, to=None):
    """The day of the week and the hour as categories, and the days since the earliest date."""
    value = moment(row, name, to_iso)
    if value is not None:
        name = to or name
        x[f"{name}.weekday"] = WEEKDAYS[value.weekday()]
        if hour:
            x[f"{name}.hour"] = f"{value.hour:02}"
        microseconds = (value - earliest) // timedelta(microseconds=1)
        x[f"{name}.age"] = float(microseconds) / 86_400_000_000.0
    elif missing:
        x[missing] = 1.0

"""What a careful reader of a table would ask about before using it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from river_oa3.datasets.errors import first_few, short_repr
from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.leakage import (
    Leak,
    balanced_accuracy,
    grows_with_time,
    leak,
    worth_of_codes,
)
from river_oa3.datasets.preparation.options import Options
from river_oa3.datasets.preparation.profile import Profile
from river_oa3.datasets.preparation.reading import as_texts
from river_oa3.schema.values import GAPS

_TOO_GOOD = 0.995
_FEWEST_CODES, _MOST_CODES = 3, 30
_ROWS_PER_CODE = 20
# A number with a comma, a currency or a per cent sign.
_COMMA = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})?")
_MONEY = "[$€£¥]|EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK"
_ALMOST_NUMBER = re.compile(
    rf"({_MONEY})? ?[+-]?[0-9]{{1,3}}([.,' ]?[0-9]{{3}})*([.,][0-9]+)? ?(%|{_MONEY})?"
)


def warnings_of(profile: Profile, columns: Sequence[ColumnProfile], options: Options) -> list[str]:
    """What may be wrong with these columns although nothing forbids their use."""
    return [
        *profile.remarks,
        *_leakage(profile, columns),
        *_late_positives(profile),
        *_growing(profile, columns, options),
        *_ambiguous_dates(columns),
        *_gap_words(columns, options),
        *_almost_numbers(profile, columns, options),
        *_spellings(columns, options),
        *_one_value_each(profile, columns, options),
        *_codes(profile, columns, options),
    ]


def _leakage(profile: Profile, columns: Sequence[ColumnProfile]) -> Iterator[str]:
    for column in columns:
        accuracy = balanced_accuracy(column, profile)
        if accuracy is not None and accuracy > _TOO_GOOD:
            yield (
                f"column {short_repr(column.name)} may leak the label: it alone separates the "
                f"classes (balanced accuracy {accuracy:.1%} on rows held out); if it is known only "
                f"once the label is, leave it out with --drop {shlex.quote(column.name)}"
            )
            continue
        found = leak(column, profile)
        if found is not None:
            yield (
                f"column {short_repr(column.name)} may leak the label: "
                f"{_percent(found.positives)} of the positives and {_percent(found.others)} of the "
                f"others have {_had(found)} it; if it is filled in only once the label is known, "
                "leave it out with --drop "
                f"{shlex.quote(column.name)}"
            )


def _had(found: Leak) -> str:
    if found.value is None:
        return "a value in" if found.is_other else "no value in"
    value = short_repr(found.value)
    return f"something other than {value} in" if found.is_other else f"{value} in"


def _percent(share: float) -> str:
    """A share as per cent, of which none and all are said of none and all alone."""
    text = f"{share:.0%}" if share in (0.0, 1.0) or 0.1 <= share < 0.995 else f"{share:.1%}"
    return text.replace("%", " %")


def _late_positives(profile: Profile) -> Iterator[str]:
    if profile.first_positive >= profile.rows / 10:
        yield (
            f"no positive event among the first {profile.first_positive:,} of {profile.rows:,}: "
            "if the rows are sorted by class, shuffle them or sort them by time"
        )


def _ambiguous_dates(columns: Sequence[ColumnProfile]) -> Iterator[str]:
    for column in columns:
        if column.dates is not None and column.dates.is_ambiguous:
            yield (
                f"column {short_repr(column.name)} has dates such as {column.example!r} and none "
                "that tells the day from the month: the month is taken to come first; write them "
                "as 2024-01-31 if it does not"
            )


def _growing(profile: Profile, columns: Sequence[ColumnProfile], options: Options) -> Iterator[str]:
    for column in columns:
        if column.looks != "number" or column.distinct < _FEWEST_CODES:
            continue
        if column.name in options.category:
            continue
        date = None if column.never_falls else grows_with_time(column, profile)
        if column.never_falls or date is not None:
            by = "from row to row" if date is None else f"with the date in {short_repr(date)}"
            yield (
                f"column {short_repr(column.name)} only grows {by}, so that later numbers are ones "
                "that no model has seen: if it counts rows or time, leave it out with --drop "
                f"{shlex.quote(column.name)}"
                + ("; if the file was sorted by it, sort it by time" if date is None else "")
            )


def _gap_words(columns: Sequence[ColumnProfile], options: Options) -> Iterator[str]:
    for column in columns:
        if column.gap_words and column.name not in options.category:
            yield (
                f"column {short_repr(column.name)} has numbers and the word "
                f"{column.gap_words[0]!r}, which is taken for a gap: if it is a value, say "
                f"--category {shlex.quote(column.name)}"
            )


def _almost_numbers(
    profile: Profile, columns: Sequence[ColumnProfile], options: Options
) -> Iterator[str]:
    for column in columns:
        example = _almost_number(profile, column, options)
        if example is None:
            continue
        how = "write them as 1234.5"
        if all(_COMMA.fullmatch(text) for text in _some_texts(profile, column)):
            how = "if decimals stand behind the comma, say --decimal ,; if not, write them as 1234"
        yield (
            f"column {short_repr(column.name)} is taken for texts, though values such as "
            f"{example!r} look like numbers: {how}"
        )


def _almost_number(profile: Profile, column: ColumnProfile, options: Options) -> str | None:
    """A text that is nearly a number, of a category of which all are; None of any other column."""
    if column.looks != "category" or column.name in options.category:
        return None
    texts = _some_texts(profile, column)
    if not all(_ALMOST_NUMBER.fullmatch(text) for text in texts):
        return None
    # Codes with a zero in front and versions are numbers as they are, and none all the same. Among
    # 779.12 and 1,234.56, the first is no example.
    return next((text for text in texts if not _is_number(text)), None)


def _some_texts(profile: Profile, column: ColumnProfile) -> list[str]:
    """Values of a column: its first, its most common ones and those of the sampled rows."""
    texts = [column.example, *(value for value, _ in column.common)]
    for sample in profile.sample.values():
        if column.name in sample.columns:
            texts += as_texts(sample.column(column.name).unique()).to_pylist()
    return [text for text in dict.fromkeys(texts) if text and text.lower() not in GAPS]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _spellings(columns: Sequence[ColumnProfile], options: Options) -> Iterator[str]:
    for column in columns:
        if column.kind == "category":
            spelled: dict[str, list[str]] = {}
            for value in column.values or ():
                spelled.setdefault(" ".join(value.casefold().split()), []).append(value)
            alike = [values for values in spelled.values() if len(values) > 1]
            if alike:
                yield (
                    f"column {short_repr(column.name)} has values that differ in nothing but "
                    f"capitals or blanks, {_pairs(alike)}: each is a value of its own; write them "
                    "in one way if they are the same"
                )
        if column.looks == "number" and column.same and column.name not in options.category:
            yield (
                f"column {short_repr(column.name)} has {_pairs([list(column.same)])}, which are "
                "the same number: if they are versions or codes, say --category "
                f"{shlex.quote(column.name)}"
            )


def _pairs(groups: Sequence[list[str]]) -> str:
    return first_few([" and ".join(map(short_repr, group[:3])) for group in groups], 3)


def _one_value_each(
    profile: Profile, columns: Sequence[ColumnProfile], options: Options
) -> Iterator[str]:
    for column in columns:
        filled = column.rows - column.gaps
        is_one_each = filled >= 50 and column.distinct > 0.9 * filled
        if column.kind != "category" or not is_one_each:
            continue
        # What is nearly a number is to be made one, and has been named.
        if _almost_number(profile, column, options) is None:
            yield (
                f"column {short_repr(column.name)} has high cardinality, another value in "
                "nearly every row, and nothing can be learned from a value that occurs once: leave "
                f"it out with --drop {shlex.quote(column.name)}, or give what the values share a "
                "column of its own"
            )


def _codes(profile: Profile, columns: Sequence[ColumnProfile], options: Options) -> Iterator[str]:
    shown = set()
    for column in columns:
        if column.looks != "number" or not column.is_whole or column.name in options.category:
            continue
        worth = worth_of_codes(column, profile)
        if worth is not None:
            shown.add(column.name)
            yield (
                f"column {short_repr(column.name)} predicts the label better as a category "
                f"than as a number (area under the ROC curve {worth.as_category:.2f} and "
                f"{worth.as_number:.2f} on rows held out): say "
                f"--category {shlex.quote(column.name)}"
            )
    names = [
        column.name
        for column in columns
        if column.name not in shown and _may_be_codes(column, options)
    ]
    if names:
        listed = first_few([short_repr(name) for name in names], 10)
        yield (
            f"whole numbers with few values, {listed}: if they are codes and not amounts, say "
            f"--category {shlex.quote(names[0])}"
        )


def _may_be_codes(column: ColumnProfile, options: Options) -> bool:
    return (
        column.looks == "number"
        and column.is_whole
        and column.name not in options.category
        and _FEWEST_CODES <= column.distinct <= _MOST_CODES
        and column.rows >= _ROWS_PER_CODE * column.distinct
    )

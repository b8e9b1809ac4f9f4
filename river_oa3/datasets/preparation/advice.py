"""What a careful reader of a table would ask about before using it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from river_oa3.datasets.errors import first_few, short_repr
from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.giveaway import balanced_accuracy
from river_oa3.datasets.preparation.profile import Profile
from river_oa3.datasets.preparation.wishes import Wishes

_TOO_GOOD = 0.995
_FEWEST_CODES, _MOST_CODES = 3, 30
_ROWS_PER_CODE = 20
# A number with a comma, a currency or a per cent sign.
_ALMOST_NUMBER = re.compile(r"[$€£]? ?[+-]?[0-9]{1,3}([.,' ]?[0-9]{3})*([.,][0-9]+)? ?[%$€£]?")


def warnings_of(profile: Profile, columns: Sequence[ColumnProfile], wishes: Wishes) -> list[str]:
    """What may be wrong with these columns although nothing forbids their use."""
    return [
        *profile.remarks,
        *_giveaways(profile, columns),
        *_late_positives(profile),
        *_ambiguous_dates(columns),
        *_almost_numbers(columns, wishes),
        *_codes(columns, wishes),
    ]


def _giveaways(profile: Profile, columns: Sequence[ColumnProfile]) -> Iterator[str]:
    for column in columns:
        accuracy = balanced_accuracy(column, profile)
        if accuracy is not None and accuracy > _TOO_GOOD:
            yield (
                f"column {short_repr(column.name)} alone tells the classes apart (balanced "
                f"accuracy {accuracy:.1%} on rows held out): if it is known only once the label "
                f"is, leave it out with --drop {shlex.quote(column.name)}"
            )


def _late_positives(profile: Profile) -> Iterator[str]:
    if profile.first_positive >= profile.rows / 10:
        yield (
            f"no positive event among the first {profile.first_positive:,} of {profile.rows:,}: "
            "if the rows are sorted by class, mix them or sort them by time"
        )


def _ambiguous_dates(columns: Sequence[ColumnProfile]) -> Iterator[str]:
    for column in columns:
        if column.dates is not None and column.dates.is_ambiguous:
            yield (
                f"column {short_repr(column.name)} has dates such as {column.example!r} and none "
                "that tells the day from the month: the month is taken to come first; write them "
                "as 2024-01-31 if it does not"
            )


def _almost_numbers(columns: Sequence[ColumnProfile], wishes: Wishes) -> Iterator[str]:
    for column in columns:
        if column.looks not in ("category", "wide") or column.name in wishes.category:
            continue
        texts = [value for value, _ in column.common] or [column.example]
        if all(_ALMOST_NUMBER.fullmatch(text) for text in texts):
            yield (
                f"column {short_repr(column.name)} is taken for texts, though values such as "
                f"{column.example!r} look like numbers: write them as 1234.5"
            )


def _codes(columns: Sequence[ColumnProfile], wishes: Wishes) -> Iterator[str]:
    names = [column.name for column in columns if _may_be_codes(column, wishes)]
    if names:
        listed = first_few([short_repr(name) for name in names], 10)
        yield (
            f"whole numbers with few values, {listed}: if they are codes and not amounts, say "
            f"--category {shlex.quote(names[0])}"
        )


def _may_be_codes(column: ColumnProfile, wishes: Wishes) -> bool:
    return (
        column.looks == "number"
        and column.is_whole
        and column.name not in wishes.category
        and _FEWEST_CODES <= column.distinct <= _MOST_CODES
        and column.rows >= _ROWS_PER_CODE * column.distinct
    )

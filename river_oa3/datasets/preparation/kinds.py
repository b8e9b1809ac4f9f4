"""What a column is, from what was found in it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from river_oa3.datasets.encode import MAX_TEXTS_PER_FEATURE
from river_oa3.datasets.preparation.column_profile import ColumnProfile, Kind, Looks
from river_oa3.datasets.preparation.column_scan import ID, WORD, ColumnScan, weighed
from river_oa3.datasets.preparation.date_scan import Dates
from river_oa3.datasets.preparation.names import (
    is_called_a_day,
    is_called_a_version,
    is_called_an_id,
)
from river_oa3.datasets.preparation.number_scan import NumberScan
from river_oa3.schema.values import GAPS, as_text

# Not 1.0, as many writers put 1.
_DECIMALS = re.compile(r"[0-9]+\.([0-9]*[1-9]0*)")
_WORDS_OF_FREE_TEXT = 3.0
_SHARE_OF_IDS = 0.9
_ROWS_TO_RECOGNISE_IDS = 50
_LISTED = 5
# With fewer numbers, a word among them may be a value like them: 1, 2, 3 and many.
_NUMBERS_BESIDE_GAPS = 10
_SHARE_OF_WORDS = 0.5
# So many different numbers are hardly ever all of these by chance.
_DATES_TO_RECOGNISE = 10
# From 2000 to 2040.
_SINCE_1970 = {
    "seconds": (946_684_800, 2_208_988_800),
    "milliseconds": (946_684_800_000, 2_208_988_800_000),
}
# Of a sequence in which some are missing, this share is there.
_DENSE = 0.1


def found(name: str, scan: ColumnScan, rows: int) -> ColumnProfile:
    """What a column is, in a table of so many rows."""
    numbers, decimal, gap_words = _numbers(scan)
    same = _same_numbers(scan) if decimal == "." else ()
    if same and is_called_a_version(name):
        numbers = None
    if numbers is not None and numbers.is_long and _is_repeated(scan, numbers):
        # As floats, codes that lie side by side would be one number.
        numbers = None
    looks = _looks(scan, numbers)
    counts = _counts(scan, looks, decimal, gap_words)
    filled = _filled(scan, looks, numbers)
    is_counted = not scan.values.is_full
    profile = ColumnProfile(
        name=name,
        kind=looks,
        looks=looks,
        rows=scan.rows,
        absent=rows - scan.rows,
        gaps=scan.rows - filled,
        distinct=len(counts) if is_counted else scan.distinct.count,
        is_exact=is_counted or scan.distinct.is_exact,
        values=tuple(sorted(counts)) if is_counted else None,
        common=tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_LISTED]),
        example=scan.example or "",
        unfit=scan.unfit,
    )
    if looks == "number" and numbers is not None:
        profile = replace(
            profile,
            smallest=numbers.smallest,
            largest=numbers.largest,
            mean=numbers.mean,
            deviation=numbers.deviation,
            is_whole=numbers.is_whole,
            never_falls=numbers.never_falls and numbers.count >= _ROWS_TO_RECOGNISE_IDS,
            infinite_at=numbers.infinite_at,
            decimal=decimal,
            gap_words=gap_words,
            same=same,
            example=_spelled(scan.example or "", decimal, gap_words) or as_text(numbers.smallest),
        )
        profile = _as_date(profile, numbers)
    if looks == "boolean":
        profile = replace(profile, example=next(iter(counts)))
    if looks == "date" and scan.dates is not None:
        profile = replace(profile, dates=scan.dates.finish(), values=None, common=())
    return replace(profile, kind=_kind(profile, scan, numbers))


def _numbers(scan: ColumnScan) -> tuple[NumberScan | None, str, tuple[str, ...]]:
    """The numbers that a column holds, what stands before their decimals, and words for gaps."""
    for numbers, decimal, words in (
        (scan.commas if scan.is_comma_certain else None, ",", scan.comma_words),
        (scan.numbers, ".", scan.number_words),
    ):
        if numbers is None or not (numbers.count or numbers.infinite):
            continue
        if not words:
            return numbers, decimal, ()
        distinct = scan.distinct.count if scan.values.is_full else len(scan.values.counts)
        are_gaps = len(words) == 1 and sum(words.values()) <= _SHARE_OF_WORDS * scan.filled
        if are_gaps and distinct - len(words) > _NUMBERS_BESIDE_GAPS:
            return numbers, decimal, tuple(words)
    return None, ".", ()


def _is_repeated(scan: ColumnScan, numbers: NumberScan) -> bool:
    distinct = scan.distinct.count if scan.values.is_full else len(scan.values.counts)
    return distinct <= _SHARE_OF_IDS * numbers.count


def _same_numbers(scan: ColumnScan) -> tuple[str, ...]:
    """Two texts for one number of which one ends in a zero, as 1.1 and 1.10 do."""
    seen: dict[float, str] = {}
    for text in scan.values.counts:
        if isinstance(text, str) and _DECIMALS.fullmatch(text):
            other = seen.setdefault(float(text), text)
            if other != text:
                return tuple(sorted((other, text), key=len))
    return ()


def _looks(scan: ColumnScan, numbers: NumberScan | None) -> Looks:
    if scan.unfit is not None:
        return "unfit"
    if not scan.filled:
        return "empty"
    if scan.may_be_flags and not _is_all_gaps(scan):
        return "boolean"
    if numbers is not None:
        return "number"
    if scan.dates is not None and scan.dates.count:
        return "date"
    if scan.may_be_times and scan.times:
        return "time"
    return "text" if _is_free_text(scan) else "category"


def _is_all_gaps(scan: ColumnScan) -> bool:
    """Whether there is nothing but words such as "NA", which are values then."""
    return all(str(value).lower() in GAPS for value in scan.values.counts)


def _is_free_text(scan: ColumnScan) -> bool:
    counts = scan.values.counts
    distinct, words = scan.distinct.count, scan.words
    if not scan.values.is_full:
        texts = {as_text(value): count for value, count in counts.items()}
        distinct, words = len(counts), weighed(list(texts), texts, WORD)
    is_repeated = distinct <= scan.filled / 2
    return words >= _WORDS_OF_FREE_TEXT * scan.filled and (
        distinct > MAX_TEXTS_PER_FEATURE or not is_repeated
    )


def _filled(scan: ColumnScan, looks: Looks, numbers: NumberScan | None) -> int:
    """How many rows have a value that is one of this kind."""
    if looks == "number" and numbers is not None:
        return numbers.count + numbers.infinite
    if looks == "date" and scan.dates is not None:
        return scan.dates.count
    if looks == "time":
        return scan.times
    if looks == "boolean":
        return sum(_counts(scan, looks, ".", ()).values())
    return scan.filled


def _counts(
    scan: ColumnScan, looks: Looks, decimal: str, gap_words: tuple[str, ...]
) -> dict[str, int]:
    """The values of a kind, spelled in one way, and how often they occur."""
    counts: dict[str, int] = {}
    for value, count in scan.values.counts.items():
        text = as_text(value)
        if looks in ("number", "boolean", "time"):
            text = _spelled(text, decimal, gap_words)
        if text:
            counts[text] = counts.get(text, 0) + count
    return counts


def _spelled(text: str, decimal: str, gap_words: tuple[str, ...]) -> str:
    """A value in the one way to spell it; nothing where it stands for a gap."""
    text = text.lower()
    if text in GAPS or text in gap_words:
        return ""
    if decimal == ",":
        text = text.replace(".", "").replace(",", ".")
    try:
        # Of more digits than a float has, none is given up.
        return text if text.lstrip("-").isdecimal() else as_text(float(text))
    except ValueError:
        return text


def _as_date(profile: ColumnProfile, numbers: NumberScan) -> ColumnProfile:
    """Numbers that are days such as 20240131, or seconds since 1970, as dates."""
    form = _date_form(profile, numbers)
    if form is None:
        return profile
    if form == "%Y%m%d":
        earliest, latest = (
            int(np.datetime64(f"{day[:4]}-{day[4:6]}-{day[6:]}", "us").astype(np.int64))
            for day in (str(int(numbers.smallest)), str(int(numbers.largest)))
        )
    else:
        unit = {"seconds": 10**6, "milliseconds": 1000}[form]
        earliest, latest = round(numbers.smallest * unit), round(numbers.largest * unit)
    return replace(
        profile,
        kind="date",
        looks="date",
        dates=Dates(earliest, latest, form != "%Y%m%d", None, is_ambiguous=False, form=form),
        values=None,
        common=(),
    )


def _date_form(profile: ColumnProfile, numbers: NumberScan) -> str | None:
    if numbers.infinite or profile.decimal == "," or is_called_an_id(profile.name):
        return None
    if profile.distinct < _DATES_TO_RECOGNISE and not is_called_a_day(profile.name):
        return None
    if numbers.may_be_days:
        return "%Y%m%d"
    if numbers.is_even and numbers.is_whole and abs(numbers.step) == 1:
        return None
    for form, (first, last) in _SINCE_1970.items():
        if first <= numbers.smallest and numbers.largest < last:
            return form
    return None


def _kind(profile: ColumnProfile, scan: ColumnScan, numbers: NumberScan | None) -> Kind:
    if profile.looks in ("empty", "unfit"):
        return profile.looks
    if profile.distinct == 1 and not profile.gaps and not profile.absent:
        return "constant"
    is_id = (
        _is_id_of_digits(profile, numbers)
        if profile.looks == "number" and numbers is not None
        else profile.looks == "category" and _is_id_of_text(profile, scan)
    )
    return "id" if is_id else profile.looks


def _is_id_of_text(profile: ColumnProfile, scan: ColumnScan) -> bool:
    filled = profile.rows - profile.gaps
    if filled < _ROWS_TO_RECOGNISE_IDS or profile.distinct <= _SHARE_OF_IDS * filled:
        return False
    ids, words = scan.ids, scan.words
    if not scan.values.is_full:
        texts = {as_text(value): count for value, count in scan.values.counts.items()}
        ids, words = (weighed(list(texts), texts, pattern) for pattern in (ID, WORD))
    if is_called_an_id(profile.name) and words < 1.5 * filled:
        return True
    return ids > _SHARE_OF_IDS * filled


def _is_id_of_digits(profile: ColumnProfile, numbers: NumberScan) -> bool:
    filled = profile.rows - profile.gaps
    if not profile.is_whole or numbers.infinite:
        return False
    grows = numbers.never_falls and numbers.never_repeats
    # An estimate of the number of distinct values is some 1 % off.
    is_distinct = grows or profile.distinct >= filled * (1.0 if profile.is_exact else 0.97)
    if not is_distinct:
        return False
    if is_called_an_id(profile.name):
        return True
    if filled < _ROWS_TO_RECOGNISE_IDS:
        return False
    reach = numbers.largest - numbers.smallest + 1
    # As they were counted, or the same in another order.
    is_sequence = numbers.is_even or (profile.is_exact and reach == filled)
    return is_sequence or numbers.is_long or (grows and reach * _DENSE <= filled)

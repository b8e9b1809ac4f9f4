"""What a column is, from what was found in it."""

from __future__ import annotations

from dataclasses import replace

from river_oa3.datasets.encode import MAX_TEXTS_PER_FEATURE
from river_oa3.datasets.preparation.column_profile import ColumnProfile, Kind, Looks
from river_oa3.datasets.preparation.column_scan import ColumnScan
from river_oa3.datasets.preparation.names import is_called_an_id
from river_oa3.schema.values import GAPS, as_text

_WORDS_OF_FREE_TEXT = 3.0
_SHARE_OF_IDS = 0.9
_ROWS_TO_TELL_IDS = 50
_LISTED = 5


def found(name: str, scan: ColumnScan, rows: int) -> ColumnProfile:
    """What a column is, in a table of so many rows."""
    looks = _looks(scan)
    counts = _counts(scan, looks)
    filled = _filled(scan, looks)
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
    if looks == "number" and scan.numbers is not None:
        numbers = scan.numbers
        profile = replace(
            profile,
            smallest=numbers.smallest,
            largest=numbers.largest,
            mean=numbers.mean,
            deviation=numbers.deviation,
            is_whole=numbers.is_whole,
            infinite_at=numbers.infinite_at,
            example=_spelled(scan.example or "") or as_text(numbers.smallest),
        )
    if looks == "flag":
        profile = replace(profile, example=next(iter(counts)))
    if looks == "date" and scan.dates is not None:
        profile = replace(profile, dates=scan.dates.finish(), values=None, common=())
    return replace(profile, kind=_kind(profile, scan))


def _looks(scan: ColumnScan) -> Looks:
    if scan.unfit is not None:
        return "unfit"
    if not scan.filled:
        return "empty"
    if scan.may_be_flags and not _is_all_gaps(scan):
        return "flag"
    if scan.numbers is not None and (scan.numbers.count or scan.numbers.infinite_at is not None):
        return "number"
    if scan.dates is not None and scan.dates.count:
        return "date"
    return _looks_as_text(scan)


def _is_all_gaps(scan: ColumnScan) -> bool:
    """Whether there is nothing but words such as "NA", which are values then."""
    return all(str(value).lower() in GAPS for value in scan.values.counts)


def _looks_as_text(scan: ColumnScan) -> Looks:
    counts = scan.values.counts
    if scan.values.is_full:
        distinct, words = scan.distinct.count, scan.words
    else:
        distinct = len(counts)
        words = sum(len(as_text(value).split()) * count for value, count in counts.items())
    is_repeated = distinct <= scan.filled / 2
    if words >= _WORDS_OF_FREE_TEXT * scan.filled and (
        distinct > MAX_TEXTS_PER_FEATURE or not is_repeated
    ):
        return "text"
    return "wide" if scan.values.is_full else "category"


def _filled(scan: ColumnScan, looks: Looks) -> int:
    """How many rows have a value that is one of this kind."""
    if looks == "number" and scan.numbers is not None:
        return scan.numbers.count + scan.numbers.infinite
    if looks == "date" and scan.dates is not None:
        return scan.dates.count
    if looks == "flag":
        return sum(_counts(scan, looks).values())
    return scan.filled


def _counts(scan: ColumnScan, looks: Looks) -> dict[str, int]:
    """The values of a kind, spelled in one way, and how often they occur."""
    counts: dict[str, int] = {}
    for value, count in scan.values.counts.items():
        text = as_text(value)
        if looks in ("number", "flag"):
            text = _spelled(text)
        if text:
            counts[text] = counts.get(text, 0) + count
    return counts


def _spelled(text: str) -> str:
    """A number or a flag in the one way to spell it; nothing where it stands for a gap."""
    text = text.lower()
    if text in GAPS:
        return ""
    return text if text in ("true", "false") else str(as_text(float(text)))


def _kind(profile: ColumnProfile, scan: ColumnScan) -> Kind:
    if profile.looks in ("empty", "unfit"):
        return profile.looks
    if profile.distinct == 1 and not profile.gaps and not profile.absent:
        return "constant"
    return "id" if _is_id(profile, scan) else profile.looks


def _is_id(profile: ColumnProfile, scan: ColumnScan) -> bool:
    filled = profile.rows - profile.gaps
    if profile.looks in ("category", "wide") and scan.filled:
        is_one_word = scan.words < 1.5 * filled if scan.values.is_full else _are_one_word(profile)
        is_told = filled >= _ROWS_TO_TELL_IDS
        return is_told and is_one_word and profile.distinct > _SHARE_OF_IDS * filled
    if profile.looks != "number" or scan.numbers is None or not profile.is_whole:
        return False
    # An estimate of the number of distinct values is some 1 % off.
    if profile.distinct < filled * (1.0 if profile.is_exact else 0.97):
        return False
    if is_called_an_id(profile.name):
        return True
    return scan.numbers.goes_up_by_one and filled >= _ROWS_TO_TELL_IDS


def _are_one_word(profile: ColumnProfile) -> bool:
    values = profile.values or ()
    return sum(len(value.split()) for value in values) < 1.5 * len(values)

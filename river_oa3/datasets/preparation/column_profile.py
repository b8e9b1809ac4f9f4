"""What a column was found to be."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from river_oa3.datasets.preparation.date_scan import Dates

Looks = Literal["number", "boolean", "date", "time", "category", "text", "empty", "unfit"]
Kind = Literal[Looks, "id", "constant"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """What a column was found to be; `kind` tells more than `looks` where it is an id or constant.

    What has no meaning for a kind is None or empty.
    """

    name: str
    kind: Kind
    looks: Looks
    rows: int
    """How many rows have the column, with a value or a gap."""
    absent: int
    """How many rows do not have it at all, which JSON lines may."""
    gaps: int
    distinct: int
    is_exact: bool
    """Whether the number of distinct values is counted, not estimated."""
    smallest: float | None = None
    largest: float | None = None
    mean: float | None = None
    deviation: float | None = None
    is_whole: bool = False
    never_falls: bool = False
    """Whether each number is at least as large as the one before."""
    decimal: str = "."
    """What stands before the decimals of numbers."""
    gap_words: tuple[str, ...] = ()
    """What stands for a gap among numbers, besides the usual words."""
    same: tuple[str, ...] = ()
    """Two ways in which one number is written, as 1.1 and 1.10 are."""
    infinite_at: int | None = None
    """The first row with an infinite number."""
    dates: Dates | None = None
    values: tuple[str, ...] | None = None
    """All values as texts, sorted, where they are few enough for a category."""
    common: tuple[tuple[str, int], ...] = ()
    """The most common values with their counts, where they are few enough to be counted."""
    example: str = ""
    unfit: str | None = None
    """The type that cannot be a feature."""

    @property
    def gap_share(self) -> float:
        return self.gaps / self.rows if self.rows else 0.0

    def distinct_text(self) -> str:
        """The number of distinct values, with "about" where it is an estimate."""
        if self.is_exact:
            return f"{self.distinct:,}"
        digits = 2 - len(str(self.distinct))
        return f"about {round(self.distinct, digits):,}"

    def range_text(self) -> str:
        """The range of numbers and dates, the most common values of anything else."""
        if self.dates is not None:
            return f"{date_text(self.dates.earliest)} to {date_text(self.dates.latest)}"
        if self.looks == "number" and self.smallest is not None and self.largest is not None:
            return f"{_short(self.smallest)} to {_short(self.largest)}, mean {_short(self.mean)}"
        if self.common:
            listed = ", ".join(f"{_cut(value)} ({count:,})" for value, count in self.common[:3])
            return listed if self.distinct <= 3 else f"{listed}, ..."
        return f"as in {_cut(self.example, 40)}" if self.example else ""

    def as_json(self) -> dict[str, Any]:
        """The same as what JSON knows; infinite numbers are None."""
        found = asdict(self)
        del found["values"]
        found["common"] = [list(pair) for pair in self.common]
        if self.dates is not None:
            found["dates"]["earliest"] = date_text(self.dates.earliest)
            found["dates"]["latest"] = date_text(self.dates.latest)
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in found.items()
        }


def as_datetime(microseconds: int) -> datetime:
    """The timestamp, without a zone, that lies so far after 1970."""
    return _EPOCH + timedelta(microseconds=microseconds)


def date_text(microseconds: int) -> str:
    """A date, with its time where it has one."""
    moment = as_datetime(microseconds)
    return moment.isoformat(" ").removesuffix(" 00:00:00")


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}" if _is_long(number) else f"{number:.4g}"


def _is_long(number: float) -> bool:
    return 1e4 <= abs(number) < 1e15


def _cut(text: str, most: int = 20) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 3]}..."

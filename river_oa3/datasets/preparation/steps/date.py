"""Dates and times."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from river_oa3._core.category import Category
from river_oa3.datasets.preparation.column_profile import as_datetime, date_text
from river_oa3.datasets.preparation.date_scan import Dates
from river_oa3.datasets.preparation.dates import DAY, GAP, as_moments
from river_oa3.datasets.preparation.row_code import WEEKDAYS
from river_oa3.datasets.preparation.steps.step import Call, Part, Step, indicators, literal

if TYPE_CHECKING:
    import pyarrow as pa

_HOUR = DAY // 24
# 1970 began on a Thursday.
_FIRST_WEEKDAY = WEEKDAYS.index("Thursday")


@dataclass(frozen=True, kw_only=True)
class DateStep(Step):
    """The day of the week, the hour where there is one, and the days since the earliest date."""

    dates: Dates
    to: str
    """What the names of the features start with."""

    @property
    def names(self) -> list[Hashable]:
        hours = [Category(f"{self.to}.hour", f"{hour:02}") for hour in range(24)]
        return [
            *(Category(f"{self.to}.weekday", day) for day in WEEKDAYS),
            *(hours if self.dates.has_hours else []),
            f"{self.to}.age",
            *self._missing_name(),
        ]

    @property
    def number_columns(self) -> list[int]:
        return [self._age]

    @property
    def _age(self) -> int:
        return len(WEEKDAYS) + (24 if self.dates.has_hours else 0)

    def encode(self, cells: pa.Array) -> list[Part]:
        moments = as_moments(cells, self.dates.day_first)
        if moments is None:
            raise self._refuse("a date")
        gaps = moments == GAP
        rows = np.flatnonzero(~gaps)
        moments = moments[rows]
        parts = [indicators(rows, (moments // DAY + _FIRST_WEEKDAY) % 7)]
        if self.dates.has_hours:
            parts.append(indicators(rows, len(WEEKDAYS) + moments % DAY // _HOUR))
        # From integers, so that code for one row comes to the same bit.
        ages = (moments - self.dates.earliest).astype(np.float64) / float(DAY)
        older = np.flatnonzero(ages)
        parts.append(indicators(rows[older], self._age)._replace(values=ages[older]))
        return [*parts, *self._missing_part(gaps, self._age + 1)]

    def line(self) -> str:
        hour = ", hour" if self.dates.has_hours else ""
        flagged = ", gaps flagged" if self.missing else ""
        since = date_text(self.dates.earliest)
        return f"a date: day of the week{hour}, days since {since}{flagged}"

    def call(self) -> Call:
        earliest = repr(as_datetime(self.dates.earliest)).removeprefix("datetime.")
        earliest = earliest.replace(", 0, 0)", ")")
        arguments = [literal(self.column), f"earliest={earliest}"]
        if self.dates.has_hours:
            arguments.append("hour=True")
        if self.dates.day_first is not None:
            arguments.append(f"to_iso={'day_first' if self.dates.day_first else 'month_first'}")
        if self.to != self.column:
            arguments.append(f"to={literal(self.to)}")
        return Call("add_date", [*arguments, *self._missing_argument()])

"""What is known of a column as long as all of it reads as dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.dates import DAY, GAP, as_timestamps
from river_oa3.datasets.preparation.reading import family
from river_oa3.schema.values import SLASHES

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Dates:
    """How the dates of a column are written, and their range in microseconds since 1970."""

    earliest: int
    latest: int
    has_hours: bool
    day_first: bool | None
    """Whether 3/4/2024 is in April; None where every date is in ISO's form."""
    is_ambiguous: bool
    """Whether no date tells what comes first, the day or the month."""
    form: str | None = None
    """How numbers are dates: "%Y%m%d", "seconds" or "milliseconds" since 1970."""


class DateScan:
    """The range of dates under both ways to read 3/4/2024, until one of them is impossible."""

    def __init__(self) -> None:
        self.count = 0
        self._is_iso = True
        self._has_slashes = False
        self._has_hours = False
        # By whether the day comes first. Where nothing tells, the month does, as most readers have
        # it.
        self._ranges: dict[bool, tuple[int, int]] = {
            False: (int(np.iinfo(np.int64).max), GAP),
            True: (int(np.iinfo(np.int64).max), GAP),
        }

    def add(self, values: pa.Array) -> bool:
        """Take the next cells; False where they are not all dates."""
        timestamps = as_timestamps(values)
        if timestamps is not None:
            read = dict.fromkeys(self._ranges, timestamps)
        else:
            import pyarrow.compute as pc

            self._is_iso = False
            if family(values.type) == "text":
                slashes = pc.match_substring_regex(values, SLASHES)
                self._has_slashes = self._has_slashes or bool(pc.any(slashes).as_py())
            orders = list(self._ranges)
            found = {order: as_timestamps(values, order) for order in orders}
            read = {order: some for order, some in found.items() if some is not None}
        if not read:
            return False
        self.count += int(np.count_nonzero(next(iter(read.values())) != GAP))
        self._ranges = {order: self._wider(order, some) for order, some in read.items()}
        return True

    def _wider(self, day_first: bool, timestamps: NDArray[np.int64]) -> tuple[int, int]:
        filled = timestamps[timestamps != GAP]
        self._has_hours = self._has_hours or bool((filled % DAY).any())
        earliest, latest = self._ranges[day_first]
        if not len(filled):
            return earliest, latest
        return min(earliest, int(filled.min())), max(latest, int(filled.max()))

    def finish(self) -> Dates:
        """What the whole column says."""
        day_first = min(self._ranges)
        earliest, latest = self._ranges[day_first]
        return Dates(
            earliest,
            latest,
            self._has_hours,
            None if self._is_iso else day_first,
            is_ambiguous=self._has_slashes and len(self._ranges) == 2,
        )

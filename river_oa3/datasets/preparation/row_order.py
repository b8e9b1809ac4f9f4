"""What tells in which order the rows of a table came about: dates, labels, neighbouring rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError, first_few, short_repr
from river_oa3.datasets.preparation.dates import GAP, as_timestamps
from river_oa3.datasets.preparation.label_scan import is_positive
from river_oa3.datasets.preparation.profile import Profile
from river_oa3.datasets.preparation.reading import as_numbers, as_texts
from river_oa3.datasets.preparation.row_sample import taker
from river_oa3.datasets.sources import Batch, Source

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CELLS = 4_000_000
"""Neighbouring rows are compared in so many of the first cells."""

Floats = NDArray[np.float64]
Numbers = NDArray[Any]
Reading = tuple[bool | None] | None
"""How the values of a column are read: as dates by what comes first in them, or as numbers."""


class TimeColumn(NamedTuple):
    """A column that may be the time of the events: a number per row that rises with time.

    A date is in microseconds since 1970.
    """

    name: str
    values: Numbers
    gaps: NDArray[np.bool_]
    is_date: bool = True


class RowOrder(NamedTuple):
    """The rows of a table in the order of the file."""

    y: NDArray[np.bool_]
    times: list[TimeColumn]
    """Columns that may be the time of the events."""
    columns: dict[str, Floats]
    """The first values of other columns: numbers, or codes of categories."""


def row_order(
    source: Source,
    profile: Profile,
    time: str | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> RowOrder:
    """Read a table for what tells in which order its rows came about.

    Parameters
    ----------
    source, profile
        The table, and what is in it.
    time
        The column of time, where somebody named it: dates, or numbers that rise with time.
    progress
        Called with the share of the table that has been read, and the rows so far.

    """
    scans = _time_scans(source, profile, time)
    read = {
        name: as_numbers if column.kind == "number" else _codes()
        for name, column in profile.columns.items()
        if column.kind in ("number", "boolean", "category")
    }
    taken = taker(profile.below, profile.seed)
    labels: list[NDArray[np.bool_]] = []
    columns: dict[str, list[Floats]] = {name: [] for name in read}
    room = MOST_CELLS // max(1, len(read))
    for batch in source.batches():
        mask = taken(batch.n)
        rows = np.arange(batch.n) if mask is None else np.flatnonzero(mask)
        cells = batch.columns.get(profile.label)
        if cells is None:
            raise DataError(f"events without the label {short_repr(profile.label)}: fill it in")
        labels.append(is_positive(cells.values, set(profile.positive))[rows])
        for scan in scans:
            scan.add(batch, rows)
        first, room = rows[:room], room - len(rows[:room])
        for name, as_floats in read.items():
            found = _spread(batch, name, as_floats) if len(first) else None
            columns[name].append(np.empty(0) if found is None else found[first])
        if progress is not None:
            progress(batch.done, batch.start + batch.n)
    found_times = [column for scan in scans if (column := scan.finish()) is not None]
    if time is not None and not found_times:
        raise DataError(
            f"column {short_repr(time)} holds neither dates nor numbers alone, so it cannot be the "
            "time of the events: name another with --time"
        )
    return RowOrder(
        np.concatenate(labels),
        found_times,
        {name: np.concatenate(parts) for name, parts in columns.items()},
    )


def _time_scans(source: Source, profile: Profile, time: str | None) -> list[_TimeScan]:
    """What reads the columns that may be the time; one that is no feature may be it as well."""
    unread: tuple[Reading, ...] = ((None,), (False,), (True,))
    if time is not None:
        names = [*profile.columns, *profile.dropped]
        if time not in names:
            raise DataError(
                f"no column is called {short_repr(time)}: name one with --time of "
                f"{first_few(names, 20)}"
            )
        column = profile.columns.get(time)
        dates = None if column is None else column.dates
        return [_TimeScan(time, (*unread, None) if dates is None else ((dates.day_first,),))]
    found = [
        _TimeScan(name, ((column.dates.day_first,),))
        for name, column in profile.columns.items()
        if column.dates is not None
    ]
    return found + [_TimeScan(name, unread) for name in profile.dropped]


class _TimeScan:
    """The values of a column under each way to read it, until one of them is impossible."""

    def __init__(self, name: str, readings: Sequence[Reading]):
        self._name = name
        self._parts: dict[Reading, list[Numbers]] = {reading: [] for reading in readings}

    def add(self, batch: Batch, rows: NDArray[np.int64]) -> None:
        for reading, parts in list(self._parts.items()):
            found = _spread(batch, self._name, _reader(reading), np.nan if reading is None else GAP)
            if found is None:
                del self._parts[reading]
            else:
                parts.append(found[rows])

    def finish(self) -> TimeColumn | None:
        for reading, parts in self._parts.items():
            values = np.concatenate(parts)
            gaps = np.isnan(values) if reading is None else values == GAP
            if not gaps.all():
                return TimeColumn(self._name, values, gaps, is_date=reading is not None)
        return None


def _reader(reading: Reading) -> Callable[[pa.Array], Numbers | None]:
    if reading is None:
        return as_numbers
    return lambda values: as_timestamps(values, *reading)


def _spread(
    batch: Batch,
    name: str,
    read: Callable[[pa.Array], Numbers | None],
    gap: float = np.nan,
) -> Numbers | None:
    """A value for each row of a batch, also for those without the column; None if unreadable."""
    cells = batch.columns.get(name)
    if cells is None:
        return np.full(batch.n, gap)
    found = read(cells.values)
    if found is None or cells.rows is None:
        return found
    spread = np.full(batch.n, gap, dtype=found.dtype)
    spread[cells.rows] = found
    return spread


def _codes() -> Callable[[pa.Array], Floats]:
    """A number for each distinct value, the same in every batch."""
    known: dict[str | None, int] = {None: 0}

    def read(values: pa.Array) -> Floats:
        texts = as_texts(values).to_pylist()
        return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.float64)

    return read

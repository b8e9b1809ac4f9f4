"""Data frames of any kind, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from river_oa3.datasets.errors import DataError
from river_oa3.datasets.sources.arrays import plain, typed
from river_oa3.datasets.sources.source import (
    BATCH_ROWS,
    Batch,
    Cells,
    Source,
    arrow,
    check_names,
    no_events,
)


class Frame(Source):
    """A data frame in memory, of any library that narwhals knows."""

    path = None
    name = "frame"
    kind = "frame"
    columns: list[str]

    def __init__(self, frame: Any):
        arrow("a data frame")
        try:
            self._frame = nw.from_native(frame)
        except nw.exceptions.DuplicateError:
            names = getattr(frame, "column_names", None) or frame.columns
            check_names("a data frame", map(str, names))
            raise
        if isinstance(self._frame, nw.LazyFrame):
            raise DataError("a lazy data frame: collect it first, with .collect()")
        # pandas takes anything as a name.
        self.columns = [str(name) for name in self._frame.columns]
        check_names("a data frame", self.columns)
        if not len(self._frame) or not self.columns:
            raise no_events("a data frame")

    def batches(self, problems: list[str] | None = None) -> Iterator[Batch]:
        rows = len(self._frame)
        for start in range(0, rows, BATCH_ROWS):
            chunk = self._frame[start : start + BATCH_ROWS]
            columns = {
                name: Cells(self._array(chunk[:, j], start, name), None)
                for j, name in enumerate(self.columns)
            }
            yield Batch(start, len(chunk), columns, (start + len(chunk)) / rows)

    def _array(self, series: nw.Series[Any], start: int, column: str) -> Any:
        pa = arrow("a data frame")
        where = self._within(start, column)
        try:
            found = series.to_arrow()
        # Objects of several kinds, which pandas takes.
        except pa.ArrowException:
            return typed([_value(value) for value in series.to_list()], where)
        if isinstance(found, pa.ChunkedArray):
            found = found.combine_chunks()
        return plain(found, where)


def _value(value: Any) -> Any:
    """An object of a frame as Python has it, None if it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        return None if value != value else value
    except TypeError:  # the missing value of pandas is neither true nor false
        return None

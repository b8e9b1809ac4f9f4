"""Parquet files: every column keeps the type that the file gives it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.sources.arrays import plain
from river_oa3.datasets.sources.source import (
    BATCH_ROWS,
    Batch,
    Cells,
    Source,
    arrow,
    check_names,
    no_events,
)
from river_oa3.datasets.sources.unchanged import Unchanged

_BATCH_BYTES = 64 * 1024 * 1024


class ParquetFile(Source):
    """A Parquet file, whose row groups may be larger than memory."""

    kind = "Parquet"
    columns: list[str]

    def __init__(self, path: Path):
        arrow(path)
        self.path: Path = path
        self.name = files.parted(path)[0]
        self._unchanged = Unchanged(path)
        with self._opened() as parquet:
            self.columns = list(parquet.schema_arrow.names)
            self._rows = parquet.metadata.num_rows
            self._batch_rows = _batch_rows(parquet.metadata)
        check_names(path, self.columns)
        if not self._rows or not self.columns:
            raise no_events(path)

    def batches(self, problems: list[str] | None = None) -> Iterator[Batch]:
        start = 0
        with self._opened() as parquet:
            for found in parquet.iter_batches(self._batch_rows, use_threads=False):
                columns = {
                    name: Cells(plain(values, self._within(start, name)), None)
                    for name, values in zip(self.columns, found.columns, strict=True)
                }
                self._unchanged.check()
                yield Batch(start, len(found), columns, (start + len(found)) / self._rows)
                start += len(found)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Any]:
        pa, pq = arrow(self.path), arrow(self.path, "pyarrow.parquet")
        with self._unchanged.opened() as opened:
            if opened.compressed:
                raise DataError(f"{self.path} is a Parquet file that was compressed: unpack it")
            try:
                # Without a buffer each column of a row group would be read as a whole.
                yield pq.ParquetFile(opened.file, buffer_size=65_536, pre_buffer=False)
            except (pa.ArrowException, OSError) as error:
                raise DataError(
                    f"cannot read {self.path} as Parquet, check the file and get it again if it "
                    f"is damaged: {error}"
                ) from error


def _batch_rows(metadata: Any) -> int:
    """How many rows to read at a time, so that long ones do not fill the memory."""
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    return int(max(1, min(BATCH_ROWS, _BATCH_BYTES * metadata.num_rows // max(1, size))))

"""Which kind of table a file or a frame is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from river_oa3.datasets import files
from river_oa3.datasets.sources.csv_file import CsvFile
from river_oa3.datasets.sources.frame import Frame
from river_oa3.datasets.sources.json_lines import JsonLines
from river_oa3.datasets.sources.parquet_file import ParquetFile
from river_oa3.datasets.sources.source import Source
from river_oa3.datasets.tables import is_frame

_KINDS: dict[str, type[CsvFile] | type[ParquetFile] | type[JsonLines]] = {
    ".csv": CsvFile,
    ".tsv": CsvFile,
    ".parquet": ParquetFile,
    ".pq": ParquetFile,
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
}


def open_source(data: Any) -> Source | None:
    """A table in a file, told by its suffix, or a data frame; None for what is no table."""
    if isinstance(data, str | os.PathLike):
        path = Path(data).expanduser()
        kind = _KINDS.get(files.parted(path)[1])
        return None if kind is None else kind(path)
    return Frame(data) if is_frame(data) else None

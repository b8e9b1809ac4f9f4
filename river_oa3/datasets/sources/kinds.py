"""Which kind of table a file or a frame is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from river_oa3.datasets import files
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.sources.csv_file import CsvFile
from river_oa3.datasets.sources.frame import Frame
from river_oa3.datasets.sources.json_lines import JsonLines
from river_oa3.datasets.sources.parquet_file import ParquetFile
from river_oa3.datasets.sources.source import Source
from river_oa3.datasets.tables import is_frame

_TEXTS: dict[str, type[CsvFile] | type[JsonLines]] = {
    ".csv": CsvFile,
    ".tsv": CsvFile,
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
}
_PARQUET = (".parquet", ".pq")


def open_source(data: Any, encoding: str | None = None) -> Source | None:
    """A table in a file, told by its suffix, or a data frame; None for what is no table.

    `encoding` is that of a text which is neither UTF-8 nor says what it is by its first bytes.
    """
    if isinstance(data, str | os.PathLike):
        path = Path(data).expanduser()
        suffix = files.parted(path)[1]
        if suffix in _PARQUET and encoding is not None:
            raise DataError(f"--encoding is for texts, and {path} is Parquet: leave it out")
        if suffix in _PARQUET:
            return ParquetFile(path)
        return _TEXTS[suffix](path, encoding) if suffix in _TEXTS else None
    return Frame(data) if is_frame(data) else None

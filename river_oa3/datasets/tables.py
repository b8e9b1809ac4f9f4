"""Data frames of any kind, and CSV and Parquet files through them."""

from __future__ import annotations

import importlib
import importlib.util
import io
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets import files
from river_oa3.datasets.encode import Columns, Table
from river_oa3.datasets.errors import DataError, first_few, short_repr

LABELS = ("label", "target", "class", "y")
_BACKENDS: tuple[Literal["polars", "pandas", "pyarrow"], ...] = ("polars", "pandas", "pyarrow")
# What stands for a missing number in files; among texts it may be a value like any other.
MISSING = {"", "?", "-", ".", "na", "n/a", "null", "none"}


def read_table(path: Path | str, label: str | None = None) -> Table:
    """The features and labels of a file: Parquet by its suffix, else CSV, which may be compressed.

    `label` names the column of the labels; by default the one called label, target, class or y.
    """
    path = Path(path)
    _, suffix = files.parted(path)
    with files.opened(path) as file:
        content = file.read()
    backend = next((name for name in _BACKENDS if importlib.util.find_spec(name)), None)
    if backend is None:
        raise DataError(f"{path} is read with pandas, polars or pyarrow: pip install pandas")
    try:
        if suffix in (".parquet", ".pq"):
            frame = nw.read_parquet(io.BytesIO(content), backend=backend)
        else:
            separator = "\t" if suffix == ".tsv" else ","
            frame = nw.read_csv(
                io.BytesIO(content), backend=backend, separator=separator, **_csv_options(backend)
            )
    # Each library has errors of its own.
    except Exception as error:
        kind = "Parquet" if suffix in (".parquet", ".pq") else "a table of text"
        raise DataError(f"cannot read {path} as {kind}, check the file: {error}") from error
    return read_frame(frame, label, from_text=suffix not in (".parquet", ".pq"))


def _csv_options(backend: str) -> dict[str, Any]:
    """Settings under which every library takes an empty field, and no other, as missing."""
    if backend == "polars":
        return {"infer_schema_length": None}
    if backend == "pandas":
        return {"keep_default_na": False, "na_values": [""]}
    csv = importlib.import_module("pyarrow.csv")
    return {"convert_options": csv.ConvertOptions(null_values=[""], strings_can_be_null=True)}


def is_frame(data: Any) -> bool:
    """Whether this is a data frame of any kind, lazy ones too."""
    try:
        return isinstance(nw.from_native(data, pass_through=True), nw.DataFrame | nw.LazyFrame)
    except nw.exceptions.DuplicateError:
        return True


def read_frame(frame: Any, label: str | None = None, *, from_text: bool = False) -> Table:
    """The features and labels of a data frame; a text becomes a column "name=text" of ones.

    `from_text` says that the frame was read from text, where a number that is missing can turn
    a whole column into text.
    """
    try:
        frame = nw.from_native(frame)
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"two columns have the same name, rename one: {error}") from error
    if isinstance(frame, nw.LazyFrame):
        raise DataError("a lazy data frame: collect it first, with .collect()")
    if not len(frame):
        raise DataError("a table that has no events: at least one of each class is needed")
    names: list[Hashable] = list(frame.columns)
    chosen = _label_column(names, label)
    columns = Columns()
    parts = [
        _Part(*_encoded(columns, name, frame[:, j], from_text))
        for j, name in enumerate(names)
        if j != chosen
    ]
    labels = frame[:, chosen]
    _check_filled(names[chosen], labels)
    return Table(_matrix(parts, len(frame), len(columns.names)), labels.to_list(), columns.names)


class _Part:
    """What is not zero in one column of a frame, which may have become several."""

    def __init__(self, columns: list[int] | int, values: NDArray[np.float64]):
        self.rows = np.flatnonzero(values).astype(np.int32)
        where = np.broadcast_to(np.asarray(columns, dtype=np.int32), values.shape)
        self.columns, self.values = where[self.rows], values[self.rows]


def _matrix(parts: list[_Part], rows: int, columns: int) -> scipy.sparse.csr_array:
    if not parts:
        return scipy.sparse.csr_array((rows, columns))
    values = np.concatenate([part.values for part in parts])
    where = (
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.columns for part in parts]),
    )
    return scipy.sparse.coo_array((values, where), shape=(rows, columns)).tocsr()


def _label_column(names: list[Hashable], label: str | None) -> int:
    if label is None:
        found = [j for j, name in enumerate(names) if str(name).casefold() in LABELS]
        problem = "several columns look like" if found else "no column looks like"
        problem = f"{problem} the label"
    else:
        found = [j for j, name in enumerate(names) if str(name) == str(label)]
        problem = f"no column is called {label!r}"
    if len(found) == 1:
        return found[0]
    raise DataError(
        f"{problem}: name one with --label (label= in Python) of {first_few(names, 20) or 'none'}"
    )


def _encoded(
    columns: Columns, name: Hashable, series: nw.Series[Any], from_text: bool
) -> tuple[list[int] | int, NDArray[np.float64]]:
    """The numbers that a column of the frame becomes, and the column or columns they go to."""
    dtype = series.dtype
    if dtype == nw.Object:
        entries = [columns.entry(row, name, value) for row, value in enumerate(series.to_list(), 1)]
        return [column for column, _ in entries], np.array([number for _, number in entries])
    _check_filled(name, series)
    if dtype.is_numeric() or dtype == nw.Boolean:
        return columns.number(name), series.cast(nw.Float64).to_numpy()
    if dtype == nw.String or dtype == nw.Categorical or dtype == nw.Enum:
        texts = series.cast(nw.String).to_list()
        numbers = _numbers_in(name, texts) if from_text else None
        if numbers is not None:
            return columns.number(name), numbers
        return [columns.text(name, text) for text in texts], np.ones(len(texts))
    raise DataError(
        f"column {short_repr(name)} holds {dtype}, which is not a number: turn it into one first "
        "(a date into days since the first, say), or leave the column out"
    )


def _numbers_in(name: Hashable, texts: list[str]) -> NDArray[np.float64] | None:
    """The numbers of a column that was taken for text because of blanks or missing values."""
    numbers: dict[str, float | None] = {}
    for text in set(texts):
        try:
            numbers[text] = float(text)
        except ValueError:
            if text.strip().casefold() not in MISSING:
                return None
            numbers[text] = None
    if all(number is None for number in numbers.values()):
        return None
    values = [numbers[text] for text in texts]
    if None in values:
        _refuse_missing(name, values.index(None))
    return np.array(values, dtype=np.float64)


def _check_filled(name: Hashable, series: nw.Series[Any]) -> None:
    empty = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if empty.any():
        _refuse_missing(name, int(np.argmax(empty)))


def _refuse_missing(name: Hashable, row: int) -> None:
    raise DataError(
        f"event {row + 1}: column {short_repr(name)} has no value: fill it or drop the event"
    )

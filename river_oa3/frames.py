"""Data frames of any kind that river takes, as arrays for the compiled core."""

from __future__ import annotations

import math
import typing
from collections.abc import Hashable

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from river.utils import dataframe

from river_oa3._core import checks
from river_oa3._core.category import Category

if typing.TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame, IntoSeries

Matrix = NDArray[np.float64]


class Batch(typing.NamedTuple):
    """A data frame, its numbers row by row, its column names, and the rows' squared lengths."""

    frame: nw.DataFrame[typing.Any]
    matrix: Matrix
    columns: list[Hashable]
    squares: NDArray[np.float64]


def read(X: IntoDataFrame) -> Batch:
    """Take a data frame apart; every number in it must be finite."""
    frame = dataframe.into_frame(X)
    columns: list[Hashable] = list(frame.columns)
    types = list(frame.schema.values())
    native: typing.Any = frame.to_native()
    if frame.implementation.is_pandas() and all(dtype == np.float64 for dtype in native.dtypes):
        matrix = native.to_numpy()  # without the copy that river's way makes
    elif all(_is_numeric(dtype) for dtype in types):
        matrix = dataframe.to_numpy(frame)
    else:
        matrix = np.empty(frame.shape)
        for j, (name, dtype) in enumerate(zip(columns, types, strict=True)):
            matrix[:, j] = _numbers(name, frame[:, j], dtype)
    matrix = np.ascontiguousarray(matrix, dtype=np.float64).reshape(len(frame), len(columns))
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", matrix, matrix)
    # A number that is not finite leaves a square that is not, and so does one that is too large.
    for row in np.flatnonzero(~np.isfinite(squares)):
        for column in np.flatnonzero(~np.isfinite(matrix[row])):
            checks.refuse_value(columns[column], matrix[row, column])
    return Batch(frame, matrix, columns, squares)


class RawBatch(typing.NamedTuple):
    """A data frame as sparse rows: numbers, and one indicator per name and text."""

    frame: nw.DataFrame[typing.Any]
    data: NDArray[np.float64]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    names: list[Hashable]


def read_raw(X: IntoDataFrame) -> RawBatch:
    """Take a data frame apart as it is: texts are categories, nulls and NaN are missing."""
    frame = dataframe.into_frame(X)
    names: list[Hashable] = []
    cells: list[tuple[NDArray[np.intp], NDArray[np.intp], Matrix]] = []
    for j, (name, dtype) in enumerate(zip(frame.columns, frame.schema.values(), strict=True)):
        column = frame[:, j]
        values = dataframe.to_numpy(column.to_frame())[:, 0] if _is_numeric(dtype) else None
        if values is None or values.dtype == np.object_:
            cells.append(_raw_cells(name, column.to_list(), names))
            continue
        values = values.astype(np.float64)
        for value in values[np.isinf(values)]:
            checks.refuse_value(name, value)
        rows = np.flatnonzero(values != 0.0)
        cells.append((rows, np.full(len(rows), len(names)), values[rows]))
        names.append(name)
    rows, columns, data = (
        np.concatenate([np.empty(0, kind), *(cell[k] for cell in cells)])
        for k, kind in enumerate((np.intp, np.intp, np.float64))
    )
    order = np.argsort(rows, kind="stable")
    indptr = np.zeros(len(frame) + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=len(frame)), out=indptr[1:])
    return RawBatch(frame, data[order], columns[order].astype(np.int32), indptr, names)


def _raw_cells(
    name: Hashable, values: list[typing.Any], names: list[Hashable]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Matrix]:
    """Rows, columns and numbers of a column of any values, whose names are added to `names`."""
    known: dict[Hashable, int] = {}
    cells = []
    for row, item in enumerate(values):
        value = checks.as_feature(name, item)
        key: Hashable = name
        if isinstance(value, str):
            key, value = Category(name, value), 1.0
        elif math.isinf(value):
            checks.refuse_value(name, value)
        elif value == 0.0:
            continue
        if key not in known:
            known[key] = len(names)
            names.append(key)
        cells.append((row, known[key], value))
    table = np.array(cells, dtype=np.float64).reshape(-1, 3)
    return table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2]


def _is_numeric(dtype: nw.dtypes.DType) -> bool:
    return bool(dtype.is_numeric()) or dtype == nw.Boolean


def _numbers(name: Hashable, column: nw.Series[typing.Any], dtype: nw.dtypes.DType) -> Matrix:
    """A column as floats; one of Python objects is taken value by value, as in a dict."""
    if _is_numeric(dtype):
        return dataframe.to_numpy(column.to_frame())[:, 0]
    return np.array([checks.as_number(name, value) for value in column.to_list()])


def labels(y: IntoSeries, rows: int) -> tuple[NDArray[np.uint8], str | None]:
    """The labels as 0 and 1, and the name of their series."""
    series = dataframe.into_series(y)
    values = series.to_numpy()
    if len(values) != rows:
        raise ValueError(f"{rows} rows of features come with {len(values)} labels")
    if values.dtype == np.bool_:
        return values.astype(np.uint8), series.name
    good = [checks.as_label(value) for value in series.to_list()]
    return np.array(good, dtype=np.uint8), series.name


def weights(w: float | IntoSeries, rows: int) -> Matrix:
    """One weight a row."""
    try:
        series = dataframe.into_series(typing.cast("IntoSeries", w))
    except TypeError:
        return np.full(rows, checks.as_weight(w))
    if len(series) != rows:
        raise ValueError(f"{rows} rows of features come with {len(series)} weights")
    return np.array([checks.as_weight(value) for value in series.to_list()], dtype=np.float64)

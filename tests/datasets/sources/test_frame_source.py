"""Data frames as tables that are read in chunks."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data_helpers import refused
from source_helpers import rows_of, types_of

from river_oa3.datasets.sources import open_source

ROWS = [{"size": 1.5, "colour": "red"}, {"size": None, "colour": None}]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS, index=["p", "q"]),
        pd.DataFrame(ROWS).astype({"colour": "category"}),
        pd.DataFrame(ROWS).convert_dtypes(),
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).cast({"colour": pl.Categorical}),
        pl.DataFrame(ROWS).cast({"colour": pl.Enum(["red"])}),
        pa.Table.from_pylist(ROWS),
        pa.concat_tables([pa.Table.from_pylist(ROWS)[:1], pa.Table.from_pylist(ROWS)[1:]]),
    ],
)
def test_any_frame_gives_the_same_rows(frame):
    source = open_source(frame)
    assert (source.path, source.name, source.kind) == (None, "frame", "frame")
    assert source.columns == ["size", "colour"]
    assert rows_of(source) == rows_of(source) == ROWS
    assert types_of(source) == [{"size": "double", "colour": "string"}]


def test_a_large_frame_comes_in_batches():
    source = open_source(pl.DataFrame({"a": range(150_000)}))
    assert [batch.n for batch in source.batches()] == [65_536, 65_536, 18_928]
    assert [row["a"] for row in rows_of(source)] == list(range(150_000))


def test_objects_of_several_kinds_are_texts():
    frame = pd.DataFrame(
        {"a": pd.Series([1, "x", None, 2.5, True, float("nan"), pd.NA], dtype=object)}
    )
    assert [row["a"] for row in rows_of(frame)] == ["1", "x", None, "2.5", "true", None, None]


def test_objects_that_are_no_values_are_refused_by_event_and_column():
    frame = pd.DataFrame({"a": pd.Series([1, dt.date(2020, 1, 1), "x"], dtype=object)})
    with refused("event 2, column 'a'", "a date", "leave the column out"):
        rows_of(frame)


def test_names_that_are_no_texts_become_texts():
    assert rows_of(pd.DataFrame({0: [1], ("a", 1): [2]})) == [{"0": 1, "('a', 1)": 2}]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3, 4]], columns=["a", "a", "y", "y"]),
        pa.table([[1], [2], [3], [4]], names=["a", "a", "y", "y"]),
    ],
)
def test_columns_of_one_name_are_refused_in_a_frame(frame):
    with refused("'a' (2 times)", "'y' (2 times)", "rename"):
        open_source(frame)


def test_names_that_become_the_same_text_are_refused():
    with refused("'1' (2 times)", "rename"):
        open_source(pd.DataFrame([[1, 2]], columns=["1", 1]))


def test_a_lazy_frame_is_refused_as_a_source():
    with refused("lazy", ".collect()"):
        open_source(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("frame", [pd.DataFrame(), pl.DataFrame({"a": []})])
def test_a_frame_without_rows_is_refused(frame):
    with refused("no events"):
        open_source(frame)

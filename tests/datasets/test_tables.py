"""Data frames of any kind, and CSV and Parquet files."""

from __future__ import annotations

import datetime as dt
import io
import math
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data_helpers import BACKENDS, PACKERS, TABLE, TABLE_EVENTS, events, refused, written

from river_oa3.datasets import open_stream


@pytest.fixture(params=BACKENDS)
def backend(request, monkeypatch):
    """Leave one library for data frames, as where the others are not installed."""
    for name in BACKENDS:
        if name != request.param:
            monkeypatch.setitem(sys.modules, name, None)
    return request.param


def test_csv_gives_the_same_stream_with_any_library(backend, tmp_path):
    assert events(written(tmp_path, "toy.csv", TABLE)) == TABLE_EVENTS


@pytest.mark.parametrize("suffix", [*PACKERS, ".GZ"])
def test_csv_may_be_packed(tmp_path, suffix):
    path = written(tmp_path, f"toy.csv{suffix}", PACKERS[suffix.lower()](TABLE.encode()))
    assert events(path) == TABLE_EVENTS
    assert open_stream(path).name == "toy"


def test_tsv_is_split_at_tabs(backend, tmp_path):
    assert events(written(tmp_path, "toy.tsv", TABLE.replace(",", "\t"))) == TABLE_EVENTS


@pytest.mark.parametrize("suffix", [".parquet", ".pq"])
def test_parquet_gives_the_same_stream_as_csv(tmp_path, suffix):
    path = tmp_path / f"toy{suffix}"
    pl.read_csv(io.StringIO(TABLE)).write_parquet(path)
    assert events(path) == TABLE_EVENTS


@pytest.mark.parametrize(
    "frame",
    [
        pd.read_csv(io.StringIO(TABLE)),
        pd.read_csv(io.StringIO(TABLE)).astype({"colour": "category", "size": object}),
        pd.read_csv(io.StringIO(TABLE)).convert_dtypes(),
        pl.read_csv(io.StringIO(TABLE)),
        pl.read_csv(io.StringIO(TABLE)).cast({"colour": pl.Enum(["blue", "red"])}),
        pl.read_csv(io.StringIO(TABLE)).cast({"size": pl.Decimal(5, 1)}),
        pl.read_csv(io.StringIO(TABLE)).to_arrow(),
    ],
)
def test_any_frame_gives_the_same_stream(frame):
    assert events(frame) == TABLE_EVENTS


def test_a_column_of_python_objects_is_taken_value_by_value():
    frame = pd.DataFrame({"a": [1, "x", True], "y": [1, 0, 0]})
    assert events(frame) == [({"a": 1.0}, True), ({"a=x": 1.0}, False), ({"a": 1.0}, False)]


def test_the_label_column_can_be_named(tmp_path):
    path = written(tmp_path, "toy.csv", "a,label,spam\n1,5,0\n2,6,1\n")
    assert events(path, label="spam") == [
        ({"a": 1.0, "label": 5.0}, False),
        ({"a": 2.0, "label": 6.0}, True),
    ]


@pytest.mark.parametrize("name", ["label", "Target", "CLASS", "y"])
def test_the_label_column_is_found_by_its_usual_names(name):
    assert events(pl.DataFrame({"a": [1, 2], name: [0, 1]})) == [
        ({"a": 1.0}, False),
        ({"a": 2.0}, True),
    ]


def test_a_table_without_a_usual_label_column_is_refused_with_the_columns():
    with refused("no column looks like the label", "a, b", "--label"):
        open_stream(pl.DataFrame({"a": [1, 2], "b": [0, 1]}))


def test_a_table_with_two_usual_label_columns_is_refused_with_the_columns():
    with refused("several columns look like the label", "class, y", "--label"):
        open_stream(pl.DataFrame({"class": [1, 2], "y": [0, 1]}))


def test_a_label_column_that_does_not_exist_is_refused_with_the_columns():
    with refused("no column is called 'spam'", "a, y", "--label"):
        open_stream(pl.DataFrame({"a": [1, 2], "y": [0, 1]}), label="spam")


def test_no_more_than_twenty_columns_are_listed():
    with refused("f19 and 80 more", "--label"):
        open_stream(pl.DataFrame({f"f{i}": [1, 2] for i in range(100)}))


@pytest.mark.parametrize("text", ["", "NA", "?", "null", "None", "nan", "N/A", " "])
def test_a_missing_number_in_csv_is_refused_with_event_and_column(backend, tmp_path, text):
    path = written(tmp_path, "toy.csv", f"a,b,y\n1,1,0\n2,{text},1\n3,3,1\n")
    with refused("event 2", "'b'", "fill it or drop"):
        open_stream(path)


def test_a_missing_text_in_csv_is_refused_with_event_and_column(backend, tmp_path):
    with refused("event 2", "'b'", "fill it or drop"):
        open_stream(written(tmp_path, "toy.csv", "a,b,y\n1,x,0\n2,,1\n"))


def test_a_text_that_could_mean_missing_stays_a_value_among_texts(backend, tmp_path):
    path = written(tmp_path, "toy.csv", "country,y\nNA,0\nDE,1\n")
    assert events(path) == [({"country=NA": 1.0}, False), ({"country=DE": 1.0}, True)]


def test_numbers_with_blanks_around_them_are_numbers(backend, tmp_path):
    path = written(tmp_path, "toy.csv", "a,b,y\n1, 2 ,0\n3, 4 ,1\n")
    assert events(path) == [({"a": 1.0, "b": 2.0}, False), ({"a": 3.0, "b": 4.0}, True)]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, None], "y": [0, 1]}),
        pd.DataFrame({"a": ["x", None], "y": [0, 1]}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "y": [0, 1]}),
        pd.DataFrame({"a": pd.Categorical(["x", None]), "y": [0, 1]}),
        pd.DataFrame({"a": pd.Series([1, None], dtype=object), "y": [0, 1]}),
        pl.DataFrame({"a": [1, None], "y": [0, 1]}),
        pl.DataFrame({"a": [1.0, math.nan], "y": [0, 1]}),
        pa.table({"a": ["x", None], "y": [0, 1]}),
    ],
)
def test_a_missing_value_in_a_frame_is_refused_with_event_and_column(frame):
    with refused("event 2", "'a'", "fill it"):
        open_stream(frame)


def test_a_missing_label_in_a_frame_is_refused_with_event_and_column():
    with refused("event 2", "'y'", "drop"):
        open_stream(pl.DataFrame({"a": [1, 2, 3], "y": [0, None, 1]}))


@pytest.mark.parametrize(
    "values", [[dt.datetime(2020, 1, 1)] * 2, [dt.date(2020, 1, 1)] * 2, [[1], [2]], [b"a", b"b"]]
)
def test_a_column_that_is_no_number_and_no_text_is_refused(values):
    with refused("column 'when'", "turn it into one first", "leave the column out"):
        open_stream(pl.DataFrame({"when": values, "y": [0, 1]}))


def test_a_thousand_distinct_texts_are_categories():
    frame = pl.DataFrame({"id": [f"u{i}" for i in range(1000)], "y": [1] + [0] * 999})
    assert open_stream(frame).X.shape == (1000, 1000)


def test_more_than_a_thousand_distinct_texts_are_refused():
    frame = pl.DataFrame({"id": [f"u{i}" for i in range(1001)], "y": [1] + [0] * 1000})
    with refused("'id'", "more than 1,000", "leave it out"):
        open_stream(frame)


def test_two_columns_of_one_name_are_refused():
    with refused("same name", "rename one"):
        open_stream(pd.DataFrame([[1, 2, 1], [1, 2, 0]], columns=["a", "a", "y"]))


def test_a_lazy_frame_is_refused():
    with refused("lazy", ".collect()"):
        open_stream(pl.LazyFrame({"a": [1, 2], "y": [0, 1]}))


def test_a_ragged_csv_is_refused(backend, tmp_path):
    path = written(tmp_path, "toy.csv", "a,y\n1,0\n1,2,3,4\n")
    with refused(str(path), "check the file"):
        open_stream(path)


def test_a_csv_with_a_header_alone_is_refused(backend, tmp_path):
    with refused("no events"):
        open_stream(written(tmp_path, "toy.csv", "a,y\n"))


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    path = written(tmp_path, "toy.parquet", "a,y\n1,0\n")
    with refused(str(path), "Parquet", "check the file"):
        open_stream(path)


def test_a_table_without_a_library_for_it_is_refused_with_the_one_to_install(tmp_path, monkeypatch):
    for name in BACKENDS:
        monkeypatch.setitem(sys.modules, name, None)
    with refused("pip install pandas"):
        open_stream(written(tmp_path, "toy.csv", TABLE))


def test_files_that_need_no_library_are_read_without_one(tmp_path, monkeypatch):
    for name in BACKENDS:
        monkeypatch.setitem(sys.modules, name, None)
    assert len(open_stream(written(tmp_path, "toy", "1 1:2\n0 2:1\n"))) == 2

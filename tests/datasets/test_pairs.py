"""Iterables of a dict and a label."""

from __future__ import annotations

import datetime as dt
import io
import math
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse
from data_helpers import TABLE, TABLE_EVENTS, as_libsvm, events, refused, saved, written
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.datasets import open_stream
from river_oa3.datasets.pairs import read_pairs


def test_columns_stand_in_order_of_first_appearance():
    rows = [({"b": 1, "a": 0}, 1), ({"c": "x", "a": 2}, 0)]
    assert read_pairs(rows).names == ["b", "a", "c=x"]


def test_a_generator_is_read_once_and_whole():
    assert events(iter([({"a": 1}, True), ({"b": 2.5}, False)])) == [
        ({"a": 1.0}, True),
        ({"b": 2.5}, False),
    ]


def test_texts_are_encoded_as_in_a_frame():
    rows = pl.read_csv(io.StringIO(TABLE)).to_dicts()
    pairs = [({name: row[name] for name in row if name != "label"}, row["label"]) for row in rows]
    assert events(pairs) == TABLE_EVENTS


@pytest.mark.parametrize("value", [True, np.float32(1), np.int64(1), np.bool_(True)])
def test_numbers_of_any_kind_are_floats(value):
    assert events([({"a": value}, 1), ({}, 0)])[0] == ({"a": 1.0}, True)


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_a_missing_value_in_a_dict_is_refused_with_event_and_feature(value):
    with refused("event 2", "'b'", "fill it"):
        open_stream([({"a": 1}, 1), ({"b": value}, 0)])


@pytest.mark.parametrize("value", [[1, 2], dt.date(2020, 1, 1), 1j, np.ones((30, 30))])
def test_a_value_that_is_no_number_and_no_text_is_refused_with_event_and_feature(value):
    with refused("event 2", "'b'", "first"):
        open_stream([({"a": 1}, 1), ({"b": value}, 0)])


def test_more_than_a_thousand_distinct_texts_in_dicts_are_refused():
    with refused("'id'", "more than 1,000", "leave it out"):
        open_stream([({"id": f"u{i}"}, i == 0) for i in range(1001)])


def test_a_text_and_a_number_that_make_one_name_are_refused():
    with refused("'a=b'", "rename"):
        open_stream([({"a=b": 1}, 1), ({"a": "b"}, 0)])


@pytest.mark.parametrize("label", [{"spam": True}, ["spam"]])
def test_several_outputs_are_refused(label):
    with refused("label of event 1", "choose one output"):
        open_stream([({"a": 1}, label)])


@pytest.mark.parametrize("row", [1, "ab", ({"a": 1},), ([1.0], 1)])
def test_what_is_no_pair_of_dict_and_label_is_refused(row):
    with refused("event 1", "pairs of a dict"):
        open_stream([row])


@pytest.mark.parametrize("data", [np.eye(3), scipy.sparse.eye_array(3), {"a": 1}, b"abc", 5])
def test_what_is_no_stream_is_refused(data):
    with refused("pairs of a dict and a label"):
        open_stream(data)


features = st.dictionaries(
    st.integers(0, 9).map("f{}".format), st.floats(-1e9, 1e9).filter(bool), max_size=5
)


@given(
    st.lists(st.tuples(features, st.booleans()), min_size=2).filter(
        lambda rows: len({y for _, y in rows}) == 2
    )
)
def test_every_way_in_gives_the_same_stream(rows):
    names = [f"f{i}" for i in range(10)]
    dense = np.array([[x.get(name, 0.0) for name in names] for x, _ in rows])
    labels = [y for _, y in rows]
    expected = [({name: x[name] for name in names if name in x}, y) for x, y in rows]
    frame = pl.DataFrame(dense, schema=names).with_columns(label=pl.Series(labels))
    numbered = [({names.index(name): value for name, value in x.items()}, +y) for x, y in rows]
    with tempfile.TemporaryDirectory() as folder:
        csv = Path(folder, "toy.csv")
        frame.write_csv(csv)
        npz = open_stream(saved(Path(folder), X=dense, y=np.where(labels, 1, -1)))
        libsvm = open_stream(written(Path(folder), "toy", as_libsvm(numbered)))
        assert events(csv) == expected
    assert events(frame) == expected
    assert events(rows) == expected
    for found in (npz, libsvm):
        named = [({names[j]: v for j, v in x.items()}, y) for x, y in found.events()]
        assert named == expected

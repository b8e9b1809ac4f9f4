"""Whatever form the data comes in, the stream is the same, or an error names the fix."""

import bz2
import contextlib
import dataclasses
import datetime as dt
import functools
import gzip
import http.server
import io
import lzma
import math
import os
import pickle
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from river import datasets as river_datasets
from river.datasets import synth

from river_oa3.datasets import DataError, open_stream, paper, stream
from river_oa3.datasets.libsvm import read_libsvm
from river_oa3.datasets.npz import read_npz
from river_oa3.datasets.pairs import read_pairs

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
BACKENDS = ["polars", "pandas", "pyarrow"]


@contextlib.contextmanager
def refused(*parts):
    """Expect an error of one line that holds all of these parts, the fix among them."""
    with pytest.raises(DataError) as caught:
        yield
    message = str(caught.value)
    assert message.splitlines() == [message]
    for part in parts:
        assert part in message


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def events(data, **options):
    return list(open_stream(data, **options).events())


def toy(**options):
    return stream("toy", [[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]], [1, 0, 0], **options)


def with_labels(*labels, **options):
    return stream("toy", np.ones((len(labels), 1)), list(labels), **options).y.tolist()


# The stream itself


@pytest.mark.parametrize("make", [np.array, scipy.sparse.coo_array, scipy.sparse.csc_matrix])
def test_any_matrix_becomes_canonical_csr(make):
    X = stream("toy", make([[0, 2, 1], [0, 0, 0], [3, 0, 4]], dtype=np.int16), [1, 0, 0]).X
    assert (X.data.dtype, X.indices.dtype, X.indptr.dtype) == (np.float64, np.int32, np.int64)
    assert X.data.tolist() == [2, 1, 3, 4]
    assert X.indices.tolist() == [1, 2, 0, 2]
    assert X.indptr.tolist() == [0, 2, 2, 4]


def test_duplicates_are_added_unsorted_indices_sorted_and_stored_zeros_dropped():
    parts = ([1.0, 5.0, 2.0, 0.0], [2, 0, 2, 1], [0, 3, 4])
    X = stream("toy", scipy.sparse.csr_array(parts, shape=(2, 3)), [1, 0]).X
    assert (X.data.tolist(), X.indices.tolist()) == ([5, 3], [0, 2])
    assert X.indptr.tolist() == [0, 2, 2]


@pytest.mark.parametrize("last", [0.0, 7.0])
def test_the_callers_matrix_is_left_alone(last):
    X = scipy.sparse.csr_array(([1.0, 5.0, last], [2, 0, 1], [0, 2, 3]), shape=(2, 3))
    stream("toy", X, [1, 0])
    assert (X.data.tolist(), X.indices.tolist()) == ([1, 5, last], [2, 0, 1])


def test_a_stream_counts_its_events_and_classes():
    assert (len(toy()), toy().positives, toy().negatives) == (3, 1, 2)


def test_the_title_is_the_name_alone_where_there_is_no_note():
    assert toy().title == "toy"


def test_the_title_carries_the_note():
    assert toy(note="a part").title == "toy (a part)"


def test_columns_without_names_are_numbered():
    assert toy().names == [0, 1]


def test_events_are_dicts_of_what_is_not_zero():
    assert list(toy(names=["a", "b"]).events()) == [
        ({"a": 3.0, "b": 4.0}, True),
        ({"b": 2.0}, False),
        ({}, False),
    ]


def test_events_come_in_the_order_that_is_asked_for():
    order = np.array([2, 0, 1])
    assert [len(x) for x, _ in toy().events(order)] == [0, 2, 1]


def test_event_labels_are_plain_bools():
    assert {type(y) for _, y in toy().events()} == {bool}


def test_an_intercept_is_one_in_every_row_the_empty_ones_too():
    X = toy().with_intercept().X.toarray()
    assert X.tolist() == [[3, 4, 1], [0, 2, 1], [0, 0, 1]]


def test_an_intercept_has_a_name():
    assert toy(names=["a", "b"]).with_intercept().names == ["a", "b", "intercept"]


def test_an_intercept_keeps_the_types_of_the_arrays():
    X = toy().with_intercept().X
    assert (X.indices.dtype, X.indptr.dtype) == (np.int32, np.int64)


def test_a_second_intercept_is_refused():
    with refused("'intercept' already", "do not add"):
        toy().with_intercept().with_intercept()


magnitudes = st.floats(-200, 200).map(lambda exponent: 10.0**exponent)
numbers = st.one_of(st.just(0.0), magnitudes, magnitudes.map(lambda value: -value))
matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=2)
)


@given(matrices)
def test_unit_rows_have_length_one_or_are_empty_at_any_scale(rows):
    unit = stream("toy", rows, [1] + [0] * (len(rows) - 1)).unit_rows().X.toarray()
    lengths = [math.hypot(*row) for row in unit]
    expected = [float(any(row)) for row in rows]
    np.testing.assert_allclose(lengths, expected, rtol=1e-14)


@given(matrices)
def test_unit_rows_keep_the_direction(rows):
    unit = stream("toy", rows, [1] + [0] * (len(rows) - 1)).unit_rows().X.toarray()
    for row, scaled in zip(rows, unit, strict=True):
        largest = max(map(abs, row))
        if largest:
            direction = np.array(row) / largest
            expected = direction / np.linalg.norm(direction)
            # The smallest floats have few digits.
            np.testing.assert_allclose(scaled, expected, rtol=1e-12, atol=1e-300)


def test_unit_rows_of_ordinary_numbers_are_exactly_the_rows_over_their_lengths():
    rows = np.random.default_rng(3).standard_normal((200, 7))
    unit = stream("toy", rows, [1] + [0] * 199).unit_rows().X.toarray()
    lengths = np.sqrt(np.add.reduceat((rows * rows).ravel(), np.arange(0, 1400, 7)))
    assert (unit == rows / lengths[:, None]).all()


def test_unit_rows_store_no_zeros_where_a_number_vanishes_and_leave_the_original_alone():
    before = stream("toy", [[1e-200, 1e200], [1.0, 0.0]], [1, 0])
    assert before.unit_rows().X.nnz == 2
    assert before.X.toarray().tolist() == [[1e-200, 1e200], [1.0, 0.0]]


def test_a_stream_without_events_is_refused():
    with refused("no events", "at least one of each class"):
        stream("toy", np.empty((0, 3)), [])


@pytest.mark.parametrize("labels", [[1, 0], [1, 0, 0, 0], np.array([[1], [0], [0]]), np.array(1)])
def test_labels_that_do_not_fit_the_rows_are_refused(labels):
    with refused("3 rows", "one label for a row"):
        stream("toy", np.eye(3), labels)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_with_its_event_and_feature(value):
    with refused("event 2", "'b'", "fill it or drop"):
        stream("toy", [[1, 1], [0, value], [value, 1]], [1, 0, 0], names=["a", "b"])


def test_a_matrix_of_text_is_refused():
    with refused("not of numbers", "encode"):
        stream("toy", [["a"], ["b"]], [1, 0])


def test_a_vector_is_refused():
    with refused("1 dimensions", "one event a row"):
        stream("toy", [1, 2], [1, 0])


def test_names_that_do_not_fit_the_columns_are_refused():
    with refused("2 columns and 1 names", "one for each column"):
        toy(names=["a"])


def test_a_name_that_comes_twice_is_refused():
    with refused("two features called 'a'", "rename"):
        toy(names=["a", "a"])


def test_too_many_columns_are_refused_before_memory_is_asked_for():
    with refused("1,000,000,000 columns", "leave those out"):
        stream("toy", scipy.sparse.csr_array((2, 10**9)), [1, 0])


def test_permutations_are_kept_as_int64():
    orders = toy(permutations=np.array([[2, 0, 1], [0, 1, 2]], dtype=np.uint16)).permutations
    assert orders.dtype == np.int64
    assert orders.tolist() == [[2, 0, 1], [0, 1, 2]]


@pytest.mark.parametrize("orders", [[0, 1, 2], [[0, 1]], [[0, 1, 1]], [[0, 1, 3]], [[0.0, 1, 2]]])
def test_permutations_that_are_none_are_refused(orders):
    with refused("permutations", "leave them out"):
        toy(permutations=orders)


def test_an_error_is_one_line_whatever_it_quotes():
    with refused("two features called", "rename"):
        toy(names=["a\nb", "a\nb"])


# The positive class


@pytest.mark.parametrize(
    ("positive", "negative"), [(True, False), (1, 0), (1.0, -1.0), ("1", "0"), ("True", "False")]
)
def test_the_usual_positive_class_needs_no_name_however_common_it_is(positive, negative):
    assert with_labels(positive, negative, positive) == [True, False, True]


@pytest.mark.parametrize("labels", [["spam", "ham", "ham"], [1, 2, 2], [2, 1, 1], [-1, 0, 0]])
def test_of_two_other_classes_the_rarer_one_is_positive(labels):
    assert with_labels(*labels) == [True, False, False]


def test_two_other_classes_of_one_size_are_refused():
    with refused("ham (1)", "spam (1)", "--positive"):
        with_labels("spam", "ham")


@pytest.mark.parametrize(
    ("positive", "labels"),
    [
        ("ham", ["ham", "spam", "spam"]),
        ("1", [1, 2, 3]),
        ("1", [1.0, 2.0, 3.0]),
        ("1", [True, False, False]),
        ("True", [True, False, False]),
        ("true", [True, False, False]),
        ("1.0", [1, 0, 0]),
        (1, ["1", "2", "3"]),
        (np.float64(1), [1, 2, 3]),
        ("-1", [-1, 1, 1]),
        ("+1", [1, -1, -1]),
        (False, [False, True, True]),
    ],
)
def test_a_named_class_is_found_as_text_or_as_a_number(positive, labels):
    assert with_labels(*labels, positive=positive) == [True, False, False]


def test_the_class_that_is_spelled_the_same_comes_before_an_equal_number():
    assert with_labels("1", "1.0", "2", positive="1.0") == [False, True, False]


def test_labels_in_an_array_and_in_a_list_give_the_same():
    labels = np.array([3, 1, 3, 2])
    assert with_labels(*labels, positive=3) == [True, False, True, False]
    assert stream("toy", np.ones((4, 1)), labels, positive=3).y.tolist() == [1, 0, 1, 0]


def test_a_class_that_is_not_there_is_refused_with_the_classes():
    with refused("'eggs'", "ham (2)", "spam (1)", "--positive"):
        with_labels("spam", "ham", "ham", positive="eggs")


def test_three_classes_are_refused_with_their_counts():
    with refused("3 classes", "b (2), a (1), c (1)", "--positive"):
        with_labels("a", "b", "b", "c")


def test_no_more_than_ten_classes_are_listed():
    with refused("1,000 classes", "and 990 more", "--positive") as _:
        with_labels(*range(1000))


@pytest.mark.parametrize("labels", [[1, 1], [0, 0], ["spam", "spam"], [True, True]])
def test_one_class_alone_is_refused(labels):
    with refused("both classes are needed", "longer part"):
        with_labels(*labels)


def test_one_class_alone_is_refused_when_it_is_named():
    with refused("both classes are needed"):
        with_labels(1, 1, positive=1)


@pytest.mark.parametrize("missing", [None, math.nan, np.nan, pd.NA, pd.NaT])
def test_a_missing_label_is_refused_with_its_event(missing):
    with refused("event 2 has no label", "drop"):
        with_labels(1, missing, 0)


def test_a_missing_label_in_an_array_is_refused_with_its_event():
    with refused("event 3 has no label", "drop"):
        stream("toy", np.ones((3, 1)), np.array([1.0, 0.0, np.nan]))


# LIBSVM's format

entries = st.dictionaries(
    st.integers(0, 50), st.floats(allow_nan=False, allow_infinity=False), max_size=6
)
labelled = st.lists(st.tuples(entries, st.integers(-2, 5)), min_size=1, max_size=20)


def as_libsvm(rows):
    return "".join(
        f"{y} {' '.join(f'{index}:{value!r}' for index, value in x.items())}\n" for x, y in rows
    )


@given(labelled, st.sampled_from(list(PACKERS)))
def test_libsvm_gives_back_what_was_written_packed_or_not(rows, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), f"toy{suffix}", PACKERS[suffix](as_libsvm(rows).encode()))
        X, labels = read_libsvm(path)
    assert labels.tolist() == [y for _, y in rows]
    expected = np.zeros((len(rows), X.shape[1]))
    for row, (x, _) in enumerate(rows):
        expected[row, list(x)] = list(x.values())
    assert (X.toarray() == expected).all()


def test_libsvm_columns_are_the_indices_of_the_file(tmp_path):
    path = written(tmp_path, "toy", "1 1:2 3:4\n-1 2:1\n")
    assert events(path) == [({1: 2.0, 3: 4.0}, True), ({2: 1.0}, False)]
    assert open_stream(path).names == [0, 1, 2, 3]


def test_libsvm_comments_blank_lines_and_query_ids_are_passed_over(tmp_path):
    text = "# head\n\n+1 qid:7 1:2 # tail 5:5\r\n   \n-1 qid:8\n"
    assert events(written(tmp_path, "toy", text)) == [({1: 2.0}, True), ({}, False)]


def test_libsvm_indices_may_stand_in_any_order(tmp_path):
    X, _ = read_libsvm(written(tmp_path, "toy", "1 3:30 1:10\n"))
    assert X.toarray().tolist() == [[0, 10, 0, 30]]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1 1:2 x:1", "index:value, found 'x:1'"),
        ("1 1:2:3", "index:value, found '1:2:3'"),
        ("1 5", "index:value, found '5'"),
        ("1 1:", "index:value, found '1:'"),
        ("1 1.5:2", "index:value, found '1.5:2'"),
        ("1 1_0:2", "index:value, found '1_0:2'"),
        ("1 1:2_0", "index:value, found '1:2_0'"),
        ("1 -1:2", "an index from 0"),
        ("1 1999999999:2", "an index from 0"),
        ("1 99999999999999999999:2", "an index from 0"),
        ("1 1:2 1:3", "each index once"),
        ("1:2 3:4", "a number as label"),
        ("spam 1:2", "a number as label"),
        ("1_0 1:2", "a number as label"),
        ("1,2 1:2", "one label, found several"),
        ("\x00\x01 1:2", "a number as label"),
    ],
)
def test_a_malformed_libsvm_line_is_refused_with_file_and_line(tmp_path, line, expected):
    path = written(tmp_path, "toy.txt", f"1 1:1\n\n{line}\n0 1:1\n")
    with refused(f"{path}, line 3: expected {expected}"):
        open_stream(path)


def test_a_libsvm_value_that_is_not_finite_is_refused(tmp_path):
    with refused("event 2", "feature 3", "fill it or drop"):
        open_stream(written(tmp_path, "toy", "1 1:1\n0 3:nan\n"))


def test_a_libsvm_label_that_is_missing_is_refused(tmp_path):
    with refused("event 2 has no label"):
        open_stream(written(tmp_path, "toy", "1 1:1\nnan 3:1\n"))


def test_a_libsvm_file_of_comments_alone_is_refused(tmp_path):
    with refused("no events"):
        open_stream(written(tmp_path, "toy", "# nothing\n"))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_packed_file_that_is_cut_short_is_refused(tmp_path, suffix):
    text = "".join(f"{i % 2} 1:{i}\n" for i in range(1000)).encode()
    path = written(tmp_path, f"toy{suffix}", PACKERS[suffix](text)[:-20])
    with refused(str(path), "get the file again"):
        open_stream(path)


@pytest.mark.parametrize("name", ["toy", "toy.libsvm", "toy.svm", "toy.t", "toy.TXT", "toy.t.bz2"])
def test_libsvm_is_read_under_its_usual_names(tmp_path, name):
    content = PACKERS[".bz2" if name.endswith(".bz2") else ""](b"1 1:2\n0 2:1\n")
    found = open_stream(written(tmp_path, name, content))
    assert (found.name, len(found)) == ("toy", 2)


# Tables

TABLE = "size,colour,old,label\n1.5,red,true,spam\n0,blue,false,ham\n2,red,true,ham\n"
TABLE_EVENTS = [
    ({"size": 1.5, "colour=red": 1.0, "old": 1.0}, True),
    ({"colour=blue": 1.0}, False),
    ({"size": 2.0, "colour=red": 1.0, "old": 1.0}, False),
]


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


# Archives of arrays


def saved(folder, name="toy.npz", **arrays):
    np.savez(folder / name, **arrays)
    return folder / name


def csr_parts(**changes):
    parts = {
        "data": np.array([3, 4, 2], dtype=np.int8),
        "indices": np.array([0, 1, 1], dtype=np.int16),
        "indptr": np.array([0, 2, 3, 3], dtype=np.int32),
        "shape": np.array([3, 2]),
        "y": np.array([1, -1, -1], dtype=np.int8),
    }
    return parts | changes


def test_a_dense_archive_is_read(tmp_path):
    path = saved(tmp_path, X=np.array([[3, 4], [0, 2], [0, 0]], np.uint8), y=np.array([1, -1, -1]))
    assert events(path) == list(toy().events())


def test_a_sparse_archive_is_read(tmp_path):
    assert events(saved(tmp_path, **csr_parts())) == list(toy().events())


def test_permutations_in_an_archive_come_with_the_stream(tmp_path):
    orders = np.array([[2, 1, 0]], dtype=np.uint16)
    found = open_stream(saved(tmp_path, **csr_parts(permutations=orders)))
    assert found.permutations.tolist() == [[2, 1, 0]]


def test_y_is_used_where_no_class_is_named(tmp_path):
    path = saved(tmp_path, **csr_parts(y_raw=np.array([5, 6, 7])))
    assert open_stream(path).y.tolist() == [True, False, False]


def test_a_class_of_y_raw_can_be_named(tmp_path):
    path = saved(tmp_path, **csr_parts(y_raw=np.array([5, 6, 7])))
    assert open_stream(path, positive="7").y.tolist() == [False, False, True]


def test_a_class_of_y_can_be_named_where_there_is_no_y_raw(tmp_path):
    path = saved(tmp_path, **csr_parts())
    assert open_stream(path, positive="-1").y.tolist() == [False, True, True]


@pytest.mark.parametrize("missing", ["y", "data", "indices", "indptr", "shape"])
def test_an_archive_without_an_array_is_refused_with_its_name(tmp_path, missing):
    arrays = csr_parts()
    del arrays[missing]
    with refused(f"no array {missing}"):
        open_stream(saved(tmp_path, **arrays))


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": np.array([0, 1, 2])},
        {"indices": np.array([0, -1, 1])},
        {"indices": np.array([0, 1])},
        {"indices": np.array([0.0, 1.0, 1.0])},
        {"indptr": np.array([0, 2, 1, 3])},
        {"indptr": np.array([0, 2, 3])},
        {"indptr": np.array([0, 2, 3, 4])},
        {"indptr": np.array([0, 1, 2, 2])},
        {"indptr": np.array([1, 2, 3, 3])},
        {"indptr": np.array([], dtype=np.int64)},
        {"shape": np.array([4, 2])},
        {"shape": np.array([3])},
        {"shape": np.array(3)},
        {"data": np.array(3)},
    ],
)
def test_csr_parts_that_do_not_fit_together_are_refused(tmp_path, changes):
    with refused("no sound CSR", "save it again"):
        open_stream(saved(tmp_path, **csr_parts(**changes)))


@pytest.mark.parametrize("content", [b"no archive", b"PK\x03\x04 and no more", b"\x93NUMPY"])
def test_a_file_that_is_no_archive_is_refused(tmp_path, content):
    with refused("cannot read", "numpy.savez"):
        open_stream(written(tmp_path, "toy.npz", content))


def test_an_array_alone_is_refused(tmp_path):
    np.save(tmp_path / "toy.npy", np.eye(3))
    with refused("cannot read", "numpy.savez"):
        read_npz((tmp_path / "toy.npy").rename(tmp_path / "toy.npz"))


class Trap:
    sprung = False

    def __reduce__(self):
        return setattr, (Trap, "sprung", True)


@pytest.mark.parametrize("wrap", [pickle.dumps, None])
def test_nothing_is_ever_unpickled(tmp_path, wrap):
    if wrap is None:
        path = saved(tmp_path, **csr_parts(y=np.array([Trap(), 1, 0], dtype=object)))
    else:
        path = written(tmp_path, "toy.npz", wrap(Trap()))
    with refused("cannot read"):
        open_stream(path)
    assert not Trap.sprung


@given(st.integers(0, 2000), st.integers(0, 255))
def test_a_damaged_archive_is_refused_or_still_sound(position, byte):
    with tempfile.TemporaryDirectory() as folder:
        path = saved(Path(folder), **csr_parts())
        content = bytearray(path.read_bytes())
        content[position % len(content)] = byte
        path.write_bytes(content)
        with contextlib.suppress(DataError):
            assert len(open_stream(path)) == 3


# Pairs of a dict and a label


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


# The one door


def test_a_stream_is_returned_as_it_is():
    made = toy()
    assert open_stream(made) is made


def test_a_stream_can_be_given_a_name():
    assert open_stream([({}, 1), ({}, 0)], name="mine").name == "mine"


@pytest.mark.parametrize("name", ["river:Phishing", "Phishing", "phishing", "RIVER:phishing"])
def test_a_set_of_river_is_found_by_name(name):
    found = open_stream(name)
    assert (found.name, len(found), found.positives) == ("Phishing", 1250, 548)


def test_a_set_of_river_is_read_as_it_iterates():
    data = river_datasets.Phishing()
    expected = [({k: float(v) for k, v in x.items() if v}, y) for x, y in data]
    assert events(data) == expected


def test_a_set_of_many_classes_needs_a_positive_one():
    with refused("7 classes", "sky (330)", "--positive"):
        open_stream("ImageSegments")
    assert open_stream("ImageSegments", positive="sky").positives == 330


def test_a_set_of_river_that_is_not_downloaded_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path))
    with refused("Elec2", "--download"):
        open_stream("Elec2")


@pytest.fixture
def remote_toy(tmp_path, monkeypatch):
    """A remote set of river whose files are here."""
    home = tmp_path / "home"
    monkeypatch.setenv("RIVER_DATA", str(home))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("toy.csv", "a,y\n1,1\n2,0\n")
    url = written(tmp_path, "toy.zip", content.getvalue()).as_uri()

    class Toy(river_datasets.base.RemoteDataset):
        def __init__(self):
            super().__init__(
                url=url, size=12, filename="toy.csv", task="Binary classification", n_features=1
            )

        def _iter(self):
            for line in self.path.read_text().splitlines()[1:]:
                a, y = line.split(",")
                yield {"a": float(a)}, y == "1"

    return Toy


def test_a_set_of_river_is_downloaded_silently_where_asked(remote_toy, capfd):
    assert events(remote_toy(), download=True) == [({"a": 1.0}, True), ({"a": 2.0}, False)]
    assert capfd.readouterr() == ("", "")


def test_a_set_of_river_that_cannot_be_downloaded_is_refused(remote_toy, tmp_path):
    (tmp_path / "toy.zip").unlink()
    with refused("cannot download Toy", "toy.zip", "try again"):
        open_stream(remote_toy(), download=True)


def test_an_unknown_set_of_river_is_refused_with_those_there_are():
    with refused("'Nope'", "Phishing", "Shuttle"):
        open_stream("river:Nope")


def test_a_stream_that_never_ends_is_refused():
    with refused("never ends", "take(10_000)"):
        open_stream(synth.Agrawal())


def test_a_part_of_a_stream_that_never_ends_is_read():
    assert len(open_stream(synth.Agrawal(seed=1).take(50))) == 50


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere", "x" * 400, "a\0b"])
def test_a_missing_file_is_refused_with_the_known_names(name):
    with refused("no such file", "w8a", "river:Phishing"):
        open_stream(name)


def test_a_folder_is_refused(tmp_path):
    with refused("is a folder", "name a file"):
        open_stream(tmp_path)


@pytest.mark.parametrize("name", ["toy", "toy.csv", "toy.npz", "toy.parquet", "toy.gz"])
def test_an_empty_file_is_refused(tmp_path, name):
    with refused("is empty", "get the file again"):
        open_stream(written(tmp_path, name, b""))


@pytest.mark.parametrize("name", ["toy", "toy.csv", "toy.npz"])
def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch, name):
    path = written(tmp_path, name, "1 1:2\n")
    plain = open

    # Taking the right away would not stop a user who may read everything.
    def guarded(file, *args, **kwargs):
        if file in (path, str(path)):
            raise PermissionError(13, "Permission denied")
        return plain(file, *args, **kwargs)

    monkeypatch.setattr("builtins.open", guarded)
    with refused("cannot read", str(path), "again"):
        open_stream(path)


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path):
    with refused("toy.json", ".npz", ".csv", "LIBSVM"):
        open_stream(written(tmp_path, "toy.json", "{}"))


def test_a_label_column_for_what_is_no_table_is_refused(tmp_path):
    path = written(tmp_path, "toy", "1 1:2\n0 1:1\n")
    for data in (path, "Phishing", "w8a", [({}, 1)]):
        with refused("no table", "leave --label out"):
            open_stream(data, label="y")


def test_a_file_wins_over_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "w8a", "1 1:2\n0 1:1\n")
    assert len(open_stream("w8a")) == 2


def test_the_papers_names_win_over_rivers(tmp_path, monkeypatch):
    monkeypatch.setattr(river_datasets, "w8a", river_datasets.Phishing, raising=False)
    with refused("w8a is not in"):
        open_stream("w8a", data_dir=tmp_path)


def test_a_path_may_begin_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    written(tmp_path, "toy.txt", "1 1:2\n0 1:1\n")
    assert len(open_stream("~/toy.txt")) == 2


# The paper's sets


@pytest.fixture
def small(monkeypatch):
    """Cut the numbers that a set must have down to what a test can write."""

    def shrink(name, **changes):
        known = dataclasses.replace(paper.SETS[name], **changes)
        monkeypatch.setitem(paper.SETS, name, known)
        return known

    return shrink


TRAINING, TEST = "1 1:1\n-1 2:1\n", "-1 1:1 3:1\n"


def test_the_paper_has_six_sets():
    assert list(paper.SETS) == ["w8a", "protein", "Sensorless", "KDDCUP08", "IAD", "CIFAR-10"]


@pytest.mark.parametrize("name", ["CIFAR-10", "cifar-10", "cifar10", "CIFAR10"])
def test_a_set_is_found_in_any_case(name):
    assert paper.find(name) is paper.SETS["CIFAR-10"]


def test_an_unknown_set_is_refused_with_the_known_ones(tmp_path):
    with refused("'w9a'", "w8a", "CIFAR-10"):
        paper.load("w9a", tmp_path)


def test_two_libsvm_files_are_joined_in_order_without_the_column_of_index_zero(tmp_path, small):
    small("w8a", rows=3, positives=1)
    written(tmp_path, "w8a.t", TEST)
    written(tmp_path, "w8a.bz2", bz2.compress(TRAINING.encode()))
    found = paper.load("W8A", tmp_path)
    assert found.X.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 1]]
    assert found.y.tolist() == [True, False, False]
    assert found.title == "w8a"


def test_one_of_two_files_is_not_enough(tmp_path):
    written(tmp_path, "w8a", TRAINING)
    with refused("w8a + w8a.t", "--download"):
        paper.load("w8a", tmp_path)


@pytest.mark.parametrize("numbers", [{"rows": 4}, {"rows": 2}, {"features": 2}, {"positives": 2}])
def test_a_file_without_the_papers_numbers_is_refused(tmp_path, small, numbers):
    small("w8a", **{"rows": 3, "features": 3, "positives": 1} | numbers)
    written(tmp_path, "w8a", TRAINING)
    written(tmp_path, "w8a.t", TEST)
    with refused("3 rows, 3 features and 1 positives", "cut short or another set", "get it again"):
        paper.load("w8a", tmp_path)


def test_a_part_is_read_with_the_papers_positive_class_and_a_note(tmp_path):
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    found = paper.load("protein", tmp_path)
    assert found.y.tolist() == [False, True, False]
    assert found.title == "protein (a 16 % part of protein)"


def test_a_part_without_the_papers_positive_class_is_refused(tmp_path):
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 3, 1])))
    with refused("no event is of class '0'"):
        paper.load("protein", tmp_path)


def test_a_stand_in_is_called_one(tmp_path):
    saved(tmp_path, "kdd04_bio.npz", **csr_parts())
    found = paper.load("KDDCUP08", tmp_path)
    assert found.title == "KDDCUP08 (KDD Cup 2004 protein homology in place of KDDCUP08)"


def test_the_real_thing_is_preferred_to_a_part(tmp_path, small):
    small("protein", rows=2, positives=1)
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    written(tmp_path, "protein", "0 1:1\n2 2:1\n")
    assert paper.load("protein", tmp_path).title == "protein"


def test_another_positive_class_is_noted(tmp_path):
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    found = open_stream("protein", data_dir=tmp_path, positive="2")
    assert found.y.tolist() == [True, False, False]
    assert found.note == "a 16 % part of protein; class 2 as positive"


def test_files_are_found_in_any_case(tmp_path, small):
    small("KDDCUP08", rows=3, positives=1)
    saved(tmp_path, "kddcup08.npz", **csr_parts())
    assert paper.load("KDDCUP08", tmp_path).note == ""


def test_an_absent_set_is_refused_with_files_folder_and_address(tmp_path):
    with refused("protein.bz2", str(tmp_path), "protein_val.npz", "--download", "RIVER_OA3_DATA"):
        paper.load("protein", tmp_path)


def test_an_absent_set_that_cannot_be_fetched_says_where_to_register(tmp_path):
    with refused("KDDCUP08.npz", "register at https://", "RIVER_OA3_DATA"):
        paper.load("KDDCUP08", tmp_path, download=True)


def test_the_folder_of_the_environment_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_OA3_DATA", str(tmp_path))
    saved(tmp_path, "kdd04_bio.npz", **csr_parts())
    assert len(open_stream("kddcup08")) == 3


def test_the_argument_wins_over_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_OA3_DATA", str(tmp_path))
    assert paper.data_folder("elsewhere") == Path("elsewhere")


def test_the_folder_is_at_home_by_default_and_is_not_made(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RIVER_OA3_DATA", raising=False)
    with refused(str(tmp_path / "river_oa3_data")):
        paper.load("w8a")
    assert list(tmp_path.iterdir()) == []


def ad_line(first, label, count=1558):
    return ",".join([first, *["0"] * (count - 2), " 1", label])


AD_DATA = "\n".join(
    [ad_line(" 125", "ad."), ad_line("   ?", "ad."), ad_line("0", "nonad."), ad_line("7", "nonad.")]
)


def zipped(name, text):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("ad.names", "not this one")
        archive.writestr(name, text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("file", "content"),
    [("ad.data", AD_DATA), ("internet+advertisements.zip", zipped("ad.data", AD_DATA))],
    ids=["plain", "zipped"],
)
def test_advertisements_lose_the_rows_that_have_gaps(tmp_path, small, file, content):
    small("IAD", rows=3, positives=1)
    written(tmp_path, file, content)
    found = paper.load("IAD", tmp_path)
    assert found.X.shape == (3, 1558)
    assert found.X[[0], :].toarray()[0, [0, 1, 1557]].tolist() == [125, 0, 1]
    assert (found.y.tolist(), found.note) == ([True, False, False], "")


def test_another_number_of_complete_rows_is_noted(tmp_path):
    written(tmp_path, "ad.data", AD_DATA)
    assert paper.load("IAD", tmp_path).note == "3 complete rows where the paper counts 2,410"


@pytest.mark.parametrize(
    "line", [ad_line("1", "ad.", count=900), ad_line("x", "ad.")], ids=["short", "text"]
)
def test_a_malformed_advertisement_is_refused_with_its_line(tmp_path, line):
    written(tmp_path, "ad.data", f"{AD_DATA}\n{line}\n")
    with refused("ad.data, line 5: expected 1558 numbers", "get the file again"):
        paper.load("IAD", tmp_path)


def test_a_zip_without_the_data_is_refused(tmp_path):
    written(tmp_path, "internet+advertisements.zip", zipped("other", "1"))
    with refused("internet+advertisements.zip", "get the file again"):
        paper.load("IAD", tmp_path)


CIFAR_BATCH = b"".join(bytes([label]) + bytes([label, 0, 7] * 1024) for label in (6, 0, 9))


def tarred(name):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for member, data in (("cifar/batches.meta.txt", b"cat"), (name, CIFAR_BATCH)):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return content.getvalue()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("data_batch_1.bin", CIFAR_BATCH),
        ("cifar-10-binary.tar.gz", tarred("cifar/data_batch_1.bin")),
    ],
    ids=["plain", "tarred"],
)
def test_images_are_read_from_the_batch_or_the_archive_with_it(tmp_path, small, file, content):
    small("CIFAR-10", rows=3, positives=1)
    written(tmp_path, file, content)
    found = paper.load("CIFAR-10", tmp_path)
    assert found.X.shape == (3, 3072)
    assert found.X[[2], :].toarray()[0, :3].tolist() == [9, 0, 7]
    assert found.y.tolist() == [False, True, False]
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_a_batch_of_images_that_is_cut_short_is_refused(tmp_path):
    written(tmp_path, "data_batch_1.bin", CIFAR_BATCH[:-1])
    with refused("data_batch_1.bin is cut short", "get the file again"):
        paper.load("CIFAR-10", tmp_path)


@pytest.mark.parametrize(
    "content",
    [tarred("cifar/other.bin"), tarred("data_batch_1.bin")[:60]],
    ids=["another file", "cut short"],
)
def test_an_archive_without_the_batch_is_refused(tmp_path, content):
    written(tmp_path, "cifar-10-binary.tar.gz", content)
    with refused("cifar-10-binary.tar.gz", "get the file again"):
        paper.load("CIFAR-10", tmp_path)


# Downloads


class Site(http.server.SimpleHTTPRequestHandler):
    """A site that promises more of files named in `short` than it sends."""

    short: tuple[str, ...] = ()

    def send_header(self, keyword, value):
        if keyword == "Content-Length" and self.path.strip("/") in self.short:
            value = str(int(value) + 10)
        super().send_header(keyword, value)

    def log_message(self, *args):
        pass


@pytest.fixture
def site(tmp_path, monkeypatch):
    """The w8a of the tests on a server of this machine."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "site"
    folder.mkdir()
    written(folder, "w8a", TRAINING)
    written(folder, "w8a.t", TEST)
    handler = functools.partial(Site, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        urls = (f"{address}/w8a", f"{address}/w8a.t")
        small_w8a = dataclasses.replace(paper.SETS["w8a"], rows=3, positives=1, urls=urls)
        monkeypatch.setitem(paper.SETS, "w8a", small_w8a)
        yield folder
        server.shutdown()


def test_a_download_fetches_what_is_absent_and_loads_it(site, tmp_path):
    found = open_stream("w8a", data_dir=tmp_path / "new" / "data", download=True)
    assert (len(found), found.note) == (3, "")
    assert sorted(path.name for path in (tmp_path / "new" / "data").iterdir()) == ["w8a", "w8a.t"]


def test_a_download_reports_its_progress(site, tmp_path):
    seen = []
    paper.load("w8a", tmp_path, download=True, progress=lambda *numbers: seen.append(numbers))
    assert seen == [(len(TRAINING), len(TRAINING)), (len(TEST), len(TEST))]


def test_what_is_there_is_not_downloaded_again(site, tmp_path):
    paper.load("w8a", tmp_path, download=True)
    for path in site.iterdir():
        path.unlink()
    assert len(paper.load("w8a", tmp_path, download=True)) == 3


def test_a_part_does_not_keep_the_real_thing_from_being_downloaded(tmp_path, small):
    url = written(tmp_path, "protein.bz2", bz2.compress(b"0 1:1\n2 2:1\n")).as_uri()
    small("protein", rows=2, positives=1, urls=(url,))
    folder = tmp_path / "data"
    folder.mkdir()
    saved(folder, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    assert paper.load("protein", folder, download=True).title == "protein"


def test_nothing_is_downloaded_unasked(site, tmp_path):
    with refused("--download"):
        paper.load("w8a", tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_a_download_that_is_cut_short_leaves_nothing_behind(site, tmp_path, monkeypatch):
    monkeypatch.setattr(Site, "short", ("w8a",))
    with refused("cannot download http://127.0.0.1", "of 23 bytes came", "try again"):
        paper.load("w8a", tmp_path / "data", download=True)
    assert not (tmp_path / "data").exists()


def test_a_file_that_came_whole_is_kept_when_the_next_one_fails(site, tmp_path, monkeypatch):
    monkeypatch.setattr(Site, "short", ("w8a.t",))
    with refused("/w8a.t"):
        paper.load("w8a", tmp_path / "data", download=True)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["w8a"]


def test_only_the_file_that_is_absent_is_fetched(site, tmp_path):
    (site / "w8a").rename(tmp_path / "w8a")
    assert len(paper.load("w8a", tmp_path, download=True)) == 3


def test_a_file_that_is_not_on_the_site_is_refused_with_its_address(site, tmp_path):
    (site / "w8a").unlink()
    with refused("http://127.0.0.1", "/w8a", "404", "by hand"):
        paper.load("w8a", tmp_path / "data", download=True)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/w8a", "file:///nowhere/w8a", "no address"])
def test_an_address_that_does_not_answer_is_refused(tmp_path, small, url):
    small("w8a", urls=(url,))
    with refused(f"cannot download {url}", "by hand"):
        paper.load("w8a", tmp_path / "data", download=True)


def test_a_download_that_is_interrupted_leaves_nothing_behind(site, tmp_path):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        paper.load("w8a", tmp_path / "data", download=True, progress=interrupt)
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_made_is_refused(site, tmp_path):
    written(tmp_path, "data", "a file in the way")
    with refused("cannot download", str(tmp_path / "data")):
        paper.load("w8a", tmp_path / "data", download=True)


# The real data, where RIVER_OA3_DATA names a folder that has it


def real(name):
    folder = os.environ.get("RIVER_OA3_DATA")
    if not folder:
        pytest.skip("RIVER_OA3_DATA is not set")
    try:
        return paper.load(name)
    except DataError as error:
        if f"{name} is not in" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("name", list(paper.SETS))
def test_a_real_set_has_the_papers_numbers_or_says_what_it_is(name):
    found, known = real(name), paper.SETS[name]
    same = (len(found), found.positives) == (known.rows, known.positives)
    assert same or found.note


def test_w8a_comes_with_twenty_orders():
    found = real("w8a")
    if found.permutations is None:
        pytest.skip("these files of w8a have no permutations")
    assert found.permutations.shape == (20, 64_700)


def test_w8a_has_5455_empty_rows_202_of_them_positive():
    found = real("w8a")
    empty = np.diff(found.X.indptr) == 0
    assert (empty.sum(), found.y[empty].sum()) == (5_455, 202)


def test_w8a_in_libsvms_format_is_the_same_stream_in_seconds(tmp_path):
    found = real("w8a")
    lines = [
        f"{1 if y else -1} {' '.join(f'{index + 1}:{value:g}' for index, value in x.items())}\n"
        for x, y in found.events()
    ]
    written(tmp_path, "w8a", "".join(lines[:49_749]))
    written(tmp_path, "w8a.t", "".join(lines[49_749:]))
    start = time.perf_counter()
    again = paper.load("w8a", tmp_path)
    assert time.perf_counter() - start < 10
    assert (again.X != found.X).nnz == 0
    assert (again.y == found.y).all()
    assert again.names == found.names


def test_the_real_images_have_unit_length_after_scaling():
    X = real("CIFAR-10").unit_rows().X
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1.0, rtol=1e-12)

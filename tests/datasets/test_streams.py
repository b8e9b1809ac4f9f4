"""Any matrix becomes the same stream, or an error names the fix."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from data_helpers import csr_parts, refused, saved, toy, written
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.datasets import Stream, open_stream, stream
from river_oa3.datasets.streams import MAX_NUMBERED_COLUMNS


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
    with refused("3 rows", "one label per row"):
        stream("toy", np.eye(3), labels)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_with_its_event_and_feature(value):
    with refused("event 2", "'b'", "fill it or drop"):
        stream("toy", [[1, 1], [0, value], [value, 1]], [1, 0, 0], names=["a", "b"])


def test_missing_numbers_are_taken_where_nan_stands_for_them():
    gappy = stream("toy", [[1, math.nan], [0, 2.0]], [1, 0], names=["a", "b"], missing=True)
    (first, _), (second, _) = gappy.events()
    assert math.isnan(first["b"])
    assert second == {"b": 2.0}
    with refused("event 1", "'a'", "inf"):
        stream("toy", [[math.inf, math.nan], [0, 2.0]], [1, 0], names=["a", "b"], missing=True)


@pytest.mark.parametrize("act", [Stream.unit_rows, Stream.scaled])
def test_what_needs_every_number_refuses_missing_ones_by_name(act):
    gappy = stream("toy", [[1, 1], [1, math.nan]], [1, 0], names=["a", "b"], missing=True)
    with refused("event 2", "'b' is missing", "fill it"):
        act(gappy)


def test_a_matrix_of_text_is_refused():
    with refused("not of numbers", "encode"):
        stream("toy", [["a"], ["b"]], [1, 0])


def test_a_vector_is_refused():
    with refused("1 dimensions", "one event per row"):
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


def test_columns_far_apart_keep_their_numbers_as_names():
    X = scipy.sparse.csr_array(([1.0, 2.0, 3.0], [7, 2**25, 2**26 - 1], [0, 2, 3]), (2, 2**26))
    found = stream("toy", X, [1, 0])
    assert found.names == [7, 2**25, 2**26 - 1]
    assert list(found.events()) == [({7: 1.0, 2**25: 2.0}, True), ({2**26 - 1: 3.0}, False)]


@given(matrices)
def test_a_wide_matrix_has_the_events_of_a_narrow_one(rows):
    labels = [1] + [0] * (len(rows) - 1)
    narrow = scipy.sparse.csr_array(np.array(rows))
    wide = narrow.copy()
    wide.resize(len(rows), MAX_NUMBERED_COLUMNS + 1)
    for change in (Stream.unit_rows, Stream.with_intercept):
        found, expected = (change(stream("toy", X, labels)) for X in (wide, narrow))
        assert list(found.events()) == list(expected.events())


def test_of_an_ordinary_matrix_columns_of_zeros_are_kept():
    X = scipy.sparse.csr_array(([1.0, 1.0], [0, 3], [0, 1, 2]), (2, MAX_NUMBERED_COLUMNS))
    found = stream("toy", X, [1, 0])
    assert (found.X.shape[1], found.names[-1]) == (MAX_NUMBERED_COLUMNS, MAX_NUMBERED_COLUMNS - 1)


def test_columns_with_names_are_all_kept():
    count = MAX_NUMBERED_COLUMNS + 1
    X = scipy.sparse.csr_array(([1.0, 1.0], [0, 3], [0, 1, 2]), (2, count))
    names = [f"f{i}" for i in range(count)]
    assert stream("toy", X, [1, 0], names=names).names == names


@pytest.mark.parametrize("door", ["LIBSVM", "npz", "matrix"])
def test_memory_is_asked_for_by_the_number_of_indices_and_not_by_their_size(tmp_path, door):
    if door == "LIBSVM":
        data = written(tmp_path, "toy", "1 67108863:1\n-1 67108862:1\n")
    elif door == "npz":
        far = np.array([2**26 - 1, 0, 1], dtype=np.int32)
        data = saved(tmp_path, **csr_parts(indices=far, shape=np.array([3, 2**26])))
    else:
        data = scipy.sparse.csr_array(([1.0, 1.0], [2**26 - 1, 0], [0, 1, 2]), (2, 2**26))
    tracemalloc.start()
    try:
        found = stream("toy", data, [1, 0]) if door == "matrix" else open_stream(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 2**26 - 1 in found.names
    assert peak < 2**20


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

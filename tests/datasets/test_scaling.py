"""Columns brought to scale, against a plain NumPy twin."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
import scipy.sparse
from data_helpers import refused
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import datasets
from river_oa3._core.category import Category
from river_oa3.datasets import Stream
from river_oa3.datasets.paper_rows import dominating, rows_for_paper, scaler_for_paper
from river_oa3.datasets.scaling import REACH, MeansAndDeviations

values = st.just(0.0) | st.floats(-1e3, 1e3).map(lambda value: round(value, 3))


def tables(min_rows=2, columns=4):
    row = st.lists(values, min_size=columns, max_size=columns)
    return st.lists(row, min_size=min_rows, max_size=30).map(np.array)


def streamed(X, names=None):
    y = np.arange(len(X)) % 2 == 0
    return datasets.stream("made", np.asarray(X, dtype=float), y, names=names)


def scaled(X):
    return streamed(X).scaled().X.toarray()


def twin(X):
    """What scaling is, column by column."""
    out = np.zeros_like(X)
    for j, column in enumerate(X.T):
        filled = column[column != 0]
        if 2 * len(filled) > len(column):
            deviation = column.std()
            if deviation > 1e-9 * abs(column.mean()):
                out[:, j] = np.clip((column - column.mean()) / deviation, -REACH, REACH)
        elif len(filled):
            out[:, j] = column / np.sqrt(np.mean(filled**2))
    return out


def in_parts(X, cuts, filled=False):
    """Means and deviations of the rows of a matrix, which come in parts."""
    scales = MeansAndDeviations(X.shape[1])
    for part in np.split(X, sorted(cuts)):
        sparse = scipy.sparse.csr_array(part)
        scales.add(sparse.data, sparse.indices, len(part))
    return (scales.filled() if filled else scales).scaling()


# The twin


@given(tables())
def test_scaling_is_that_of_the_plain_twin(X):
    np.testing.assert_allclose(scaled(X), twin(X), rtol=1e-6, atol=1e-6)


def test_dense_columns_have_mean_0_and_deviation_1():
    X = np.random.default_rng(0).uniform(-1, 1, (200, 3)) * [1e-6, 1.0, 1e6] + [5e-6, -3.0, 0.0]
    found = scaled(X)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(found.std(axis=0), 1.0, rtol=1e-9)


def test_zeros_of_a_dense_column_are_values_like_any_other():
    found = scaled([[0.0], [1.0], [2.0], [3.0]])
    assert found[0, 0] == pytest.approx(-1.5 / np.sqrt(1.25))


def test_dense_columns_are_cut_off_at_four_deviations():
    X = np.random.default_rng(0).normal(size=(400, 1))
    X[7], X[8] = 1e3, -1e3
    found = scaled(X)
    assert (found[7, 0], found[8, 0], np.abs(found).max()) == (4.0, -4.0, 4.0)


def test_sparse_columns_are_not_cut_off():
    X = np.zeros((400, 1))
    X[:100] = 1.0
    X[0] = 100.0
    assert scaled(X).max() > 9.0


def test_sparse_columns_keep_their_zeros():
    X = np.random.default_rng(0).normal(size=(60, 3)) * (np.arange(60)[:, None] % 3 == 0)
    assert ((scaled(X) == 0) == (X == 0)).all()


def test_sparse_flags_of_ones_stay_ones():
    X = (np.arange(60)[:, None] % [3, 4, 7] == 0).astype(float)
    assert scaled(X).tolist() == X.tolist()


def test_a_column_with_values_in_half_of_the_rows_is_sparse():
    assert scaled([[2.0], [0.0], [2.0], [0.0]]).ravel().tolist() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("constant", [1.0, -3.0, 0.1, 1e-8, 1e15])
def test_constants_vanish(constant):
    stream = streamed(np.full((50, 1), constant)).scaled()
    assert stream.nonzeros == 0


@pytest.mark.parametrize("share", [1, 4], ids=["dense", "sparse"])
def test_values_that_are_too_large_to_be_squared_do_not_overflow(share):
    X = np.random.default_rng(0).normal(size=(40, 1)) * 1e200
    X *= np.arange(40)[:, None] % share == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scaled(X)
    assert 0.0 < np.abs(found).max() <= 1.0


def test_names_and_labels_are_those_of_the_stream_that_is_scaled():
    stream = streamed(np.eye(4), names=list("abcd"))
    found = stream.scaled()
    assert (found.names, found.y.tolist()) == (stream.names, stream.y.tolist())


def test_the_scale_may_be_that_of_other_rows():
    others = streamed([[2.0], [4.0], [6.0]])
    found = streamed([[4.0], [6.0]]).scaled(others.means_and_deviations().scaling())
    expected = [0.0, 2.0 / np.sqrt(8.0 / 3.0)]
    np.testing.assert_allclose(found.X.toarray().ravel(), expected, atol=1e-12)


# Part by part


@given(tables(), st.lists(st.integers(0, 30), max_size=4))
def test_means_in_chunks_are_means_at_once(X, cuts):
    parts, whole = in_parts(X, [min(cut, len(X)) for cut in cuts]), in_parts(X, [])
    assert parts.dense.tolist() == whole.dense.tolist()
    np.testing.assert_allclose(parts.centre, whole.centre, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parts.scale, whole.scale, rtol=1e-6, atol=1e-6)


@given(tables(), st.integers(0, 30))
def test_columns_that_come_later_are_scaled_as_if_there_from_the_start(X, cut):
    X[:cut, 2:] = 0.0
    early, late = scipy.sparse.csr_array(X[:cut, :2]), scipy.sparse.csr_array(X[cut:])
    scales = MeansAndDeviations(2)
    scales.add(early.data, early.indices, early.shape[0])
    scales.widen(4)
    scales.add(late.data, late.indices, late.shape[0])
    np.testing.assert_allclose(scales.scaling().scale, in_parts(X, []).scale, rtol=1e-6)


def test_widening_to_fewer_columns_forgets_nothing():
    scales = MeansAndDeviations(3)
    scales.widen(1)
    assert len(scales.counts) == 3


# Rows for the paper's methods

DENSE = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 5.0], [4.0, 3.0]])
SPARSE = np.eye(4)


def test_rows_for_the_paper_are_of_unit_length():
    found = rows_for_paper(streamed(DENSE))
    np.testing.assert_allclose(found.squares, 1.0)


def test_an_intercept_is_added_where_something_is_centred():
    assert rows_for_paper(streamed(DENSE)).names == [0, 1, "intercept"]


def test_no_intercept_is_added_where_nothing_is_centred():
    assert rows_for_paper(streamed(SPARSE)).names == [0, 1, 2, 3]


def test_an_intercept_is_added_where_it_is_asked_for():
    assert rows_for_paper(streamed(SPARSE), intercept=True).names[-1] == "intercept"


def test_a_column_called_intercept_stands_in_for_one_that_is_not_asked_for():
    found = rows_for_paper(streamed(DENSE, names=["a", "intercept"]))
    assert found.names == ["a", "intercept"]


@pytest.mark.parametrize("as_they_are", [False, True])
def test_a_second_intercept_is_refused(as_they_are):
    stream = streamed(DENSE, names=["a", "intercept"])
    with refused("'intercept' already", "do not add another"):
        rows_for_paper(stream, intercept=True, as_they_are=as_they_are)


def test_rows_as_they_are_are_left_alone():
    assert rows_for_paper(streamed(DENSE), as_they_are=True).X.toarray().tolist() == DENSE.tolist()


def test_rows_as_in_the_paper_are_not_scaled():
    found = rows_for_paper(streamed(DENSE), as_in_paper=True)
    lengths = np.linalg.norm(DENSE, axis=1, keepdims=True)
    np.testing.assert_allclose(found.X.toarray(), DENSE / lengths)


# Gaps


def holed(columns, seed=0):
    """Rows with gaps, zeros, a category and a flag, in every mixture."""
    rng = np.random.default_rng(seed)
    X = rng.normal(3.0, 2.0, (80, columns)) * (rng.random((80, columns)) < 0.8)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 0] = rng.random(80) < 0.4
    names = [Category("colour", "red"), *(f"x{j}" for j in range(1, columns))]
    return Stream("holed", scipy.sparse.csr_array(X), rng.random(80) < 0.5, names)


def filled_by_hand(X):
    """Means of what is known in the place of gaps, and a flag for each column that has some."""
    gaps = np.isnan(X)
    filled = np.where(gaps, np.nan_to_num(np.nanmean(X, axis=0)), X)
    return np.hstack([filled, gaps[:, gaps.any(axis=0)]])


def test_gaps_are_filled_with_the_mean_of_what_is_known_and_flagged():
    stream = holed(5)
    found = stream.filled()
    np.testing.assert_allclose(found.X.toarray(), filled_by_hand(stream.X.toarray()))
    assert found.names[5:] == [f"x{j} is missing" for j in range(1, 5)]


def test_a_flag_takes_no_name_that_a_column_has():
    stream = dataclasses.replace(holed(3), names=["a", "x", "x is missing"])
    assert stream.filled().names[3:] == ["x is missing (2)", "x is missing is missing"]


def test_a_column_of_gaps_alone_is_zero_and_flagged():
    X = scipy.sparse.csr_array([[np.nan, 1.0], [np.nan, 2.0]])
    found = Stream("gaps", X, np.array([True, False]), ["a", "b"]).filled()
    assert found.X.toarray().tolist() == [[0.0, 1.0, 1.0], [0.0, 2.0, 1.0]]


def test_a_stream_without_gaps_is_filled_already():
    stream = streamed(DENSE)
    assert stream.filled() is stream


@given(st.integers(0, 30), st.lists(st.integers(0, 80), max_size=4))
def test_means_of_filled_rows_are_known_before_they_are_filled(seed, cuts):
    stream = holed(4, seed)
    before = in_parts(stream.X.toarray(), cuts, filled=True)
    after = stream.filled().means_and_deviations().scaling()
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"as_in_paper": True}, {"as_they_are": True}])
@pytest.mark.parametrize("intercept", [False, True])
def test_one_event_becomes_what_it_is_among_all(options, intercept):
    stream = holed(6)
    rows = rows_for_paper(stream, intercept=intercept, **options)
    scaler = scaler_for_paper(stream, rows, **options)
    for (raw, _), (expected, _) in zip(stream.events(), rows.events(), strict=True):
        x = {name: None if value != value else value for name, value in raw.items()}
        if x.pop(stream.names[0], None):
            x["colour"] = "red"
        assert scaler.transform_one(x) == pytest.approx(expected, rel=1e-12)


def test_what_the_file_did_not_have_is_passed_on_as_it_is():
    rows = rows_for_paper(holed(2), as_they_are=True)
    scaler = scaler_for_paper(holed(2), rows, as_they_are=True)
    assert scaler.transform_one({"new": 2.5, "colour": "green", "other": None}) == {
        "new": 2.5,
        "colour=green": 1.0,
    }


# Columns that dwarf the others


def with_one_large(n=100):
    X = np.random.default_rng(0).normal(size=(n, 3)) + 2.0
    X[:, 1] *= 1e6
    return X


def test_a_column_of_millions_among_columns_of_ones_dominates():
    assert dominating(streamed(with_one_large(), names=["a", "price", "c"])) == "price"


def test_no_column_dominates_once_they_are_scaled():
    assert dominating(streamed(with_one_large()).scaled()) is None


def test_a_column_that_is_large_in_some_rows_alone_does_not_dominate():
    X = with_one_large()
    X[:10, 1] = 1.0
    assert dominating(streamed(X)) is None


def test_empty_rows_do_not_hide_a_column_that_dominates():
    X = with_one_large()
    X[::2] = 0.0
    assert dominating(streamed(X)) == 1


@pytest.mark.parametrize("X", [np.full((4, 1), 9.0), np.zeros((4, 2))], ids=["one", "nothing"])
def test_no_column_dominates_where_there_is_nothing_to_dominate(X):
    assert dominating(streamed(X)) is None

"""A batch is its rows, one after another."""

import math
import os
import random
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learners import each_learner, margins_while_learning, state, trained
from river import linear_model

COLUMNS = [f"f{i}" for i in range(8)]


def random_rows(n, columns=COLUMNS, seed=1):
    """Rows of a frame, a third of the cells zero, with labels that a line nearly separates."""
    rng = random.Random(seed)
    rows = [{c: rng.choice([0.0, 1.0, 1.0]) * rng.gauss(0, 1) for c in columns} for _ in range(n)]
    labels = [sum(x.values()) + rng.gauss(0, 0.3) > 0 for x in rows]
    return rows, labels


def pandas_batch(rows, labels, name="target"):
    return pd.DataFrame(rows), pd.Series(labels, name=name, dtype=bool)


def polars_batch(rows, labels, name="target"):
    return pl.DataFrame(rows), pl.Series(name, labels, dtype=pl.Boolean)


def pyarrow_batch(rows, labels, name="target"):
    return pa.Table.from_pylist(rows), pa.chunked_array([pa.array(labels, pa.bool_())])


BACKENDS = {"pandas": pandas_batch, "polars": polars_batch, "pyarrow": pyarrow_batch}
each_backend = pytest.mark.parametrize("batch", BACKENDS.values(), ids=BACKENDS)


def column(native, name):
    """A column of any of the three kinds of frame, as a list."""
    values = native[name]
    return values.to_pylist() if isinstance(native, pa.Table) else list(values)


def as_list(series):
    return series.to_pylist() if isinstance(series, pa.ChunkedArray) else list(series)


def learned_row_by_row(model, rows, labels, weights=None):
    for x, y, w in zip(rows, labels, weights or [1.0] * len(rows), strict=True):
        model.learn_one(x, y, w)
    return model


def assert_same_model(model, twin, probes):
    """Equal to the last bit, in weights, margins and variances."""
    assert model.weights == twin.weights
    assert [model.margin_one(x) for x in probes] == [twin.margin_one(x) for x in probes]
    assert [model.variance_one(x) for x in probes] == [twin.variance_one(x) for x in probes]


# Learning


@each_learner
@each_backend
def test_learn_many_is_the_row_loop(learner, batch):
    rows, labels = random_rows(100)
    model = learner()
    model.learn_many(*batch(rows, labels))
    assert_same_model(model, learned_row_by_row(learner(), rows, labels), rows)


@each_learner
@each_backend
def test_learn_many_is_the_row_loop_while_columns_come_and_go(learner, batch):
    model, twin, probes = learner(), learner(), []
    shapes = [COLUMNS[:2], COLUMNS, COLUMNS[5:], [*COLUMNS[:1], "late"], ["late", *COLUMNS[::-1]]]
    for seed, columns in enumerate(shapes):
        rows, labels = random_rows(20, columns, seed)
        model.learn_many(*batch(rows, labels))
        learned_row_by_row(twin, rows, labels)
        probes += rows
    assert_same_model(model, twin, probes)


@each_learner
@given(
    batches=st.lists(
        st.tuples(
            st.permutations(COLUMNS).flatmap(
                lambda columns: st.integers(1, len(columns)).map(lambda n: columns[:n])
            ),
            st.integers(0, 6),
        ),
        max_size=5,
    )
)
def test_learn_many_is_the_row_loop_however_the_stream_is_cut(learner, batches):
    model, twin, probes = learner(), learner(), []
    for seed, (columns, n) in enumerate(batches):
        rows, labels = random_rows(n, columns, seed)
        X = pd.DataFrame(rows, columns=columns, dtype=float)
        model.learn_many(X, pd.Series(labels, dtype=bool))
        learned_row_by_row(twin, rows, labels)
        probes += rows
    assert_same_model(model, twin, probes)


@each_learner
@each_backend
def test_batches_and_single_events_mix(learner, batch):
    rows, labels = random_rows(60)
    model = learned_row_by_row(learner(), rows[:20], labels[:20])
    model.learn_many(*batch(rows[20:40], labels[20:40]))
    learned_row_by_row(model, rows[40:], labels[40:])
    assert_same_model(model, learned_row_by_row(learner(), rows, labels), rows)


@each_learner
@each_backend
def test_rows_of_zeros_change_nothing(learner, batch):
    model = trained(learner)
    X, y = batch([dict.fromkeys(COLUMNS, 0.0)] * 3, [True, False, True])
    before = model.weights, [model.variance_one({c: 1.0}) for c in COLUMNS]
    model.learn_many(X, y)
    assert before == (model.weights, [model.variance_one({c: 1.0}) for c in COLUMNS])


@each_learner
@each_backend
def test_column_of_zeros_registers_no_feature(learner, batch):
    rows, labels = random_rows(20)
    model = learner()
    model.learn_many(*batch([x | {"never": 0.0} for x in rows], labels))
    assert set(model.weights) == set(COLUMNS)


@each_learner
@each_backend
def test_batch_without_rows_teaches_nothing(learner, batch):
    rows, labels = random_rows(5)
    X, y = batch(rows, labels)
    model = trained(learner)
    before = model.weights
    model.learn_many(X[:0], y[:0])
    assert model.weights == before


NUMERIC = {
    "pandas-int": lambda v: pd.Series([round(3 * n) for n in v]),
    "pandas-int8": lambda v: pd.Series([round(3 * n) for n in v], dtype="int8"),
    "pandas-uint64": lambda v: pd.Series([abs(round(3 * n)) for n in v], dtype="uint64"),
    "pandas-bool": lambda v: pd.Series([n > 0 for n in v]),
    "pandas-float32": lambda v: pd.Series(v, dtype="float32"),
    "pandas-float16": lambda v: pd.Series(v, dtype="float16"),
    "pandas-Float64": lambda v: pd.Series(v, dtype="Float64"),
    "pandas-Float32": lambda v: pd.Series(v, dtype="Float32"),
    "pandas-Int64": lambda v: pd.Series([round(3 * n) for n in v], dtype="Int64"),
    "pandas-boolean": lambda v: pd.Series([n > 0 for n in v], dtype="boolean"),
    "pandas-arrow": lambda v: pd.Series(v, dtype="double[pyarrow]"),
    "pandas-arrow-int": lambda v: pd.Series([round(3 * n) for n in v], dtype="int32[pyarrow]"),
    "pandas-sparse": lambda v: pd.Series(v, dtype="Sparse[float64]"),
    "pandas-Decimal": lambda v: pd.Series([Decimal(str(n)) for n in v], dtype=object),
    "pandas-Fraction": lambda v: pd.Series([Fraction(str(n)) for n in v], dtype=object),
    "pandas-mixed": lambda v: pd.Series(
        [(Decimal, float, Fraction)[i % 3](n) for i, n in enumerate(v)], dtype=object
    ),
    "polars-int": lambda v: pl.Series([round(3 * n) for n in v]),
    "polars-uint8": lambda v: pl.Series([abs(round(3 * n)) for n in v], dtype=pl.UInt8),
    "polars-bool": lambda v: pl.Series([n > 0 for n in v]),
    "polars-float32": lambda v: pl.Series(v, dtype=pl.Float32),
    "polars-decimal": lambda v: pl.Series(
        [Decimal(str(round(n, 3))) for n in v], dtype=pl.Decimal(20, 3)
    ),
    "pyarrow-float32": lambda v: pa.array(v, pa.float32()),
    "pyarrow-int": lambda v: pa.array([round(3 * n) for n in v]),
    "pyarrow-bool": lambda v: pa.array([n > 0 for n in v]),
    "pyarrow-decimal": lambda v: pa.array(
        [Decimal(str(round(n, 3))) for n in v], pa.decimal128(20, 3)
    ),
}


def frame_of(kind, columns):
    if kind.startswith("pandas"):
        return pd.DataFrame(columns)
    return pl.DataFrame(columns) if kind.startswith("polars") else pa.table(columns)


@each_learner
@pytest.mark.parametrize("kind", NUMERIC)
def test_columns_of_every_numeric_kind_are_taken_as_floats(learner, kind):
    rows, labels = random_rows(30, ["odd", "twin", "plain"])
    make = NUMERIC[kind]
    columns = {
        "odd": make([x["odd"] for x in rows]),
        "twin": make([x["twin"] for x in rows]),
        "plain": [x["plain"] for x in rows],
    }
    X = frame_of(kind, columns)
    model = learner()
    model.learn_many(X, pd.Series(labels))
    cells = {name: column(X, name) for name in X.columns} if kind[:6] != "pyarro" else X.to_pydict()
    same_rows = [{name: float(cells[name][i]) for name in cells} for i in range(len(rows))]
    assert_same_model(model, learned_row_by_row(learner(), same_rows, labels), same_rows)


@each_learner
@pytest.mark.parametrize(
    "names", [[0, 1, 2], [("a", 1), ("a", 2), ("b", 1)], ["a", 1, 2.5]], ids=str
)
def test_pandas_columns_of_any_name_are_the_features_of_that_name(learner, names):
    rows, labels = random_rows(30, names)
    X = pd.DataFrame({i: [x[name] for x in rows] for i, name in enumerate(names)})
    X.columns = pd.Index(names, tupleize_cols=False)
    model = learner()
    model.learn_many(X, pd.Series(labels))
    assert_same_model(model, learned_row_by_row(learner(), rows, labels), rows)


LABELS = {
    "pandas-bool": lambda y: pd.Series(y),
    "pandas-int": lambda y: pd.Series([int(v) for v in y]),
    "pandas-uint8": lambda y: pd.Series(y, dtype="uint8"),
    "pandas-boolean": lambda y: pd.Series(y, dtype="boolean"),
    "pandas-Int64": lambda y: pd.Series([int(v) for v in y], dtype="Int64"),
    "pandas-arrow": lambda y: pd.Series(y, dtype="bool[pyarrow]"),
    "pandas-object": lambda y: pd.Series(y, dtype=object),
    "polars-bool": lambda y: pl.Series(y),
    "polars-int": lambda y: pl.Series([int(v) for v in y]),
    "pyarrow-bool": lambda y: pa.chunked_array([y]),
    "pyarrow-int": lambda y: pa.chunked_array([[int(v) for v in y]]),
}


@each_learner
@pytest.mark.parametrize("labels_as", LABELS.values(), ids=LABELS)
def test_labels_of_every_documented_kind_are_equivalent(learner, labels_as):
    rows, labels = random_rows(40)
    model = learner()
    model.learn_many(pd.DataFrame(rows), labels_as(labels))
    assert_same_model(model, learned_row_by_row(learner(), rows, labels), rows)


@each_learner
def test_rows_and_labels_pair_by_position(learner):
    rows, labels = random_rows(40)
    X, y = pandas_batch(rows, labels)
    model = learner()
    model.learn_many(X.set_axis(range(100, 140)), y.set_axis(range(40)[::-1]))
    assert_same_model(model, learned_row_by_row(learner(), rows, labels), rows)


@each_learner
@each_backend
def test_scalar_weight_counts_for_every_row(learner, batch):
    rows, labels = random_rows(40)
    model = learner()
    model.learn_many(*batch(rows, labels), w=2.5)
    assert_same_model(model, learned_row_by_row(learner(), rows, labels, [2.5] * 40), rows)


@each_learner
@pytest.mark.parametrize(
    "weights_as",
    [pd.Series, pl.Series, lambda w: pa.chunked_array([w])],
    ids=["pandas", "polars", "pyarrow"],
)
def test_series_of_weights_counts_row_by_row(learner, weights_as):
    rows, labels = random_rows(40)
    weights = [0.5 * (i % 5) for i in range(40)]
    model = learner()
    model.learn_many(pd.DataFrame(rows), pd.Series(labels), w=weights_as(weights))
    assert_same_model(model, learned_row_by_row(learner(), rows, labels, weights), rows)


@each_learner
@each_backend
def test_learn_many_changes_no_input(learner, batch):
    rows, labels = random_rows(10)
    X, y = batch(rows, labels)
    learner().learn_many(X, y)
    assert [{c: column(X, c)[i] for c in COLUMNS} for i in range(10)] == rows
    assert as_list(y) == labels


# Predicting


@each_learner
@each_backend
def test_predict_many_is_predict_one_per_row(learner, batch):
    rows, labels = random_rows(60)
    X, _ = batch([x | {"unknown": 1.0} for x in rows], labels)
    model = trained(learner)
    assert as_list(model.predict_many(X)) == [model.predict_one(x) for x in rows]


@each_learner
@each_backend
def test_predict_proba_many_is_predict_proba_one_per_row(learner, batch):
    rows, labels = random_rows(60)
    rows = [x | {"unknown": 1.0} for x in rows]
    X, _ = batch(rows, labels)
    model = trained(learner)
    probabilities = model.predict_proba_many(X)
    positive = True if batch is pandas_batch else "True"
    assert column(probabilities, positive) == pytest.approx(
        [model.predict_proba_one(x)[True] for x in rows], rel=1e-12
    )


@each_learner
@each_backend
def test_probabilities_of_a_row_sum_to_one(learner, batch):
    X, _ = batch(*random_rows(30))
    probabilities = trained(learner).predict_proba_many(X)
    negative, positive = (False, True) if batch is pandas_batch else ("False", "True")
    totals = np.add(column(probabilities, negative), column(probabilities, positive))
    assert totals == pytest.approx(np.ones(30))


@each_learner
@each_backend
def test_predictions_change_no_state(learner, batch):
    X, _ = batch([x | {"unknown": 1.0} for x in random_rows(10)[0]], [True] * 10)
    model = trained(learner)
    before = state(model)
    model.predict_many(X)
    model.predict_proba_many(X)
    assert state(model) == before


def pair_with_river(learner, X, y):
    """A learner and river's LogisticRegression, both taught the same batch."""
    model, river_model = learner(), linear_model.LogisticRegression()
    model.learn_many(X, y)
    river_model.learn_many(X, y)
    return model, river_model


@each_learner
@pytest.mark.parametrize("n", [0, 1, 7])
def test_pandas_predictions_look_like_rivers(learner, n):
    X, y = pandas_batch(*random_rows(7))
    X = X.set_axis(pd.date_range("2020", periods=7), axis=0)
    model, river_model = pair_with_river(learner, X, y)
    ours, theirs = model.predict_many(X[:n]), river_model.predict_many(X[:n])
    assert (type(ours), ours.dtype, ours.name) == (type(theirs), theirs.dtype, theirs.name)
    pd.testing.assert_index_equal(ours.index, theirs.index)


@each_learner
@pytest.mark.parametrize("n", [0, 1, 7])
def test_pandas_probabilities_look_like_rivers(learner, n):
    X, y = pandas_batch(*random_rows(7))
    X = X.set_axis([*"abccdef"], axis=0)
    model, river_model = pair_with_river(learner, X, y)
    ours, theirs = model.predict_proba_many(X[:n]), river_model.predict_proba_many(X[:n])
    assert (type(ours), list(ours.dtypes)) == (type(theirs), list(theirs.dtypes))
    assert list(ours.columns) == list(theirs.columns)
    pd.testing.assert_index_equal(ours.index, theirs.index)


@each_learner
@pytest.mark.parametrize("n", [0, 1, 7])
def test_polars_predictions_look_like_rivers(learner, n):
    X, y = polars_batch(*random_rows(7))
    model, river_model = pair_with_river(learner, X, y)
    ours, theirs = model.predict_many(X[:n]), river_model.predict_many(X[:n])
    assert (type(ours), ours.dtype, ours.name) == (type(theirs), theirs.dtype, theirs.name)


@each_learner
@pytest.mark.parametrize("n", [0, 1, 7])
def test_polars_probabilities_look_like_rivers(learner, n):
    X, y = polars_batch(*random_rows(7))
    model, river_model = pair_with_river(learner, X, y)
    ours, theirs = model.predict_proba_many(X[:n]), river_model.predict_proba_many(X[:n])
    assert (type(ours), ours.schema) == (type(theirs), theirs.schema)


@each_learner
def test_pyarrow_predictions_look_like_rivers(learner):
    X, y = pyarrow_batch(*random_rows(7))
    model, river_model = pair_with_river(learner, X, y)
    ours, theirs = model.predict_many(X), river_model.predict_many(X)
    assert (type(ours), ours.type) == (type(theirs), theirs.type)
    assert model.predict_proba_many(X).schema == river_model.predict_proba_many(X).schema


@each_learner
@each_backend
def test_as_many_predictions_as_rows_even_none(learner, batch):
    X, _ = batch(*random_rows(3))
    model = trained(learner)
    assert (len(model.predict_many(X[:0])), len(model.predict_proba_many(X[:0]))) == (0, 0)


@each_learner
def test_rows_without_columns_are_empty_events(learner):
    X = pd.DataFrame(index=range(3))
    assert list(trained(learner).predict_many(X)) == [True, True, True]


@each_learner
def test_predictions_carry_no_name_before_a_batch_gave_one(learner):
    assert trained(learner).predict_many(pd.DataFrame({"f0": [1.0]})).name is None


# Bad batches


def assert_batch_refused(model, error, match, X, y, w=1.0):
    before = state(model)
    with pytest.raises(error, match=match):
        model.learn_many(X, y, w)
    assert state(model) == before


MISSING = {
    "pandas-nan": lambda v: pd.Series([*v[:-1], math.nan]),
    "pandas-inf": lambda v: pd.Series([*v[:-1], math.inf]),
    "pandas-minus-inf": lambda v: pd.Series([-math.inf, *v[1:]]),
    "pandas-float32": lambda v: pd.Series([*v[:-1], math.nan], dtype="float32"),
    "pandas-Float64": lambda v: pd.Series([*v[:-1], None], dtype="Float64"),
    "pandas-Int64": lambda v: pd.Series([1] * (len(v) - 1) + [None], dtype="Int64"),
    "pandas-boolean": lambda v: pd.Series([True] * (len(v) - 1) + [None], dtype="boolean"),
    "pandas-arrow": lambda v: pd.Series([*v[:-1], None], dtype="double[pyarrow]"),
    "pandas-sparse": lambda v: pd.Series([*v[:-1], math.nan], dtype="Sparse[float64]"),
    "pandas-Decimal": lambda v: pd.Series(
        [Decimal(n) for n in v[:-1]] + [Decimal("NaN")], dtype=object
    ),
    "polars-null": lambda v: pl.Series([*v[:-1], None]),
    "polars-nan": lambda v: pl.Series([*v[:-1], math.nan]),
    "polars-int-null": lambda v: pl.Series([1] * (len(v) - 1) + [None]),
    "polars-bool-null": lambda v: pl.Series([True] * (len(v) - 1) + [None]),
    "polars-inf": lambda v: pl.Series([*v[:-1], math.inf], dtype=pl.Float32),
    "pyarrow-null": lambda v: pa.array([*v[:-1], None]),
    "pyarrow-nan": lambda v: pa.array([*v[:-1], math.nan]),
    "pyarrow-int-null": lambda v: pa.array([1] * (len(v) - 1) + [None]),
}


def spoilt_frame(kind, make, n=20):
    rows, labels = random_rows(n)
    columns = {name: [x[name] for x in rows] for name in COLUMNS}
    columns["culprit"] = make([1.0] * n)
    columns["fresh"] = [1.0] * n
    return frame_of(kind, columns), pd.Series(labels)


@each_learner
@pytest.mark.parametrize("kind", MISSING)
def test_missing_or_infinite_cell_is_refused_by_column(learner, kind):
    X, y = spoilt_frame(kind, MISSING[kind])
    assert_batch_refused(trained(learner), ValueError, "'culprit'", X, y)


@each_learner
@pytest.mark.parametrize("method", ["predict_many", "predict_proba_many"])
@pytest.mark.parametrize("kind", MISSING)
def test_missing_or_infinite_cell_is_not_predicted(learner, method, kind):
    X, _ = spoilt_frame(kind, MISSING[kind])
    model = trained(learner)
    with pytest.raises(ValueError, match="'culprit'"):
        getattr(model, method)(X)


NOT_NUMERIC = {
    "pandas-str": lambda v: pd.Series(["red"] * len(v)),
    "pandas-digits": lambda v: pd.Series(["1.5"] * len(v)),
    "pandas-string": lambda v: pd.Series(["red"] * len(v), dtype="string"),
    "pandas-category": lambda v: pd.Series(["red"] * len(v), dtype="category"),
    "pandas-datetime": lambda v: pd.Series(pd.date_range("2020", periods=len(v))),
    "pandas-complex": lambda v: pd.Series(v, dtype=complex),
    "pandas-last-is-str": lambda v: pd.Series([*v[:-1], "red"], dtype=object),
    "pandas-last-is-list": lambda v: pd.Series([*v[:-1], [1.0]], dtype=object),
    "polars-str": lambda v: pl.Series(["red"] * len(v)),
    "polars-digits": lambda v: pl.Series(["1.5"] * len(v)),
    "polars-category": lambda v: pl.Series(["red"] * len(v), dtype=pl.Categorical),
    "polars-date": lambda v: pl.date_range(
        pl.date(2020, 1, 1), pl.date(2020, 1, len(v)), eager=True
    ),
    "polars-list": lambda v: pl.Series([[n] for n in v]),
    "polars-struct": lambda v: pl.Series([{"a": n} for n in v]),
    "pyarrow-str": lambda v: pa.array(["red"] * len(v)),
    "pyarrow-list": lambda v: pa.array([[n] for n in v]),
}


@each_learner
@pytest.mark.parametrize("kind", NOT_NUMERIC)
def test_column_that_is_not_numeric_is_refused_by_name(learner, kind):
    X, y = spoilt_frame(kind, NOT_NUMERIC[kind])
    assert_batch_refused(trained(learner), TypeError, "'culprit'", X, y)


@each_learner
@pytest.mark.parametrize("method", ["predict_many", "predict_proba_many"])
@pytest.mark.parametrize("kind", NOT_NUMERIC)
def test_column_that_is_not_numeric_is_not_predicted(learner, method, kind):
    X, _ = spoilt_frame(kind, NOT_NUMERIC[kind])
    model = trained(learner)
    with pytest.raises(TypeError, match="'culprit'"):
        getattr(model, method)(X)


@each_learner
def test_column_of_nothing_but_None_is_refused_by_name(learner):
    X, y = spoilt_frame("pandas", lambda v: pd.Series([None] * len(v), dtype=object))
    assert_batch_refused(trained(learner), (TypeError, ValueError), "'culprit'", X, y)


NOT_LABELS = {
    "pandas-two": lambda y: pd.Series([int(v) for v in y[:-1]] + [2]),
    "pandas-signs": lambda y: pd.Series([1 if v else -1 for v in y]),
    "pandas-str": lambda y: pd.Series(["spam" if v else "ham" for v in y]),
    "pandas-category": lambda y: pd.Series(["spam"] * len(y), dtype="category"),
    "pandas-nan": lambda y: pd.Series([float(v) for v in y[:-1]] + [math.nan]),
    "pandas-half": lambda y: pd.Series([float(v) for v in y[:-1]] + [0.5]),
    "pandas-NA": lambda y: pd.Series([*y[:-1], None], dtype="boolean"),
    "pandas-Int64-NA": lambda y: pd.Series([int(v) for v in y[:-1]] + [None], dtype="Int64"),
    "pandas-None": lambda y: pd.Series([*y[:-1], None], dtype=object),
    "pandas-mixed": lambda y: pd.Series([*y[:-1], "spam"], dtype=object),
    "polars-null": lambda y: pl.Series([*y[:-1], None]),
    "polars-signs": lambda y: pl.Series([1 if v else -1 for v in y]),
    "polars-str": lambda y: pl.Series(["spam"] * len(y)),
    "pyarrow-null": lambda y: pa.chunked_array([[*y[:-1], None]]),
}


@each_learner
@pytest.mark.parametrize("labels_as", NOT_LABELS.values(), ids=NOT_LABELS)
def test_labels_that_are_no_labels_are_refused(learner, labels_as):
    rows, labels = random_rows(20)
    X = pd.DataFrame(rows).assign(fresh=1.0)
    y = labels_as(labels)
    assert_batch_refused(trained(learner), ValueError, r"True|bool|0 or 1", X, y)


@each_learner
def test_bad_label_in_the_middle_leaves_the_model_as_before(learner):
    rows, labels = random_rows(21)
    y = pd.Series([int(v) for v in labels])
    y[10] = -1
    X = pd.DataFrame(rows).assign(fresh=1.0)
    assert_batch_refused(trained(learner), ValueError, r"True|bool|0 or 1", X, y)


@each_learner
@each_backend
@pytest.mark.parametrize("n_labels", [0, 9, 11])
def test_as_many_labels_as_rows_are_wanted(learner, batch, n_labels):
    X, _ = batch(*random_rows(10))
    _, y = batch(*random_rows(n_labels))
    assert_batch_refused(trained(learner), ValueError, None, X, y)


@each_learner
@pytest.mark.parametrize("n_weights", [0, 1, 9, 11])
def test_as_many_weights_as_rows_are_wanted(learner, n_weights):
    X, y = pandas_batch(*random_rows(10))
    w = pd.Series([1.0] * n_weights, dtype=float)
    assert_batch_refused(trained(learner), ValueError, None, X, y, w)


@each_learner
@pytest.mark.parametrize("w", [-1.0, math.nan, math.inf])
def test_scalar_weight_that_is_negative_or_not_finite_is_refused(learner, w):
    X, y = pandas_batch(*random_rows(10))
    assert_batch_refused(trained(learner), ValueError, None, X, y, w)


@each_learner
@pytest.mark.parametrize("w", [-1.0, math.nan, math.inf])
def test_last_weight_that_is_negative_or_not_finite_is_refused(learner, w):
    X, y = pandas_batch(*random_rows(10))
    weights = pd.Series([1.0] * 9 + [w])
    assert_batch_refused(trained(learner), ValueError, None, X, y, weights)


@each_learner
@each_backend
def test_batch_that_overflows_half_way_leaves_the_model_as_before(learner, batch):
    rows, labels = random_rows(21)
    rows = [x | {"fresh": 1.0} for x in rows]
    rows[10] = dict.fromkeys(rows[10], 1e308)
    model = trained(learner, eta=1e10)
    # A label against the model, or the huge row would call for no update.
    labels[10] = not model.predict_one(dict.fromkeys(COLUMNS, 1.0))
    assert_batch_refused(model, OverflowError, None, *batch(rows, labels))


@each_learner
def test_weight_that_overflows_half_way_leaves_the_model_as_before(learner):
    rows, labels = random_rows(21)
    # A mistake, so that the tenth row calls for an update.
    labels[10] = not learned_row_by_row(learner(eta=1e10), rows[:10], labels[:10]).predict_one(
        rows[10]
    )
    w = pd.Series([1.0] * 10 + [1e308] + [1.0] * 10)
    assert_batch_refused(learner(eta=1e10), OverflowError, None, *pandas_batch(rows, labels), w)


@each_learner
def test_refused_batch_leaves_the_name_of_the_last_good_one(learner):
    rows, labels = random_rows(10)
    model = learner()
    model.learn_many(*pandas_batch(rows, labels, name="good"))
    X, y = pandas_batch(rows, labels, name="bad")
    assert_batch_refused(model, ValueError, None, X.assign(culprit=math.nan), y)


@each_learner
@pytest.mark.parametrize(
    "X",
    [np.ones((2, 2)), [{"f0": 1.0}, {"f0": 2.0}], {"f0": [1.0, 2.0]}, None, pd.Series([1.0, 2.0])],
    ids=["array", "rows", "dict", "None", "series"],
)
def test_what_is_no_frame_is_refused(learner, X):
    assert_batch_refused(trained(learner), TypeError, None, X, pd.Series([True, False]))


@each_learner
def test_frame_with_two_columns_of_one_name_is_refused(learner):
    X = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["f0", "f0"])
    assert_batch_refused(trained(learner), ValueError, "f0", X, pd.Series([True, False]))


@each_learner
def test_model_goes_on_after_a_refused_batch(learner):
    rows, labels = random_rows(40)
    X, y = pandas_batch(rows, labels)
    spoilt = X.assign(culprit=[*[1.0] * 39, math.nan])
    bruised, spared = learner(), learner()
    assert_batch_refused(bruised, ValueError, "'culprit'", spoilt, y)
    for model in (bruised, spared):
        model.learn_many(X, y)
    events = list(zip(*random_rows(20, seed=2), strict=True))
    assert margins_while_learning(bruised, events) == margins_while_learning(spared, events)


CROWD = """
import sys, threading
import numpy as np, pandas as pd
import river_oa3

model = getattr(river_oa3, sys.argv[1])()
X = pd.DataFrame(np.random.default_rng(1).normal(size=(20_000, 30))).add_prefix("c")
batches = threading.Thread(target=model.learn_many, args=(X, X.sum(axis=1) > 0))
batches.start()
for i in range(600):
    model.learn_one({f"n{i}": 1.0, "c0": 0.1}, i % 2 == 0)
batches.join()
assert len(model.weights) == 630, len(model.weights)
assert np.isfinite(list(model.weights.values())).all()
"""


@each_learner
def test_events_learned_while_a_batch_is_learned_do_no_harm(learner):
    """In a process of its own, for harm here may be a crash."""
    run = subprocess.run(
        [sys.executable, "-c", CROWD, learner.__name__],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr

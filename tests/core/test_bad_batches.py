"""A batch that is refused leaves the model as it was."""

import math
import os
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
from axes import one_at_a_time
from batches import (
    COLUMNS,
    each_backend,
    frame_of,
    learned_row_by_row,
    pa,
    pandas_batch,
    pd,
    pl,
    random_rows,
)
from learners import each_learner, margins_while_learning, state, trained


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


@one_at_a_time
@each_learner
@pytest.mark.parametrize("kind", MISSING)
def test_missing_or_infinite_cell_is_refused_by_column(learner, kind):
    X, y = spoilt_frame(kind, MISSING[kind])
    assert_batch_refused(trained(learner), ValueError, "'culprit'", X, y)


@one_at_a_time
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


@one_at_a_time
@each_learner
@pytest.mark.parametrize("kind", NOT_NUMERIC)
def test_column_that_is_not_numeric_is_refused_by_name(learner, kind):
    X, y = spoilt_frame(kind, NOT_NUMERIC[kind])
    assert_batch_refused(trained(learner), TypeError, "'culprit'", X, y)


@one_at_a_time
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


@one_at_a_time
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


@one_at_a_time
@each_learner
@each_backend
@pytest.mark.parametrize("n_labels", [0, 9, 11])
def test_as_many_labels_as_rows_are_wanted(learner, batch, n_labels):
    X, _ = batch(*random_rows(10))
    _, y = batch(*random_rows(n_labels))
    assert_batch_refused(trained(learner), ValueError, None, X, y)


@one_at_a_time
@each_learner
@pytest.mark.parametrize("n_weights", [0, 1, 9, 11])
def test_as_many_weights_as_rows_are_wanted(learner, n_weights):
    X, y = pandas_batch(*random_rows(10))
    w = pd.Series([1.0] * n_weights, dtype=float)
    assert_batch_refused(trained(learner), ValueError, None, X, y, w)


@one_at_a_time
@each_learner
@pytest.mark.parametrize("w", [-1.0, math.nan, math.inf])
def test_scalar_weight_that_is_negative_or_not_finite_is_refused(learner, w):
    X, y = pandas_batch(*random_rows(10))
    assert_batch_refused(trained(learner), ValueError, None, X, y, w)


@one_at_a_time
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


@one_at_a_time
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

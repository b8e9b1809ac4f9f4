"""A batch is its rows, one after another."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from batches import (
    COLUMNS,
    as_list,
    assert_same_model,
    column,
    each_backend,
    frame_of,
    learned_row_by_row,
    pa,
    pandas_batch,
    pd,
    pl,
    polars_batch,
    pyarrow_batch,
    random_rows,
)
from hypothesis import given
from hypothesis import strategies as st
from learners import each_learner, state, trained
from river import linear_model

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

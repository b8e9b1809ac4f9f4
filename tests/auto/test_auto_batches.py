"""Batches of raw rows are the loop over single events, to the last bit."""

from __future__ import annotations

import math
import random

import pandas as pd
import polars as pl
import pytest
from auto_streams import AUTO_QUESTIONS, auto_trained
from batches import as_list, column, each_backend
from hypothesis import given, settings
from hypothesis import strategies as st
from learners import state

from river_oa3 import AutoOA3Classifier, metrics

COLOURS = ["red", "green", None, "né", ""]


def raw_rows(n, seed=0):
    """Rows of numbers, ints, bools, texts and nulls, all of one kind per column."""
    rng = random.Random(seed)
    rows = [
        {
            "a": rng.gauss(3, 1),
            "gappy": rng.choice([None, 2000 + rng.gauss(0, 5), 0.0]),
            "count": rng.randrange(4),
            "flag": rng.random() < 0.4,
            "colour": rng.choice(COLOURS),
            "rare": rng.choice([None] * 9 + ["odd"]),
            "constant": 2.0,
            "late": rng.gauss(0, 1) if i > n // 2 else 0.0,
        }
        for i in range(n)
    ]
    return rows, [x["a"] + (x["colour"] == "red") + rng.gauss(0, 0.3) > 3.2 for x in rows]


def learned(model, rows, labels, weights=None):
    for x, y, w in zip(rows, labels, weights or [1.0] * len(rows), strict=True):
        model.learn_one(x, y, w)
    return model


def bits(model):
    held = model._core.__getstate__()
    return {name: getattr(part, "tobytes", lambda p=part: p)() for name, part in held.items()}


def assert_same(model, twin):
    assert bits(model) == bits(twin)


@each_backend
@pytest.mark.parametrize("objective", [None, metrics.WeightedCost(3, 1)], ids=["sum", "cost"])
def test_batch_is_learned_as_row_by_row(batch, objective):
    rows, labels = raw_rows(300, seed=1)
    many, one = AutoOA3Classifier(objective), AutoOA3Classifier(objective)
    for start in range(0, 300, 60):
        X, y = batch(rows[start : start + 60], labels[start : start + 60])
        many.learn_many(X, y)
    assert_same(many, learned(one, rows, labels))


@each_backend
def test_batch_is_predicted_as_row_by_row(batch):
    rows, labels = raw_rows(200, seed=2)
    model = learned(AutoOA3Classifier(), *raw_rows(150, seed=3))
    X, _ = batch(rows, labels)
    predicted = as_list(model.predict_many(X))
    assert predicted == [model.predict_one(x) for x in rows]
    assert 20 < sum(predicted) < 180
    odds = model.predict_proba_many(X)
    names = odds.column_names if hasattr(odds, "column_names") else list(odds.columns)
    for name, label in zip(names, (False, True), strict=True):
        assert column(odds, name) == [model.predict_proba_one(x)[label] for x in rows]


def test_batch_with_weights_is_learned_as_row_by_row():
    rows, labels = raw_rows(120, seed=4)
    weights = [random.Random(i).choice([0.0, 0.5, 2.0]) for i in range(120)]
    many, one = AutoOA3Classifier(), AutoOA3Classifier()
    many.learn_many(pd.DataFrame(rows), pd.Series(labels), pd.Series(weights))
    assert_same(many, learned(one, rows, labels, weights))


cells = {
    "number": st.none() | st.floats(-5, 5) | st.just(math.nan),
    "int": st.integers(-3, 3),
    "text": st.none() | st.sampled_from(["x", "y", "y" * 200, "y" * 201]),
    "flag": st.booleans(),
}
drawn_rows = st.lists(st.tuples(st.fixed_dictionaries(cells), st.booleans()), min_size=1)


@given(drawn=drawn_rows, data=st.data())
@settings(max_examples=40)
def test_any_batch_in_any_pieces_is_learned_as_row_by_row(drawn, data):
    rows, labels = [x for x, _ in drawn], [y for _, y in drawn]
    cuts = [*sorted(data.draw(st.sets(st.integers(0, len(rows))))), len(rows)]
    many, one, start = AutoOA3Classifier(), AutoOA3Classifier(), 0
    for stop in cuts:
        many.learn_many(
            pd.DataFrame(rows[start:stop], columns=list(cells)),
            pd.Series(labels[start:stop], dtype=bool),
        )
        start = stop
    assert_same(many, learned(one, rows, labels))


KINDS = {
    "categorical": lambda rows: pd.DataFrame(rows).astype({"colour": "category"}),
    "string": lambda rows: pd.DataFrame(rows).astype({"colour": "string"}),
    "nullable": lambda rows: pd.DataFrame(rows).astype(
        {"gappy": "Float64", "count": "Int64", "flag": "boolean"}
    ),
    "arrow": lambda rows: pd.DataFrame(rows).astype({"colour": "string[pyarrow]"}),
    "object": lambda rows: pd.DataFrame(rows).astype(object),
    "polars-categorical": lambda rows: pl.DataFrame(rows).cast({"colour": pl.Categorical}),
    "polars-enum": lambda rows: pl.DataFrame(rows).cast(
        {"colour": pl.Enum([c for c in COLOURS if c is not None])}
    ),
    "polars-small": lambda rows: pl.DataFrame(rows).cast({"count": pl.Int8, "flag": pl.Boolean}),
}


@pytest.mark.parametrize("frame", KINDS.values(), ids=KINDS)
def test_column_of_any_type_is_read_as_its_values(frame):
    rows, labels = raw_rows(80, seed=5)
    many, one = AutoOA3Classifier(), AutoOA3Classifier()
    X = frame(rows)
    many.learn_many(X, (pl if isinstance(X, pl.DataFrame) else pd).Series(labels))
    assert_same(many, learned(one, rows, labels))


def test_column_of_numbers_and_texts_is_read_as_in_single_events():
    rows = [{"mixed": value} for value in (1.5, "text", None, "text", 2, True, math.nan, "other")]
    labels = [True, False] * 4
    many, one = AutoOA3Classifier(), AutoOA3Classifier()
    many.learn_many(pd.DataFrame(rows, dtype=object), pd.Series(labels))
    assert_same(many, learned(one, rows, labels))


def test_batch_that_makes_the_model_forget_is_learned_as_row_by_row():
    rng = random.Random(6)
    rows = [{"id": f"u{rng.randrange(400)}", "a": rng.gauss(0, 1)} for _ in range(600)]
    labels = [x["a"] > 0 for x in rows]
    many, one = AutoOA3Classifier(max_features=64), AutoOA3Classifier(max_features=64)
    many.learn_many(pd.DataFrame(rows), pd.Series(labels))
    assert_same(many, learned(one, rows, labels))


REFUSED = {
    "infinity": (ValueError, [1.0, math.inf]),
    "infinity-among-objects": (ValueError, ["text", -math.inf]),
    "datetime": (TypeError, pd.to_datetime(["2020-01-01", "2020-01-02"])),
    "list": (TypeError, [[1.0], [2.0]]),
    "bytes": (TypeError, [b"a", b"b"]),
}


@pytest.mark.parametrize(("error", "values"), REFUSED.values(), ids=REFUSED)
def test_refused_batch_leaves_the_model_as_it_was(error, values):
    model = auto_trained()
    before = state(model)
    X = pd.DataFrame({"a": [1.0, 2.0], "fresh": ["x", "y"], "culprit": values})
    for act in (
        lambda: model.learn_many(X, pd.Series([True, False])),
        lambda: model.predict_many(X),
        lambda: model.predict_proba_many(X),
    ):
        with pytest.raises(error, match="culprit"):
            act()
        assert state(model) == before


def test_batch_with_a_bad_label_or_weight_leaves_the_model_as_it_was():
    model = auto_trained()
    before = state(model)
    X = pd.DataFrame({"a": [1.0, 2.0], "fresh": ["x", "y"]})
    for y, w in (
        (pd.Series([True, 2]), 1.0),
        (pd.Series([True]), 1.0),
        (pd.Series([True, False]), pd.Series([1.0, -1.0])),
        (pd.Series([True, False]), math.inf),
    ):
        with pytest.raises(ValueError, match=r"label|weight"):
            model.learn_many(X, y, w)
        assert state(model) == before


def test_row_larger_than_the_cap_is_refused_and_nothing_is_learned():
    model = AutoOA3Classifier(max_features=3)
    X = pd.DataFrame({f"f{i}": [1.0, 1.0] for i in range(3)} | {"late": [0.0, 1.0]})
    before = state(model)
    with pytest.raises(ValueError, match="4 features"):
        model.learn_many(X, pd.Series([True, False]))
    assert state(model) == before


@each_backend
def test_batch_of_no_rows_is_learned_and_predicted(batch):
    model = auto_trained()
    before = [model.margin_one({"a": 1.0})]
    X, y = batch(*raw_rows(3))
    model.learn_many(X[:0], y[:0])
    assert as_list(model.predict_many(X[:0])) == []
    assert [model.margin_one({"a": 1.0})] == before


def test_questions_after_a_batch_are_those_after_single_events():
    rows, labels = raw_rows(90, seed=7)
    many, one = AutoOA3Classifier(), AutoOA3Classifier()
    many.learn_many(pd.DataFrame(rows), pd.Series(labels))
    learned(one, rows, labels)
    for x in raw_rows(20, seed=8)[0]:
        for question in AUTO_QUESTIONS:
            assert getattr(many, question)(x) == getattr(one, question)(x)

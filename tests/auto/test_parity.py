"""The compiled AutoOA3 gives the numbers of its plain twin, whatever the stream."""

from __future__ import annotations

import copy
import math
import random

import auto_reference
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from river_oa3 import ActiveLearner, AutoOA3Classifier, budget, metrics

OBJECTIVES = {
    "balanced": (None, {}),
    "sum": (metrics.WeightedSum(0.8), {"price_fn": 0.8, "price_fp": 0.2}),
    "cost": (
        metrics.WeightedCost(5, 2),
        {"price_fn": 5.0, "price_fp": 2.0, "knows_odds": True},
    ),
}
each_objective = pytest.mark.parametrize("objective", OBJECTIVES)


def pair(objective="balanced"):
    metric, prices = OBJECTIVES[objective]
    return AutoOA3Classifier(metric), auto_reference.Auto(**prices)


def flat(weights):
    """The twin's weights under the names that the model gives them."""
    return {name if len(name) > 1 else name[0]: weight for name, weight in weights.items()}


def is_on_the_boundary(margin):
    """Whether rounding decides the answer: no two ways of computing agree there."""
    return abs(margin) < 1e-9


def assert_same_answers(model, twin, x):
    assert model.margin_one(x) == pytest.approx(twin.margin(x), rel=1e-9, abs=1e-9)
    assert model.variance_one(x) == pytest.approx(twin.variance(x), rel=1e-9)
    p = model.predict_proba_one(x)[True]
    assert p == pytest.approx(twin.probability(x), rel=0, abs=1e-9)


def assert_same_weights(model, twin):
    assert model.weights == pytest.approx(flat(twin.weights), rel=1e-9, abs=1e-9)
    assert model.intercept == pytest.approx(twin.intercept.of[twin.leader].mu, rel=1e-9, abs=1e-9)


def follow(model, twin, stream, every=1):
    """Both learn a stream of (x, y, w), where no label is None, and are asked on the way."""
    for i, (x, y, w) in enumerate(stream):
        if i % every == 0:
            assert_same_answers(model, twin, x)
        if y is None:
            model.observe_one(x)
            twin.observe(x)
        else:
            model.learn_one(x, y, w)
            twin.learn(x, y, w)
    assert_same_weights(model, twin)


# Streams that hypothesis draws

numbers = st.floats(-10, 10).map(lambda value: round(value, 3))
years = st.floats(1990, 2010).map(lambda value: round(value, 1))
texts = st.sampled_from(["red", "green", "né"])
missing = st.sampled_from([None, math.nan])
events = st.fixed_dictionaries(
    {"dense": numbers},
    optional={
        "year": years | missing,
        "flag": st.booleans(),
        "colour": texts | missing,
        "mixed": numbers | texts,
        7: numbers,
        **{f"f{i}": numbers for i in range(5)},
    },
)
labels = st.none() | st.booleans()
weights = st.sampled_from([0.0, 0.1, 1.0, 1.0, 30.0])
drawn_streams = st.lists(st.tuples(events, labels, weights), min_size=1, max_size=40)


@each_objective
@given(stream=drawn_streams)
@settings(max_examples=40)
def test_learner_is_its_twin_on_small_streams(objective, stream):
    model, twin = pair(objective)
    for x, y, w in stream:
        assume(not is_on_the_boundary(twin.margin(x)))
        follow(model, twin, [(x, y, w)])


@pytest.mark.parametrize("w", [0.01, 1.0, 30.0, 1e6])
def test_confident_mistake_is_learned_as_far_as_the_twin_learns_it(w):
    """A step that starts far from where it ends: Newton's method alone would run in circles."""
    model, twin = pair()
    rng = random.Random(9)
    follow(model, twin, [({"a": rng.gauss(0, 1)}, False, w) for _ in range(15)])
    follow(model, twin, [({"a": 4e3 * (1 + i % 2), "b": 1.0}, True, w) for i in range(5)])


# Streams from a seed


def mixed_stream(n, seed=0, share_labelled=0.5):
    """Dense numbers, years with gaps, flags, texts, rare features, weights."""
    rng = random.Random(seed)
    for i in range(n):
        x = {
            "a": rng.gauss(3, 1),
            "year": rng.choice([2000 + rng.gauss(0, 5), 2000 + rng.gauss(0, 5), None, 0]),
            "half": rng.gauss(0, 2) if rng.random() < 0.5 else 0.0,
            "flag": rng.random() < 0.7,
            "rare flag": rng.random() < 0.05,
            "constant": 4.0,
            "colour": rng.choice(["red", "green", "blue", None]),
            "count": rng.choice([0, 0, 1, 2, 5]),
            f"f{min(rng.randrange(40), i)}": rng.expovariate(1),
        }
        y = x["a"] + (x["colour"] == "red") + 0.5 * x["half"] + rng.gauss(0, 0.5) > 4
        is_labelled = rng.random() < share_labelled
        yield x, y if is_labelled else None, rng.choice([0.0, 0.5, 1.0, 1.0, 4.0])


@each_objective
def test_learner_is_its_twin_on_a_mixed_stream(objective):
    model, twin = pair(objective)
    follow(model, twin, mixed_stream(600, seed=1))
    assert sum(twin.labels.values()) > 2 * auto_reference.REMEMBERED


def test_learner_is_its_twin_where_labels_are_many():
    model, twin = pair()
    follow(model, twin, mixed_stream(1800, seed=2, share_labelled=1.0), every=7)
    assert sum(twin.labels.values()) > 4 * auto_reference.MANY_LABELS


def test_learner_is_its_twin_when_the_window_of_the_scaling_turns():
    model, twin = pair()
    follow(model, twin, mixed_stream(8300, seed=3, share_labelled=0.02), every=11)
    assert twin.t < 8300


def test_learner_is_its_twin_while_features_become_dense_and_sparse():
    """Each of three features is in all events of a third of the stream, and in few of others."""
    rng = random.Random(4)
    stream = []
    for i in range(600):
        x = {f"f{k}": rng.gauss(50, 1) for k in range(3) if i // 200 == k or rng.random() < 0.1}
        stream.append((x, rng.random() < 0.3, 1.0))
    model, twin = pair()
    follow(model, twin, stream)


def test_learner_is_its_twin_where_the_concept_turns():
    model, twin, leaders = *pair(), set()
    rng = random.Random(8)
    for i in range(600):
        x = {"a": rng.gauss(0, 1), "b": rng.gauss(5, 2), "c": rng.choice("xyz")}
        y = (x["a"] + 0.5 * (x["c"] == "x") > 0) != (i // 200 == 1)
        follow(model, twin, [(x, y, 1.0)])
        leaders.add(twin.leader)
    assert leaders == set(auto_reference.SIDES)


def turned():
    """A model, and its twin, whose fast learner answers."""
    model, twin = pair()
    rng = random.Random(8)
    i = 0
    while i < 200 or twin.leader != auto_reference.FAST:
        x = {"a": rng.gauss(0, 1), "b": rng.gauss(5, 2)}
        follow(model, twin, [(x, (x["a"] > 0) != (i >= 200), 1.0)])
        i += 1
    return model, twin


def test_learner_is_its_twin_where_no_more_labels_come():
    model, twin = turned()
    rng = random.Random(9)
    stream = [({"a": rng.gauss(0, 1), "b": rng.gauss(5, 2)}, None, 1.0) for _ in range(510)]
    follow(model, twin, stream)
    assert twin.leader == auto_reference.SLOW


def test_event_is_answered_by_the_learner_that_would_have_answered_a_question():
    model, _ = turned()
    rng = random.Random(9)
    for _ in range(510):
        x = {"a": rng.gauss(0, 1), "b": rng.gauss(5, 2)}
        asked = model.margin_one(x)
        assert model._core.judge_and_observe_one(x)[0] == asked


def test_gap_in_a_column_far_from_zero_has_a_bin_of_its_own():
    model, twin = pair()
    stream = [
        ({"year": 2000.0 + i % 10} if i % 4 else {"year": None}, i % 4 == 0, 1.0)
        for i in range(200)
    ]
    follow(model, twin, stream)
    bins = twin.features["number", "year"].bins
    assert bins[auto_reference.MISSING_BIN].of[auto_reference.SLOW].mu > 0.5
    assert model.predict_one({}) is True
    assert model.predict_one({"year": 2005.0}) is False


@pytest.mark.parametrize("scale", [1e-160, 1e-30, 1e30, 1e140])
def test_learner_is_its_twin_at_any_scale(scale):
    model, twin = pair()
    rng = random.Random(5)
    stream = [
        ({"a": scale * rng.gauss(0, 1), f"f{rng.randrange(9)}": scale}, rng.random() < 0.4, 1.0)
        for _ in range(200)
    ]
    follow(model, twin, stream)


def test_importance_of_a_label_reaches_threshold_and_calibration_alike():
    model, twin = pair()
    rng = random.Random(6)
    for x, y, _ in mixed_stream(400, seed=6, share_labelled=1.0):
        importance = 1.0 / rng.choice([0.02, 0.2, 0.9])
        assert_same_answers(model, twin, x)
        model._core.learn_one(x, y, 1.0, False, importance)
        twin.learn(x, y, importance=importance)


# The whole loop: predict, observe, ask, learn


BUDGETS = {
    "none": lambda: None,
    "total": lambda: 150,
    "rate": lambda: budget.RateBudget(0.2, window=50),
}


def learning_pace(model):
    return budget.UNLIMITED if model.budget is None else model._budget.pace()


def pace_of(model):
    """The pace at which the next event is asked about."""
    if model.budget is None:
        return budget.UNLIMITED
    limit = copy.deepcopy(model._budget)
    limit.tick()
    return limit.pace()


@pytest.mark.parametrize("limit", BUDGETS.values(), ids=BUDGETS)
def test_active_learner_asks_with_the_probability_of_its_twin(limit):
    model, twin = ActiveLearner(budget=limit(), seed=3), auto_reference.Auto()
    rule = auto_reference.Adaptive()
    asked = 0
    for x, y, _ in mixed_stream(600, seed=7, share_labelled=1.0):
        margin, worth, missing = twin.margin(x), twin.worth(x), twin.missing
        told = model.query_probability(x)
        pace = pace_of(model)
        label, ask = model.predict_one(x)
        twin.observe(x)
        assert label is (margin >= 0)
        if told > 0:  # the budget had a label left
            assert told == pytest.approx(rule.ask(worth, missing, *pace), rel=1e-8)
        if ask:
            asked += 1
            chance = rule.chance(twin.worth(x, is_counted=True), missing, *learning_pace(model))
            model.learn_one(x, y)
            twin.learn(x, y, importance=1 / max(chance, 1e-6), is_observed=True)
    assert_same_weights(model.classifier, twin)
    assert asked > 60

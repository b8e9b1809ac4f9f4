"""Events, labels and parameters that are refused change nothing."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import pickle

import numpy as np
import pytest
from asking import ALWAYS, Clock, CountsLabels, X, answered, readings
from learners import each_learner, sparse_events, state
from river import (
    base,
    compose,
    linear_model,
    preprocessing,
)

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3Classifier,
    OA3DiagClassifier,
    budget,
    query,
)

# Events and labels that are refused

BAD_VALUES = [
    pytest.param(math.nan, ValueError, id="nan"),
    pytest.param(-math.inf, ValueError, id="infinite"),
    pytest.param("red", TypeError, id="text"),
    pytest.param(None, TypeError, id="missing"),
    pytest.param([1.0], TypeError, id="list"),
]
each_bad_value = pytest.mark.parametrize(("value", "error"), BAD_VALUES)

FRONTS = {
    "bare": lambda learner: learner,
    "scaler": lambda learner: preprocessing.StandardScaler() | learner,
    "min-max": lambda learner: preprocessing.MinMaxScaler() | learner,
    "union": lambda learner: (
        (compose.Select("a") | preprocessing.StandardScaler())
        + (compose.Select("b") | compose.Prefixer("raw_"))
        | learner
    ),
}
each_front = pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)


def with_a_past(front=FRONTS["bare"], learner=OA3DiagClassifier, **kwargs):
    model = ActiveLearner(front(learner()), **({"budget": 50, "seed": 1} | kwargs))
    answered(model, readings(30))
    return model


@each_front
@each_bad_value
@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one", "query_probability"])
def test_event_that_raises_changes_nothing(front, value, error, method):
    model = with_a_past(front)
    before = state(model)
    with pytest.raises(error):
        getattr(model, method)({"a": 3.0, "b": value})
    assert state(model) == before


@each_learner
@each_bad_value
def test_event_that_raises_changes_no_learner(learner, value, error):
    model = with_a_past(learner=learner)
    before = state(model)
    with pytest.raises(error, match="'b'"):
        model.predict_one({"a": 3.0, "b": value})
    assert state(model) == before


@each_bad_value
def test_event_that_raises_is_not_charged(value, error):
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=2)
    with pytest.raises(error):
        model.predict_one({"a": value})
    assert [model.predict_one(X)[1] for _ in range(3)] == [True, True, False]


@each_bad_value
def test_event_that_raises_is_not_counted(value, error):
    model = ActiveLearner(OA3Classifier())
    with pytest.raises(error):
        model.predict_one({"a": value})
    assert (model.n_seen, model.n_asked, model.last_query) == (0, 0, None)


@each_learner
def test_event_that_would_overflow_changes_nothing(learner):
    model = with_a_past(learner=learner)
    before = state(model)
    with pytest.raises(OverflowError):
        model.predict_one({"a": 1e200})
    assert state(model) == before


def test_event_that_raises_brings_nothing_into_a_budget():
    limit = budget.RateBudget(0.25, window=4)
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=limit)
    model.predict_one(X)
    for _ in range(10):
        with pytest.raises(ValueError, match="'a'"):
            model.predict_one({"a": math.nan})
    assert not model.predict_one(X)[1]


@each_front
def test_stream_goes_on_as_if_the_bad_event_had_never_come(front):
    model, expected = with_a_past(front), with_a_past(front)
    decisions = []
    for x, y in readings(100):
        with pytest.raises(ValueError, match="nan"):
            model.predict_one({**x, "b": math.nan})
        decisions += answered(model, [(x, y)])
    assert decisions == answered(expected, readings(100))


@pytest.mark.parametrize("front", [FRONTS["scaler"], FRONTS["min-max"]], ids=["scaler", "min-max"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_bad_value_does_not_hide_behind_a_scaler_that_has_not_seen_its_feature(front, value):
    model = with_a_past(front)
    with pytest.raises(ValueError, match="new"):
        model.predict_one({"a": 3.0, "b": 1.0, "new": value})


@pytest.mark.parametrize("front", [FRONTS["scaler"], FRONTS["min-max"]], ids=["scaler", "min-max"])
def test_bad_value_in_a_new_feature_does_not_spoil_the_feature(front):
    model = with_a_past(front)
    with contextlib.suppress(ValueError):
        model.predict_one({"a": 3.0, "b": 1.0, "new": math.nan})
    for value in (1.0, 2.0, 3.0):
        model.predict_one({"a": 3.0, "b": 1.0, "new": value})
    assert model.n_seen >= 33


each_bad_label = pytest.mark.parametrize("label", ["spam", -1, None, 0.5])


@each_front
@each_bad_label
def test_label_that_is_refused_changes_nothing(front, label):
    model = with_a_past(front)
    x = {"a": 103.0, "b": 0.004}
    model.predict_one(x)
    before = state(model)
    with pytest.raises(ValueError, match="label"):
        model.learn_one(x, label)
    assert state(model) == before


@each_bad_label
def test_label_that_is_refused_is_not_counted_by_steps_that_need_labels(label):
    counter = CountsLabels()
    model = ActiveLearner(counter | OA3DiagClassifier(), query=ALWAYS)
    model.predict_one(X)
    with pytest.raises(ValueError, match="label"):
        model.learn_one(X, label)
    assert counter.n == 0


@each_front
@each_bad_label
def test_label_that_is_refused_before_any_prediction_changes_nothing(front, label):
    model = ActiveLearner(front(OA3DiagClassifier()))
    for x, y in readings(30):
        model.learn_one(x, y)
    before = state(model)
    with pytest.raises(ValueError, match="label"):
        model.learn_one({"a": 103.0, "b": 0.004}, label)
    assert state(model) == before


@each_front
@each_bad_value
def test_label_for_an_event_that_raises_changes_nothing(front, value, error):
    model = with_a_past(front)
    before = state(model)
    with pytest.raises(error):
        model.learn_one({"a": 3.0, "b": value}, True)
    assert state(model) == before


@each_front
@each_bad_value
def test_label_for_an_event_that_raises_before_any_prediction_changes_nothing(front, value, error):
    model = ActiveLearner(front(OA3DiagClassifier()))
    for x, y in readings(30):
        model.learn_one(x, y)
    before = state(model)
    with pytest.raises(error):
        model.learn_one({"a": 3.0, "b": value}, True)
    assert state(model) == before


def test_learner_with_a_past_survives_pickling():
    model = with_a_past(FRONTS["scaler"])
    twin = pickle.loads(pickle.dumps(model))
    assert answered(twin, readings(100)) == answered(model, readings(100))


# Parameters that make no learner


@pytest.mark.parametrize("labels", ["10", 1.5, [10], object(), True])
def test_budget_that_is_none_is_refused(labels):
    with pytest.raises(TypeError):
        ActiveLearner(OA3Classifier(), budget=labels)


def test_negative_budget_is_refused():
    with pytest.raises(ValueError, match="0 or more"):
        ActiveLearner(OA3Classifier(), budget=-1)


@pytest.mark.parametrize("rule", ["asymmetric", 0.5, query.FirstComeQuery, object()])
def test_query_that_is_none_is_refused(rule):
    with pytest.raises(TypeError, match="query"):
        ActiveLearner(OA3Classifier(), query=rule)


@pytest.mark.parametrize(
    "classifier",
    [
        linear_model.LinearRegression(),
        preprocessing.StandardScaler(),
        preprocessing.StandardScaler() | linear_model.LinearRegression(),
        OA3Classifier,
        "OA3Classifier",
    ],
)
def test_model_that_does_not_classify_is_refused(classifier):
    with pytest.raises(TypeError, match="classifier"):
        ActiveLearner(classifier)


def test_active_learner_in_an_active_learner_is_refused():
    with pytest.raises(TypeError, match="classifier"):
        ActiveLearner(ActiveLearner(OA3DiagClassifier()))


class Certain(query.Query):
    """A rule that is wrong about probabilities."""

    def __init__(self, answer):
        self.answer = answer

    def probability(self, margin, confidence):
        return self.answer


@pytest.mark.parametrize("answer", [2.0, -0.1, math.nan])
def test_rule_that_gives_no_probability_is_an_error_that_changes_nothing(answer):
    model = ActiveLearner(
        preprocessing.StandardScaler() | OA3DiagClassifier(),
        Certain(answer),
        budget.RateBudget(0.5),
    )
    for x, y in sparse_events(5):
        model.learn_one(x, y)
    before = state(model)
    with pytest.raises(ValueError, match="probability"):
        model.predict_one({"f0": 1.0})
    assert state(model) == before


CLASSIFIERS = {
    "AutoOA3": AutoOA3Classifier,
    "OA3": OA3DiagClassifier,
    "AutoOA3 after a scaler": lambda: preprocessing.StandardScaler() | AutoOA3Classifier(),
    "OA3 after a scaler": lambda: preprocessing.StandardScaler() | OA3DiagClassifier(),
}
each_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


class Willing(Certain):
    """A rule that is wrong from now on."""

    def __init__(self):
        super().__init__(0.5)


ZEROS = [({"a": 0.0}, True)] * 10


@pytest.mark.parametrize(
    ("kind", "past", "x"),
    [
        *((kind, list(readings(30)), {"a": 3.0, "b": 0.1}) for kind in CLASSIFIERS),
        # From here on such events are asked about.
        ("OA3", ZEROS, {"a": 0.0}),
    ],
)
def test_rule_that_fails_changes_nothing(kind, past, x):
    rule = Willing()
    model = ActiveLearner(CLASSIFIERS[kind](), rule, budget.RateBudget(0.5), seed=1)
    answered(model, past)
    rule.answer = 2.0
    before = state(model)
    for _ in range(3):
        with pytest.raises(ValueError, match="probability"):
            model.predict_one(x)
    assert state(model) == before


@each_classifier
def test_clock_that_fails_changes_nothing(kind):
    clock = Clock(1e9)
    limit = budget.WindowBudget(5, dt.timedelta(days=1), clock=clock)
    model = ActiveLearner(CLASSIFIERS[kind](), budget=limit, seed=1)
    answered(model, readings(30))
    clock.now = math.nan
    before = state(model)
    with pytest.raises(ValueError, match="the clock"):
        model.predict_one({"a": 3.0, "b": 0.1})
    assert state(model) == before


@each_classifier
@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one"])
def test_argument_that_no_classifier_takes_is_refused(kind, method):
    model = ActiveLearner(CLASSIFIERS[kind](), seed=1)
    answered(model, readings(30))
    before = state(model)
    with pytest.raises(TypeError, match="colour"):
        getattr(model, method)({"a": 3.0, "b": 0.1}, colour="red")
    assert state(model) == before


def test_seed_may_be_numpys():
    assert ActiveLearner(OA3DiagClassifier(), seed=np.int64(3))._rng.random() == pytest.approx(
        ActiveLearner(OA3DiagClassifier(), seed=3)._rng.random()
    )


class Refusing(base.Transformer):
    """A step that refuses to learn some events."""

    def learn_one(self, x):
        if x.get("bad"):
            raise ValueError("not this one")

    def transform_one(self, x):
        return x


def test_event_that_a_step_refuses_to_learn_costs_nothing():
    model = ActiveLearner(Refusing() | OA3DiagClassifier(), ALWAYS, budget=5)
    model.predict_one({"a": 1.0})
    with pytest.raises(ValueError, match="not this one"):
        model.predict_one({"a": 1.0, "bad": 1.0})
    assert (model.n_seen, model.n_asked, model._budget.left) == (1, 1, 4)

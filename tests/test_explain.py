"""What a margin is made of: `explain_one` of every learner."""

from __future__ import annotations

import collections
import gc
import math
import pickle
import random

import pytest
from auto_streams import auto_trained, raw_events, raw_streams
from first_order_kinds import each_kind, make
from hypothesis import given, settings
from learners import LEARNERS, each_learner, event_streams, learned, sparse_events, trained
from river import linear_model, preprocessing

from river_oa3 import ActiveLearner, AutoOA3Classifier, OA3DiagClassifier, metrics
from river_oa3.first_order import PerceptronClassifier

each_model = pytest.mark.parametrize(
    "learner", [*LEARNERS, PerceptronClassifier, AutoOA3Classifier], ids=lambda c: c.__name__
)


def total(explanation):
    return math.fsum(contribution for _, _, contribution in explanation)


def by_feature(explanation):
    return {feature: contribution for feature, _, contribution in explanation}


def assert_adds_up(model, x):
    explanation = model.explain_one(x)
    sizes = sum(abs(contribution) for _, _, contribution in explanation)
    assert total(explanation) == pytest.approx(model.margin_one(x), rel=0, abs=1e-9 * (1 + sizes))


@each_learner
@given(stream=event_streams)
@settings(max_examples=30)
def test_contributions_add_up_to_the_margin(learner, stream):
    model = learned(learner(), stream)
    for x, _ in stream:
        assert_adds_up(model, x)


@each_kind
def test_first_order_contributions_are_weight_times_value(kind):
    events = sparse_events(60)
    model = learned(make(kind), events)
    x = events[3][0]
    expected = {name: model.weights[name] * value for name, value in x.items()}
    assert by_feature(model.explain_one(x)) == pytest.approx(expected, abs=1e-12)


@each_learner
def test_second_order_contributions_are_weight_times_value(learner):
    model = trained(learner)
    for x, _ in sparse_events(10):
        expected = {name: model.weights.get(name, 0.0) * value for name, value in x.items()}
        assert by_feature(model.explain_one(x)) == pytest.approx(expected, abs=1e-12)


@given(stream=raw_streams)
@settings(max_examples=100)
def test_contributions_of_raw_events_add_up_to_the_margin(stream):
    model = AutoOA3Classifier()
    for x, y, w in stream:
        if y is None:
            model.observe_one(x)
        else:
            model.learn_one(x, y, w)
        assert_adds_up(model, x)
        assert_adds_up(model, {})


@pytest.mark.parametrize("objective", [metrics.WeightedSum(0.9), metrics.WeightedCost(5, 1)])
def test_contributions_add_up_for_every_objective_while_the_faster_learner_answers(objective):
    model, leaders = AutoOA3Classifier(objective), set()
    for i, (x, y, w) in enumerate(raw_events(400)):
        model.learn_one(x, y != (i > 200), w)
        leaders.add(model._core.__getstate__()["leader"])
        assert_adds_up(model, x)
    assert leaders == {0, 1}


def test_bins_are_counted_with_their_feature():
    rng, model = random.Random(0), AutoOA3Classifier()
    for _ in range(300):
        x = {"a": rng.gauss(0, 1), "b": rng.gauss(0, 1)}
        model.learn_one(x, abs(x["a"]) > 1)
    # No straight line tells both ends from the middle.
    for a in (-2.0, 2.0):
        found = by_feature(model.explain_one({"a": a, "b": 0.0}))
        assert found.keys() == {"a", "b", "(intercept)"}
        assert found["a"] > 5 * abs(found["b"])
    assert by_feature(model.explain_one({"a": 0.1, "b": 0.0}))["a"] < 0


def test_dense_feature_that_is_left_out_is_listed_without_a_value():
    model = auto_trained()
    explanation = model.explain_one({"flag": 1})
    left_out = {feature: value for feature, value, _ in explanation if feature != "flag"}
    assert left_out.pop("(intercept)") == 1.0
    assert "a" in left_out
    assert set(left_out.values()) == {None}
    assert_adds_up(model, {"flag": 1})


def test_dense_feature_that_is_none_keeps_its_place():
    model = auto_trained()
    (listed,) = [entry for entry in model.explain_one({"a": None}) if entry[0] == "a"]
    assert listed[1] is None
    # It was never missing before, which is something else than zero.
    assert listed[2] == 0.0 != by_feature(model.explain_one({}))["a"]


def test_category_is_listed_under_its_feature_with_its_text():
    model = auto_trained(200)
    explanation = model.explain_one({"colour": "red"})
    assert [value for feature, value, _ in explanation if feature == "colour"] == ["red"]
    assert by_feature(explanation)["colour"] > 0


def test_another_category_than_the_usual_one_counts_as_that():
    model = AutoOA3Classifier()
    for i in range(60):
        model.learn_one({"country": "XX" if i % 10 == 0 else "FR"}, i % 10 == 0)
    # Most events have "FR": not to have it says something, and belongs to the country.
    explanation = model.explain_one({"country": "YY"})
    assert [feature for feature, *_ in explanation if feature != "(intercept)"] == ["country"]
    assert by_feature(explanation)["country"] > 0
    assert_adds_up(model, {"country": "YY"})
    assert ("country", None) in [entry[:2] for entry in model.explain_one({})]


def test_before_the_first_label_nothing_but_the_boundary_speaks():
    model = AutoOA3Classifier()
    model.observe_one({"a": 1.0})
    assert model.explain_one({"a": 2.0}) == [("(intercept)", 1.0, -1.0), ("a", 2.0, 0.0)]


def test_largest_come_first_and_equal_ones_in_the_order_of_the_event():
    model = PerceptronClassifier()
    model.learn_one({"a": 1.0, "b": 1.0, "c": 1.0}, False)
    x = {"c": 1, "new": 7, "a": -1, "b": 3, "zero": 0}
    assert [entry[0] for entry in model.explain_one(x)] == ["b", "c", "a", "new", "zero"]


def test_values_are_those_of_the_event():
    model = auto_trained()
    x = {"a": True, "colour": "red", "year": math.nan, 7: 3, ("new", 1): "?"}
    values = {feature: value for feature, value, _ in model.explain_one(x)}
    assert {name: values[name] for name in x} == pytest.approx(x, nan_ok=True)


@each_model
def test_explaining_changes_nothing(learner):
    model = auto_trained() if learner is AutoOA3Classifier else trained(learner)
    before = pickle.dumps(model)
    model.explain_one({"f1": 1.0, "unknown": 2.0})
    assert pickle.dumps(model) == before


@each_model
@pytest.mark.parametrize("x", [{"f0": math.inf}, {"f0": [1]}, {"f0": 10**400}, 3, None])
def test_bad_events_get_the_answer_of_predict_one(learner, x):
    model = learner()
    with pytest.raises(Exception) as of_predict:  # noqa: PT011 - whatever it is
        model.predict_one(x)
    with pytest.raises(of_predict.type) as of_explain:
        model.explain_one(x)
    assert str(of_explain.value) == str(of_predict.value)


def test_event_that_overflows_the_margin_is_refused():
    model = OA3DiagClassifier(eta=1e3)
    model.learn_one({"a": 10.0, "b": 10.0}, True)
    with pytest.raises(OverflowError, match="margin is not finite"):
        model.explain_one({"a": 1e308, "b": 1e308})


@each_model
def test_any_mapping_is_an_event(learner):
    model = learner()
    model.learn_one({"a": 1.0}, False)
    x = collections.UserDict({"a": 1.0})
    assert model.explain_one(x) == model.explain_one(dict(x))


class Twin:
    """A name that teaches a model the first times that it is compared."""

    def __init__(self, name, model):
        self.name, self.model, self.n_compared = name, model, 0

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        self.n_compared += 1
        if self.n_compared < 5:
            self.model.learn_one({f"learned{self.n_compared}": 1.0}, False)
        return self.name == other


@each_model
def test_names_that_teach_the_model_are_survived(learner):
    model = learner()
    for i in range(10):
        model.learn_one({f"f{i}": 1.0}, i % 2 == 0)
    twin = Twin("f3", model)
    shown = by_feature(model.explain_one({twin: 1.0, "f4": 1.0}))
    assert twin.n_compared >= 5
    assert shown == by_feature(model.explain_one({"f3": 1.0, "f4": 1.0}))


@each_model
def test_collector_that_forgets_and_learns_is_survived(learner):
    model = learner()
    model.learn_one({f"f{i}": 1.0 for i in range(50)}, True)

    class Garbage:
        def __init__(self):
            self.me = self

        def __del__(self):
            model.learn_one({f"f{len(model.weights)}": 1.0}, False)

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(20):
            Garbage()
            explanation = model.explain_one({f"f{i}": 1.0 for i in range(50)})
            assert len(explanation) >= 50
    finally:
        gc.set_threshold(*threshold)


def test_active_learner_passes_it_on():
    model = ActiveLearner(seed=1)
    for x, y, _ in raw_events(50):
        model.predict_one(x)
        model.learn_one(x, y)
    x = {"a": 1.0, "colour": "red"}
    before = pickle.dumps(model)
    assert model.explain_one(x) == model.classifier.explain_one(x)
    assert pickle.dumps(model) == before


def test_pipeline_explains_the_event_that_reaches_the_classifier():
    model = ActiveLearner(preprocessing.StandardScaler() | OA3DiagClassifier(), seed=1)
    for x, y in sparse_events(50):
        model.predict_one(x)
        model.learn_one(x, y)
    x = sparse_events(3)[2][0]
    scaler, classifier = model.classifier.steps.values()
    assert model.explain_one(x) == classifier.explain_one(scaler.transform_one(x))


def test_pipeline_explains_its_first_event():
    model = ActiveLearner(preprocessing.MinMaxScaler() | OA3DiagClassifier(), seed=1)
    x = {"a": 1.0}
    assert model.explain_one(x) == [("a", 0.0, 0.0)]
    model.predict_one(x)


def test_classifier_that_cannot_explain_is_named():
    with pytest.raises(NotImplementedError, match="LogisticRegression"):
        ActiveLearner(linear_model.LogisticRegression()).explain_one({"a": 1.0})


@each_model
@pytest.mark.parametrize("ask", ["explain_one", "margin_one", "predict_one", "learn_one"])
def test_names_that_become_equal_are_refused(learner, ask):
    class Name:
        same = False

        def __hash__(self):
            return 1

        def __eq__(self, other):
            return Name.same

    model, x = learner(), {Name(): 1.0, Name(): 2.0, Name(): 3.0, "a": 1.0}
    for i in range(20):
        model.learn_one({**x}, i % 2 == 0)
    Name.same = True
    before = dict(model.weights)
    with pytest.raises(ValueError, match="two names of this event are one feature"):
        getattr(model, ask)(x, *([True] if ask == "learn_one" else []))
    assert dict(model.weights) == before

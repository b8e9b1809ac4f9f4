"""`ActiveLearner` around river's classifiers and pipelines, and in river's evaluator."""

from __future__ import annotations

import contextlib
import math
import pickle
import re
import statistics

import numpy as np
import pytest
from learners import LEARNERS, each_learner, sparse_events, state
from river import (
    base,
    checks,
    compose,
    datasets,
    evaluate,
    feature_extraction,
    forest,
    linear_model,
    multiclass,
    naive_bayes,
    preprocessing,
    stats,
    tree,
)
from river import metrics as river_metrics

from river_oa3 import (
    ActiveLearner,
    OA3Classifier,
    OA3DiagClassifier,
    SSOA3Classifier,
    budget,
    metrics,
    query,
)

ALWAYS = query.FirstComeQuery()
# Probabilities of other classifiers lie close to 0 or 1: biases that leave chance a chance.
OFTEN = query.AsymmetricQuery(delta_pos=1.0, delta_neg=0.2)
X = {"a": 1.0, "b": -0.5}


class Opinionated(base.Classifier):
    """Says what it is told to say, and remembers how it was taught."""

    def __init__(self, odds, label=None):
        self.odds = odds
        self.label = label
        self.lessons = []

    @property
    def _multiclass(self):
        return True

    def predict_proba_one(self, x):
        return self.odds

    def predict_one(self, x):
        return self.label

    def learn_one(self, x, y):
        self.lessons.append({})


class OpinionatedWithWeight(Opinionated):
    def learn_one(self, x, y, w=1.0):
        self.lessons.append({"w": w})


class OpinionatedWithAnything(Opinionated):
    def learn_one(self, x, y, **kwargs):
        self.lessons.append(kwargs)


class CountsEvents(base.Transformer):
    """Counts what it learns, and lets everything through."""

    def __init__(self):
        self.n = 0

    def learn_one(self, x):
        self.n += 1

    def transform_one(self, x):
        return x


class CountsLabels(base.SupervisedTransformer):
    """Counts the labels that it learns, and lets everything through."""

    def __init__(self):
        self.n = 0

    def learn_one(self, x, y):
        self.n += 1

    def transform_one(self, x):
        return x


def readings(n=200):
    """Events that always have the same features, none of them on a common scale."""
    for i in range(n):
        x = {"a": 100.0 + i % 7, "b": (i * 5 % 11) / 1000}
        yield x, (i % 7 > 3) != (i % 5 == 0)


def answered(model, events):
    """The decisions on a stream whose labels come at once."""
    decisions = []
    for x, y in events:
        _, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)
        decisions.append(ask)
    return decisions


def labels_asked(model, events):
    events = list(events)
    return [y for (_, y), ask in zip(events, answered(model, events), strict=True) if ask]


def score(model, dataset, metric=None, **kwargs):
    metric = metrics.WeightedSum() if metric is None else metric
    return evaluate.progressive_val_score(dataset, model, metric, **kwargs).get()


# Cold start

COLD = {
    "GaussianNB": naive_bayes.GaussianNB,
    "HoeffdingTreeClassifier": tree.HoeffdingTreeClassifier,
    "ARFClassifier": lambda: forest.ARFClassifier(n_models=3, seed=1),
}
each_cold = pytest.mark.parametrize("classifier", COLD.values(), ids=COLD)


@each_cold
@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one"])
def test_classifier_without_an_opinion_is_asked_about(classifier, method):
    assert getattr(ActiveLearner(classifier()), method)(X)[1]


@each_cold
def test_classifier_without_an_opinion_is_asked_about_for_certain(classifier):
    assert ActiveLearner(classifier()).query_probability(X) == 1.0


@each_cold
def test_classifier_without_an_opinion_is_not_asked_about_without_a_budget(classifier):
    assert not ActiveLearner(classifier(), budget=0).predict_one(X)[1]


@each_cold
def test_both_classes_of_an_imbalanced_stream_get_labels(classifier):
    model = ActiveLearner(classifier(), query=OFTEN, budget=100, seed=1)
    labels = labels_asked(model, datasets.Shuttle().take(1000))
    assert min(labels.count(0), labels.count(1)) >= 3


@each_cold
def test_both_classes_of_a_balanced_stream_get_labels(classifier):
    model = ActiveLearner(classifier(), query=OFTEN, budget=100, seed=1)
    labels = labels_asked(model, datasets.Phishing().take(400))
    assert min(labels.count(False), labels.count(True)) >= 10


@each_cold
def test_classifier_that_was_cold_learns(classifier):
    model = ActiveLearner(classifier(), query=OFTEN, budget=100, seed=1)
    assert score(model, datasets.Phishing().take(800), river_metrics.Accuracy()) > 0.65


@each_learner
def test_first_event_of_a_learner_is_asked_about(learner):
    assert ActiveLearner(learner()).predict_one(X)[1]


# The margin of any classifier


@pytest.mark.parametrize(
    ("odds", "probability"),
    [
        ({False: 0.3, True: 0.7}, 2.0 / 2.4),
        ({False: 0.7, True: 0.3}, 0.5 / 0.9),
        ({0: 0.7, 1: 0.3}, 0.5 / 0.9),
        ({False: 0.5, True: 0.5}, 1.0),
        ({True: 1.0}, 2.0 / 3.0),
        ({False: 1.0}, 0.5 / 1.5),
        ({}, 1.0),
    ],
)
def test_margin_of_two_classes_is_their_difference(odds, probability):
    rule = query.AsymmetricQuery(delta_pos=2.0, delta_neg=0.5)
    model = ActiveLearner(Opinionated(odds), query=rule)
    assert model.query_probability(X) == pytest.approx(probability)


@pytest.mark.parametrize(
    ("odds", "gap"),
    [
        ({"sky": 0.5, "grass": 0.2, "path": 0.3}, 0.2),
        ({"sky": 0.1, "grass": 0.8, "path": 0.1}, 0.7),
        ({"sky": 0.4, "grass": 0.2, "path": 0.4}, 0.0),
    ],
)
def test_margin_of_many_classes_is_the_gap_between_the_two_best(odds, gap):
    rule = query.AsymmetricQuery(delta_pos=2.0, delta_neg=0.5)
    model = ActiveLearner(Opinionated(odds), query=rule)
    assert model.query_probability(X) == pytest.approx(2.0 / (2.0 + gap))


def test_learner_behind_one_versus_rest_learns_many_classes():
    model = ActiveLearner(
        preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(SSOA3Classifier()),
        budget=400,
        seed=1,
    )
    assert score(model, datasets.ImageSegments(), river_metrics.Accuracy()) > 0.5


def test_learner_behind_one_versus_rest_keeps_its_budget():
    model = ActiveLearner(
        preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(SSOA3Classifier()),
        budget=150,
        seed=1,
    )
    assert sum(answered(model, datasets.ImageSegments().take(800))) == 150


# The prediction


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_label_is_what_the_classifier_says_itself(in_pipeline):
    classifier = Opinionated({False: 0.1, True: 0.9}, label="neither")
    model = CountsEvents() | classifier if in_pipeline else classifier
    assert ActiveLearner(model).predict_one(X)[0] == "neither"


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_odds_are_what_the_classifier_says_itself(in_pipeline):
    classifier = Opinionated({False: 0.1, True: 0.9}, label="neither")
    model = CountsEvents() | classifier if in_pipeline else classifier
    assert ActiveLearner(model).predict_proba_one(X)[0] == {False: 0.1, True: 0.9}


@each_learner
def test_label_of_a_learner_is_its_own(learner):
    model = ActiveLearner(learner(), seed=1)
    for x, y in sparse_events(100):
        expected = model.classifier.predict_one(x)
        assert model.predict_one(x)[0] == expected
        model.learn_one(x, y)


@each_learner
def test_odds_of_a_learner_are_its_own(learner):
    model = ActiveLearner(learner(), seed=1)
    for x, y in sparse_events(100):
        expected = model.classifier.predict_proba_one(x)
        assert model.predict_proba_one(x)[0] == expected
        model.learn_one(x, y)


@each_learner
def test_decision_is_the_same_with_labels_and_with_odds(learner):
    by_label, by_odds = (ActiveLearner(learner(), seed=1, budget=50) for _ in range(2))
    for x, y in sparse_events(200):
        _, ask = by_label.predict_one(x)
        assert by_odds.predict_proba_one(x)[1] == ask
        by_label.learn_one(x, y)
        by_odds.learn_one(x, y)


@each_learner
def test_answer_is_a_bool(learner):
    model = ActiveLearner(learner(), seed=1, budget=5)
    assert {type(ask) for ask in answered(model, sparse_events(30))} == {bool}


def test_event_is_not_changed():
    x = {"a": 1, "b": 0.0}
    model = ActiveLearner(preprocessing.StandardScaler() | OA3Classifier())
    model.predict_one(x)
    model.learn_one(x, True)
    assert x == {"a": 1, "b": 0.0}


# Counters


def test_predicted_events_are_counted():
    model = ActiveLearner(OA3Classifier(), seed=1)
    answered(model, sparse_events(50))
    assert model.n_seen == 50


def test_asked_labels_are_counted():
    model = ActiveLearner(OA3Classifier(), seed=1)
    decisions = answered(model, sparse_events(50))
    assert model.n_asked == sum(decisions)


def test_learned_labels_are_counted_though_nobody_asked():
    model = ActiveLearner(OA3Classifier(), budget=0)
    for x, y in sparse_events(7):
        model.learn_one(x, y)
    assert (model.n_learned, model.n_asked, model.n_seen) == (7, 0, 0)


def test_label_that_nobody_asked_for_is_learned():
    model, expected = ActiveLearner(OA3Classifier(), budget=0), OA3Classifier()
    for x, y in sparse_events(20):
        model.learn_one(x, y)
        expected.learn_one(x, y)
    assert model.classifier.weights == expected.weights


def test_label_that_nobody_asked_for_costs_nothing():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=3)
    for x, y in sparse_events(10):
        model.learn_one(x, y)
    assert sum(model.predict_one(X)[1] for _ in range(10)) == 3


def test_label_is_charged_when_it_is_asked_for():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=3)
    assert [model.predict_one(X)[1] for _ in range(5)] == [True, True, True, False, False]


def test_refunded_label_can_be_asked_for_again():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=1)
    model.predict_one(X)
    model.refund()
    assert [model.predict_one(X)[1] for _ in range(2)] == [True, False]


# Weights of labels


@pytest.mark.parametrize("in_pipeline", [False, True])
@pytest.mark.parametrize(
    ("kind", "lesson"),
    [(Opinionated, {}), (OpinionatedWithWeight, {"w": 2.0}), (OpinionatedWithAnything, {"w": 2.0})],
)
def test_weight_is_passed_on_where_it_is_taken(kind, lesson, in_pipeline):
    classifier = kind({True: 1.0})
    model = ActiveLearner(CountsEvents() | classifier if in_pipeline else classifier)
    model.predict_one(X)
    model.learn_one(X, True, w=2.0)
    assert classifier.lessons == [lesson]


@pytest.mark.parametrize("kind", [Opinionated, OpinionatedWithWeight])
def test_weight_is_passed_on_where_it_is_taken_before_any_prediction(kind):
    classifier = kind({True: 1.0})
    ActiveLearner(CountsEvents() | classifier).learn_one(X, True, w=2.0)
    assert classifier.lessons == [{"w": 2.0} if kind is OpinionatedWithWeight else {}]


@each_learner
def test_weight_reaches_a_learner(learner):
    model, expected = ActiveLearner(learner()), learner()
    model.learn_one(X, True, w=3.0)
    expected.learn_one(X, True, w=3.0)
    assert model.classifier.weights == expected.weights


def test_weight_in_a_stream_reaches_the_classifier_through_the_evaluator():
    classifier = OpinionatedWithWeight({True: 1.0}, label=True)
    stream = [(dict(X), True, {"w": float(w)}) for w in (1, 2, 3)]
    score(ActiveLearner(classifier, query=ALWAYS), stream)
    assert classifier.lessons == [{"w": 1.0}, {"w": 2.0}, {"w": 3.0}]


def test_weight_in_a_stream_does_not_stop_a_classifier_that_takes_none():
    stream = [(x, y, {"w": 2.0}) for x, y in datasets.Phishing().take(100)]
    model = ActiveLearner(naive_bayes.GaussianNB(), query=ALWAYS)
    score(model, stream)
    assert model.n_learned == 100


# A pipeline inside

INSIDE = {
    "ours": OA3DiagClassifier,
    "rivers": linear_model.LogisticRegression,
}
each_inside = pytest.mark.parametrize("classifier", INSIDE.values(), ids=INSIDE)


def test_query_is_computed_on_the_transformed_event():
    scaler, learner = preprocessing.StandardScaler(), OA3Classifier()
    rule = query.AsymmetricQuery(0.5, 0.2)
    model = ActiveLearner(scaler | learner, query=rule, seed=1)
    for x, y in readings():
        scaled = scaler.transform_one(x)
        if any(scaled.values()):
            expected = rule.probability(learner.margin_one(scaled), learner.confidence_one(scaled))
            assert model.query_probability(x) == expected
        answered(model, [(x, y)])


def test_query_of_another_classifier_is_computed_on_the_transformed_event():
    scaler, classifier = preprocessing.StandardScaler(), linear_model.LogisticRegression()
    rule = query.AsymmetricQuery(0.5, 0.2)
    model = ActiveLearner(scaler | classifier, query=rule, seed=1)
    for x, y in readings():
        margin = 2.0 * classifier.predict_proba_one(scaler.transform_one(x))[True] - 1.0
        assert model.query_probability(x) == pytest.approx(rule.probability(margin, 0.0))
        answered(model, [(x, y)])


@each_inside
@pytest.mark.parametrize("labels", [0, 1, 10, None])
def test_scaler_counts_each_predicted_event_once(classifier, labels):
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | classifier(), budget=labels, seed=1)
    answered(model, readings(200))
    assert scaler.counts == {"a": 200, "b": 200}


@pytest.mark.parametrize("labels", [0, 1, 10, None])
def test_scaler_knows_all_predicted_events(labels):
    scaler, expected = preprocessing.StandardScaler(), preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), budget=labels, seed=1)
    answered(model, readings(200))
    for x, _ in readings(200):
        expected.learn_one(x)
    assert (scaler.means, scaler.vars) == (expected.means, expected.vars)


@each_inside
@pytest.mark.parametrize("labels", [5, 60])
@pytest.mark.parametrize("delay", [None, 1, 30, 1000])
def test_scaler_counts_each_event_once_in_the_evaluator(classifier, labels, delay):
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | classifier(), budget=labels, seed=1)
    score(model, readings(200), delay=delay)
    assert scaler.counts == {"a": 200, "b": 200}


def test_scaler_counts_each_event_once_while_river_learns_during_predictions():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), seed=1)
    with compose.learn_during_predict():
        answered(model, readings(100))
    assert scaler.counts == {"a": 100, "b": 100}


@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one"])
def test_prediction_uses_the_scaler_as_it_was_before_the_event(method):
    scaler, learner = preprocessing.StandardScaler(), OA3Classifier()
    model = ActiveLearner(scaler | learner, budget=0)
    for x, y in readings(50):
        model.learn_one(x, y)
    for x, _ in readings(100):
        expected = getattr(learner, method)(scaler.transform_one(x))
        assert getattr(model, method)(x)[0] == expected


def test_each_step_is_taught_what_reaches_it():
    first, second = preprocessing.StandardScaler(), preprocessing.StandardScaler()
    model = ActiveLearner(first | compose.Prefixer("scaled_") | second | OA3Classifier(), budget=0)
    for x, _ in readings(30):
        model.predict_one(x)
    assert (set(first.counts), set(second.counts)) == ({"a", "b"}, {"scaled_a", "scaled_b"})


def test_late_labels_teach_the_scaler_nothing():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), query=ALWAYS)
    events = list(readings(60))
    asked = [(x, y) for x, y in events if model.predict_one(x)[1]]
    for x, y in reversed(asked):
        model.learn_one(x, y)
    assert (len(asked) > 50, scaler.counts["a"]) == (True, 60)


def test_scaler_is_not_taught_by_looking():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier())
    for x, _ in readings(20):
        model.query_probability(x)
    assert not scaler.counts


def parts(model):
    """The parts of the union that a pipeline starts with; river makes copies of them."""
    return list(model.classifier["TransformerUnion"].transformers.values())


def test_parts_of_a_union_are_taught_once():
    union = (compose.Select("a") | preprocessing.StandardScaler()) + (
        compose.Select("b") | preprocessing.StandardScaler()
    )
    model = ActiveLearner(union | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert [part["StandardScaler"].counts for part in parts(model)] == [{"a": 100}, {"b": 100}]


def test_step_that_needs_labels_learns_from_labels_alone():
    counter = CountsLabels()
    model = ActiveLearner(counter | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert counter.n == 10


def test_union_of_steps_with_and_without_labels_teaches_each_its_own():
    union = CountsLabels() + CountsEvents()
    model = ActiveLearner(union | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert [part.n for part in parts(model)] == [10, 100]


def test_steps_with_and_without_labels_in_a_row_are_taught_each_its_own():
    with_labels, without = CountsLabels(), CountsEvents()
    model = ActiveLearner(without | with_labels | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert (with_labels.n, without.n) == (10, 100)


def test_target_means_learn_from_asked_labels_alone():
    aggregate = feature_extraction.TargetAgg(by="shop", how=stats.Count())
    scale = compose.Select("a") | preprocessing.StandardScaler()
    model = ActiveLearner((aggregate + scale) | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, [({"shop": "x", "a": x["a"]}, y) for x, y in readings(100)])
    assert parts(model)[0].transform_one({"shop": "x"}) == {"y_count_by_shop": 10}


@each_inside
def test_labels_before_any_prediction_teach_the_whole_pipeline(classifier):
    scaler, events = preprocessing.StandardScaler(), CountsEvents()
    model = ActiveLearner(scaler | events | classifier())
    for x, y in readings(30):
        model.learn_one(x, y)
    assert (scaler.counts["a"], events.n) == (30, 30)


def test_labels_before_any_prediction_make_rivers_own_pipeline():
    model = ActiveLearner(preprocessing.StandardScaler() | OA3Classifier())
    expected = preprocessing.StandardScaler() | OA3Classifier()
    for x, y in readings(30):
        model.learn_one(x, y)
        expected.learn_one(x, y)
    weights = expected["OA3Classifier"].weights
    assert model.classifier["OA3Classifier"].weights == weights


def test_predictions_after_a_training_go_on_counting():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), budget=10, seed=1)
    for x, y in readings(30):
        model.learn_one(x, y)
    answered(model, readings(50))
    assert scaler.counts["a"] == 80


def test_transformers_learn_with_the_labels_alone_where_that_is_wanted():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(
        scaler | linear_model.LogisticRegression(), budget=20, seed=1, learn_transformers=False
    )
    answered(model, readings(100))
    assert scaler.counts == {"a": 20, "b": 20}


def test_pipeline_whose_transformers_do_not_learn_by_themselves_is_rivers_own():
    model = ActiveLearner(
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        query=ALWAYS,
        learn_transformers=False,
    )
    expected = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    for x, y in readings(100):
        assert model.predict_proba_one(x)[0] == expected.predict_proba_one(x)
        model.learn_one(x, y)
        expected.learn_one(x, y)


@each_inside
def test_min_max_scaler_in_front_works_from_the_first_event(classifier):
    model = ActiveLearner(preprocessing.MinMaxScaler() | classifier(), seed=1)
    answered(model, readings(100))
    assert model.n_seen == 100


@each_inside
def test_probability_behind_a_min_max_scaler_is_a_number_from_the_first_event(classifier):
    model = ActiveLearner(preprocessing.MinMaxScaler() | classifier(), seed=1)
    model.predict_one(X)
    assert 0.0 <= model.last_query.probability <= 1.0


def test_probability_can_be_looked_at_before_a_min_max_scaler_has_learned():
    model = ActiveLearner(preprocessing.MinMaxScaler() | OA3Classifier())
    assert 0.0 <= model.query_probability(X) <= 1.0


def test_min_max_scaler_in_front_takes_features_that_turn_up_later():
    model = ActiveLearner(preprocessing.MinMaxScaler() | OA3DiagClassifier(), seed=1)
    answered(model, sparse_events(200))
    assert model.n_seen == 200


def test_learner_behind_a_min_max_scaler_learns():
    model = ActiveLearner(preprocessing.MinMaxScaler() | SSOA3Classifier(), budget=100, seed=1)
    assert score(model, datasets.Phishing()) > 0.6


def test_learner_behind_a_scaler_learns_from_few_labels():
    model = ActiveLearner(preprocessing.StandardScaler() | SSOA3Classifier(), budget=100, seed=1)
    assert score(model, datasets.Phishing()) > 0.7


def test_pipeline_in_a_pipeline_works():
    inner = compose.Pipeline(preprocessing.Normalizer(), OA3DiagClassifier())
    model = ActiveLearner(compose.Pipeline(preprocessing.StandardScaler(), inner), budget=10)
    answered(model, readings(50))
    assert (model.n_seen, model.n_learned) == (50, 10)


def test_text_goes_through_a_bag_of_words():
    model = ActiveLearner(feature_extraction.BagOfWords() | OA3DiagClassifier(), query=ALWAYS)
    for _ in range(5):
        answered(model, [("win cash now", True), ("lunch tomorrow", False)])
    assert (model.predict_one("win cash")[0], model.predict_one("lunch")[0]) == (True, False)


# A pipeline outside


def outside(scaler, classifier, **kwargs):
    learner = ActiveLearner(classifier, **kwargs)
    return scaler | learner, learner


@pytest.mark.parametrize("classifier", [SSOA3Classifier, linear_model.LogisticRegression])
@pytest.mark.parametrize("scaler", [preprocessing.StandardScaler, preprocessing.Normalizer])
class TestBehindAScalerOfItsOwn:
    def test_learns_in_the_evaluator(self, scaler, classifier):
        model, _ = outside(scaler(), classifier(), budget=100, seed=1)
        assert score(model, datasets.Phishing()) > 0.6

    @pytest.mark.parametrize("delay", [None, 20])
    def test_spends_its_budget_and_no_more_in_the_evaluator(self, scaler, classifier, delay):
        model, learner = outside(scaler(), classifier(), budget=100, seed=1)
        score(model, datasets.Phishing(), delay=delay)
        assert (learner.n_asked, learner.n_learned) == (100, 100)

    def test_prints_the_samples_used(self, scaler, classifier, capsys):
        model, _ = outside(scaler(), classifier(), budget=100, seed=1)
        score(model, datasets.Phishing(), print_every=1250)
        assert "100 samples used" in capsys.readouterr().out


def test_learner_behind_a_scaler_of_its_own_answers_as_by_itself():
    model, learner = outside(preprocessing.Normalizer(), OA3Classifier(), query=ALWAYS)
    label, ask = model.predict_one(X)
    assert (label, ask, learner.n_asked) == (True, True, 1)


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


def test_event_that_raises_brings_nothing_into_a_purse():
    purse = budget.RateBudget(0.25, window=4)
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=purse)
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


# River's own checks

SKIPPED = "check_predict_proba_one_binary"
MODELS = {
    **{learner.__name__: ActiveLearner(learner(), seed=1) for learner in LEARNERS},
    "budget": ActiveLearner(SSOA3Classifier(), budget=100, seed=1),
    "no-seed": ActiveLearner(OA3DiagClassifier(), budget=100),
    "pipeline": ActiveLearner(
        preprocessing.StandardScaler() | SSOA3Classifier(), budget=100, seed=1
    ),
    "pipeline-as-river": ActiveLearner(
        preprocessing.StandardScaler() | OA3DiagClassifier(), seed=1, learn_transformers=False
    ),
    "logistic": ActiveLearner(
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        query=query.AsymmetricQuery(2.0, 0.5),
        budget=budget.RateBudget(0.2, window=50),
        seed=1,
    ),
    "naive-bayes": ActiveLearner(
        naive_bayes.GaussianNB(),
        query=query.RandomQuery(0.3),
        budget=budget.WindowBudget(5, every=20),
        seed=1,
    ),
    "one-vs-rest": ActiveLearner(
        multiclass.OneVsRestClassifier(OA3DiagClassifier()),
        query=query.FirstComeQuery(),
        budget=50,
        seed=1,
    ),
}


def cases():
    for name, model in MODELS.items():
        for number, check in enumerate(checks.yield_checks(model)):
            if check.__name__ != SKIPPED:
                yield pytest.param(model, check, id=f"{name}-{check.__name__}-{number}")


@pytest.mark.parametrize(("model", "check"), list(cases()))
def test_passes_river_check(model, check):
    check(model.clone())


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_asks_to_be_let_off_the_check_that_no_active_learner_passes_and_no_other(model):
    assert set(model._unit_test_skips()) == {SKIPPED}


BINARY = {
    name: model for name, model in MODELS.items() if name not in ("naive-bayes", "one-vs-rest")
}


@pytest.mark.parametrize("model", BINARY.values(), ids=BINARY)
@pytest.mark.parametrize("kind", [bool, np.bool_])
def test_odds_of_a_binary_classifier_have_both_classes_at_any_time(model, kind):
    model = model.clone()
    for x, y in datasets.Phishing().take(200):
        odds, ask = model.predict_proba_one(x)
        model.learn_one(x, kind(y))
        assert set(odds) == {False, True}
        assert math.isclose(sum(odds.values()), 1.0)
        assert isinstance(ask, bool)


@pytest.mark.parametrize("params", list(ActiveLearner._unit_test_params()))
def test_parameters_for_tests_make_a_learner(params):
    assert ActiveLearner(**params).predict_one(X)[0] in (False, True)


# Budgets


def test_learners_that_share_a_budget_spend_from_one_purse():
    purse = budget.TotalBudget(10)
    one, other = (ActiveLearner(OA3Classifier(), query=ALWAYS, budget=purse) for _ in range(2))
    for _ in range(20):
        one.predict_one(X)
        other.predict_one(X)
    assert one.n_asked + other.n_asked == 10


def test_label_that_one_learner_asks_for_is_gone_for_the_other():
    purse = budget.TotalBudget(1)
    one, other = (ActiveLearner(OA3Classifier(), query=ALWAYS, budget=purse) for _ in range(2))
    one.predict_one(X)
    assert not other.predict_one(X)[1]


def test_learners_that_are_given_a_number_do_not_share_it():
    one, other = (ActiveLearner(OA3Classifier(), query=ALWAYS, budget=1) for _ in range(2))
    one.predict_one(X)
    assert other.predict_one(X)[1]


def test_number_is_a_budget_of_so_many_labels_in_all():
    events = sparse_events(200)
    one = ActiveLearner(OA3Classifier(), budget=30, seed=1)
    other = ActiveLearner(OA3Classifier(), budget=budget.TotalBudget(30), seed=1)
    assert answered(one, events) == answered(other, events)


def test_number_of_labels_may_be_numpys():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=np.int64(2))
    assert [model.predict_one(X)[1] for _ in range(3)] == [True, True, False]


def test_no_budget_sets_no_limit():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS)
    assert all(model.predict_one(X)[1] for _ in range(1000))


def test_default_query_is_the_asymmetric_one():
    events = sparse_events(200)
    default = ActiveLearner(OA3Classifier(), seed=1)
    spelled_out = ActiveLearner(OA3Classifier(), query=query.AsymmetricQuery(), seed=1)
    assert answered(default, events) == answered(spelled_out, events)


# Clones

PURSES = {
    "number": lambda: 20,
    "total": lambda: budget.TotalBudget(20),
    "rate": lambda: budget.RateBudget(0.1, window=50),
    "window": lambda: budget.WindowBudget(3, every=40),
}
each_purse = pytest.mark.parametrize("purse", PURSES.values(), ids=PURSES)


@each_purse
def test_clone_decides_as_the_original_did_when_it_was_new(purse):
    model = ActiveLearner(OA3Classifier(), budget=purse(), seed=1)
    decisions = answered(model, sparse_events(150))
    assert answered(model.clone(), sparse_events(150)) == decisions


@each_purse
def test_clone_has_seen_nothing(purse):
    model = ActiveLearner(OA3Classifier(), budget=purse(), seed=1)
    answered(model, sparse_events(50))
    clone = model.clone()
    assert (clone.n_seen, clone.n_asked, clone.n_learned, clone.last_query) == (0, 0, 0, None)


@each_purse
def test_clone_spends_nothing_of_the_original(purse):
    model, twin = (ActiveLearner(OA3Classifier(), budget=purse(), seed=1) for _ in range(2))
    answered(model.clone(), sparse_events(150))
    assert answered(model, sparse_events(150)) == answered(twin, sparse_events(150))


def test_clone_takes_a_new_budget():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=5).clone({"budget": 2})
    assert sum(model.predict_one(X)[1] for _ in range(10)) == 2


# The evaluator


def scaled(labels=100, seed=1):
    return ActiveLearner(
        preprocessing.StandardScaler() | SSOA3Classifier(), budget=labels, seed=seed
    )


def lines(capsys):
    return capsys.readouterr().out.splitlines()


def test_evaluator_prints_the_metric_and_the_samples_used(capsys):
    score(scaled(), datasets.Phishing(), print_every=500)
    number = r"\[[\d,]+\] WeightedSum: \d+\.\d+% – \d+ samples used"
    assert all(re.fullmatch(number, line) for line in lines(capsys))


def test_evaluator_prints_as_often_as_it_is_told(capsys):
    score(scaled(), datasets.Phishing(), print_every=500)
    steps = [line.split("]")[0] for line in lines(capsys)]
    assert steps == ["[500", "[1,000", "[1,250"]


def test_evaluator_prints_the_number_of_labels_that_were_learned(capsys):
    model = scaled()
    score(model, datasets.Phishing(), print_every=1250)
    assert lines(capsys)[-1].endswith(f"{model.n_learned} samples used")


def test_evaluator_prints_costs_in_full(capsys):
    model = ActiveLearner(Opinionated({True: 1.0}, label=True))
    stream = [(X, False)] * 10
    score(model, stream, metrics.WeightedCost(cost_fp=10.0), print_every=10)
    assert "WeightedCost: 100 –" in lines(capsys)[-1]


def test_evaluator_shows_time_and_memory(capsys):
    score(scaled(), datasets.Phishing(), print_every=1250, show_time=True, show_memory=True)
    end = r".* samples used – \d\d:\d\d:\d\d – [\d.,]+ ?[KMG]?i?B"
    assert re.fullmatch(end, lines(capsys)[-1])


@pytest.mark.parametrize("labels", [0, 7, 100])
@pytest.mark.parametrize("delay", [None, 1, 100, 5000, lambda x, y: 3 if y else 200])
def test_asked_is_learned_at_the_end_of_the_stream(labels, delay):
    model = scaled(labels)
    score(model, datasets.Phishing(), delay=delay)
    assert (model.n_asked, model.n_learned) == (labels, labels)


@pytest.mark.parametrize("delay", [None, 50])
def test_asked_is_learned_at_the_end_of_the_stream_without_a_budget(delay):
    model = scaled(None)
    score(model, datasets.Phishing(), delay=delay)
    assert 0 < model.n_asked == model.n_learned < 1250


@pytest.mark.parametrize("delay", [None, 50])
def test_samples_used_never_exceed_the_budget(delay):
    steps = evaluate.iter_progressive_val_score(
        datasets.Phishing(), scaled(60), metrics.WeightedSum(), step=10, delay=delay
    )
    used = [step["Samples used"] for step in steps]
    assert (used == sorted(used), max(used)) == (True, 60)


def test_steps_of_the_evaluator_hold_time_memory_and_prediction():
    steps = evaluate.iter_progressive_val_score(
        datasets.Phishing().take(50),
        scaled(),
        metrics.WeightedSum(),
        step=50,
        measure_time=True,
        measure_memory=True,
        yield_predictions=True,
    )
    assert {"Samples used", "Time", "Memory", "Prediction"} <= set(next(steps))


def test_evaluator_gives_the_value_of_a_loop_by_hand():
    model, metric = scaled(), metrics.WeightedSum()
    for x, y in datasets.Phishing():
        label, ask = model.predict_one(x)
        metric.update(y, label)
        if ask:
            model.learn_one(x, y)
    assert score(scaled(), datasets.Phishing()) == metric.get()


def test_evaluator_takes_several_metrics_at_once():
    metric = metrics.WeightedSum() + metrics.WeightedCost() + river_metrics.Accuracy()
    total, cost, accuracy = score(scaled(), datasets.Phishing(), metric)
    assert (total > 0.6, cost < 300, accuracy > 0.6) == (True, True, True)


def test_evaluator_takes_a_metric_of_odds():
    assert score(scaled(), datasets.Phishing(), river_metrics.ROCAUC()) > 0.7


def test_decisions_do_not_depend_on_the_metric():
    by_label, by_odds = scaled(None), scaled(None)
    score(by_label, datasets.Phishing(), metrics.WeightedSum())
    score(by_odds, datasets.Phishing(), river_metrics.LogLoss())
    assert by_label.n_asked == by_odds.n_asked


# Importance weights


@pytest.fixture(scope="module")
def estimates():
    """The true sum, and its estimates from asked labels, for each of twenty seeds."""
    normalize = preprocessing.Normalizer().transform_one
    events = [(normalize(x), y == 1) for x, y in datasets.Shuttle().take(6000)]
    sums = []
    for seed in range(20):
        model = ActiveLearner(
            SSOA3Classifier(eta=0.5, rho=10.0), query=query.AsymmetricQuery(1.0, 0.2), seed=seed
        )
        true, weighted, unweighted = (metrics.WeightedSum() for _ in range(3))
        for x, y in events:
            label, ask = model.predict_one(x)
            true.update(y, label)
            if ask:
                weighted.update(y, label, w=1 / model.last_query.probability)
                unweighted.update(y, label)
                model.learn_one(x, y)
        sums.append([metric.get() for metric in (true, weighted, unweighted)])
    true, weighted, unweighted = (statistics.mean(column) for column in zip(*sums, strict=True))
    return {"true": true, "weighted": weighted, "unweighted": unweighted}


def test_sum_estimated_from_asked_labels_is_unbiased_with_importance_weights(estimates):
    assert abs(estimates["weighted"] - estimates["true"]) < 0.01


def test_sum_estimated_from_asked_labels_is_biased_without_weights(estimates):
    assert abs(estimates["unweighted"] - estimates["true"]) > 0.01


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


def test_learner_with_a_past_survives_pickling():
    model = with_a_past(FRONTS["scaler"])
    twin = pickle.loads(pickle.dumps(model))
    assert answered(twin, readings(100)) == answered(model, readings(100))


# Found the hard way


def test_scalers_one_after_the_other_work_from_the_first_event():
    model = ActiveLearner(
        preprocessing.MinMaxScaler() | preprocessing.StandardScaler() | OA3DiagClassifier(), ALWAYS
    )
    for x, y in sparse_events(30, n_features=4, n_nonzero=4):
        model.predict_one(x)
        model.learn_one(x, y)
    assert model.n_seen == 30


def test_transformers_learn_what_rivers_would():
    def scalers():
        return preprocessing.StandardScaler() | preprocessing.MinMaxScaler()

    ours = ActiveLearner(scalers() | OA3DiagClassifier(), budget=0)
    rivers = scalers() | OA3DiagClassifier()
    for x, _ in sparse_events(50, n_features=4, n_nonzero=4):
        ours.predict_one(x)
        with compose.learn_during_predict():
            rivers.predict_one(x)
    least, rivers_least = (
        {name: low.get() for name, low in model["MinMaxScaler"].min.items()}
        for model in (ours.classifier, rivers)
    )
    assert least == rivers_least


def test_active_learner_in_an_active_learner_is_refused():
    with pytest.raises(TypeError, match="classifier"):
        ActiveLearner(ActiveLearner(OA3DiagClassifier()))


def test_weight_does_not_reach_a_wrapped_classifier_that_takes_none():
    model = ActiveLearner(multiclass.OneVsRestClassifier(naive_bayes.GaussianNB()))
    model.learn_one(X, True, w=2.0)
    assert model.n_learned == 1


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


class Diary(budget.TotalBudget):
    """A budget that keeps a list of its events."""

    def __init__(self, labels):
        super().__init__(labels)
        self.events = []

    def tick(self):
        self.events.append(1)


def test_question_about_the_probability_leaves_a_users_budget_alone():
    model = ActiveLearner(OA3DiagClassifier(), budget=Diary(3))
    model.query_probability(X)
    assert model.budget.events == []


def test_stream_that_starts_with_a_few_events_of_zeros_is_not_asked_about_them():
    model = ActiveLearner(OA3DiagClassifier(), ALWAYS)
    assert [model.predict_one({"a": 0.0, "b": 0}) for _ in range(5)] == [(True, False)] * 5


def test_seed_may_be_numpys():
    assert ActiveLearner(OA3DiagClassifier(), seed=np.int64(3))._rng.random() == pytest.approx(
        ActiveLearner(OA3DiagClassifier(), seed=3)._rng.random()
    )

"""What `ActiveLearner` says of an event: the label, the odds, whether to ask, and the counters."""

from __future__ import annotations

import pytest
from asking import (
    ALWAYS,
    OFTEN,
    CountsEvents,
    Opinionated,
    OpinionatedWithAnything,
    OpinionatedWithWeight,
    X,
    answered,
    labels_asked,
    score,
)
from learners import each_learner, sparse_events
from river import (
    datasets,
    forest,
    multiclass,
    naive_bayes,
    preprocessing,
    tree,
)
from river import metrics as river_metrics

from river_oa3 import (
    ActiveLearner,
    OA3Classifier,
    OA3DiagClassifier,
    SSOA3Classifier,
    query,
)

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


def test_stream_that_starts_with_a_few_events_of_zeros_is_not_asked_about_them():
    model = ActiveLearner(OA3DiagClassifier(), ALWAYS)
    assert [model.predict_one({"a": 0.0, "b": 0}) for _ in range(5)] == [(True, False)] * 5


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


def test_weight_does_not_reach_a_wrapped_classifier_that_takes_none():
    model = ActiveLearner(multiclass.OneVsRestClassifier(naive_bayes.GaussianNB()))
    model.learn_one(X, True, w=2.0)
    assert model.n_learned == 1

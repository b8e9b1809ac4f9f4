"""Batches are scored as single events are, whatever learner, rule and budget."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pyarrow as pa
import pytest
from arrow_events import as_columns, as_maps, meant
from auto_streams import auto_trained, raw_events
from learners import LEARNERS, each_learner, sparse_events, trained
from river import compose, linear_model, preprocessing

from river_oa3 import ActiveLearner, AutoOA3Classifier, budget, query, rivals
from river_oa3.scoring import Scorer, rows_of_columns, rows_of_maps

TOLERANCE = 1e-12

RULES = {
    "own": None,
    "asymmetric": query.AsymmetricQuery(0.3, 0.7),
    "unconfident": query.AsymmetricQuery(0.3, 0.7, use_confidence=False),
    "random": query.RandomQuery(0.25),
    "first": query.FirstComeQuery(),
}

BUDGETS = {
    "none": lambda: None,
    "total": lambda: budget.TotalBudget(100),
    "empty": lambda: budget.TotalBudget(0),
    "rate": lambda: budget.RateBudget(0.1, 50),
    "window": lambda: budget.WindowBudget(3, 7),
}


class Halves(query.Query):
    """A rule that this package does not know."""

    def probability(self, margin, confidence):
        return 0.5 if margin > 0 else 0.25


each_rule = pytest.mark.parametrize("rule", RULES)
each_budget = pytest.mark.parametrize("limit", BUDGETS)


def used(classifier, rule, limit, events):
    """An active learner with a past."""
    model = ActiveLearner(classifier, copy.deepcopy(RULES[rule]), BUDGETS[limit](), seed=3)
    for x, y, *_ in events:
        _, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)
    return model


def named(x):
    """An event whose names are texts, as those of columns are, and its texts apart from them."""
    return {str(name): value for name, value in x.items() if not isinstance(value, str)}


def assert_scored_as_one_by_one(model, rows, events):
    before = pickle.dumps(model)
    scores = Scorer(model).score(rows)
    assert pickle.dumps(model) == before
    classifier = model.classifier
    assert scores.label.tolist() == [classifier.predict_one(x) for x in events]
    for found, wanted in (
        (scores.margin, [classifier.margin_one(x) for x in events]),
        (scores.variance, [classifier.variance_one(x) for x in events]),
        (scores.probability, [classifier.predict_proba_one(x)[True] for x in events]),
        (scores.query_probability, [model.query_probability(x) for x in events]),
    ):
        np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)


@each_rule
@each_budget
def test_auto_scores_maps_as_single_events(rule, limit):
    stream = [(named(x), y) for x, y, _ in raw_events(300)]
    model = used(AutoOA3Classifier(), rule, limit, stream[:200])
    events = [x for x, _ in stream[200:]]
    rows = rows_of_maps(as_maps([meant(x) for x in events]))
    assert_scored_as_one_by_one(model, rows, events)


@pytest.mark.parametrize("n_learned", [0, 1, 200])
def test_auto_scores_columns_with_texts_and_gaps_as_single_events(n_learned):
    wanted = ("a", "b", "colour")
    stream = [({name: x[name] for name in wanted}, y) for x, y, _ in raw_events(300)]
    model = used(AutoOA3Classifier(), "own", "none", stream[:n_learned])
    gaps = [{"a": 1.0, "b": None, "colour": "never seen"}, dict.fromkeys(wanted)]
    events = [x for x, _ in stream[200:]] + gaps
    rows = rows_of_columns(as_columns(events, wanted))
    assert_scored_as_one_by_one(model, rows, events)


def test_auto_scores_long_texts_as_single_events():
    events = [{"a": 1.0 + i % 3, "note": "né" * 3000 + str(i % 4)} for i in range(40)]
    model = used(AutoOA3Classifier(), "own", "none", [(x, x["a"] > 2) for x in events])
    columns = as_columns(events, ("a",)) | {"note": pa.array([x["note"] for x in events])}
    assert len(model.classifier.weights) == 5
    assert_scored_as_one_by_one(model, rows_of_columns(columns), events)


def test_a_column_that_is_unknown_and_empty_is_no_feature():
    model = ActiveLearner(auto_trained(), seed=1)
    columns = {
        "a": pa.array([1.0, 2.0]),
        "unknown": pa.array([None, 0.0]),
        "nothing": pa.array([None, None], pa.null()),
        "text": pa.array([None, None], pa.string()),
    }
    assert_scored_as_one_by_one(model, rows_of_columns(columns), [{"a": 1.0}, {"a": 2.0}])


@each_learner
@each_rule
@each_budget
def test_the_papers_learners_score_as_single_events(learner, rule, limit):
    stream = sparse_events(300)
    model = used(learner(), rule, limit, stream[:200])
    events = [x for x, _ in stream[200:]] + [{}, {"f0": 0.0}, {"never seen": 1.0}]
    assert_scored_as_one_by_one(model, rows_of_maps(as_maps(events), is_raw=False), events)


@each_learner
def test_many_names_are_scored_in_pieces(learner, monkeypatch):
    monkeypatch.setattr("river_oa3.scoring.scorer.MOST_BYTES", 8 * 30 * 7)
    stream = sparse_events(150)
    model = used(learner(), "own", "none", stream[:50])
    events = [x for x, _ in stream[50:]]
    assert_scored_as_one_by_one(model, rows_of_maps(as_maps(events), is_raw=False), events)


def test_a_rule_of_ones_own_is_asked_about_each_event():
    model = ActiveLearner(trained(LEARNERS[0]), Halves(), seed=1)
    events = [x for x, _ in sparse_events(100)[40:]]
    assert_scored_as_one_by_one(model, rows_of_maps(as_maps(events), is_raw=False), events)


def test_a_classifier_alone_is_scored_like_an_active_learner_around_it():
    classifier = auto_trained()
    rows = rows_of_columns({"a": pa.array([1.0, 4.0])})
    alone, wrapped = Scorer(classifier), Scorer(ActiveLearner(classifier))
    assert alone.score(rows).margin.tolist() == wrapped.score(rows).margin.tolist()


# What one process refuses


def test_an_event_of_too_many_features_is_refused_in_the_words_of_one_process():
    model = AutoOA3Classifier(max_features=3)
    long = dict.fromkeys("abcd", 1.0)
    with pytest.raises(ValueError, match="max_features is 3") as refused:
        model.predict_one(long)
    rows = rows_of_maps(as_maps([{"a": 1.0}, long]))
    assert Scorer(model).score(rows).errors == {1: str(refused.value)}


def test_columns_that_are_empty_do_not_count_toward_the_most_features():
    model = AutoOA3Classifier(max_features=2)
    columns = {name: pa.array([1.0 if name in "ab" else None]) for name in "abcd"}
    assert Scorer(model).score(rows_of_columns(columns)).errors == {}


@each_learner
def test_an_event_that_overflows_is_refused_in_the_words_of_one_process(learner):
    model, huge = trained(learner), {"f0": 1e200, "f1": -1e200}
    with pytest.raises(OverflowError) as refused:
        model.variance_one(huge)
    events = [{"f0": 1.0}, huge, {"f1": 2.0}]
    scores = Scorer(model).score(rows_of_maps(as_maps(events), is_raw=False))
    assert scores.errors == {1: str(refused.value)}
    assert scores.margin[[0, 2]].tolist() == pytest.approx(
        [model.margin_one(events[0]), model.margin_one(events[2])], abs=TOLERANCE
    )


@pytest.mark.parametrize(
    "model",
    [
        preprocessing.StandardScaler() | AutoOA3Classifier(),
        ActiveLearner(compose.Pipeline(preprocessing.StandardScaler(), LEARNERS[1]())),
        linear_model.LogisticRegression(),
        rivals.paa(),
    ],
    ids=["pipeline", "active pipeline", "river's", "first-order"],
)
def test_what_cannot_be_scored_in_batches_is_refused(model):
    with pytest.raises(TypeError, match="batches are scored by AutoOA3Classifier"):
        Scorer(model)


def test_a_subclass_with_ways_of_its_own_is_refused():
    class Mine(AutoOA3Classifier):
        def margin_one(self, x):
            return 0.0

    with pytest.raises(TypeError, match="not by Mine"):
        Scorer(Mine())


def test_refused_rows_do_not_count_in_what_is_observed():
    scorer = Scorer(auto_trained())
    rows = rows_of_columns({"a": pa.array([1.0, math.inf, 3.0, None])})
    observed = scorer.observed(rows, scorer.score(rows))
    assert observed.events == 3
    assert observed.features["a"] == (2.0, 2.0, 1.0, 1.0)

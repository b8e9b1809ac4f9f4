"""The rule of AutoOA3 keeps the pace of the budget, and says with what probability it asked."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle
import statistics

import numpy as np
import pytest
from asking import Clock, CountsEvents
from auto_streams import raw_events, raw_streams
from hypothesis import given, settings
from hypothesis import strategies as st
from river import evaluate, preprocessing

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3DiagClassifier,
    PendingLabels,
    budget,
    metrics,
    query,
)
from river_oa3.budget import Pace

HOUR = dt.timedelta(hours=1)
BUDGETS = {
    "none": lambda: None,
    "total": lambda: 40,
    "rate": lambda: budget.RateBudget(0.2, window=50),
    "events": lambda: budget.WindowBudget(6, every=40),
    "time": lambda: budget.WindowBudget(6, every=HOUR, clock=Clock()),
}
each_budget = pytest.mark.parametrize("limit", BUDGETS.values(), ids=BUDGETS)


def events(n, seed=0):
    return [(x, y) for x, y, _ in raw_events(n, seed)]


def paced(model):
    """The pace at which the next event would be asked about."""
    if model._budget is None:
        return budget.UNLIMITED
    limit = copy.deepcopy(model._budget)
    limit.tick()
    return limit.pace()


def can_ask(model):
    if model._budget is None:
        return True
    limit = copy.deepcopy(model._budget)
    limit.tick()
    return limit.can_ask()


def move_clock(model, i):
    clock = getattr(model._budget, "clock", None)
    if clock is not None:
        clock.now = 60.0 * i


# Defaults


def test_active_learner_without_a_classifier_is_one_of_auto_oa3_under_its_query():
    model = ActiveLearner()
    assert isinstance(model.classifier, AutoOA3Classifier)
    assert isinstance(model._query, query.AdaptiveQuery)


def test_adaptive_query_is_the_default_in_a_pipeline_too():
    model = ActiveLearner(preprocessing.StatImputer() | AutoOA3Classifier())
    assert isinstance(model._query, query.AdaptiveQuery)


def test_learners_of_the_paper_keep_its_rule():
    assert isinstance(ActiveLearner(OA3DiagClassifier())._query, query.AsymmetricQuery)


def test_rules_of_two_learners_are_apart():
    one, other = ActiveLearner(seed=1), ActiveLearner(seed=1)
    for x, _ in events(20):
        one.predict_one(x)
    assert other._query._rule.__reduce__()[1] == (0.0, 0.0)


# Probabilities


@each_budget
def test_probability_is_never_zero_while_there_is_budget_and_zero_without(limit):
    model, seen = ActiveLearner(budget=limit(), seed=1), set()
    for i, (x, y) in enumerate(events(400)):
        move_clock(model, i)
        pace, has_labels = paced(model), can_ask(model)
        _, ask = model.predict_one(x)
        p = model.last_query.probability
        seen.add(has_labels)
        if has_labels:
            assert pace.rate * pace.floor * (1 - 1e-12) <= p <= 1
        else:
            assert p == 0
        if ask:
            model.learn_one(x, y)
    assert True in seen


@each_budget
@given(stream=raw_streams)
@settings(max_examples=25)
def test_looking_at_the_probability_changes_nothing(limit, stream):
    model = ActiveLearner(budget=limit(), seed=1)
    for x, y, _ in stream[:-1]:
        model.predict_one(x)
        if y is not None:
            model.learn_one(x, y)
    before = pickle.dumps(model)
    model.query_probability(stream[-1][0])
    assert pickle.dumps(model) == before


@each_budget
@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one"])
def test_event_is_asked_about_with_the_probability_that_was_told(limit, method):
    model = ActiveLearner(budget=limit(), seed=1)
    for i, (x, y) in enumerate(events(200)):
        move_clock(model, i)
        told = model.query_probability(x)
        _, ask = getattr(model, method)(x)
        assert told == model.last_query.probability
        if ask:
            model.learn_one(x, y)


def test_both_ways_to_predict_decide_alike():
    one, other = ActiveLearner(budget=60, seed=1), ActiveLearner(budget=60, seed=1)
    for x, y in events(300):
        _, ask = one.predict_one(x)
        odds, same = other.predict_proba_one(x)
        assert ask == same
        assert set(odds) == {False, True}
        if ask:
            one.learn_one(x, y)
            other.learn_one(x, y)
    assert pickle.dumps(one.classifier) == pickle.dumps(other.classifier)


def test_event_on_the_boundary_is_worth_more_than_one_far_from_it():
    rule = query.AdaptiveQuery()
    for margin in np.linspace(-2, 2, 50).tolist():
        rule._rule.ask(margin, margin, 0.5, 0, *budget.UNLIMITED)
    near, far, negative = (rule.probability(margin, -0.2) for margin in (0.01, 3.0, -0.01))
    assert near > negative > far


@pytest.mark.parametrize(("missing", "margins"), [(1, (2.0, -2.0)), (-1, (-2.0, 2.0))])
def test_class_that_is_missing_is_looked_for_on_its_side(missing, margins):
    rule = query.AdaptiveQuery()._rule
    for _ in range(20):
        rule.ask(0.0, 0.0, 1.0, missing, 0.1, 0.05)
    leaning, other = (rule.probability(m, m, 1.0, missing, 0.1, 0.05) for m in margins)
    assert leaning > 5 * other


# What the weights are for


def test_mean_of_asked_labels_by_importance_is_the_mean_of_the_stream():
    """Each run's error is a martingale: the mean over runs is 0 within its standard error."""
    stream = events(500, seed=3)
    share = statistics.mean(y for _, y in stream)
    errors, plain = [], []
    for seed in range(40):
        model, total, labels = ActiveLearner(seed=seed), 0.0, []
        for x, y in stream:
            _, ask = model.predict_one(x)
            if ask:
                total += y / model.last_query.probability
                labels.append(y)
                model.learn_one(x, y)
        errors.append(total / len(stream) - share)
        plain.append(statistics.mean(labels) - share)
    error = statistics.stdev(errors) / math.sqrt(len(errors))
    assert abs(statistics.mean(errors)) <= 3 * error
    # Without the weights the estimate is off: it asks where positives are.
    assert statistics.mean(plain) > 5 * error


# Spending


@pytest.mark.parametrize("labels", [0, 1, 30, 200])
def test_total_budget_is_spent_to_the_last_label_and_no_further(labels):
    model = ActiveLearner(budget=labels, seed=1)
    for x, y in events(1500):
        if model.predict_one(x)[1]:
            model.learn_one(x, y)
    assert model.n_asked == labels
    assert model._budget.left == 0


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
def test_rate_is_kept_and_kept_to(rate):
    model, asked = ActiveLearner(budget=budget.RateBudget(rate), seed=1), 0
    for i, (x, y) in enumerate(events(3000), start=1):
        if model.predict_one(x)[1]:
            asked += 1
            model.learn_one(x, y)
        assert asked <= 1 + rate * i + 1e-6
    assert asked >= 0.8 * rate * 3000


@pytest.mark.parametrize(("labels", "every"), [(0, 10), (1, 50), (10, 100)])
def test_window_of_events_is_never_overspent(labels, every):
    model, asked = ActiveLearner(budget=budget.WindowBudget(labels, every), seed=1), []
    for x, y in events(1000):
        asked.append(model.predict_one(x)[1])
        if asked[-1]:
            model.learn_one(x, y)
    spent = [sum(asked[i : i + every]) for i in range(0, 1000, every)]
    assert max(spent) <= labels
    assert statistics.mean(spent) >= 0.7 * labels


def hours_of_asking(start, n=2400):
    """When the labels of a day are asked for by a service that starts at some hour of it."""
    clock = Clock()
    model = ActiveLearner(budget=budget.WindowBudget(80, every=24 * HOUR, clock=clock), seed=3)
    asked = []
    for i, (x, y) in enumerate(events(n)):
        hour = start + (24 - start) * i / n
        clock.now = 3600.0 * hour
        if model.predict_one(x)[1]:
            asked.append(hour)
            model.learn_one(x, y)
    return asked


@pytest.mark.parametrize("start", [0, 12, 18])
def test_service_that_starts_in_the_middle_of_a_day_spreads_what_is_left_of_it(start):
    asked = hours_of_asking(start)
    assert 65 <= len(asked) <= 80
    # Thirty come at once, the others go on to the end.
    assert sum(hour > start + 0.5 * (24 - start) for hour in asked) > 12


def test_window_of_time_is_spread_and_not_spent_by_breakfast():
    clock = Clock()
    limit = budget.WindowBudget(20, every=dt.timedelta(hours=10), clock=clock)
    model, hours = ActiveLearner(budget=limit, seed=1), []
    for i, (x, y) in enumerate(events(6000)):
        clock.now = 60.0 * i  # ten windows of 600 minutes
        if model.predict_one(x)[1]:
            hours.append((i // 600, i % 600 // 60))
            model.learn_one(x, y)
    per_window = [sum(window == k for window, _ in hours) for k in range(10)]
    assert max(per_window) <= 20
    # At 1.25 times what is left over what is to come, 42 % are left for the second half: eight
    # labels, and less by chance, two and a half standard errors over seven windows.
    late = [sum(window == k and hour >= 5 for window, hour in hours) for k in range(3, 10)]
    assert statistics.mean(late) >= 6


@given(st.floats(1e-6, 1.0), st.floats(0, 1e4))
def test_pace_of_a_rate_is_above_zero_when_a_label_is_left(rate, ticks):
    limit = budget.RateBudget(rate)
    for _ in range(int(ticks) % 200 + 1):
        limit.tick()
    pace = limit.pace()
    assert isinstance(pace, Pace)
    if limit.can_ask():
        assert 0 < pace.rate < math.inf
        assert 0 < pace.floor < 1


# Observing


class CountsObserved(AutoOA3Classifier):
    """Counts what it is shown, and how."""

    def __init__(self, objective=None, max_features=1000):
        super().__init__(objective, max_features)
        self.observed = 0

    def observe_one(self, x):
        self.observed += 1
        super().observe_one(x)


@each_budget
def test_each_predicted_event_is_observed_once(limit):
    model = ActiveLearner(budget=limit(), seed=1)
    for i, (x, y) in enumerate(events(150), start=1):
        move_clock(model, i)
        if model.predict_one(x)[1] or i % 5 == 0:
            model.learn_one(x, y)
        assert model.classifier._core.counts[0] == i


def test_each_predicted_event_is_observed_once_by_a_subclass_and_in_a_pipeline():
    bare = ActiveLearner(CountsObserved(), seed=1)
    piped = ActiveLearner(CountsEvents() | CountsObserved(), seed=1)
    for x, _ in events(30):
        bare.predict_one(x)
        piped.predict_proba_one(x)
    assert bare.classifier.observed == 30
    assert piped.classifier["CountsObserved"].observed == 30
    assert piped.classifier["CountsEvents"].n == 30


def test_each_predicted_event_is_observed_by_what_stands_in_for_observe_one(monkeypatch):
    seen = []
    monkeypatch.setattr(AutoOA3Classifier, "observe_one", lambda self, x: seen.append(x))
    model = ActiveLearner(seed=1)
    for x, _ in events(10):
        model.predict_one(x)
    assert seen == [x for x, _ in events(10)]


def test_bare_learner_observes_what_it_learns():
    model = AutoOA3Classifier()
    for x, y in events(20):
        model.learn_one(x, y)
    assert model._core.counts[0] == 20


def test_label_of_an_event_that_was_never_predicted_is_observed():
    model = ActiveLearner(seed=1)
    for x, y in events(20):
        model.learn_one(x, y)
    assert model.classifier._core.counts[0] == 20


def test_pipeline_of_nothing_decides_as_the_bare_learner():
    bare = ActiveLearner(budget=60, seed=1)
    piped = ActiveLearner(CountsEvents() | AutoOA3Classifier(), budget=60, seed=1)
    for x, y in events(300):
        one, other = bare.predict_one(x), piped.predict_one(x)
        assert one == other
        if one[1]:
            bare.learn_one(x, y)
            piped.learn_one(x, y)
    assert bare.classifier.weights == piped.classifier["AutoOA3Classifier"].weights


# Late labels


def test_labels_that_come_late_are_learned():
    model = ActiveLearner(budget=80, seed=1)
    metric = metrics.WeightedSum()
    stream = ((x | {"day": i}, y) for i, (x, y) in enumerate(events(800)))
    evaluate.progressive_val_score(stream, model, metric, moment="day", delay=25)
    assert model.n_learned == model.n_asked == 80
    assert metric.get() > 0.7


def test_pending_labels_of_auto_oa3_are_learned_and_refunded():
    service = PendingLabels(ActiveLearner(budget=50, seed=1), time_to_live=30, refund=True)
    stream = events(600)
    for i, (x, _) in enumerate(stream):
        service.predict_one(i, x)
        if i % 3 and i - 10 in service:
            service.learn_one(i - 10, stream[i - 10][1])
    assert service.n_expired > 0
    assert service.model.n_learned == 50
    assert service.model.n_asked == 50 + service.n_expired + len(service)


def test_learner_that_is_told_not_to_learn_from_predictions_observes_labelled_events_alone():
    model = ActiveLearner(seed=1, learn_transformers=False)
    for i, (x, y) in enumerate(events(200)):
        _, ask = model.predict_one(x)
        if ask or i < 5:
            model.learn_one(x, y)
        assert model.classifier._core.counts[0] == model.n_learned
    assert 30 < model.n_asked < 170


def test_label_that_comes_at_once_is_learned_with_the_importance_of_its_asking(monkeypatch):
    model = ActiveLearner(budget=budget.RateBudget(0.5, window=20), seed=1)
    ratios = []
    for x, y in events(300):
        if model.predict_one(x)[1]:
            count = calibration_count(model)
            before = calibration_mean(model) * count
            model.learn_one(x, y)
            now = min(count + 1, 100)
            learned_with = calibration_mean(model) * now - before * (now - 1) / max(count, 1)
            ratios.append(learned_with * model.last_query.probability)
    # The boundary moves with the event itself, which changes its worth a little.
    assert max(ratios) < 3


def test_pending_label_is_learned_with_the_importance_of_its_asking():
    service = PendingLabels(ActiveLearner(budget=budget.RateBudget(0.3), seed=1))
    for i, (x, _) in enumerate(events(80)):
        service.predict_one(i, x)
    asked = [ask.event_id for ask in service]
    importances = [1 / service.probability(i) for i in asked]
    for i in asked:
        service.learn_one(i, i % 2 == 0)
    assert len(asked) > 5
    assert calibration_mean(service.model) == pytest.approx(statistics.mean(importances))


def calibration_mean(model):
    return float(model.classifier._core.__getstate__()["calibration"][5])


def calibration_count(model):
    return float(model.classifier._core.__getstate__()["calibration"][6])

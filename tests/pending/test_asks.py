"""What an ask says of itself, and what people do with it."""

from __future__ import annotations

import datetime as dt
import pickle

import pytest
from asking import readings
from databases import without_tables
from durable_services import EVENTS, durable
from river import base, naive_bayes, preprocessing

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3DiagClassifier,
    PendingLabels,
    budget,
    debugging,
    query,
)
from river_oa3.pending import reasons

X = {"a": 1.0, "b": -0.5}


# What an ask says


def test_ask_keeps_what_the_model_thought(store):
    service = durable(store)
    for i, (x, y) in enumerate(EVENTS[:50]):
        service.predict_one(i, x)
        service.learn_one(i, y)
    classifier = service.model.classifier
    x = {"f1": 2.0, "f2": -1.0}
    margin, variance = classifier.margin_one(x), classifier.variance_one(x)
    label, _ = service.predict_one("a", x)
    (ask,) = service
    assert (ask.event_id, ask.x, ask.label, ask.state) == ("a", x, label, "open")
    assert ask.margin == pytest.approx(margin, rel=1e-9)
    assert ask.variance == pytest.approx(variance, rel=1e-9)
    assert ask.probability == classifier.predict_proba_one(x)[True]
    assert ask.query_probability == 1.0
    assert abs(ask.asked_at - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=1)


KNOWING = {
    "alone": AutoOA3Classifier,
    "last": lambda: preprocessing.StandardScaler() | AutoOA3Classifier(),
    "after a scaler": lambda: preprocessing.StandardScaler() | OA3DiagClassifier(),
}


@pytest.mark.parametrize("kind", KNOWING)
def test_probability_of_an_ask_is_that_of_its_decision(store, kind):
    service = durable(store, classifier=KNOWING[kind]())
    n_asked = 0
    for i, (x, y) in enumerate(readings(40)):
        expected = debugging.odds(service.model, x)[True]
        if service.predict_one(i, x)[1]:
            assert service[i].probability == expected
            service.learn_one(i, y)
            n_asked += 1
    assert n_asked > 30


def test_classifier_without_variance_gives_none():
    service = PendingLabels(ActiveLearner(naive_bayes.GaussianNB()))
    service.predict_one("a", X)
    assert service["a"].variance is None


class SaysNo(base.Classifier):
    def predict_one(self, x):
        return False

    def predict_proba_one(self, x):
        raise NotImplementedError

    def learn_one(self, x, y):
        pass


def test_classifier_without_probabilities_gives_none():
    model = ActiveLearner(SaysNo(), query.FirstComeQuery())
    service = PendingLabels(model)
    service.predict_one("a", X)
    assert service["a"].probability is None


# Why it was asked for


def taught(rule=None, limit=None, classifier=None):
    classifier = AutoOA3Classifier() if classifier is None else classifier
    model = ActiveLearner(classifier, rule, limit, seed=1)
    service = PendingLabels(model, capacity=10**6)
    for i, (x, y) in enumerate(EVENTS):
        if service.predict_one(i, x)[1]:
            service.learn_one(i, y)
    return service


def reasons_of(service, events):
    found = []
    for i, x in enumerate(events):
        if service.predict_one(f"new {i}", x)[1]:
            found.append(service[f"new {i}"].reason)
    return found


def test_first_ask_says_that_nothing_is_known():
    service = PendingLabels(ActiveLearner(seed=1))
    while not len(service):
        service.predict_one("a", X)
    assert service["a"].reason == reasons.NOTHING_KNOWN


@pytest.mark.parametrize("classifier", [AutoOA3Classifier, OA3DiagClassifier])
def test_ask_of_a_model_around_a_taught_classifier_says_what_that_knows(classifier):
    before = taught(classifier=classifier()).model.classifier
    found = reasons_of(PendingLabels(ActiveLearner(before, seed=1)), [x for x, _ in EVENTS])
    assert len(found) > 5
    assert reasons.NOTHING_KNOWN not in found


def test_ask_says_which_class_is_missing():
    service = PendingLabels(ActiveLearner(query=None, seed=1))
    n_learned = 0
    for i, (x, _) in enumerate(EVENTS):
        if service.predict_one(i, x)[1]:
            if n_learned:
                assert service[i].reason == reasons.NO_POSITIVE
            service.learn_one(i, False)
            n_learned += 1
    assert n_learned > 5


def test_first_come_says_so():
    found = reasons_of(taught(query.FirstComeQuery()), [X])
    assert found == [reasons.FIRST_COME]


def test_ask_at_random_says_so():
    found = reasons_of(taught(query.RandomQuery(0.5)), [X] * 20)
    assert set(found) == {reasons.AT_RANDOM}


@pytest.mark.parametrize("classifier", [AutoOA3Classifier, OA3DiagClassifier])
def test_asks_of_a_taught_model_have_several_reasons(classifier):
    service = taught(classifier=classifier())
    found = reasons_of(service, [x for x, _ in EVENTS] * 10)
    known = {reasons.NOVEL, reasons.NEAR, reasons.POSITIVE, reasons.AT_RANDOM}
    assert len(found) > 50
    assert set(found) <= known
    assert len(set(found)) >= 2


def test_event_far_on_the_negative_side_is_asked_about_at_random():
    service = taught(limit=budget.RateBudget(0.2))
    weights = service.model.classifier.weights
    x = {name: -10.0 * weight for name, weight in weights.items()}
    assert not service.model.classifier.predict_one(x)
    # More of them, and the model would take them for what is usual.
    found = reasons_of(service, [x] * 150)
    assert found.count(reasons.AT_RANDOM) > 0.9 * len(found) > 0


# Answers that are not yet learned


def test_answer_is_learned_later(store):
    service = durable(store)
    service.predict_one("a", X)
    service.answer("a", True)
    assert (service["a"].state, service.model.n_learned, len(service)) == ("answered", 0, 0)
    assert (service.learn_answered(), service.model.n_learned) == (1, 1)
    assert service.learn_answered() == 0


def test_answer_may_be_corrected_until_it_is_learned(store):
    service = durable(store, classifier=OA3DiagClassifier())
    service.predict_one("a", X)
    service.answer("a", True)
    service.answer("a", False, w=2.0)
    service.learn_answered()
    expected = OA3DiagClassifier()
    expected.learn_one(X, False, w=2.0)
    assert service.model.classifier.weights == expected.weights


def test_label_takes_the_place_of_an_answer_that_waits(store):
    service = durable(store, classifier=OA3DiagClassifier())
    service.predict_one("a", X)
    service.answer("a", True)
    service.learn_one("a", False)
    expected = OA3DiagClassifier()
    expected.learn_one(X, False)
    assert service.model.classifier.weights == expected.weights
    assert service.learn_answered() == 0


def test_answer_may_be_withdrawn(store):
    service = durable(store)
    service.predict_one("a", X)
    service.answer("a", True)
    assert service.withdraw("a")
    assert (service["a"].state, service["a"].answer, len(service)) == ("open", None, 1)
    assert not service.withdraw("a")
    assert not service.withdraw("unknown")
    assert service.learn_answered() == 0


def test_answers_are_learned_in_the_order_they_came(store):
    service = durable(store)
    for i in range(3):
        service.predict_one(i, X)
    for i in (2, 0, 1):
        service.answer(i, True)
    assert [ask.event_id for ask in service.asks("answered")] == [2, 0, 1]


def test_answers_after_a_time_are_left_alone(store):
    service = durable(store)
    for i in range(2):
        service.predict_one(i, X)
    service.answer(0, True)
    until = service[0].answered_at
    service.answer(1, True)
    assert service.learn_answered(until) == 1
    assert [ask.event_id for ask in service.asks("answered")] == [1]


@pytest.mark.parametrize("label", ["spam", None, 2, -1])
def test_answer_that_is_no_label_is_refused(store, label):
    service = durable(store)
    service.predict_one("a", X)
    with pytest.raises(ValueError, match="True or False"):
        service.answer("a", label)
    assert "a" in service


def test_answer_for_an_unknown_id_is_refused(store):
    with pytest.raises(KeyError, match="unknown"):
        durable(store).answer("unknown", True)


def test_answer_for_an_unknown_id_is_counted_where_that_is_no_error(store):
    service = durable(store, strict=False)
    service.answer("unknown", True)
    assert service.n_unmatched == 1


def test_answered_ask_does_not_expire(store):
    service = durable(store, time_to_live=2)
    service.predict_one("a", X)
    service.answer("a", True)
    for i in range(5):
        service.predict_one(i, X)
    assert service.learn_answered() == 1


def test_answer_that_is_withdrawn_may_expire(store):
    service = durable(store, time_to_live=2)
    service.predict_one("a", X)
    service.answer("a", True)
    for i in range(5):
        service.predict_one(i, X)
    service.withdraw("a")
    service.predict_one("b", X)
    assert "a" in [ask.event_id for ask in service.asks("expired")]


def test_withdrawn_ask_keeps_its_place(store):
    service = durable(store, capacity=2)
    for event_id in ("a", "b"):
        service.predict_one(event_id, X)
    service.answer("b", True)
    service.withdraw("b")
    service.predict_one("c", X)
    assert [ask.event_id for ask in service] == ["b", "c"]


# Asks that expired


def test_expired_asks_are_reported(store):
    service = durable(store, time_to_live=2)
    for i in range(6):
        service.predict_one(i, X)
    assert [ask.event_id for ask in service.asks("expired")] == [0, 1, 2]
    assert {ask.state for ask in service.asks("expired")} == {"expired"}
    assert service.count("expired") == service.n_expired == 3


def test_refund_of_an_expired_ask_can_be_spent(store):
    service = durable(store, labels=2, time_to_live=1, refund=True)
    for i in range(4):
        service.predict_one(i, X)
    assert service.model.n_asked > 2
    assert service.model.n_asked - service.n_expired <= 2


def test_ask_may_live_for_as_long_as_time_goes(store):
    service = durable(store, time_to_live=dt.timedelta.max)
    service.predict_one("a", X)
    service.predict_one("b", X)
    assert len(service) == 2


@pytest.mark.parametrize("value", [dt.timedelta(0), dt.timedelta(-1)])
def test_time_to_live_of_no_time_is_refused(value):
    with pytest.raises(ValueError, match="time_to_live"):
        PendingLabels(ActiveLearner(), time_to_live=value)


# Who looks at what


def test_two_people_never_have_the_same_ask(store):
    service = durable(store)
    for i in range(5):
        service.predict_one(i, X)
    anna, ben = service.lease("anna"), service.lease("ben")
    assert (anna.event_id, ben.event_id) == (0, 1)


def test_one_person_keeps_an_ask_until_it_is_answered(store):
    service = durable(store)
    for i in range(5):
        service.predict_one(i, X)
    assert [service.lease("anna").event_id for _ in range(3)] == [0, 0, 0]
    service.answer(0, True)
    assert service.lease("anna").event_id == 1


def test_lease_ends(store):
    service = durable(store)
    service.predict_one("a", X)
    service.lease("anna", seconds=0.0)
    assert service.lease("ben").event_id == "a"
    assert service.lease("anna") is None


def test_skipped_ask_goes_behind_the_others(store):
    service = durable(store)
    for i in range(3):
        service.predict_one(i, X)
    seen = []
    for _ in range(4):
        ask = service.lease("anna")
        seen.append(ask.event_id)
        assert service.release(ask.event_id, "anna", skip=True)
    assert seen == [0, 1, 2, 0]


def test_ask_that_somebody_else_has_cannot_be_released(store):
    service = durable(store)
    service.predict_one("a", X)
    service.lease("anna")
    assert not service.release("a", "ben")
    assert service.lease("ben") is None


def test_nobody_gets_anything_where_nothing_is_open(store):
    service = durable(store)
    assert service.lease("anna") is None


# In parts


def parts(service, limit, state="open", between=lambda: None):
    """The ids of all asks, part by part, with something happening between two parts."""
    part = service.page(state, limit)
    found = [ask.event_id for ask in part.asks]
    while part.next is not None:
        between()
        part = service.page(state, limit, part.next)
        found += [ask.event_id for ask in part.asks]
    return found


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def filled(request, tmp_path):
    """A service with forty asks."""
    if request.param == "postgresql":
        url = without_tables(request.getfixturevalue("postgresql"))
    else:
        url = None if request.param == "memory" else f"sqlite:///{tmp_path}/asks.db"
    service = durable(url)
    with service.together():
        for i in range(40):
            service.predict_one(i, X)
    return service


@pytest.mark.parametrize("limit", [1, 7, 40, 100])
def test_parts_make_up_the_whole(filled, limit):
    assert parts(filled, limit) == list(range(40))


def test_what_is_answered_or_taken_back_between_parts_moves_no_other_ask(filled):
    answered = iter(range(0, 40, 3))

    def answer_and_undo():
        event_id = next(answered)
        filled.answer(event_id, True)
        filled.answer(39 - event_id, True)
        filled.withdraw(39 - event_id)

    found = parts(filled, 5, between=answer_and_undo)
    assert found == sorted(set(found))
    assert {ask.event_id for ask in filled} <= set(found)


def test_answers_in_the_same_moment_are_told_apart(filled):
    filled._clock = lambda: 1_700_000_000.25
    for event_id in (7, 3, 5, 1):
        filled.answer(event_id, True)
    assert parts(filled, 1, "answered") == [1, 3, 5, 7]


def test_expired_asks_come_in_parts(store):
    service = durable(store, time_to_live=1)
    for i in range(10):
        service.predict_one(i, X)
    assert parts(service, 3, "expired") == list(range(8))


def test_place_of_another_state_is_refused(filled):
    with pytest.raises(ValueError, match="no place among answered asks"):
        filled.page("answered", 5, filled.page(limit=5).next)


def test_service_that_was_pickled_before_asks_had_numbers_is_listed():
    service = durable(None)
    for i in range(5):
        service.predict_one(i, X)
    del service._store._numbers, service._store._n_noted
    again = pickle.loads(pickle.dumps(service))
    again.predict_one(5, X)
    assert parts(again, 2) == [0, 1, 2, 3, 4, 5]


def test_an_ask_of_a_service_that_was_pickled_keeps_the_probability_of_its_own_event():
    service = taught(query.FirstComeQuery())
    service.predict_one("before", EVENTS[0][0])
    service = pickle.loads(pickle.dumps(service))
    for i, (x, _) in enumerate(EVENTS[1:6]):
        probability = service.model.classifier.predict_proba_one(x)[True]
        service.predict_one(f"after {i}", x)
        assert service[f"after {i}"].probability == pytest.approx(probability, rel=1e-3)

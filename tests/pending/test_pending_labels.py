"""`PendingLabels` brings late labels together with the events they belong to."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle
import threading

import pytest
from asking import Clock
from hypothesis import given
from hypothesis import strategies as st
from learners import sparse_events
from river import compose, naive_bayes, preprocessing

from river_oa3 import ActiveLearner, OA3Classifier, OA3DiagClassifier, PendingLabels, budget, query

X = {"a": 1.0, "b": -0.5}


def asks_always(labels=None):
    return ActiveLearner(OA3Classifier(), query=query.FirstComeQuery(), budget=labels)


def serving(labels=None, **kwargs):
    """A service that asks about every event the budget allows."""
    return PendingLabels(asks_always(labels), **kwargs)


def predict_all(service, ids, x=X):
    return [service.predict_one(event_id, x)[1] for event_id in ids]


# From the ask to the answer


def test_prediction_is_the_models():
    service, model = serving(), asks_always()
    events = sparse_events(50)
    ours, theirs = [], []
    for i, (x, y) in enumerate(events):
        ours.append(service.predict_one(i, x))
        service.learn_one(i, y)
        theirs.append(model.predict_one(x))
        model.learn_one(x, y)
    assert ours == theirs


def test_late_label_is_learned_with_its_own_event():
    service, expected = serving(), OA3Classifier()
    events = sparse_events(50)
    for i, (x, _) in enumerate(events):
        service.predict_one(i, x)
    for i, (x, y) in reversed(list(enumerate(events))):
        service.learn_one(i, y)
        expected.learn_one(x, y)
    assert service.model.classifier.weights == expected.weights


def test_event_is_kept_as_it_was_when_predicted():
    service, expected = serving(), OA3Classifier()
    x = dict(X)
    service.predict_one("a", x)
    x["a"] = 100.0
    service.learn_one("a", True)
    expected.learn_one(X, True)
    assert service.model.classifier.weights == expected.weights


def test_nested_event_is_kept_as_it_was_when_predicted():
    class Remembers(naive_bayes.GaussianNB):
        def predict_proba_one(self, x):
            return {False: 0.5, True: 0.5}

        def learn_one(self, x, y):
            self.learned = x

    service = PendingLabels(ActiveLearner(Remembers()))
    x = {"words": ["win", "cash"]}
    service.predict_one("a", x)
    x["words"].append("now")
    service.learn_one("a", True)
    assert service.model.classifier.learned == {"words": ["win", "cash"]}


def test_label_is_learned_once():
    service = serving()
    service.predict_one("a", X)
    service.learn_one("a", True)
    assert service.model.n_learned == 1


def test_weight_of_a_label_reaches_the_classifier():
    service, expected = serving(), OA3Classifier()
    service.predict_one("a", X)
    service.learn_one("a", True, w=3.0)
    expected.learn_one(X, True, w=3.0)
    assert service.model.classifier.weights == expected.weights


@pytest.mark.parametrize("event_id", ["payment-1", 17, ("shop", 3), None])
def test_id_is_anything_hashable(event_id):
    service = serving()
    service.predict_one(event_id, X)
    service.learn_one(event_id, True)
    assert service.model.n_learned == 1


# What is pending


def test_asked_event_is_pending():
    service = serving()
    service.predict_one("a", X)
    assert "a" in service


def test_event_that_was_not_asked_about_is_not_pending():
    service = serving(labels=0)
    service.predict_one("a", X)
    assert "a" not in service


def test_answered_event_is_not_pending():
    service = serving()
    service.predict_one("a", X)
    service.learn_one("a", True)
    assert "a" not in service


def test_length_is_the_number_of_pending_labels():
    service = serving(labels=5)
    predict_all(service, range(8))
    service.learn_one(2, True)
    assert len(service) == 4


def test_event_that_nobody_asked_about_may_use_its_id_again():
    service = serving(labels=0)
    assert predict_all(service, ["a", "a"]) == [False, False]


def test_answered_id_may_be_used_again():
    service = serving()
    service.predict_one("a", X)
    service.learn_one("a", True)
    assert service.predict_one("a", X)[1]


def test_pending_id_cannot_be_used_again():
    service = serving()
    service.predict_one("a", X)
    with pytest.raises(ValueError, match="'a'"):
        service.predict_one("a", X)


def test_refused_id_changes_nothing():
    service = serving(labels=5)
    service.predict_one("a", X)
    before = pickle.dumps(service)
    with pytest.raises(ValueError, match="'a'"):
        service.predict_one("a", {"c": 2.0})
    assert pickle.dumps(service) == before


# Labels without an ask


def never_asked(service):
    service.predict_one("other", X)


def not_worth_asking(service):
    service.predict_one("a", {})


def expired(service):
    predict_all(service, ["a", *range(10)])


def answered(service):
    service.predict_one("a", X)
    service.learn_one("a", True)


each_past = pytest.mark.parametrize("past", [never_asked, not_worth_asking, expired, answered])


@each_past
def test_label_without_an_ask_is_an_error(past):
    service = serving(time_to_live=3)
    past(service)
    with pytest.raises(KeyError, match="'a'"):
        service.learn_one("a", True)


@each_past
def test_error_changes_nothing(past):
    service = serving(time_to_live=3)
    past(service)
    before = pickle.dumps(service)
    with pytest.raises(KeyError):
        service.learn_one("a", True)
    assert pickle.dumps(service) == before


@each_past
def test_label_without_an_ask_is_counted_where_it_is_no_error(past):
    service = serving(time_to_live=3, strict=False)
    past(service)
    service.learn_one("a", True)
    assert service.n_unmatched == 1


@each_past
def test_label_without_an_ask_is_not_learned(past):
    service = serving(time_to_live=3, strict=False)
    past(service)
    before = pickle.dumps(service.model)
    service.learn_one("a", True)
    assert pickle.dumps(service.model) == before


def test_matched_labels_are_not_counted_as_unmatched():
    service = serving(strict=False)
    service.predict_one("a", X)
    service.learn_one("a", True)
    assert service.n_unmatched == 0


# Labels and events that are refused


def test_refused_label_leaves_the_ask_open():
    service = serving()
    service.predict_one("a", X)
    with pytest.raises(ValueError, match="spam"):
        service.learn_one("a", "spam")
    assert "a" in service


def test_right_label_is_learned_after_a_refused_one():
    service, expected = serving(), OA3Classifier()
    service.predict_one("a", X)
    with pytest.raises(ValueError, match="spam"):
        service.learn_one("a", "spam")
    service.learn_one("a", True)
    expected.learn_one(X, True)
    assert service.model.classifier.weights == expected.weights


@pytest.mark.parametrize(("value", "error"), [(math.nan, ValueError), ("red", TypeError)])
def test_event_that_raises_changes_nothing(value, error):
    service = serving(labels=5, time_to_live=1)
    predict_all(service, "ab")
    before = pickle.dumps(service)
    with pytest.raises(error):
        service.predict_one("c", {"colour": value})
    assert pickle.dumps(service) == before


def test_id_of_an_event_that_raised_may_be_used_for_the_mended_one():
    service = serving()
    with pytest.raises(ValueError, match="colour"):
        service.predict_one("a", {"colour": math.nan})
    assert service.predict_one("a", X)[1]


# Asks that grow old


def test_ask_stays_open_for_as_many_events_as_it_may_live():
    service = serving(time_to_live=3)
    predict_all(service, ["a", 1, 2, 3])
    assert "a" in service


def test_ask_expires_with_the_event_after():
    service = serving(time_to_live=3)
    predict_all(service, ["a", 1, 2, 3, 4])
    assert "a" not in service


def test_events_that_nobody_asks_about_let_an_ask_grow_old():
    service = serving(labels=1, time_to_live=3)
    predict_all(service, ["a", 1, 2, 3, 4])
    assert "a" not in service


def test_ask_lives_on_without_a_time_to_live():
    service = serving()
    predict_all(service, range(1000))
    assert 0 in service


def test_expired_asks_are_counted():
    service = serving(time_to_live=3)
    predict_all(service, range(10))
    assert service.n_expired == 6


def test_answered_asks_do_not_expire():
    service = serving(time_to_live=3)
    service.predict_one("a", X)
    service.learn_one("a", True)
    predict_all(service, range(3))
    assert service.n_expired == 0


def test_oldest_ask_makes_way_where_there_is_no_room():
    service = serving(capacity=3)
    predict_all(service, range(5))
    assert [i for i in range(5) if i in service] == [2, 3, 4]


def test_asks_that_made_way_are_counted_as_expired():
    service = serving(capacity=3)
    predict_all(service, range(5))
    assert service.n_expired == 2


@given(st.lists(st.integers(0, 30), max_size=60), st.integers(1, 5), st.integers(1, 8))
def test_no_more_asks_are_open_than_there_is_room_for(ids, capacity, time_to_live):
    service = serving(capacity=capacity, time_to_live=time_to_live)
    for event_id in ids:
        if event_id in service:
            service.learn_one(event_id, True)
        else:
            service.predict_one(event_id, X)
        assert len(service) <= min(capacity, time_to_live + 1)


# Labels given back


@pytest.mark.parametrize("bound", [{"time_to_live": 1}, {"capacity": 1}])
def test_expired_ask_gives_its_label_back(bound):
    service = serving(labels=2, refund=True, **bound)
    predict_all(service, range(4))
    assert service.model.n_asked > 2


@pytest.mark.parametrize("bound", [{"time_to_live": 1}, {"capacity": 1}])
def test_label_is_not_given_back_unless_it_is_wanted(bound):
    service = serving(labels=2, **bound)
    predict_all(service, range(10))
    assert service.model.n_asked == 2


def test_answered_ask_gives_nothing_back():
    service = serving(labels=1, time_to_live=1, refund=True)
    service.predict_one("a", X)
    service.learn_one("a", True)
    assert not any(predict_all(service, range(10)))


@given(
    st.lists(st.booleans(), max_size=60),
    st.integers(0, 6),
    st.integers(1, 4),
    st.sampled_from([1, 2, 100]),
)
def test_asks_that_did_not_expire_never_exceed_the_budget(answers, labels, time_to_live, capacity):
    service = serving(labels, time_to_live=time_to_live, capacity=capacity, refund=True)
    for i, answer in enumerate(answers):
        service.predict_one(i, X)
        if answer and i in service:
            service.learn_one(i, True)
        assert service.model.n_asked - service.n_expired <= labels


def test_refund_works_without_a_budget():
    service = serving(time_to_live=1, refund=True)
    predict_all(service, range(5))
    assert service.n_expired == 3


# A service that stops and goes on


def fate(service, events, start=0):
    """Everything that a stream of events, whose labels come five events later, leads to."""
    story = []
    for i, (x, _) in enumerate(events, start=start):
        story.append(service.predict_one(i, x))
        if i - 5 in service:
            service.learn_one(i - 5, EVENTS[i - 5][1])
    return story, service.model.classifier.weights, len(service), service.n_expired


EVENTS = sparse_events(200)


@pytest.mark.parametrize(
    "copied",
    [lambda service: pickle.loads(pickle.dumps(service)), copy.deepcopy],
    ids=["pickled", "copied"],
)
@pytest.mark.parametrize("cut", [0, 1, 57, 150])
def test_service_goes_on_where_it_was_stopped(copied, cut):
    whole = PendingLabels(
        ActiveLearner(OA3DiagClassifier(), budget=budget.RateBudget(0.4, window=20), seed=3),
        time_to_live=7,
        capacity=4,
        refund=True,
    )
    parts = copy.deepcopy(whole)
    story, *end = fate(whole, EVENTS)
    first, *_ = fate(parts, EVENTS[:cut])
    second, *last = fate(copied(parts), EVENTS[cut:], start=cut)
    assert (first + second, last) == (story, end)


def test_scaler_counts_each_event_once_whenever_labels_come():
    scaler = preprocessing.StandardScaler()
    service = PendingLabels(ActiveLearner(scaler | OA3Classifier(), budget=20), time_to_live=30)
    n_learned = 0
    for i in range(100):
        service.predict_one(i, {"a": float(i % 7), "b": float(i % 3)})
        if i % 3 == 0 and i - 20 in service:
            service.learn_one(i - 20, i % 2 == 0)
            n_learned += 1
    assert (n_learned > 0, scaler.counts["a"]) == (True, 100)


# Parameters out of range


@pytest.mark.parametrize("name", ["time_to_live", "capacity"])
@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_bound_that_is_no_number_of_events_is_refused(name, value, error):
    with pytest.raises(error, match=name):
        serving(**{name: value})


def test_model_that_does_not_ask_is_refused():
    with pytest.raises(TypeError, match="model"):
        PendingLabels(OA3Classifier())


def test_event_that_cannot_be_copied_gives_its_label_back():
    model = ActiveLearner(compose.Discard("lock") | OA3DiagClassifier(), budget=1)
    with pytest.raises(TypeError):
        PendingLabels(model).predict_one("id", {"a": 1.0, "lock": threading.Lock()})
    assert model.predict_one({"a": 1.0}) == (True, True)


def test_label_of_a_closed_window_is_not_given_back_to_the_next():
    limit = budget.WindowBudget(labels=2, every=10)
    service = PendingLabels(
        ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery(), limit),
        time_to_live=12,
        refund=True,
    )
    asked = [service.predict_one(i, {"a": 1.0})[1] for i in range(60)]
    assert [sum(asked[i : i + 10]) for i in range(0, 60, 10)] == [2] * 6


class SlowRefunds(budget.WindowBudget):
    """Some time passes before a label is given back."""

    def refund(self, *refund_token):
        self.clock.now += 0.2
        super().refund(*refund_token)


def test_label_is_given_back_to_the_window_it_was_paid_in_though_a_refund_came_between():
    limit = SlowRefunds(1, every=dt.timedelta(seconds=10), clock=Clock())
    model = ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery(), limit)
    service = PendingLabels(model, time_to_live=1, refund=True)
    asked = []
    # The first ask expires with the third event, and its refund turns the window.
    for event_id, now in enumerate([1.0, 2.0, 19.9, 21.0, 22.0, 23.0]):
        limit.clock.now = now
        asked.append(service.predict_one(event_id, X)[1])
    assert asked == [True, False, True, True, False, False]


def test_probability_of_a_pending_label_is_that_of_its_ask():
    model = ActiveLearner(OA3DiagClassifier(), query.RandomQuery(0.25), seed=3)
    service = PendingLabels(model)
    asked = [i for i in range(50) if service.predict_one(i, X)[1]]
    assert asked
    assert {service.probability(i) for i in asked} == {0.25}


class Uncopied(dict):
    """An event that cannot be copied."""

    def __deepcopy__(self, memo):
        raise self["error"]


@pytest.mark.parametrize("error", [RuntimeError(), KeyboardInterrupt()], ids=repr)
def test_event_that_cannot_be_kept_drops_no_other_and_costs_nothing(error):
    class Sized(Uncopied):
        def __getitem__(self, name):
            return error if name == "error" else super().__getitem__(name)

    model = ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery(), 10)
    service = PendingLabels(model, capacity=1)
    service.predict_one("first", {"a": 1.0})
    with pytest.raises(type(error)):
        service.predict_one("second", Sized(a=1.0))
    assert "first" in service
    assert len(service) == 1
    assert service.n_expired == 0
    assert model._budget.left == 9


class Fickle:
    """An id that can be hashed once."""

    def __init__(self):
        self.n_hashed = 0

    def __hash__(self):
        self.n_hashed += 1
        if self.n_hashed > 1:
            raise RuntimeError("no second time")
        return 1


def test_id_that_cannot_be_kept_costs_nothing():
    model = ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery(), 10)
    service = PendingLabels(model)
    with pytest.raises(RuntimeError, match="no second time"):
        service.predict_one(Fickle(), {"a": 1.0})
    assert len(service) == 0
    assert model._budget.left == 10

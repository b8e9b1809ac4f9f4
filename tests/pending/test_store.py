"""A service with a store goes on where the store stands."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import json
import pickle
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from durable_services import EVENTS, abandoned, change, durable, make_format_1, restarted, rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from own_kinds import Curious, Wallet
from river import naive_bayes, preprocessing

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3DiagClassifier,
    PendingLabels,
    SSOA3Classifier,
    budget,
    files,
    metrics,
    query,
)
from river_oa3.pending import StoreError, tables
from river_oa3.pending.errors import LabelLearnedError

X = {"a": 1.0, "b": -0.5}
FORMAT_1 = Path(__file__).parents[1] / "stored" / "stores" / "format1.sql"


def serve(service, events, start=0):
    """What a service answers; labels come ten events later."""
    answers = []
    for i, (x, _) in enumerate(events, start=start):
        answers.append(service.predict_one(f"e{i}", x))
        if f"e{i - 10}" in service:
            service.learn_one(f"e{i - 10}", EVENTS[i - 10][1])
    return answers


# Going on


CLASSIFIERS = [AutoOA3Classifier, OA3DiagClassifier, SSOA3Classifier]


@pytest.mark.parametrize("make", CLASSIFIERS)
@pytest.mark.parametrize("snapshot_every", [7, 1000])
def test_model_that_asks_about_all_is_the_same_after_a_kill(url, make, snapshot_every):
    whole = durable(None, classifier=make())
    serve(whole, EVENTS[:120])
    parts = durable(url, classifier=make(), snapshot_every=snapshot_every)
    serve(parts, EVENTS[:60])
    with restarted(parts, url, classifier=make()) as again:
        serve(again, EVENTS[60:120], start=60)
        assert again.model.classifier.weights == whole.model.classifier.weights
        assert again.model.n_learned == whole.model.n_learned


def test_service_that_is_closed_goes_on_as_if_nothing_had_been(tmp_path):
    def make(name):
        url = f"sqlite:///{tmp_path}/{name}.db"
        return durable(url, budget.RateBudget(0.3, window=20), query.RandomQuery(0.5))

    whole = make("whole")
    expected = serve(whole, EVENTS)
    parts = make("parts")
    first = serve(parts, EVENTS[:200])
    parts.close()
    again = make("parts")
    assert first + serve(again, EVENTS[200:], start=200) == expected
    assert again.model.classifier.weights == whole.model.classifier.weights


def test_pipeline_of_rivers_steps_goes_on(url):
    def pipeline():
        return preprocessing.StandardScaler() | OA3DiagClassifier()

    service = durable(url, classifier=pipeline())
    serve(service, EVENTS[:30])
    service.snapshot()  # for some events are not asked about, and teach the scaler
    serve(service, [event for event in EVENTS[30:60] if event[0]], start=30)
    weights = service.model.classifier["OA3DiagClassifier"].weights
    with restarted(service, url, classifier=pipeline()) as again:
        assert again.model.classifier["OA3DiagClassifier"].weights == weights
        assert again.model.classifier["StandardScaler"].counts == (
            service.model.classifier["StandardScaler"].counts
        )


def test_pending_asks_are_there_after_a_kill(url):
    service = durable(url)
    for i in range(5):
        service.predict_one(i, X)
    service.learn_one(2, True)
    with restarted(service, url) as again:
        assert [ask.event_id for ask in again] == [0, 1, 3, 4]
        assert (len(again), again[1].x, again[1].state) == (4, X, "open")


def test_late_label_is_learned_after_a_kill(url):
    service = durable(url)
    service.predict_one("a", X)
    with restarted(service, url) as again:
        again.learn_one("a", True)
        assert (again.model.n_learned, again.count("learned")) == (1, 1)


@pytest.mark.parametrize(
    ("limit", "left"),
    [
        (lambda: budget.TotalBudget(20), 15),
        (lambda: budget.WindowBudget(20, dt.timedelta(days=365_000)), 15),
        (lambda: budget.WindowBudget(8, every=1000), 3),
    ],
)
def test_what_is_spent_stays_spent_after_a_kill(url, limit, left):
    service = durable(url, limit())
    for i in range(5):
        service.predict_one(i, X)
    with restarted(service, url, labels=limit()) as again:
        assert again.model._budget.left == left


def test_rate_is_kept_over_any_number_of_kills(url):
    rate, n_asked = 0.1, 0
    service = durable(url, budget.RateBudget(rate))
    for i, (x, _) in enumerate(EVENTS):
        n_asked += service.predict_one(i, x)[1]
        assert n_asked <= 1 + rate * (i + 1)
        if i % 3 == 2:
            abandoned(service)
            service = durable(url, budget.RateBudget(rate))
    assert n_asked == len(rows(url))


def test_budget_may_be_raised_between_two_runs(url):
    service = durable(url, labels=3)
    for i in range(5):
        service.predict_one(i, X)
    with restarted(service, url, labels=10) as again:
        assert again.model._budget.left == 7


def test_quality_goes_on(url):
    service = durable(url)
    serve(service, EVENTS[:100])
    with restarted(service, url) as again:
        assert again.quality.to_dict() == service.quality.to_dict()
        assert again.quality.n_labels == 90


def test_counts_go_on(url):
    service = durable(url, time_to_live=4)
    for i in range(10):
        service.predict_one(i, X)
    with restarted(service, url, time_to_live=4) as again:
        assert (again.n_expired, again.n_events) == (service.n_expired, 10) == (5, 10)
        assert (again.model.n_seen, again.model.n_asked) == (10, 10)


def test_ask_grows_old_over_a_kill(url):
    service = durable(url, time_to_live=4)
    for i in range(4):
        service.predict_one(i, X)
    with restarted(service, url, time_to_live=4) as again:
        for i in range(4, 7):
            again.predict_one(i, X)
        assert [ask.event_id for ask in again] == [2, 3, 4, 5, 6]


# Ids that come again


@pytest.mark.parametrize("fate", ["open", "answered", "learned", "expired"])
def test_id_that_was_asked_about_gets_its_old_answer(url, fate):
    service = durable(url, time_to_live=3)
    first = service.predict_one("a", X)
    if fate == "answered":
        service.answer("a", True)
    if fate == "learned":
        service.learn_one("a", True)
    if fate == "expired":
        for i in range(5):
            service.predict_one(i, X)
    assert service["a"].state == fate
    left = service.model._budget.left
    again = service.predict_one("a", {"c": 100.0})
    assert (again, service.model._budget.left) == (first, left)
    with restarted(service, url, time_to_live=3) as reborn:
        assert reborn.predict_one("a", {"c": 100.0}) == first
        assert reborn.model._budget.left == left


def test_retry_of_an_event_that_nobody_asked_about_changes_nothing(url):
    service = durable(url, labels=0)
    first = service.predict_one("a", X)
    assert (service.predict_one("a", X), service.n_events) == (first, 1)


def rated(url, **kwargs):
    return durable(url, budget.RateBudget(0.05), snapshot_every=10**6, **kwargs)


def served_together(service, ids):
    with service.together():
        return [service.predict_one(i, EVENTS[i % len(EVENTS)][0]) for i in ids]


def test_batch_that_is_sent_again_after_kills_is_counted_once(url):
    service = rated(url)
    first = served_together(service, range(1000))
    for _ in range(10):
        abandoned(service)
        service = rated(url)
        assert served_together(service, range(1000)) == first
    assert (len(rows(url)), service.n_events, service.model.n_seen) == (50, 1000, 1000)
    abandoned(service)


WRITES = {
    "an ask": lambda service: service.predict_one("asked", X),
    "an expiry": lambda service: service._let_go([service["first"]]),
    "a snapshot": lambda service: service.snapshot(),
}


@pytest.mark.parametrize("write", WRITES)
def test_whatever_counts_an_event_remembers_its_answer(url, write):
    service = durable(url, budget.WindowBudget(1, every=5))
    answers = [service.predict_one(i, X) for i in ("first", *range(4))]
    assert [ask for _, ask in answers] == [True] + [False] * 4
    WRITES[write](service)
    with restarted(service, url, labels=budget.WindowBudget(1, every=5)) as again:
        n_events = again.n_events
        assert [again.predict_one(i, X) for i in ("first", *range(4))] == answers
        assert again.n_events == n_events == 5 + (write == "an ask")


def test_event_that_no_transaction_has_counted_is_decided_anew(url):
    service = durable(url, budget.RateBudget(0.3))
    assert service.predict_one("a", X)[1]
    assert not service.predict_one("b", X)[1]
    with restarted(service, url, labels=budget.RateBudget(0.3)) as again:
        again.predict_one("b", X)
        assert (again.n_events, again.model._budget._saved) == (2, service.model._budget._saved)


def test_labels_of_any_kind_are_remembered(url):
    service = durable(url, labels=0)
    for i, label in enumerate(LABELS := [True, False, "spam", 3, None, (1, "a")]):
        service._store.passed(i, label)
    service.snapshot()
    with restarted(service, url, labels=0) as again:
        assert [again._store.known(i) for i in range(6)] == [(label, False) for label in LABELS]


def test_newest_ten_thousand_events_are_remembered(url):
    service = durable(url, labels=0, snapshot_every=700)
    for i in range(25_000):
        service.predict_one(i, {})
    service.snapshot()
    n_rows = len(rows(url, tables.passed))
    assert 10_000 / 700 < n_rows < 13_000 / 700
    with restarted(service, url, labels=0) as again:
        for i in range(24_999, 14_999, -1):
            again.predict_one(i, {})
        assert again.n_events == 25_000
        again.predict_one(14_999, {})
        assert again.n_events == 25_001


def test_number_of_a_decision_comes_from_the_seed_and_the_id(tmp_path):
    def asked(name, seed, ids):
        service = durable(f"sqlite:///{tmp_path}/{name}", rule=query.RandomQuery(0.3), seed=seed)
        return {i for i in ids if service.predict_one(i, X)[1]}

    forth = asked("a", 1, range(200))
    assert asked("b", 1, reversed(range(200))) == forth
    assert asked("c", 2, range(200)) != forth
    assert 30 < len(forth) < 90


def test_learner_draws_numbers_of_its_own_beside_a_store_and_after_it(tmp_path):
    service = durable(f"sqlite:///{tmp_path}/asks.db", rule=query.RandomQuery(0.5))
    service.predict_one("a", X)
    for _ in range(2):
        n_asked = sum(service.model.predict_one(X)[1] for _ in range(200))
        assert 60 < n_asked < 140
        abandoned(service)
    files.to_bytes(service.model)


@pytest.mark.parametrize("seed", [-(2**200), -(2**127) - 1, 2**127, 2**300])
def test_seed_of_any_size_is_taken(url, seed):
    service = durable(url, rule=query.RandomQuery(0.5), seed=seed)
    answers = [service.predict_one(i, X) for i in range(50)]
    assert 10 < sum(ask for _, ask in answers) < 40
    with restarted(service, url, rule=query.RandomQuery(0.5), seed=seed) as again:
        assert again._store.seed == seed


def test_text_and_number_are_different_ids(url):
    service = durable(url, labels=1)
    assert service.predict_one(1, X)[1]
    assert not service.predict_one("1", X)[1]


@pytest.mark.parametrize("event_id", [None, 1.5, ("a", 1), b"a"])
def test_id_that_a_store_cannot_keep_is_refused(url, event_id):
    service = durable(url)
    with pytest.raises(TypeError, match="str"):
        service.predict_one(event_id, X)
    assert service.model.n_asked == 0


def test_id_of_any_length_is_refused(url):
    with pytest.raises(ValueError, match="digest"):
        durable(url).predict_one("a" * 3000, X)


# Labels that come again


def test_label_that_is_delivered_again_is_learned_once(url):
    service = durable(url)
    service.predict_one("a", X)
    for _ in range(3):
        service.learn_one("a", True)
    with restarted(service, url) as again:
        again.learn_one("a", 1)
        assert (again.model.n_learned, again.quality.n_labels) == (1, 1)


def test_another_label_than_was_learned_is_refused(url):
    service = durable(url)
    service.predict_one("a", X)
    service.learn_one("a", True)
    with pytest.raises(ValueError, match="learned as True"):
        service.learn_one("a", False)


def test_label_twice_in_one_delivery_is_learned_once(url):
    service = durable(url)
    service.predict_one("a", X)
    service.predict_one("b", X)
    labels = [("a", True, None), ("a", True, None), ("b", False, 2.0), ("a", False, None)]
    outcomes = service.learn_each(labels)
    assert [type(outcome) for outcome in outcomes] == [type(None)] * 3 + [LabelLearnedError]
    assert service.model.n_learned == 2


def test_label_for_an_unknown_id_is_an_error_of_its_own(url):
    service = durable(url)
    service.predict_one("a", X)
    outcomes = service.learn_each([("x", True, None), ("a", "spam", None), ("a", True, None)])
    assert [type(outcome) for outcome in outcomes] == [KeyError, ValueError, type(None)]


@settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_any_delivery_of_labels_teaches_each_once(tmp_path_factory, data):
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/asks.db"
    service = durable(url)
    events = EVENTS[:12]
    for i, (x, _) in enumerate(events):
        service.predict_one(i, x)
    for delivery in data.draw(st.lists(st.lists(st.integers(0, 11), max_size=8), max_size=6)):
        service.learn_each([(i, events[i][1], None) for i in delivery])
        if data.draw(st.booleans()):
            abandoned(service)
            service = durable(url)
    learned = [ask.event_id for ask in service.asks("learned")]
    expected = ActiveLearner(AutoOA3Classifier(), query.FirstComeQuery())
    for x, _ in events:
        expected.predict_one(x)
    for i in learned:
        expected._learn_asked(*events[i], 1.0)
    assert service.model.n_learned == len(learned) == len(set(learned))
    assert service.model.classifier.weights == expected.classifier.weights
    abandoned(service)


@pytest.mark.parametrize("w", [1.0, 3.0])
def test_weight_of_a_label_is_learned_again(url, w):
    service, expected = durable(url, classifier=OA3DiagClassifier()), OA3DiagClassifier()
    service.predict_one("a", X)
    service.learn_one("a", True, w=w)
    expected.learn_one(X, True, w=w)
    with restarted(service, url, classifier=OA3DiagClassifier()) as again:
        assert again.model.classifier.weights == expected.weights


def test_argument_that_cannot_be_stored_is_refused(url):
    service = durable(url)
    service.predict_one("a", X)
    with pytest.raises(TypeError, match="colour"):
        service.learn_one("a", True, colour="red")
    assert "a" in service


# What is refused


def test_classifier_that_cannot_be_stored_is_refused(url):
    with pytest.raises(files.FileError, match="GaussianNB"):
        durable(url, classifier=naive_bayes.GaussianNB())


def test_other_classifier_than_the_stores_is_refused(url):
    abandoned(durable(url, classifier=OA3DiagClassifier()))
    with pytest.raises(ValueError, match=r"OA3DiagClassifier.*AutoOA3Classifier"):
        durable(url)


@pytest.mark.parametrize("eta", [0.1, 0.7])
def test_other_setting_than_the_stores_is_refused(url, eta):
    abandoned(durable(url, classifier=OA3DiagClassifier(eta=0.7)))
    if eta == 0.7:
        abandoned(durable(url, classifier=OA3DiagClassifier(eta=eta)))
    else:
        with pytest.raises(ValueError, match=r"eta=0\.7.*eta=0\.1"):
            durable(url, classifier=OA3DiagClassifier(eta=eta))


def test_other_objective_than_the_stores_is_refused(url):
    abandoned(durable(url, classifier=AutoOA3Classifier(metrics.WeightedCost(5, 1))))
    with pytest.raises(ValueError, match="cost_fn"):
        durable(url, classifier=AutoOA3Classifier(metrics.WeightedCost(7, 1)))


def test_other_kind_of_budget_than_the_stores_is_refused(url):
    abandoned(durable(url))
    with pytest.raises(ValueError, match="TotalBudget"):
        durable(url, budget.RateBudget(0.1))


def test_other_rule_than_the_stores_is_refused(url):
    abandoned(durable(url))
    with pytest.raises(ValueError, match="rule"):
        durable(url, rule=query.AdaptiveQuery())


def test_other_seed_than_the_stores_is_refused(url):
    abandoned(durable(url, seed=5))
    with pytest.raises(ValueError, match="seed 5"):
        durable(url, seed=6)
    abandoned(durable(url, seed=None))


class OwnBudget(budget.TotalBudget):
    pass


def test_budget_of_ones_own_is_refused(url):
    with pytest.raises(TypeError, match="OwnBudget"):
        durable(url, OwnBudget(10))


IN_MEMORY = [
    "sqlite://",
    "sqlite:///:memory:",
    "sqlite:///file::memory:?uri=true",
    "sqlite:///file:asks?mode=memory&uri=true",
    "sqlite:///file:asks?mode=memory&cache=shared&uri=true",
    "sqlite:///file%3Aasks%3Fmode%3Dmemory?uri=true",
    "sqlite:///file:/asks?vfs=memdb&uri=true",
]


@pytest.mark.parametrize("url", IN_MEMORY)
def test_database_in_memory_is_refused(url):
    with pytest.raises(StoreError, match="gone with the process"):
        durable(url)


ELSEWHERE = {
    "mysql": "mysql+pymysql://anna:secret@localhost/asks",
    "mariadb": "mariadb://anna:secret@localhost/asks",
    "mssql": "mssql+pyodbc://anna:secret@localhost/asks",
    "oracle": "oracle://anna:secret@localhost/asks",
    "of_nobody": "of_nobody://anna:secret@localhost/asks",
}


@pytest.mark.parametrize("kind", ELSEWHERE)
def test_other_database_than_sqlite_and_postgresql_is_refused_by_name(kind):
    with pytest.raises(StoreError, match=f"SQLite or PostgreSQL, not in {kind}") as refused:
        durable(ELSEWHERE[kind])
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("url", ["asks.db", "postgresql+no_driver://anna:secret@localhost/asks"])
def test_url_of_no_database_is_refused_without_its_password(url):
    with pytest.raises(StoreError, match=r"sqlite:///asks\.db") as refused:
        durable(url)
    assert "secret" not in str(refused.value)


def test_store_of_a_newer_version_is_refused(url):
    service = durable(url)
    with service._store._sql._engine.begin() as connection:
        connection.execute(tables.state.update().values(format=99))
    abandoned(service)
    with pytest.raises(StoreError, match="format 99"):
        durable(url)


def test_store_without_what_is_spent_is_refused(url):
    service = durable(url)
    service.predict_one("a", X)
    abandoned(service)
    change(url, tables.state.delete())
    with pytest.raises(StoreError, match="damaged: what is spent is not there"):
        durable(url)


def test_store_whose_asks_are_not_those_that_were_paid_is_refused(url):
    service = durable(url)
    for i in range(3):
        service.predict_one(i, X)
    abandoned(service)
    change(url, tables.asks.delete().where(tables.asks.c.event_id == "1"))
    with pytest.raises(StoreError, match="damaged: it has 2 asks, and should have 3"):
        durable(url)


STANDING = {"counters": [1, 1, 0], "budget": ["TotalBudget", 1], "rule": None, "batch": None}
DAMAGED = {
    "cut off": "{",
    "no dictionary": "[]",
    "without events": json.dumps(STANDING),
    "without a budget": json.dumps({k: v for k, v in STANDING.items() if k != "budget"}),
    "a counter too few": json.dumps({**STANDING, "events": 1, "counters": [1, 1]}),
    "a counter that is text": json.dumps({**STANDING, "events": 1, "counters": [1, "1", 0]}),
    "a budget of a kind not known": json.dumps({**STANDING, "events": 1, "budget": ["Gold", 1]}),
    "a budget without its number": json.dumps({**STANDING, "events": 1, "budget": ["TotalBudget"]}),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_store_whose_standing_is_damaged_is_refused(url, damage):
    service = durable(url)
    service.predict_one("a", X)
    abandoned(service)
    change(url, tables.state.update().values(standing=DAMAGED[damage]))
    for learns in (True, False):
        with pytest.raises(StoreError, match="damaged"):
            durable(url, learns=learns)


def test_ask_that_is_damaged_is_an_error_of_the_store(url):
    service = durable(url)
    service.predict_one("a", X)
    change(url, tables.asks.update().values(x="{"))
    with pytest.raises(StoreError, match="damaged"):
        service["a"]


def test_event_that_cannot_be_stored_costs_nothing(url):
    service = durable(url, classifier=preprocessing.OneHotEncoder() | OA3DiagClassifier())
    with pytest.raises(TypeError, match="when"):
        service.predict_one("a", {"a": 1.0, "when": dt.datetime.now(dt.UTC)})
    assert (service.model._budget._spent, service.model.n_asked, len(service)) == (0, 0, 0)


# Budgets and rules of somebody's own


def own_service(url, coins=30):
    return durable(url, Wallet(coins, rise=0.1), Curious(0.5), OA3DiagClassifier())


def test_budget_and_rule_of_somebodys_own_go_on_after_a_kill(url):
    service = own_service(url)
    service.model.rule.move(0.25)
    answers = serve(service, EVENTS[:60])
    service.snapshot()
    paid = service.model.spending.state()
    abandoned(service)
    again = own_service(url)
    assert again.model.rule.state() == {"moved": 0.25}
    assert again.model.spending.state() == paid
    assert len(paid["prices"]) == again.model.n_asked == sum(ask for _, ask in answers) > 5
    assert [again.predict_one(f"e{i}", EVENTS[i][0]) for i in range(60)] == answers
    assert again.model.spending.state() == paid
    abandoned(again)


def test_wallet_that_has_grown_pays_for_more(url):
    service = own_service(url, coins=3)
    serve(service, EVENTS[:40])
    n_paid = len(service.model.spending.state()["prices"])
    abandoned(service)
    again = own_service(url, coins=30)
    assert (again.model.spending.left > 10, n_paid > 1) == (True, True)
    assert len(again.model.spending.state()["prices"]) == n_paid
    abandoned(again)


@pytest.mark.parametrize(
    ("limit", "rule", "said"),
    [
        (budget.TotalBudget(30), Curious(0.5), "used with Wallet, and this model has TotalBudget"),
        (Wallet(30), query.FirstComeQuery(), "another rule for asking"),
        (Wallet(30), query.AdaptiveQuery(), "another rule for asking"),
    ],
)
def test_store_of_another_kind_of_budget_or_rule_is_refused(url, limit, rule, said):
    service = own_service(url)
    serve(service, EVENTS[:5])
    abandoned(service)
    with pytest.raises(ValueError, match=said):
        durable(url, limit, rule, OA3DiagClassifier())


def test_state_that_somebodys_own_budget_does_not_take_is_damage(url):
    service = own_service(url)
    serve(service, EVENTS[:5])
    abandoned(service)
    standing = {**STANDING, "events": 5, "budget": ["Wallet", {}], "rule": ["Curious", {}]}
    change(url, tables.state.update().values(standing=json.dumps(standing)))
    with pytest.raises(StoreError, match=r"damaged: what is spent cannot be read: 'paid'"):
        own_service(url)


def test_budget_that_nobody_registered_is_refused_with_what_to_do(url):
    class Purse(Wallet):
        pass

    with pytest.raises(TypeError, match=r"cannot keep Purse, .* river_oa3.files.register it"):
        durable(url, Purse(3))


def test_service_with_a_store_is_not_copied(url):
    service = durable(url)
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="same store"):
            copied(service)


def test_whoever_adds_to_a_learner_says_what_a_store_does_with_it():
    """A counter that is not kept would start from nothing without a word."""
    kept = {"n_seen", "n_asked", "n_learned", "_n_leading_zero_events", "_taught"}
    kept |= {"classifier", "_budget", "_query", "_rng"}
    given_again = {"budget", "query", "seed", "learn_transformers", "_keeps_odds"}
    given_again |= {"_is_pipeline", "_knows_margin", "_answers_as_core", "_observes", "_adapts"}
    of_the_newest_event = {"_last", "_asked_about", "_asked_odds"}
    service = PendingLabels(ActiveLearner(query=query.FirstComeQuery()))
    service.predict_one("a", X)
    known = kept | given_again | {"_takes_short_way"} | of_the_newest_event
    assert vars(service.model).keys() == known


# Older versions


def stored_store(tmp_path):
    """A store that an older version has written."""
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(FORMAT_1.read_text())
    return f"sqlite:///{path}"


def old_learner(url):
    half = query.RandomQuery(0.5)
    return durable(url, budget.RateBudget(0.4), half, OA3DiagClassifier(), time_to_live=25)


def test_store_of_format_1_goes_on(tmp_path):
    url = stored_store(tmp_path)
    service = old_learner(url)
    states = ("open", "answered", "learned", "expired")
    assert {state: service.count(state) for state in states} == {
        "open": 3,
        "answered": 3,
        "learned": 8,
        "expired": 4,
    }
    assert (service.n_events, service.model.n_asked, service.quality.n_labels) == (49, 18, 8)
    answers = served_together(service, range(100))
    abandoned(service)
    again = old_learner(url)
    assert (again.n_events, again.model.n_asked) == (149, 18 + sum(ask for _, ask in answers))
    assert again._store.known(99) == answers[99]
    abandoned(again)


def test_store_of_format_1_gets_the_indexes_that_came_later(url):
    service = durable(url)
    service.predict_one("a", X)
    abandoned(service)
    make_format_1(url)
    engine = sa.create_engine(url)
    indexes = sa.inspect(engine).get_indexes("oa3_asks")
    with engine.begin() as connection:
        for index in tables.asks.indexes:
            index.drop(connection)
    abandoned(durable(url))
    assert sa.inspect(engine).get_indexes("oa3_asks") == indexes
    engine.dispose()


def test_whoever_takes_answers_leaves_an_older_store_to_its_owner(url):
    abandoned(durable(url))
    make_format_1(url)
    with pytest.raises(StoreError, match="older version"):
        durable(url, learns=False)
    abandoned(durable(url))
    abandoned(durable(url, learns=False))


def test_older_store_stays_as_it_is_where_the_start_fails(url):
    abandoned(durable(url))
    make_format_1(url)
    with pytest.raises(ValueError, match="TotalBudget"):
        durable(url, budget.RateBudget(0.1))
    assert rows(url, tables.state)[0]["format"] == 1


# Two at a time


def test_whoever_opens_the_store_takes_it_over(url):
    first = durable(url)
    first.predict_one("a", X)
    second = durable(url)
    with pytest.raises(StoreError, match="taken over"):
        first.predict_one("b", X)
    with pytest.raises(StoreError, match="taken over"):
        first.learn_one("a", True)
    assert second.predict_one("b", X)[1]
    assert len(rows(url)) == 2


# Together


def test_asks_together_are_one_transaction(url):
    service = durable(url)
    with service.together():
        for i in range(20):
            service.predict_one(i, X)
        assert len(rows(url)) == 0
    assert len(rows(url)) == 20


def test_id_twice_together_is_paid_once(url):
    service = durable(url)
    with service.together():
        answers = [service.predict_one("a", X) for _ in range(3)]
    assert (len(set(answers)), service.model.n_asked, len(rows(url))) == (1, 1, 1)


def test_label_may_come_while_asks_are_gathered(url):
    service = durable(url)
    with service.together():
        service.predict_one("a", X)
        service.learn_one("a", True)
        service.predict_one("b", X)
    assert (service.count("learned"), service.count()) == (1, 1)


def test_asks_before_an_error_are_kept(url):
    service = durable(url)

    def fail():
        with service.together():
            service.predict_one("a", X)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [ask.event_id for ask in service] == ["a"]


def test_snapshot_holds_what_is_asked_together(url):
    service = durable(url, snapshot_every=5)
    with service.together():
        for i in range(12):
            service.predict_one(i, EVENTS[i][0])
    weights = service.model.classifier.weights
    with restarted(service, url) as again:
        assert again.model.classifier.weights == weights
        assert len(again) == 12


def test_service_is_closed_by_its_context(url):
    with durable(url, labels=0) as service:
        for i in range(10):
            service.predict_one(i, EVENTS[i][0])
        seen = service.model.classifier._core.__getstate__()["t"]
    again = durable(url, labels=0)
    assert (again.n_events, again.model.classifier._core.__getstate__()["t"]) == (10, seen)
    assert isinstance(again, PendingLabels)


@pytest.mark.parametrize("letter", ["\N{GRINNING FACE}", "é", "\x01"], ids=ascii)
def test_an_id_of_two_hundred_letters_is_taken_whatever_they_are(url, letter):
    """As the service says that it takes them."""
    service = durable(url)
    service.predict_one(letter * 200, X)
    with restarted(service, url) as again:
        again.learn_one(letter * 200, True)
        assert again.model.n_learned == 1

"""One process learns; others list asks and take answers."""

from __future__ import annotations

import pytest
from durable_services import EVENTS, durable

from river_oa3.pending import StoreError, sql
from river_oa3.pending import durable as durable_store
from river_oa3.pending.errors import LabelLearnedError

X = {"a": 1.0, "b": -0.5}


def asked(url, n=3):
    service = durable(url)
    for i in range(n):
        service.predict_one(i, X)
    return service


def test_answer_of_another_process_is_learned_by_the_owner(url):
    owner = asked(url)
    desk = durable(url, learns=False)
    assert [ask.event_id for ask in desk] == [0, 1, 2]
    desk.answer(1, True)
    assert (owner.learn_answered(), owner.count("learned"), owner.model.n_learned) == (1, 1, 1)


@pytest.mark.parametrize("y", [True, False])
def test_answer_to_what_the_owner_has_just_learned_is_one_that_comes_again(url, monkeypatch, y):
    owner, desk = asked(url), durable(url, learns=False)
    answer, get = desk._store.answer, desk._store.get

    def learned(method):
        def just_before(*args):
            owner.learn_one(1, True)
            return method(*args)

        return just_before

    # Whichever it does first, the owner is faster.
    monkeypatch.setattr(desk._store, "answer", learned(answer))
    monkeypatch.setattr(
        desk._store, "get", lambda event_id: (get(event_id), owner.learn_one(1, True))[0]
    )
    if y:
        desk.answer(1, y)
    else:
        with pytest.raises(LabelLearnedError, match="learned as True"):
            desk.answer(1, y)
    assert (owner.count("learned"), desk[1].answer) == (1, True)


def test_answers_are_learned_without_reading_other_events(url, monkeypatch):
    owner, desk = asked(url, 20), durable(url, learns=False)
    for i in range(10):
        desk.answer(i, True)
    first = owner[0].answered_at
    read = []
    monkeypatch.setattr(sql, "as_ask", lambda row, make=sql.as_ask: read.append(1) or make(row))
    assert (owner.learn_answered(first), len(read)) == (1, 1)


def test_owner_remains_the_owner(url):
    owner = asked(url)
    durable(url, learns=False).close()
    assert owner.predict_one("new", X)[1]


def test_it_neither_predicts_nor_learns(url):
    asked(url)
    desk = durable(url, learns=False)
    with pytest.raises(StoreError, match="takes answers"):
        desk.predict_one("a", X)
    with pytest.raises(StoreError, match="takes answers"):
        desk.learn_one(1, True)


def test_two_people_at_two_processes_have_different_asks(url):
    asked(url)
    one, other = durable(url, learns=False), durable(url, learns=False)
    assert {one.lease("anna").event_id, other.lease("ben").event_id} == {0, 1}


def test_it_is_brought_up_to_date(url):
    owner = durable(url)
    owner.predict_one(0, X)
    desk = durable(url, learns=False)
    for i, (x, y) in enumerate(EVENTS[:40], start=1):
        owner.predict_one(i, x)
        owner.learn_one(i, y)
    desk.refresh()
    assert desk.model.n_learned == desk.quality.n_labels == 40
    assert desk.model.classifier.weights == owner.model.classifier.weights
    assert desk.model._budget.left == owner.model._budget.left


def test_empty_store_is_refused(url):
    with pytest.raises(StoreError, match="empty"):
        durable(url, learns=False)


def test_memory_has_nobody_else():
    with pytest.raises(ValueError, match="store"):
        durable(None, learns=False)


# Answers that are withdrawn again by another process


@pytest.fixture
def attentive(monkeypatch):
    """Looks at answers as often as it can."""
    monkeypatch.setattr(durable_store, "SECONDS_BETWEEN_LOOKS", 0.0)


def answered_elsewhere(url, **kwargs):
    """A service, two of whose three asks have been answered by another process, as it knows."""
    owner = durable(url, time_to_live=5, **kwargs)
    for i in range(3):
        owner.predict_one(i, X)
    desk = durable(url, learns=False)
    desk.answer(0, True)
    desk.answer(1, True)
    for i in range(3, 8):
        owner.predict_one(i, X)
    assert [ask.event_id for ask in owner] == [2, 3, 4, 5, 6, 7]
    assert owner._store._answered == {0, 1}
    return owner, desk


def test_an_answer_that_another_process_withdraws_lets_its_ask_expire(url, attentive):
    owner, desk = answered_elsewhere(url)
    desk.withdraw(0)
    assert owner[0].state == "open"
    owner.predict_one(8, X)
    assert [owner[i].state for i in range(4)] == ["expired", "answered", "expired", "open"]
    assert owner.n_expired == 2


def test_what_expires_after_a_withdrawal_is_refunded(url, attentive):
    owner, desk = answered_elsewhere(url, labels=20, refund=True)
    desk.withdraw(0)
    owner.predict_one(8, X)
    assert owner.model._budget.left == 20 - 9 + 2


def test_a_withdrawal_counts_for_the_capacity(url, attentive):
    owner = durable(url, capacity=3)
    for i in range(3):
        owner.predict_one(i, X)
    owner.answer(0, True)
    desk = durable(url, learns=False)
    desk.withdraw(0)
    owner.predict_one(3, X)
    assert [ask.event_id for ask in owner] == [1, 2, 3]


def test_an_answer_that_stays_is_learned_however_old_its_ask_is(url, attentive):
    owner, _ = answered_elsewhere(url)
    owner.predict_one(8, X)
    assert (owner.learn_answered(), owner[0].state) == (2, "learned")


def test_answers_are_not_looked_at_for_every_event(tmp_path, monkeypatch):
    owner, _ = answered_elsewhere(f"sqlite:///{tmp_path}/asks.db")
    looks = []
    look = owner._store._sql.answered
    monkeypatch.setattr(owner._store._sql, "answered", lambda: looks.append(1) or look())
    monkeypatch.setattr(durable_store, "SECONDS_BETWEEN_LOOKS", 1e9)
    for i in range(8, 60):
        owner.predict_one(i, X)
    assert len(looks) <= 1

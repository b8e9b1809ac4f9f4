"""One process learns; others list asks and take answers."""

from __future__ import annotations

import pytest
from durable_services import EVENTS, durable

from river_oa3.pending import StoreError

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

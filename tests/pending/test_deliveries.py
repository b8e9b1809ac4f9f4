"""Many labels in one delivery: as one by one, and in a few queries."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from durable_services import EVENTS, durable, restarted

from river_oa3.pending.errors import AnswerChangedError, LabelLearnedError

X = {"a": 1.0, "b": -0.5}


def asked(url, n):
    service = durable(url)
    with service.together():
        for i in range(n):
            service.predict_one(i, EVENTS[i % len(EVENTS)][0])
    return service


def labels(ids):
    return [(i, EVENTS[i % len(EVENTS)][1], None) for i in ids]


def statements(service, ids):
    """How many statements it takes to learn labels."""
    engine, counted = service._store._sql._engine, []

    def count(connection, cursor, statement, *_):
        counted.append(statement)

    sa.event.listen(engine, "before_cursor_execute", count)
    service.learn_each(labels(ids))
    sa.event.remove(engine, "before_cursor_execute", count)
    return len(counted)


def test_many_labels_take_as_many_statements_as_two(url):
    service = asked(url, 302)
    assert statements(service, [300, 301]) == statements(service, range(300))
    assert service.count("learned") == 302


def test_labels_in_one_delivery_teach_what_single_ones_do(url):
    whole, single = asked(url, 120), asked(None, 120)
    order = [*range(60, 120), *range(59, -1, -1)]
    assert whole.learn_each(labels(order)) == [None] * 120
    for i, y, _ in labels(order):
        single.learn_one(i, y)
    assert whole.model.classifier.weights == single.model.classifier.weights
    with restarted(whole, url) as again:
        assert [ask.event_id for ask in again.asks("learned")] == order
        assert again.model.classifier.weights == single.model.classifier.weights


def test_more_labels_than_one_query_may_name_are_learned(url):
    service = asked(url, 1203)
    assert service.learn_each(labels(range(1203))) == [None] * 1203
    assert service.model.n_learned == 1203


@pytest.mark.parametrize("key", [None, 1.5, True, ("a",)])
def test_what_cannot_be_an_id_is_an_error_of_its_own(url, key):
    service = asked(url, 2)
    outcomes = service.learn_each([(0, True, None), (key, True, None), (1, False, None)])
    assert [type(outcome) for outcome in outcomes] == [type(None), TypeError, type(None)]
    assert service.count("learned") == 2


def test_what_cannot_be_an_id_in_memory_is_an_error_of_its_own():
    service = asked(None, 1)
    outcomes = service.learn_each([([], True, None), (0, True, None)])
    assert [type(outcome) for outcome in outcomes] == [TypeError, type(None)]


def test_label_twice_with_others_in_between_is_learned_once(url):
    service = asked(url, 3)
    delivery = [
        (0, True, None),
        (0, True, None),
        (1, True, None),
        (0, False, None),
        (1, True, None),
    ]
    outcomes = service.learn_each([*delivery, (2, True, None)])
    kinds = [type(None)] * 3 + [LabelLearnedError] + [type(None)] * 2
    assert [type(outcome) for outcome in outcomes] == kinds
    assert service.model.n_learned == 3


@pytest.mark.parametrize("deed", ["withdraw", "answer anew"])
def test_an_answer_that_somebody_else_changes_meanwhile_is_left_out_alone(url, deed, monkeypatch):
    service = asked(url, 5)
    for i in range(5):
        service.answer(i, True)
    other = durable(url, learns=False)
    found = service._store.get_each

    def interfere(event_ids):
        asks = found(event_ids)
        if deed == "withdraw":
            other.withdraw(2)
        else:
            other.answer(2, False)
        return asks

    monkeypatch.setattr(service._store, "get_each", interfere)
    outcomes = service.learn_each([(i, True, None) for i in range(5)])
    assert [type(each) for each in outcomes] == [
        *[type(None)] * 2,
        AnswerChangedError,
        *[type(None)] * 2,
    ]
    assert (service.model.n_learned, service.count("learned")) == (4, 4)
    assert service[2].state == ("open" if deed == "withdraw" else "answered")

"""`POST /events`: the service says what the learner says, one by one and in batches."""

from __future__ import annotations

import pytest

from river_oa3 import ActiveLearner, PendingLabels, budget


def events(n):
    return [{"id": f"e{i}", "x": {"a": i * 7 % 11, "b": "xyz"[i % 3], "c": None}} for i in range(n)]


def learner():
    return PendingLabels(ActiveLearner(budget=budget.RateBudget(0.2, window=20), seed=3))


def said_alone(n):
    pending = learner()
    return [pending.predict_one(each["id"], each["x"]) for each in events(n)]


def pairs(results):
    return [(each["label"], each["ask"]) for each in results]


def test_an_event_gets_its_label_and_whether_it_is_asked_about(service):
    answer = service.event("payment-1", amount=12.5)
    assert answer.status_code == 200
    assert answer.json() == {"id": "payment-1", "label": False, "ask": True}


@pytest.mark.parametrize("wrap", [lambda batch: batch, lambda batch: {"events": batch}])
def test_a_batch_is_answered_as_the_learner_alone_would_in_its_order(serve, wrap):
    results = serve(learner()).post("/events", wrap(events(60))).json()["results"]
    assert [each["id"] for each in results] == [f"e{i}" for i in range(60)]
    assert pairs(results) == said_alone(60)


def test_single_events_are_answered_as_the_learner_alone_would(serve):
    running = serve(learner())
    results = [running.post("/events", each).json() for each in events(60)]
    assert pairs(results) == said_alone(60)


def test_an_empty_batch_has_no_results(service):
    assert service.post("/events", []).json() == {"results": []}


def test_ids_may_be_whole_numbers_and_stay_apart_from_texts(stored):
    stored.event(7)
    stored.event("7")
    assert stored.open_ids == [7, "7"]


def test_a_bad_event_of_a_batch_is_named_and_the_others_are_answered(service):
    batch = [{"id": "a", "x": {"v": 1}}, {"id": "b", "x": {"v": [1]}}, {"id": "c", "x": {"v": 2}}]
    good, bad, also_good = service.post("/events", batch).json()["results"]
    assert bad["error"]["field"] == "events[1].x.v"
    assert good["ask"]
    assert also_good["ask"]


def test_what_the_learner_refuses_in_a_batch_is_named_too(service):
    batch = [{"id": "a", "x": {"v": 1}}, {"id": "a", "x": {"v": 1}}]
    _, again = service.post("/events", batch).json()["results"]
    assert again["error"]["field"] == "events[1].id"
    assert "pending for 'a' already" in again["error"]["message"]


def test_with_a_store_an_id_that_comes_again_gets_its_old_answer_and_pays_nothing(serve):
    running = serve(store=True, labels=10)
    first = running.event("a", amount=1.0).json()
    left = running.get("/progress").json()["budget"]["left"]
    assert running.event("a", amount=1.0).json() == first
    assert running.get("/progress").json()["budget"]["left"] == left == 9

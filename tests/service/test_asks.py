"""Asks: listed in parts, and handed out so that no two people get the same."""

from __future__ import annotations

import itertools
import tracemalloc

import pytest
from serving import curious, wait_until

from river_oa3 import PendingLabels
from river_oa3.service import create_app


def fill(running, n):
    running.post("/events", [{"id": f"e{i}", "x": {"amount": float(i)}} for i in range(n)])
    return running


def parts(running, limit=10, state="open", between=lambda: None):
    """All asks, part by part, with something happening between two parts."""
    after, found = {}, []
    while after is not None:
        part = running.get("/asks", params={"limit": limit, "state": state, **after}).json()
        assert len(part["asks"]) <= limit
        found += [ask["id"] for ask in part["asks"]]
        after = None if part["next"] is None else {"after": part["next"]}
        between()
    return found


@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize("n", [0, 9, 10, 25])
def test_asks_are_listed_in_parts_the_oldest_first(serve, store, n):
    running = fill(serve(store=store), n)
    assert parts(running) == [f"e{i}" for i in range(n)]
    assert running.get("/asks").json()["count"] == n


@pytest.mark.parametrize("store", [False, True])
def test_answers_between_parts_leave_no_ask_out_and_bring_none_twice(serve, store):
    running = fill(serve(store=store), 60)
    answered = iter([f"e{i}" for i in (0, 3, 9, 25, 1, 2, 59, 40, 12, 5)])

    def answer():
        for event_id in itertools.islice(answered, 2):
            running.post("/labels", {"id": event_id, "label": True})

    found = parts(running, between=answer)
    assert found == sorted(set(found), key=lambda event_id: int(event_id[1:]))
    assert set(running.open_ids) <= set(found)
    assert "e25" not in found  # it was answered before its part came


@pytest.mark.parametrize("store", [False, True])
def test_asks_made_between_parts_come_at_the_end(serve, store):
    running = fill(serve(store=store), 12)
    fresh = iter("abcdefgh")
    found = parts(running, limit=5, between=lambda: running.event(next(fresh)))
    assert found[:12] == [f"e{i}" for i in range(12)]
    assert found[12:] == list("abcdefgh"[: len(found) - 12]) != []


@pytest.mark.parametrize("store", [False, True])
def test_answers_are_listed_in_parts_by_the_order_in_which_they_came(serve, store):
    running = fill(serve(store=store, undo=1e5), 9)
    order = [f"e{i}" for i in (4, 0, 8, 3, 7, 1)]
    for event_id in order:
        running.post("/labels", {"id": event_id, "label": True, "final": False})
    assert parts(running, limit=2, state="answered") == order


def test_labels_are_listed_in_parts_by_the_order_in_which_they_were_learned(stored):
    fill(stored, 9)
    order = [f"e{i}" for i in (4, 0, 8, 3, 7, 1)]
    stored.post("/labels", [{"id": event_id, "label": True} for event_id in order])
    assert parts(stored, limit=4, state="learned") == order


def test_more_asks_than_an_offset_ever_reached_are_listed(stored):
    for start in range(0, 21_000, 1000):
        stored.post("/events", [{"id": start + i, "x": {"a": 1.0}} for i in range(1000)])
    assert parts(stored, limit=500) == list(range(21_000))


def test_an_offset_is_refused_with_what_to_do_instead(service):
    error = service.get("/asks", params={"offset": 0}).json()["error"]
    assert (error["field"], "after" in error["message"]) == ("offset", True)


WRONG_PLACES = [
    *("", "open", "open:", "open:-1", "open:x", "open:1:2", "open:1.5", "open:\u0663"),
    *("open:" + "9" * 30, "open:9223372036854775808", "o" * 10_000, "open:1\x00"),
]


@pytest.mark.parametrize("store", [False, True])
@pytest.mark.parametrize("after", WRONG_PLACES)
def test_a_place_that_is_none_is_refused_by_name(serve, store, after):
    answer = serve(store=store).get("/asks", params={"after": after})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "after")


def test_a_place_among_asks_of_another_state_is_refused_by_name(stored):
    answer = stored.get("/asks", params={"after": "learned:1"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (409, "after")
    assert "'learned:1' is" in answer.json()["error"]["message"]


@pytest.mark.parametrize("after", ["answered:nan:1", "answered:inf:1", "answered:1"])
def test_a_time_that_is_none_is_refused_by_name(stored, after):
    answer = stored.get("/asks", params={"state": "answered", "after": after})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "after")


def test_an_ask_says_what_the_model_thought(stored):
    stored.event("a", amount=3.5, country="FR", age=None)
    (ask,) = stored.get("/asks").json()["asks"]
    assert ask["x"] == {"amount": 3.5, "country": "FR", "age": None}
    assert (ask["state"], ask["answer"], ask["query_probability"]) == ("open", None, 1.0)
    assert ask["reason"].startswith("first come")
    assert 0.0 <= ask["probability"] <= 1.0


@pytest.mark.parametrize(("name", "value"), [("limit", "0"), ("limit", "501"), ("state", "gone")])
def test_a_wrong_part_is_refused_by_name(service, name, value):
    answer = service.get("/asks", params={name: value})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, name)


@pytest.mark.parametrize("store", [False, True])
def test_people_get_different_asks_and_keep_theirs(serve, store):
    running = fill(serve(store=store), 3)
    leased = {who: running.lease(who)["id"] for who in ("ada", "bob", "eve")}
    assert sorted(leased.values()) == ["e0", "e1", "e2"]
    assert running.lease("zoe") is None
    assert {who: running.lease(who)["id"] for who in leased} == leased


def test_a_lease_that_is_not_renewed_goes_to_somebody_else(serve):
    running = fill(serve(lease=0.1), 1)
    running.lease("ada")
    wait_until(lambda: running.lease("bob") is not None)


@pytest.mark.parametrize("store", [False, True])
def test_a_skipped_ask_comes_after_the_others(serve, store):
    running = fill(serve(store=store), 3)
    assert running.lease("ada")["id"] == "e0"
    released = running.post("/asks/release", {"id": "e0", "who": "ada", "skip": True}).json()
    assert released == {"released": True}
    order = []
    for _ in range(3):
        order.append(running.lease("ada")["id"])
        running.post("/labels", {"id": order[-1], "label": False})
    assert order == ["e1", "e2", "e0"]


def test_nobody_gives_back_what_somebody_else_has(service):
    fill(service, 1).lease("ada")
    answer = service.post("/asks/release", {"id": "e0", "who": "bob"}).json()
    assert answer == {"released": False}


def test_an_ask_for_a_person_keeps_the_order_of_the_features_and_the_id_exactly(service):
    service.post("/events", {"id": 2**62 + 1, "x": {"b": 2**60 + 1, "a": None}})
    ask = service.lease("ada")
    assert ask["key"] == str(2**62 + 1)
    assert ask["features"] == [["b", str(2**60 + 1)], ["a", None]]


def large(i):
    return {"id": f"e{i}", "x": {f"t{k}": "t" * 9_900 for k in range(90)}}


def test_a_part_of_large_asks_ends_after_some_megabytes(stored):
    for i in range(12):
        assert stored.post("/events", large(i)).status_code == 200
    part = stored.get("/asks", params={"limit": 500})
    assert 4e6 < len(part.content) < 8e6
    assert part.json()["count"] == 12
    assert parts(stored, limit=500) == [f"e{i}" for i in range(12)]


def test_a_start_reads_no_events_of_labels_that_are_learned(stored, tmp_path):
    for i in range(12):
        stored.post("/events", large(i))
        stored.post("/labels", {"id": f"e{i}", "label": i % 2 == 0})
    stored.stop()
    pending = PendingLabels(curious(), store=f"sqlite:///{tmp_path}/asks.db")
    tracemalloc.start()
    try:
        create_app(pending)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 3e6

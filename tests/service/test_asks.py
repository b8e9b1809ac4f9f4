"""Asks: listed in parts, and handed out so that no two people get the same."""

from __future__ import annotations

import pytest
from serving import wait_until


def fill(running, n):
    running.post("/events", [{"id": f"e{i}", "x": {"amount": float(i)}} for i in range(n)])
    return running


@pytest.mark.parametrize("store", [False, True])
def test_asks_are_listed_in_parts_the_oldest_first(serve, store):
    running = fill(serve(store=store), 25)
    offset, found = 0, []
    while offset is not None:
        part = running.get("/asks", params={"limit": 10, "offset": offset}).json()
        assert part["count"] == 25
        found += [ask["id"] for ask in part["asks"]]
        offset = part["next_offset"]
    assert found == [f"e{i}" for i in range(25)]


def test_an_ask_says_what_the_model_thought(stored):
    stored.event("a", amount=3.5, country="FR", age=None)
    (ask,) = stored.get("/asks").json()["asks"]
    assert ask["x"] == {"amount": 3.5, "country": "FR", "age": None}
    assert (ask["state"], ask["answer"], ask["query_probability"]) == ("open", None, 1.0)
    assert ask["reason"].startswith("first come")
    assert 0.0 <= ask["probability"] <= 1.0


@pytest.mark.parametrize(
    ("name", "value"), [("limit", "0"), ("limit", "501"), ("offset", "-1"), ("state", "gone")]
)
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

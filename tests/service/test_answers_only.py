"""A page for the asks of another process, which learns."""

from __future__ import annotations

import pytest
from serving import curious, wait_until

from river_oa3 import PendingLabels
from river_oa3.service import session


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/asks.db"


@pytest.fixture
def owner(url):
    pending = PendingLabels(curious(), store=url)
    for event_id in ("a", "b"):
        pending.predict_one(event_id, {"amount": 1.0})
    return pending


@pytest.fixture
def page(serve, owner, url):
    return serve(PendingLabels(curious(), store=url, learns=False))


def test_asks_of_the_other_process_are_shown(page):
    assert page.lease("anna")["id"] == "a"
    assert page.open_ids == ["a", "b"]


@pytest.mark.parametrize("final", [True, False])
def test_answers_are_left_to_the_other_process(page, owner, final):
    answer = page.post("/labels", {"id": "a", "label": True, "final": final})
    assert answer.json()["state"] == "answered"
    assert (owner.learn_answered(), owner.model.n_learned) == (1, 1)
    assert owner.predict_one("c", {"amount": 2.0})[1]


def test_answer_can_be_taken_back_until_it_is_learned(page, owner):
    page.post("/labels", {"id": "a", "label": True, "final": False})
    assert page.post("/labels/withdraw", {"id": "a"}).json()["state"] == "open"
    assert owner.learn_answered() == 0


def test_progress_is_that_of_the_other_process(page, owner):
    owner.learn_one("a", True)
    assert page.get("/progress").json()["learned"] == 1


def test_events_are_refused(page):
    refused = page.event("new")
    assert refused.status_code == 403
    assert "--answers-only" in refused.json()["error"]["message"]


def test_answers_are_learned_by_a_service_that_has_the_store(serve, url, monkeypatch):
    monkeypatch.setattr(session, "_LOOK_INTERVAL_S", 0.2)
    owner = serve(PendingLabels(curious(), store=url), undo=0.1)
    owner.event("a")
    page = serve(PendingLabels(curious(), store=url, learns=False))
    page.post("/labels", {"id": "a", "label": True})
    wait_until(lambda: owner.get("/progress").json()["learned"] == 1)

"""Under load: what waits is bounded, slow clients hold up nobody, a store that fails comes back."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time

import pytest
from serving import curious, wait_until

from river_oa3 import PendingLabels
from river_oa3.pending import engines
from river_oa3.service import Limits, app, worker
from river_oa3.service.session import LearnerSession


def request(body, length=None, path="/events"):
    length = len(body) if length is None else length
    return (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {length}\r\n\r\n"
    ).encode() + body


@pytest.fixture
def stuck(serve, monkeypatch):
    """A service whose learner waits for us, and may have ten events waiting."""
    goes_on, predict = threading.Event(), LearnerSession.events

    def wait_and_predict(session, events):
        assert goes_on.wait(20)
        return predict(session, events)

    monkeypatch.setattr(LearnerSession, "events", wait_and_predict)
    running = serve(limits=Limits(backlog=10, batch=10, bodies=100_000))
    running.goes_on = goes_on
    yield running
    goes_on.set()


def test_more_than_may_wait_is_told_to_come_again(stuck):
    batch = [{"id": i, "x": {"v": i}} for i in range(8)]
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(stuck.post("/events", batch)))
    waiting.start()
    wait_until(lambda: stuck.app.state.worker.waiting == 8)
    refused = stuck.post("/events", [{"id": f"b{i}", "x": {}} for i in range(3)])
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    stuck.goes_on.set()
    waiting.join()
    assert answers[0].status_code == 200
    assert stuck.event("later").status_code == 200


def test_a_service_that_ends_answers_what_it_has_accepted(stuck):
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(stuck.event("a")))
    waiting.start()
    wait_until(lambda: stuck.app.state.worker.waiting == 1)
    stuck._server.should_exit = True
    time.sleep(0.3)
    stuck.goes_on.set()
    waiting.join()
    assert answers[0].json()["ask"] is True


def test_a_thousand_idle_and_slow_connections_hold_up_nobody(service):
    body = json.dumps({"id": "slow", "x": {"v": 1}}).encode()
    connections = [service.connect() for _ in range(900)]
    for index, connection in enumerate(connections):
        if index % 3 == 1:
            connection.sendall(b"POST /events HTTP/1.1\r\nhost: lo")
        elif index % 3 == 2:
            connection.sendall(request(body[:10], len(body)))
    times = []
    for i in range(100):
        start = time.perf_counter()
        assert service.event(f"quick-{i}").status_code == 200
        times.append(time.perf_counter() - start)
    assert sorted(times)[50] < 0.1
    # The slow ones are answered when they get there.
    connections[2].sendall(body[10:])
    assert b'"ask":true' in connections[2].recv(10_000)
    for connection in connections:
        connection.close()


def test_a_body_that_never_ends_is_not_waited_for(serve):
    running = serve(limits=Limits(seconds=0.2))
    with running.connect() as connection:
        connection.sendall(request(b'{"id"', length=100))
        assert connection.recv(10_000).startswith(b"HTTP/1.1 408")


def test_large_bodies_share_a_limit(serve):
    running = serve(limits=Limits(bodies=100_000, seconds=20))
    with running.connect() as holding, running.connect() as waiting:
        holding.sendall(request(b" " * 60_000, length=60_001))
        wait_until(lambda: b"HTTP/1.1 503" in _answer_to(running, b" " * 60_000))
        waiting.sendall(request(b"{}"))
        assert waiting.recv(10_000).startswith(b"HTTP/1.1 422")


def test_bodies_that_wait_for_the_learner_count_too(stuck):
    event = {"id": "first", "x": {f"t{i}": "t" * 9_000 for i in range(7)}}
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(stuck.post("/events", event)))
    waiting.start()
    wait_until(lambda: stuck.app.state.worker.waiting == 1)
    refused = stuck.post("/events", event | {"id": "second"})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert "too many large requests" in refused.json()["error"]["message"]
    stuck.goes_on.set()
    waiting.join()
    assert answers[0].status_code == 200
    assert stuck.post("/events", event | {"id": "third"}).status_code == 200


def _answer_to(running, body):
    with running.connect() as connection:
        connection.sendall(request(body))
        return connection.recv(10_000)


def test_a_locked_database_is_said_and_recovered_from(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE", 0.1)
    running = serve(store=True, labels=5)
    running.event("before")
    lock = sqlite3.connect(tmp_path / "asks.db", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    refused = running.event("meanwhile")
    assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
    assert str(tmp_path) not in refused.text
    lock.execute("ROLLBACK")
    lock.close()
    assert running.event("meanwhile").json()["ask"] is True
    wait_until(lambda: running.get("/health").json()["ready"])
    progress = running.get("/progress").json()
    assert (progress["open"], progress["budget"]["left"]) == (2, 3)


def test_what_fails_is_told_to_those_who_watch_until_a_write_succeeds(
    serve, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(engines, "PATIENCE", 0.05)
    monkeypatch.setattr(app, "_HEALTH_CACHE_S", 0.0)
    monkeypatch.setattr(worker, "_FAILURE_HOLD_S", 0.0)
    running = serve(store=True)
    running.event("before")
    lock = sqlite3.connect(tmp_path / "asks.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")  # all can be read, and nothing written
    for i in range(3):
        assert running.event(f"meanwhile-{i}").status_code == 503
        assert running.get("/progress").json()["asked"] == 1
        health = running.get("/health")
        assert (health.status_code, health.json()["store"]) == (503, "failing")
    text = running.get("/metrics").text
    assert "river_oa3_store_up 0" in text
    assert re.search(r"river_oa3_store_errors_total [1-9]", text)
    assert 'http_requests_total{path="/events",status="503"} 3' in text
    lock.execute("ROLLBACK")
    lock.close()
    assert running.get("/health").json()["ready"]
    text = running.get("/metrics").text
    assert "river_oa3_store_up 1" in text
    assert "river_oa3_asks_total 1" in text
    # One line for the failure, and one for its end.
    assert len(caplog.records) == 2


def test_numbers_of_the_service_come_though_the_learner_is_busy(stuck):
    waiting = threading.Thread(target=stuck.event, args=("a",))
    waiting.start()
    wait_until(lambda: stuck.app.state.worker.waiting == 1)
    text = stuck.get("/metrics").text
    assert re.search(r"river_oa3_backlog [12]", text)
    assert "river_oa3_asks_total" not in text
    stuck.goes_on.set()
    waiting.join()


def test_a_second_service_on_the_store_is_told_of_by_the_first(serve, caplog):
    first = serve(store=True)
    first.event("a")
    second = serve(store=True)
    health = first.get("/health")
    assert (health.status_code, health.json()["store"]) == (503, "taken over")
    assert second.get("/health").json()["ready"]
    for i in range(5):
        refused = first.event(f"b{i}")
        assert refused.status_code == 503
        assert "another process has taken over" in refused.json()["error"]["message"]
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert second.event("b0").json()["ask"] is True


def test_the_oldest_ask_is_dropped_at_the_capacity_with_a_word(serve, tmp_path, caplog):
    store = f"sqlite:///{tmp_path}/asks.db"
    running = serve(PendingLabels(curious(), capacity=2, store=store))
    for i in range(6):
        running.event(f"e{i}")
    assert running.open_ids == ["e4", "e5"]
    (record,) = caplog.records
    assert "--capacity" in record.getMessage()


def test_an_answer_is_learned_though_the_store_failed_when_its_time_came(
    serve, tmp_path, monkeypatch
):
    monkeypatch.setattr(engines, "PATIENCE", 0.05)
    running = serve(store=True, undo=0.3)
    running.event("a")
    running.post("/labels", {"id": "a", "label": True, "final": False})
    lock = sqlite3.connect(tmp_path / "asks.db", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    wait_until(lambda: running.app.state.worker.store_errors > 0)
    lock.execute("ROLLBACK")
    lock.close()
    wait_until(lambda: running.get("/progress").json()["learned"] == 1)

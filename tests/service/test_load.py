"""Under load: what waits is bounded, slow clients hold up nobody, a store that fails comes back."""

from __future__ import annotations

import json
import sqlite3
import threading
import time

import pytest
from serving import wait_until

from river_oa3.pending import engines
from river_oa3.service import Limits
from river_oa3.service.desk import Desk


def request(body, length=None, path="/events"):
    length = len(body) if length is None else length
    return (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {length}\r\n\r\n"
    ).encode() + body


@pytest.fixture
def stuck(serve, monkeypatch):
    """A service whose learner waits for us, and may have ten events waiting."""
    goes_on, predict = threading.Event(), Desk.events

    def wait_and_predict(desk, events):
        assert goes_on.wait(20)
        return predict(desk, events)

    monkeypatch.setattr(Desk, "events", wait_and_predict)
    running = serve(limits=Limits(backlog=10, batch=10))
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

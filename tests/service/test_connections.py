"""Connections that trickle: the head of a request comes soon, or the connection is closed."""

from __future__ import annotations

import json
import time

import pytest
from serving import wait_until

from river_oa3.service import server

HEADER_TIMEOUT_S = 0.4
HEAD = b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n"


@pytest.fixture
def impatient(service, monkeypatch):
    monkeypatch.setattr(server, "_HEADER_TIMEOUT_S", HEADER_TIMEOUT_S)
    return service


def trickle(connection, content, seconds):
    """Send a byte now and then; says after how many seconds the other side hung up."""
    start = time.monotonic()
    connection.settimeout(0.05)
    for byte in content:
        try:
            connection.sendall(bytes([byte]))
            if connection.recv(1) == b"":
                return time.monotonic() - start
        except TimeoutError:
            pass
        except ConnectionError:
            return time.monotonic() - start
        if time.monotonic() - start > seconds:
            break
    return None


def test_a_head_that_trickles_is_not_waited_for(impatient):
    with impatient.connect() as connection:
        ended = trickle(connection, b"GET /" + b"a" * 10_000, seconds=20)
        assert ended is not None
        assert ended >= 0.9 * HEADER_TIMEOUT_S


def test_a_connection_that_says_nothing_is_closed(impatient):
    with impatient.connect() as connection:
        assert connection.recv(1) == b""


def test_a_further_head_that_trickles_is_not_waited_for(impatient):
    with impatient.connect() as connection:
        connection.sendall(HEAD)
        assert b'{"live":true}' in connection.recv(10_000)
        assert trickle(connection, b"GET /" + b"a" * 10_000, seconds=20) is not None


def test_a_connection_that_has_asked_may_rest_before_it_asks_again(impatient):
    with impatient.connect() as connection:
        for _ in range(2):
            connection.sendall(HEAD)
            assert b'{"live":true}' in connection.recv(10_000)
            time.sleep(2 * HEADER_TIMEOUT_S)


def test_a_body_has_a_time_of_its_own(impatient):
    body = json.dumps({"id": "slow", "x": {"v": 1.0}}).encode()
    head = (
        "POST /events HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    with impatient.connect() as connection:
        connection.sendall(head.encode() + body[:5])
        time.sleep(2 * HEADER_TIMEOUT_S)
        connection.sendall(body[5:])
        assert b'"ask":true' in connection.recv(10_000)


def test_others_are_answered_while_connections_trickle(impatient):
    slow = [impatient.connect() for _ in range(50)]
    for connection in slow:
        connection.sendall(b"GET / HT")
    assert impatient.event("a").status_code == 200
    for connection in slow:
        assert connection.recv(1) == b""
        connection.close()


def test_a_head_that_never_ends_is_refused(service):
    with service.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n")
        connection.settimeout(0.05)
        answer = b""

        def is_answered():
            nonlocal answer
            try:
                connection.sendall(b"x: " + b"a" * 10_000 + b"\r\n")
                answer += connection.recv(10_000)
            except (TimeoutError, ConnectionError):
                pass
            return b"\r\n\r\n" in answer

        wait_until(is_answered)
        assert answer.startswith(b"HTTP/1.1 431 ")
        assert "too long" in json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"]


CHUNKED = (
    b"POST /events HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
MANY_LINES = b"".join(b"x%05d: %s\r\n" % (i, b"v" * 20) for i in range(1000))


@pytest.mark.parametrize(
    ("begin", "piece"), [(b"", MANY_LINES), (b"x: ", b"a" * 30_000)], ids=["many", "one"]
)
def test_lines_after_the_body_that_never_end_are_refused(service, begin, piece):
    with service.connect() as connection:
        connection.sendall(CHUNKED + b"2\r\n{}\r\n0\r\n" + begin)
        connection.settimeout(0.05)
        answer, sent = b"", 0
        while b"\r\n\r\n" not in answer and sent < 5_000_000:
            try:
                connection.sendall(piece)
                sent += len(piece)
                answer += connection.recv(10_000)
            except (TimeoutError, ConnectionError):
                pass
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert sent < 1_000_000
    assert service.get("/progress").json()["seen"] == 0


def test_a_body_in_very_many_pieces_is_read_and_so_are_some_lines_after_it(service):
    body = json.dumps({"id": "pieces", "x": {"text": "t" * 9_000, "more": "u" * 9_000}}).encode()
    pieces = b"".join(b"1\r\n%c\r\n" % each for each in body)
    with service.connect() as connection:
        connection.sendall(CHUNKED + pieces + b"0\r\n" + MANY_LINES + b"\r\n")
        assert b'"ask":true' in connection.recv(10_000)


def test_more_connections_than_there_may_be_are_told_to_come_again(service, monkeypatch):
    monkeypatch.setattr(server, "_MAX_CONNECTIONS", 2)
    idle = [service.connect() for _ in range(3)]
    wait_until(lambda: len(service._server.server_state.connections) == 3)
    refused = service.get("/progress")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert refused.json()["error"]["message"] == "too many connections"
    assert refused.headers["connection"] == "close"
    assert refused.headers["x-content-type-options"] == "nosniff"
    for connection in idle:
        connection.close()
    wait_until(lambda: service.get("/progress").status_code == 200)
    counted = 'http_requests_total{path="/progress",status="503"}'
    assert counted in service.get("/metrics").text


@pytest.mark.parametrize("sent", [b"\x16\x03\x01 hello\r\n\r\n", b"GET / HTTP/1.1\r\n\x00: a\r\n"])
def test_what_is_not_http_is_answered_with_what_browsers_may_not_do(service, sent):
    with service.connect() as connection:
        connection.sendall(sent)
        head = connection.recv(10_000).partition(b"\r\n\r\n")[0]
    assert head.startswith(b"HTTP/1.1 400")
    assert b"x-content-type-options: nosniff" in head
    assert b"content-security-policy: default-src 'none'" in head

"""Safe by default: who is let in, and what every answer says to browsers."""

from __future__ import annotations

import pytest

TOKEN = "a-token-of-some-length"
GUARDED = ["/asks", "/quality", "/progress", "/metrics", "/openapi.json"]
OPEN = ["/", "/docs", "/health", "/health/live", "/page/main.js"]
POSTED = ["/events", "/labels", "/labels/withdraw", "/asks/lease", "/asks/release"]


@pytest.fixture(scope="module")
def plain(module_service):
    return module_service()


@pytest.fixture(scope="module")
def locked(module_service):
    return module_service(token=TOKEN)


@pytest.mark.parametrize("path", GUARDED)
@pytest.mark.parametrize(
    "shown", [None, "", "Bearer", f"Bearer {TOKEN}x", f"bearer {TOKEN}", TOKEN]
)
def test_without_the_token_nothing_is_read(locked, path, shown):
    headers = {} if shown is None else {"authorization": shown}
    answer = locked.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "token" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", POSTED)
def test_without_the_token_nothing_is_done(locked, path):
    assert locked.post(path, {"id": "a", "x": {}}).status_code == 401


@pytest.mark.parametrize("path", GUARDED)
def test_the_token_opens(locked, path):
    assert locked.get(path, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


@pytest.mark.parametrize("path", OPEN)
def test_what_holds_no_data_needs_no_token(locked, path):
    assert locked.get(path).status_code == 200
    assert locked.client.head(path).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", ""])
def test_without_a_token_a_request_for_another_host_is_refused(plain, host):
    assert plain.get("/progress", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000"])
def test_without_a_token_this_machine_is_answered_by_any_of_its_names(plain, host):
    assert plain.get("/progress", headers={"host": host}).status_code == 200


def test_with_a_token_the_service_may_have_any_name(locked):
    headers = {"host": "asks.example", "authorization": f"Bearer {TOKEN}"}
    assert locked.get("/progress", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://["]
)
def test_a_page_of_another_address_can_send_nothing(plain, origin):
    answer = plain.post("/events", {"id": "a", "x": {}}, headers={"origin": origin})
    assert answer.status_code == 403


def test_the_page_itself_can_send(plain):
    answer = plain.post("/asks/lease", {"who": "ada"}, headers={"origin": plain.url})
    assert answer.status_code == 200


def test_other_pages_are_not_let_in_by_cors(plain):
    headers = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    answer = plain.client.options("/events", headers=headers)
    assert answer.status_code >= 400
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", [*OPEN, *GUARDED, "/nothing"])
def test_every_answer_tells_browsers_what_they_may_not_do(plain, path):
    headers = plain.get(path).headers
    policy = dict(each.split(" ", 1) for each in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers

"""Bad requests: refused with the right status, by the name of the field, and without harm."""

from __future__ import annotations

import contextlib
import gc
import json
import re
import time

import hypothesis
import pytest
from hypothesis import strategies as st

from river_oa3.service import Limits
from river_oa3.service.parse import parse_json
from river_oa3.service.problems import Problem

SMALL = Limits(body=20_000, batch=3, features=4, name=8, text=16, id=10)


@pytest.fixture(scope="module")
def small(module_service):
    return module_service(limits=SMALL)


@pytest.fixture(scope="module")
def fuzzed(module_service):
    return module_service(limits=SMALL)


def event(**changes):
    return json.dumps({"id": "a", "x": {"v": 1.0}} | changes).encode()


BAD_EVENTS = {
    "nothing": (b"", 400, None),
    "not JSON": (b"{", 400, None),
    "two values": (b"{} {}", 400, None),
    "not UTF-8": (b'{"id": "\xff", "x": {}}', 400, None),
    "UTF-16": ('{"id": "a", "x": {}}'.encode("utf-16"), 400, None),
    "NaN": (b'{"id": "a", "x": {"v": NaN}}', 400, None),
    "infinity": (b'{"id": "a", "x": {"v": -Infinity}}', 400, None),
    "a name twice": (b'{"id": "a", "x": {"v": 1, "v": 2}}', 400, None),
    "half a character": (b'{"id": "a", "x": {"v": "\\ud800"}}', 400, None),
    "half a character as a name": (b'{"id": "a", "x": {"\\uDFFF": 1}}', 400, None),
    "nested deeply": (b"[" * 9_000 + b"]" * 9_000, 400, None),
    "too many digits": (b'{"id": "a", "x": {"v": ' + b"9" * 6_000 + b"}}", 400, None),
    "a number": (b"3", 422, None),
    "null": (b"null", 422, None),
    "no id": (b'{"x": {}}', 422, "id"),
    "no x": (b'{"id": "a"}', 422, "x"),
    "unknown field": (event(y=1), 422, "y"),
    "an empty id": (event(id=""), 422, "id"),
    "a long id": (event(id="a" * 11), 422, "id"),
    "a null id": (event(id=None), 422, "id"),
    "an id that is true": (event(id=True), 422, "id"),
    "an id with a fraction": (event(id=1.5), 422, "id"),
    "a huge id": (event(id=2**63), 422, "id"),
    "an id that is a list": (event(id=["a"]), 422, "id"),
    "x is a list": (event(x=[1]), 422, "x"),
    "x is null": (event(x=None), 422, "x"),
    "too many features": (event(x={str(i): i for i in range(5)}), 422, "x"),
    "a long name": (event(x={"n" * 9: 1}), 422, "x.nnnnnnnnn..."),
    "a long text": (event(x={"v": "t" * 17}), 422, "x.v"),
    "a list as value": (event(x={"v": [1]}), 422, "x.v"),
    "an object as value": (event(x={"v": {}}), 422, "x.v"),
    "beyond all numbers": (b'{"id": "a", "x": {"v": 1e999}}', 422, "x.v"),
    "a number just beyond all": (event(x={"v": 2**1024}), 422, "x.v"),
    "too large a batch": (json.dumps([{}] * 4).encode(), 413, "events"),
    "events is no list": (b'{"events": {}}', 422, "events"),
    "something beside events": (b'{"events": [], "more": 1}', 422, "more"),
    "too large a body": (b" " * 20_001, 413, None),
}


@pytest.mark.parametrize("name", BAD_EVENTS)
def test_an_event_is_refused_that_is(small, name):
    body, status, field = BAD_EVENTS[name]
    answer = small.post("/events", body)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"].get("field") == field
    assert answer.json()["error"]["message"]


BAD_LABELS = {
    "no label": ({"id": "a"}, "label"),
    "a label with a fraction": ({"id": "a", "label": 0.5}, "label"),
    "a null label": ({"id": "a", "label": None}, "label"),
    "a label in words": ({"id": "a", "label": "fraud"}, "label"),
    "a label of a third class": ({"id": "a", "label": 2}, "label"),
    "a weight of nothing": ({"id": "a", "label": True, "weight": 0}, "weight"),
    "a negative weight": ({"id": "a", "label": True, "weight": -1}, "weight"),
    "a weight in words": ({"id": "a", "label": True, "weight": "1"}, "weight"),
    "final in words": ({"id": "a", "label": True, "final": "no"}, "final"),
    "nobody": ({"id": "a", "label": True, "who": ""}, "who"),
    "a person with a line end": ({"id": "a", "label": True, "who": "a\n"}, "who"),
    "unknown field": ({"id": "a", "label": True, "wieght": 2}, "wieght"),
}


@pytest.mark.parametrize("name", BAD_LABELS)
def test_a_label_is_refused_that_is(small, name):
    body, field = BAD_LABELS[name]
    answer = small.post("/labels", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/jsonp"},
        {"content-type": ""},
        {"content-encoding": "gzip"},
        {"content-type": "application/octet-stream"},  # what pickles are sent as
    ],
)
def test_only_plain_json_is_read(small, headers):
    assert small.post("/events", event(), headers=headers).status_code == 415


def test_a_body_without_a_length_is_limited_too(small):
    pieces = (b" " * 1_000 for _ in range(50))
    headers = {"content-type": "application/json"}
    assert small.client.post("/events", content=pieces, headers=headers).status_code == 413


texts = st.text(st.characters(codec="utf-8"), max_size=20)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@hypothesis.given(
    st.binary(max_size=200) | st.text('{}[]"\\:,eE+-.0123456789truefalsn\\ud8 ').map(str.encode)
)
def test_any_bytes_are_understood_or_refused(body):
    try:
        value = parse_json(body)
    except Problem:
        return
    assert value == json.loads(body)


@hypothesis.given(anything)
def test_what_json_writes_is_understood(value):
    assert parse_json(json.dumps(value).encode()) == value


@hypothesis.settings(
    deadline=None,
    max_examples=150,
)
@hypothesis.given(
    path=st.sampled_from(
        ["/events", "/labels", "/labels/withdraw", "/asks/lease", "/asks/release"]
    ),
    value=anything
    | st.fixed_dictionaries({}, optional=dict.fromkeys(("id", "x", "label", "who"), anything))
    | st.lists(st.fixed_dictionaries({"id": texts, "x": st.dictionaries(texts, anything)})),
)
def test_nothing_that_is_sent_breaks_the_service(fuzzed, path, value):
    answer = fuzzed.post(path, json.dumps(value).encode())
    assert answer.status_code < 500, answer.text


def test_nothing_that_was_refused_has_been_counted(small):
    for body, _, _ in BAD_EVENTS.values():
        small.post("/events", body)
    progress = small.get("/progress").json()
    assert (progress["seen"], progress["open"]) == (0, 0)


@pytest.mark.parametrize("path", ["/nothing", "/page/../app.py", "/page/%2e%2e/app.py", "/page/"])
def test_what_is_not_there_is_said_in_json(small, path):
    answer = small.get(path)
    assert answer.status_code == 404
    assert answer.json() == {"error": {"message": "not found"}}


def test_a_wrong_method_is_said_in_json(small):
    answer = small.client.delete("/events")
    assert (answer.status_code, list(answer.json())) == (405, ["error"])
    assert answer.headers["allow"] == "POST"
    assert small.post("/asks", {}).headers["allow"] == "GET"


def test_what_fails_inside_leaks_nothing(service, monkeypatch):
    def fail(*_):
        raise RuntimeError("secret /etc/passwd")

    monkeypatch.setattr(service.app.state.worker._session, "progress", fail)
    answer = service.get("/progress")
    assert answer.status_code == 500
    assert not re.search(r"secret|passwd|Traceback|\.py", answer.text)


def test_what_is_not_http_is_refused_in_json(small):
    with small.connect() as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        head, _, body = connection.recv(10_000).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert json.loads(body)["error"]["message"] == "the request is not HTTP"


def test_an_endless_head_is_cut_off(small):
    with small.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n")
        sent = 0
        try:
            while sent < 2**22:
                connection.sendall(b"x-%d: %s\r\n" % (sent, b"a" * 8_000))
                sent += 8_000
        except OSError:
            pass
    assert sent < 2**22


def test_a_name_that_is_there_again_is_found_at_once(service):
    names = ",".join(f'"{i}":1' for i in range(60_000))
    start = time.perf_counter()
    refused = service.post("/events", f'{{"id":"a","x":{{{names},"59999":2}}}}'.encode())
    assert refused.status_code == 400
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b",".join([b"{}"] * 1_390_000) + b"]",
        b'{"id":"a","x":{"v":[' + b",".join([b"{}"] * 1_390_000) + b"]}}",
    ],
    ids=["batch", "value"],
)
def test_a_million_empty_objects_are_refused_before_they_are_read(service, body):
    start = time.process_time()
    refused = service.post("/events", body)
    assert refused.status_code == 413
    assert "objects" in refused.json()["error"]["message"]
    # This process sends it too.
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize("body", [b"[" + b"[]," * 100_000 + b"[]]", b"[" + b"[]," * 100_000])
def test_lists_are_read_without_a_collection_for_each_few_thousand(body):
    starts = []
    gc.callbacks.append(lambda phase, _: starts.append(phase))
    try:
        with contextlib.suppress(Problem):
            parse_json(body)
        assert starts.count("start") <= 1  # when all has been read
        assert gc.isenabled()
    finally:
        gc.callbacks.pop()


def test_an_event_may_be_of_so_many_characters_as_a_whole(serve):
    running = serve(limits=Limits(event=3_000, text=1_000))
    event = {"id": "a", "x": {f"t{i}": "t" * 900 for i in range(3)}}
    assert running.post("/events", event).status_code == 200
    event = {"id": "b", "x": event["x"] | {"more": "t" * 900}}
    refused = running.post("/events", event)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "x")
    assert "3,610 characters, and may have 3,000" in refused.json()["error"]["message"]
    small, large = running.post("/events", [{"id": "c", "x": {}}, event]).json()["results"]
    assert (small["ask"], large["error"]["field"]) == (True, "events[1].x")


def test_a_weight_of_many_digits_is_refused_by_name(service):
    service.event("a")
    refused = service.post("/labels", b'{"id":"a","label":true,"weight":1%s}' % (b"0" * 400))
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == "weight"

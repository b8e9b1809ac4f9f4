"""`river-oa3 serve`: a process that starts safely, ends cleanly and goes on where it stood."""

from __future__ import annotations

import re
import resource
import signal
import socket
import subprocess
import sys

import httpx
import pytest
from databases import without_tables
from serving import curious, wait_until

from river_oa3 import PendingLabels, cli
from river_oa3.files import save
from river_oa3.service import server

TOKEN = "a-token-of-some-length"


def address(process):
    """Where a service that has just been started answers."""
    said = process.stdout.readline()
    return re.search(r"http://\S+?(?=/$)", said.strip())[0]


def warnings_of(process):
    """All that it has said but what is said of every start."""
    return [line for line in process.stderr.read().splitlines() if " INFO " not in line]


def events(url, ids, **headers):
    batch = [{"id": each, "x": {"v": float(len(each))}} for each in ids]
    return httpx.post(f"{url}/events", json=batch, headers=headers, timeout=20)


def ended(process):
    process.send_signal(signal.SIGTERM)
    return process.wait(timeout=30)


def test_it_ends_cleanly_when_told_to_and_goes_on_where_it_stood(command, tmp_path):
    first = command("--port", 0)
    url = address(first)
    events(url, ["a", "bb"])
    httpx.post(f"{url}/labels", json={"id": "a", "label": True})
    assert ended(first) == 0
    assert warnings_of(first) == []
    assert (tmp_path / "model.asks.db").is_file()
    second = command("--port", 0)
    progress = httpx.get(f"{address(second)}/progress").json()
    assert (progress["learned"], progress["open"]) == (1, 1)
    assert ended(second) == 0


TIMED = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ([A-Z]+) (.+)")


def test_it_says_what_it_does_with_the_time_and_whose_model_it_goes_on_with(command):
    for reads in (["reading the model from"], ["reading the model from", "in the store, after 1"]):
        process = command("--port", 0)
        url = address(process)
        events(url, ["a"])
        httpx.post(f"{url}/labels", json={"id": "a", "label": True})
        assert ended(process) == 0
        lines = process.stderr.read().splitlines()
        assert len(lines) == len(reads)
        for line, text in zip(lines, reads, strict=True):
            level, said = TIMED.fullmatch(line).groups()
            assert level == "INFO"
            assert text in said


def test_what_anybody_may_send_writes_nothing_to_the_log(command):
    process = command("--port", 0)
    url = address(process)
    upgrade = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    assert httpx.get(url, headers=upgrade).status_code == 200
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert connection.recv(10_000).startswith(b"HTTP/1.1 400")
    assert ended(process) == 0
    assert warnings_of(process) == []


def test_a_service_whose_store_is_taken_over_says_so_in_one_line(command, tmp_path):
    first = command("--port", 0, "--store", tmp_path / "mine.db")
    url = address(first)
    second = command("--port", 0, "--store", tmp_path / "mine.db")
    other = address(second)
    assert httpx.get(f"{url}/health").json()["store"] == "taken over"
    for i in range(5):
        assert events(url, [f"e{i}"]).status_code == 503
    assert events(other, ["e0"]).status_code == 200
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=30) == 1  # it could keep no snapshot
    taken, unsaved = warnings_of(first)
    assert TIMED.fullmatch(taken)[1] == TIMED.fullmatch(unsaved)[1] == "ERROR"
    assert "another process has taken over the store" in taken


def test_asks_beyond_the_capacity_make_way_with_a_warning(command):
    process = command("--port", 0, "--capacity", 2)
    url = address(process)
    events(url, ["a", "b", "c", "d"])
    assert [ask["id"] for ask in httpx.get(f"{url}/asks").json()["asks"]] == ["c", "d"]
    assert ended(process) == 0
    (warning,) = warnings_of(process)
    assert TIMED.fullmatch(warning)[1] == "WARNING"
    assert "--capacity" in warning


SERVE = """
import gc, os, signal, sys, threading, urllib.request
from river_oa3 import ActiveLearner, PendingLabels
from river_oa3.service import create_app
from river_oa3.service.server import listen, serve

def end():
    urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live").read()
    os.kill(os.getpid(), signal.SIGTERM)

before = sys.getswitchinterval(), gc.get_freeze_count()
with listen("127.0.0.1", 0) as listening:
    port = listening.getsockname()[1]
    threading.Thread(target=end).start()
    assert serve(create_app(PendingLabels(ActiveLearner(budget=5))), listening)
assert (sys.getswitchinterval(), gc.get_freeze_count()) == before
"""


def test_a_program_that_serves_keeps_its_own_settings():
    subprocess.run([sys.executable, "-c", SERVE], check=True, timeout=60)


TOLD_EARLY = """
import os, signal, uvicorn
from river_oa3 import ActiveLearner, PendingLabels
from river_oa3.service import create_app
from river_oa3.service.server import listen, serve

class Server(uvicorn.Server):
    def run(self, sockets=None):
        os.kill(os.getpid(), signal.SIGTERM)
        super().run(sockets)

uvicorn.Server = Server
with listen("127.0.0.1", 0) as listening:
    assert serve(create_app(PendingLabels(ActiveLearner(budget=5))), listening)
"""


def test_a_signal_that_comes_before_it_listens_to_any_ends_it():
    subprocess.run([sys.executable, "-c", TOLD_EARLY], check=True, timeout=60)


def test_nothing_is_lost_when_it_is_killed(command, tmp_path):
    first = command("--port", 0, "--store", tmp_path / "mine.db")
    asked = events(address(first), ["a", "bb"]).json()
    first.kill()
    first.wait()
    url = address(command("--port", 0, "--store", tmp_path / "mine.db"))
    assert [ask["id"] for ask in httpx.get(f"{url}/asks").json()["asks"]] == ["a", "bb"]
    assert events(url, ["a", "bb"]).json() == asked
    assert httpx.get(f"{url}/progress").json()["asked"] == 2


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_a_full_disk_is_said_and_recovered_from(command):
    process = command("--port", 0)
    url = address(process)
    assert events(url, ["before"]).status_code == 200
    _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    refused = events(url, ["meanwhile"])
    assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
    assert httpx.get(f"{url}/health/live").status_code == 200
    health = httpx.get(f"{url}/health")
    assert (health.status_code, health.json()["store"]) == (503, "failing")
    assert "river_oa3_store_up 0" in httpx.get(f"{url}/metrics").text
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
    wait_until(lambda: events(url, ["meanwhile"]).status_code == 200)
    asks = httpx.get(f"{url}/asks").json()["asks"]
    assert [ask["id"] for ask in asks] == ["before", "meanwhile"]
    wait_until(lambda: httpx.get(f"{url}/health").json()["ready"])
    assert ended(process) == 0


def _listens(host):
    try:
        server.listen(host, 0).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.2", "::1", "localhost"])
def test_every_address_of_this_machine_alone_needs_no_token(command, host):
    if not _listens(host):
        pytest.skip(f"this machine has no {host}")
    process = command("--port", 0, "--host", host)
    url = address(process)
    assert events(url, ["a"]).status_code == 200
    assert httpx.get(f"{url}/asks").json()["count"] == 1
    assert events(url, ["b"], host="evil.example").status_code == 421
    assert ended(process) == 0
    assert warnings_of(process) == []


def test_all_of_it_on_postgresql(command, postgresql):
    """Asked, answered, killed, answered again, ended, and gone on: nothing lost, nothing twice."""
    url = without_tables(postgresql)
    first = command("--port", 0, "--store", url, "--undo", 0.1)
    service = address(first)
    ids = [f"e{i}" for i in range(60)]
    asked = events(service, ids).json()
    assert all(each["ask"] for each in asked["results"])
    labels = [{"id": each, "label": i % 3 == 0} for i, each in enumerate(ids[:40])]
    answered = httpx.post(f"{service}/labels", json=labels, timeout=20).json()["results"]
    assert {each["state"] for each in answered} == {"learned"}
    ask = httpx.post(f"{service}/asks/lease", json={"who": "ada"}).json()["ask"]
    assert ask["id"] == "e40"
    first.kill()
    first.wait()
    second = command("--port", 0, "--store", url, "--undo", 0.1)
    service = address(second)
    assert events(service, ids).json() == asked
    again = httpx.post(f"{service}/labels", json=labels, timeout=20).json()["results"]
    assert again == answered
    answer = {"id": "e40", "label": True, "final": False, "who": "ada"}
    assert httpx.post(f"{service}/labels", json=answer).json()["state"] == "answered"
    wait_until(lambda: httpx.get(f"{service}/progress").json()["learned"] == 41)
    quality = httpx.get(f"{service}/quality").json()
    assert quality["n_labels"] == 41
    assert ended(second) == 0
    service = address(command("--port", 0, "--store", url))
    progress = httpx.get(f"{service}/progress").json()
    assert (progress["asked"], progress["learned"], progress["open"]) == (60, 41, 19)
    assert httpx.get(f"{service}/quality").json() == quality
    listed = httpx.get(f"{service}/asks", params={"limit": 10}).json()
    following = httpx.get(f"{service}/asks", params={"limit": 10, "after": listed["next"]}).json()
    assert [ask["id"] for ask in listed["asks"] + following["asks"]] == ids[41:]


def test_a_token_from_the_environment_locks_it(command):
    url = address(command("--port", 0, RIVER_OA3_TOKEN=TOKEN))
    assert events(url, ["a"]).status_code == 401
    assert events(url, ["a"], authorization=f"Bearer {TOKEN}").status_code == 200


def test_a_token_on_the_command_line_is_taken_with_a_warning(command):
    process = command("--port", 0, "--token", TOKEN)
    assert events(address(process), ["a"]).status_code == 401
    ended(process)
    assert "can see --token" in process.stderr.read()


REFUSED = {
    "others": (["--host", "0.0.0.0"], "set a token"),
    "a name": (["--host", "example.org"], "set a token"),
    "a short token": (["--token", "secret"], "16 or more"),
    "a token with a space": (["--token", "a token of some length"], "no space"),
    "a port that is none": (["--port", "70000"], "65535"),
    "a strange address": (["--host", "127.0.0.999", "--token", TOKEN], "cannot listen"),
    "a strange life": (["--time-to-live", "soon"], "7d"),
    "no capacity": (["--capacity", "0"], "--capacity"),
    "a store that is none": (["--store", "nothing://here"], "nothing://here"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_does_not_start_with(name, tmp_path, capsys):
    save(curious(), tmp_path / "model.oa3")
    options, message = REFUSED[name]
    words = ["serve", str(tmp_path / "model.oa3"), "--port", "0", *options]
    assert cli.main(words) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_holds_pending_labels_is_refused_with_what_to_save(tmp_path, capsys):
    pending = PendingLabels(curious())
    pending.predict_one("a", {"v": 1.0})
    save(pending, tmp_path / "pending.oa3")
    assert cli.main(["serve", str(tmp_path / "pending.oa3"), "--port", "0"]) == 2
    assert "save(pending.model, ...)" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.db"))


def test_it_does_not_start_without_its_model(tmp_path, capsys):
    assert cli.main(["serve", str(tmp_path / "none.oa3"), "--port", "0"]) == 2
    assert "none.oa3" in capsys.readouterr().err

"""After `kill -9` at any instruction the budget is exact, and no ask and no label is lost."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import os
import random
import signal
import sys
import time

import pytest
from durable_services import EVENTS, abandoned, durable, rows

from river_oa3 import budget, query

forked = multiprocessing.get_context("fork") if hasattr(os, "fork") else None
pytestmark = pytest.mark.skipif(forked is None, reason="processes are forked to be killed")

LABELS, N_KILLS = 300, 100


def serve(connection, url):
    """A process that answers requests, until it is killed."""
    service = make_killed(url)
    while True:
        kind, event_id, given = connection.recv()
        if kind == "event":
            connection.send(service.predict_one(event_id, given))
        else:
            connection.send(service.learn_one(event_id, given))


def make_killed(url):
    return durable(url, LABELS, query.RandomQuery(0.1), snapshot_every=20)


class Client:
    """Sends everything again until there is an answer, while processes are killed."""

    def __init__(self, url, seed):
        self.url, self.chance, self.n_kills, self.process = url, random.Random(seed), 0, None

    def request(self, *request):
        while True:
            try:
                if self.process is None:
                    self.start()
                self.send(request)
                return self.connection.recv()
            except (EOFError, ConnectionError):
                self.process.join()
                self.process = None

    def start(self):
        self.connection, theirs = forked.Pipe()
        self.process = forked.Process(target=serve, args=(theirs, self.url), daemon=True)
        self.process.start()
        theirs.close()
        # How many requests it lives to see; some die before they have read the store.
        self.life = self.chance.randrange(30) if self.n_kills < N_KILLS else math.inf

    def send(self, request):
        self.connection.send(request)
        self.life -= 1
        if self.life < 0:
            # In the middle of the work, more often than not.
            time.sleep(self.chance.expovariate(1 / 0.002))
            os.kill(self.process.pid, signal.SIGKILL)
            self.n_kills += 1

    def stop(self):
        self.process.kill()
        self.process.join()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_or_paid_twice_over_a_hundred_kills(tmp_path, seed):
    url = f"sqlite:///{tmp_path}/asks.db"
    client, answers, labelled, n_asked_at_last_kill = Client(url, seed), {}, [], 0
    for i in itertools.count():
        if client.n_kills < N_KILLS:
            n_asked_at_last_kill = len(labelled)
        elif len(labelled) >= LABELS:
            break
        x, y = EVENTS[i % len(EVENTS)]
        answers[i] = client.request("event", i, x)
        if answers[i][1]:
            labelled.append((i, y))
        if labelled and client.chance.random() < 0.1:
            client.request("label", *client.chance.choice(labelled))
    for _ in range(200):  # for which there are no labels left
        answers[i] = client.request("event", i, x)
        i += 1
    for label in labelled:
        client.request("label", *label)
    client.stop()

    asked = {event_id for event_id, (_, ask) in answers.items() if ask}
    stored = rows(url)
    assert {int(row["event_id"]) for row in stored} == asked
    assert [row["state"] for row in stored] == ["learned"] * LABELS
    assert n_asked_at_last_kill > 50  # many of the kills fell among them
    service = make_killed(url)
    assert (service.model._budget.left, service.model.n_asked) == (0, LABELS)
    assert (service.model.n_learned, service.quality.n_labels) == (LABELS, LABELS)
    # Whoever asks again gets the answer that was given, whichever process gave it.
    for event_id in asked:
        assert service.predict_one(event_id, {}) == answers[event_id]
    abandoned(service)


# At every line


def one_of_each(service):
    """An ask, one that nobody asks about, an expiry, an answer, a label and a snapshot."""
    service.predict_one("b", EVENTS[1][0])
    service.predict_one("c", EVENTS[2][0])
    service.answer("b", False)
    service.learn_answered()
    service.learn_one("c", True)
    service.snapshot()


def killed_at(url, line):
    """Do one of each in a process that is killed at the so many-th line of this package."""

    def run():
        service = make(url)
        count = 0

        def trace(frame, event, _):
            nonlocal count
            if "river_oa3" not in frame.f_code.co_filename:
                return None
            count += event == "line"
            if count > line:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        one_of_each(service)
        sys.settrace(None)
        os._exit(0)

    process = forked.Process(target=run)
    process.start()
    process.join()
    return process.exitcode


def make(url):
    return durable(url, budget.TotalBudget(50), time_to_live=30)


@pytest.mark.slow
def test_kill_at_every_line_leaves_what_a_retry_completes(tmp_path):
    whole = make(f"sqlite:///{tmp_path}/whole.db")
    whole.predict_one("a", EVENTS[0][0])
    one_of_each(whole)
    expected = whole.model.classifier.weights
    line, exitcode, n_kills = 0, -9, 0
    while exitcode == -9:
        url = f"sqlite:///{tmp_path}/{line}.db"
        before = make(url)
        before.predict_one("a", EVENTS[0][0])
        abandoned(before)
        exitcode = killed_at(url, line)
        n_kills += exitcode == -9
        service = make(url)
        asked = len(rows(url))
        assert service.model._budget._spent == service.model.n_asked == asked
        assert service.model.n_learned == service.count("learned")
        one_of_each(service)
        assert service.model.classifier.weights == expected
        assert service.model._budget._spent == len(rows(url)) == 3
        assert (service.count("learned"), service.quality.n_labels) == (2, 2)
        abandoned(service)
        line += 9
    assert exitcode == 0
    assert n_kills > 50

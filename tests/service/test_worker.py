"""The learner's thread: what fails is told to those whom it concerns."""

from __future__ import annotations

import asyncio
import threading

import pytest
from serving import curious

from river_oa3 import PendingLabels
from river_oa3.pending import StoreError
from river_oa3.service import Settings, worker
from river_oa3.service.problems import Problem
from river_oa3.service.session import LearnerSession
from river_oa3.service.worker import Worker


def fail(_):
    raise StoreError("the disk is full")


def event(session):
    return session.events([("a", {"v": 1.0})])


def outcomes(tmp_path, *jobs):
    """What jobs give that waited together; each says whether it shares its transaction."""

    async def run():
        pending = PendingLabels(curious(), store=f"sqlite:///{tmp_path}/asks.db")
        worker = Worker(LearnerSession(pending, Settings()), backlog=100)
        worker.start()
        holds = threading.Event()
        first = asyncio.ensure_future(worker.do(lambda _: holds.wait(20)))
        waiting = [asyncio.ensure_future(worker.do(job, 1, shares)) for job, shares in jobs]
        await asyncio.sleep(0.1)
        holds.set()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        await first
        await worker.stop()
        return found

    return asyncio.run(run())


def test_a_job_that_fails_does_not_fail_its_neighbours(tmp_path):
    asked, failed, counted = outcomes(
        tmp_path, (event, True), (fail, False), (lambda session: session.progress()["asked"], False)
    )
    assert asked == [{"id": "a", "label": False, "ask": True}]
    assert isinstance(failed, Problem)
    assert failed.status == 503
    assert counted == 1


def test_a_trial_write_does_not_hide_at_once_that_real_ones_fail(tmp_path, monkeypatch):
    async def run():
        pending = PendingLabels(curious(), store=f"sqlite:///{tmp_path}/asks.db")
        running = Worker(LearnerSession(pending, Settings()), backlog=100)
        running.start()
        states = []
        for job, doubt in ((fail, 60.0), (LearnerSession.check, 60.0), (LearnerSession.check, 0.0)):
            monkeypatch.setattr(worker, "_FAILURE_HOLD_S", doubt)
            await asyncio.gather(running.do(job), return_exceptions=True)
            states.append(running.store)
        await asyncio.gather(running.do(fail), return_exceptions=True)
        monkeypatch.setattr(worker, "_FAILURE_HOLD_S", 60.0)
        await running.do(event, 1, True)
        await running.stop()
        return [*states, running.store]

    assert asyncio.run(run()) == ["failing", "failing", "ok", "ok"]


@pytest.mark.parametrize("order", [1, -1])
def test_jobs_that_share_a_transaction_share_its_failure(tmp_path, order):
    first, second, counted = outcomes(
        tmp_path,
        *[(event, True), (fail, True)][::order],
        (lambda session: session.progress()["asked"], False),
    )
    assert (first.status, second.status) == (503, 503)
    assert counted == (1 if order == 1 else 0)

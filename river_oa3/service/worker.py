from __future__ import annotations

import asyncio
import itertools
import logging
import queue
import threading
import time
import typing
from collections.abc import Callable

from river_oa3.pending import StoreError, StoreTakenError
from river_oa3.service.problems import Problem
from river_oa3.service.session import LearnerSession

__all__ = ["Worker"]

log = logging.getLogger("river_oa3.service")

# As many events share one transaction: enough to share its price, few enough to wait for.
_MAX_GROUP_EVENTS = 1_000

# Seconds until answers that could not be learned are tried again.
_RETRY_DELAY_S = 1.0

# Seconds until the log repeats that the store fails.
_LOG_INTERVAL_S = 60.0

# Seconds for which a trial write, which is small, says nothing against the failure of a real one:
# what is left of a disk may be enough for the one alone.
_FAILURE_HOLD_S = 10.0

Job = Callable[[LearnerSession], typing.Any]


class _Task(typing.NamedTuple):
    job: Job
    done: asyncio.Future[typing.Any]
    size: int
    shares: bool


class Worker:
    """The one thread that has the learner: it does what is asked for, in order.

    Events that wait are decided together, in one transaction of the store, and answered when that
    is on the disk. What waits is bounded; more is refused.

    Parameters
    ----------
    session
        What the jobs are done with; nobody else may touch it.
    backlog
        How many events may wait.

    Attributes
    ----------
    waiting
        How many events wait, or are being worked on.
    store
        How the newest write to the store ended: "ok", "failing", or "taken over" by another
        process.
    store_errors
        How often the store has failed.

    """

    def __init__(self, session: LearnerSession, backlog: int):
        self.waiting = 0
        self.store = "ok"
        self.store_errors = 0
        self.is_saved = False
        self._session = session
        self._backlog = backlog
        self._accepts = False
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        # A daemon, so that a second Ctrl-C ends the process at once: no worse than a power cut.
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._n_writes = self._n_checks = 0
        self._failed_at = -_FAILURE_HOLD_S
        self._logged_at = -_LOG_INTERVAL_S

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin, for callers in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._accepts = True
        self._thread.start()

    async def do(self, job: Job, size: int = 1, shares: bool = False) -> typing.Any:
        """What a job returns or raises, when all it wrote is kept.

        Parameters
        ----------
        job
            What to do with the session.
        size
            How many events or labels it is about.
        shares
            Whether it may share a transaction with its neighbours, and its failure.

        """
        if not (self._accepts and self._thread.is_alive()):
            raise Problem(503, "the service is shutting down", retry_after=5)
        if shares and self.store == "taken over":
            raise _problem(self.store)
        if self.waiting + size > self._backlog:
            raise Problem(503, "too many events are waiting", retry_after=1)
        assert self._loop is not None
        task = _Task(job, self._loop.create_future(), size, shares)
        self.waiting += size
        self._tasks.put(task)
        return await task.done

    async def stop(self) -> None:
        """Do what was accepted, keep a snapshot, and end."""
        self._accepts = False
        self._tasks.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        goes_on = True
        while goes_on:
            group, goes_on = self._next_group()
            if group:
                self._finish(group, self._outcomes(group))
            if goes_on:
                self._learn_due()
        try:
            self._session.close()
            self.is_saved = True
        except StoreError as error:
            log.error("no snapshot could be kept, and nothing is lost by that: %s", error)

    def _next_group(self) -> tuple[list[_Task], bool]:
        """All that waits, up to a number of events; and whether there may be more."""
        group: list[_Task] = []
        size = 0
        try:
            task = self._tasks.get(timeout=self._session.seconds_until_due())
            while True:
                if task is None:
                    return group, False
                group.append(task)
                size += task.size
                if size >= _MAX_GROUP_EVENTS:
                    break
                task = self._tasks.get_nowait()
        except queue.Empty:
            pass
        return group, True

    def _outcomes(self, group: list[_Task]) -> list[typing.Any]:
        """What each job gave, or its exception."""
        outcomes: list[typing.Any] = []
        for shares, tasks in itertools.groupby(group, lambda task: task.shares):
            if shares:
                outcomes += self._done_together([task.job for task in tasks])
            else:
                for task in tasks:
                    outcomes += self._done_together([task.job])
        return outcomes

    def _done_together(self, jobs: list[Job]) -> list[typing.Any]:
        """What each of some jobs gave that share a transaction."""
        try:
            with self._session.together():
                outcomes = [self._outcome(job) for job in jobs]
        except StoreError as error:
            self._note_failure(error)
            return [_problem(self.store)] * len(jobs)
        except Exception as error:
            log.exception("a group of requests failed")
            return [error] * len(jobs)
        self._note_writes()
        return outcomes

    def _outcome(self, job: Job) -> typing.Any:
        try:
            return job(self._session)
        except StoreError:
            raise
        except Exception as error:
            return error

    def _learn_due(self) -> None:
        try:
            self._session.learn_due()
            self._note_writes()
        except StoreError as error:
            self._note_failure(error)
            self._session.postpone(_RETRY_DELAY_S)
        except Exception:
            log.exception("answers could not be learned")
            self._session.postpone(_RETRY_DELAY_S)

    def _note_failure(self, error: StoreError) -> None:
        before, self.store = self.store, "failing"
        if isinstance(error, StoreTakenError):
            self.store = "taken over"
        self.store_errors += 1
        # Some of it may have been on the way.
        self._n_writes, self._n_checks = self._session.n_writes, self._session.n_checks
        now = self._failed_at = time.monotonic()
        if self.store != before or now - self._logged_at >= _LOG_INTERVAL_S:
            self._logged_at = now
            log.error("%s", error)

    def _note_writes(self) -> None:
        """A failure stands until a write succeeds, or after a while a trial: disks can be read."""
        has_written = self._n_writes != self._session.n_writes
        if self._n_checks != self._session.n_checks:
            has_written |= time.monotonic() - self._failed_at >= _FAILURE_HOLD_S
        self._n_writes, self._n_checks = self._session.n_writes, self._session.n_checks
        if has_written and self.store != "ok":
            self.store = "ok"
            log.warning("the store works again")

    def _finish(self, group: list[_Task], outcomes: list[typing.Any]) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._answer, group, outcomes)

    def _answer(self, group: list[_Task], outcomes: list[typing.Any]) -> None:
        for task, outcome in zip(group, outcomes, strict=True):
            self.waiting -= task.size
            if task.done.done():  # nobody waits any more
                continue
            if isinstance(outcome, Exception):
                task.done.set_exception(outcome)
            else:
                task.done.set_result(outcome)


def _problem(store: str) -> Problem:
    if store == "taken over":
        message = "another process has taken over the store of asks: send events to that one"
        return Problem(503, message, retry_after=60)
    return Problem(503, "the store of asks cannot be used now", retry_after=2)

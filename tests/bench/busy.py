"""OA3 on a busy machine: as fast as it is with one thread of linear algebra by order."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator

from river_oa3.experiments.processes import Processes
from river_oa3.oa3 import OA3Classifier

from .events import Events, w8a_events
from .figures import Figure
from .timing import Effort, predict_and_learn, timed

__all__ = ["beside_busy_loops"]

CORES = 2


def beside_busy_loops(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """OA3 on two cores that two busy loops share: threads as the library likes, against one.

    The two take turns, and the best turn of each counts.
    """
    best = {None: math.inf, 1: math.inf}
    with contextlib.ExitStack() as stack:
        measured = {
            threads: stack.enter_context(
                Processes(1, _prepare, (data_dir, effort.stream), threads=threads)
            )
            for threads in best
        }
        busy = stack.enter_context(Processes(CORES, _keep_to_cores))
        stack.callback(busy.stop)
        for _ in range(CORES):
            busy.submit(_spin, os.getpid())
        for _ in range(2 * effort.rounds):
            for threads, processes in measured.items():
                found = processes.submit(_pace).result()
                best[threads] = min(best[threads], found)
    ratio = best[None] / best[1]
    yield Figure("OA3Classifier, one thread by order", best[1])
    yield Figure("OA3Classifier, threads as the library likes", best[None], ratio, "at most 1.5")


_events: Events


def _prepare(data_dir: str | None, n: int) -> None:
    """What a worker goes through, held so that it does not come with every turn."""
    global _events
    _keep_to_cores()
    _, _events = w8a_events(data_dir, n)


def _keep_to_cores() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:CORES]))


def _pace() -> float:
    """Microseconds per event."""
    return timed(predict_and_learn, OA3Classifier(), _events) / len(_events) * 1e6


def _spin(parent: int) -> None:
    """Keep a core busy until this process is ended, or its parent is gone."""
    while os.getppid() == parent:
        for _ in range(1_000_000):
            pass

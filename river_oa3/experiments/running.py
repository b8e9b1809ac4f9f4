"""Replays by the hundred, in worker processes: the same numbers with any number of them."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import itertools
import multiprocessing
import os
import signal
import typing
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import Stream
from river_oa3.experiments.methods import METHODS, Setting, build
from river_oa3.experiments.progress import Progress
from river_oa3.experiments.replaying import replay, uniforms
from river_oa3.experiments.scores import Counts

__all__ = ["Part", "Run", "Task", "Workers"]

Parameters = tuple[tuple[str, float], ...]

# Permutations for tuning count from here: never those that are reported.
TUNING = 1 << 20


class Part(typing.NamedTuple):
    """Which events of a stream, from `start` to `stop`, in which order.

    `permutation` is the number of a shuffle of the whole stream or, where `within` is set, of these
    events alone; None leaves the events in the order in which they came.
    """

    start: int
    stop: int
    permutation: int | None
    within: bool = False


class Task(typing.NamedTuple):
    """One method with one set of parameters over one order of the events."""

    method: str
    parameters: Parameters
    setting: Setting
    part: Part
    ticks: tuple[int, ...]


class Run(typing.NamedTuple):
    """What came of a task: counts at each tick, and when the last label was spent, if it was."""

    counts: Counts
    exhausted: int | None
    seconds: float


class Workers:
    """Worker processes that hold a stream and replay it.

    Each computes with one thread, so that what one replays does not depend on how many there are.
    An error in one of them is raised here; a method that overflows gives None in place of a run.
    """

    def __init__(self, stream: Stream, jobs: int, seed: int, paper_accounting: bool = False):
        self.stream = stream
        self.jobs = jobs
        with one_thread():
            self._pool = concurrent.futures.ProcessPoolExecutor(
                jobs,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start,
                initargs=(stream, seed, paper_accounting),
            )
            # Start them all while the environment says so.
            for _ in range(jobs):
                self._pool.submit(os.getpid)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is not None:
            self.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """End what is running now; nothing more can be run."""
        for process in list((self._pool._processes or {}).values()):
            process.terminate()

    def run(self, tasks: Sequence[Task], what: str) -> Iterator[tuple[Task, Run | None]]:
        """Run the tasks, in any order of finishing, and give each with what came of it."""
        weights = [_weight(self.stream, METHODS[task.method].kind, task.part) for task in tasks]
        waiting = iter(self._batches(tasks, weights))
        running: set[concurrent.futures.Future[list[Run | None]]] = set()
        batches = {}
        with Progress(what, sum(weights)) as progress:
            while True:
                # No more than the workers need: what is interrupted should have finished in order.
                for batch in itertools.islice(waiting, 2 * self.jobs - len(running)):
                    future = self._pool.submit(_replay_all, [tasks[i] for i in batch])
                    running.add(future)
                    batches[future] = batch
                if not running:
                    return
                done, running = concurrent.futures.wait(
                    running, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for future in done:
                    batch = batches.pop(future)
                    for i, run in zip(batch, future.result(), strict=True):
                        yield tasks[i], run
                    progress.add(sum(weights[i] for i in batch))

    def _batches(self, tasks: Sequence[Task], weights: Sequence[float]) -> Iterator[list[int]]:
        """Tasks by number, in parcels of about a quarter of a second."""
        batch: list[int] = []
        weight = 0.0
        for i in range(len(tasks)):
            batch.append(i)
            weight += weights[i]
            if weight > 0.25:
                yield batch
                batch, weight = [], 0.0
        if batch:
            yield batch


def _weight(stream: Stream, kind: str, part: Part) -> float:
    """About how many seconds a replay takes."""
    n, columns = float(stream.X.nnz) / len(stream), len(stream.names)
    covariance = {
        "first order": 0.0,
        "diagonal": 3.0 * n,
        "sketch": 20.0 * n,
        "full": 0.3 * n * columns + 20.0 * columns,
    }[kind]
    return (part.stop - part.start) * (100.0 + 5.0 * n + covariance) * 1e-9


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let processes that are started here do linear algebra in one thread."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# In a worker.

_stream: Stream
_seed: int
_paper_accounting: bool


def _start(stream: Stream, seed: int, paper_accounting: bool) -> None:
    global _stream, _seed, _paper_accounting
    # Ctrl-C is for the parent, which keeps what is finished.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stream, _seed, _paper_accounting = stream, seed, paper_accounting


def _replay_all(tasks: Sequence[Task]) -> list[Run | None]:
    return [_replay(task) for task in tasks]


def _replay(task: Task) -> Run | None:
    order, numbers = _draw(task.part)
    seed = _seed + (task.part.permutation or 0)
    model = build(task.method, task.setting, dict(task.parameters), seed)
    try:
        outcome = replay(model, _stream, order, numbers, task.ticks, _paper_accounting)
    except OverflowError:
        return None
    counts = Counts(
        outcome.true_positives,
        outcome.false_positives,
        outcome.true_negatives,
        outcome.false_negatives,
        outcome.labels,
    )
    is_spent = outcome.asked.sum() >= task.setting.budget
    exhausted = int(np.flatnonzero(outcome.asked)[-1]) + 1 if is_spent else None
    return Run(counts, exhausted, outcome.seconds)


@functools.lru_cache(maxsize=4)
def _draw(part: Part) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows of a part in their order, and the uniforms that go with it."""
    order = order_of(_stream, part, _seed)
    return order, uniforms(_seed * (TUNING << 1) + (part.permutation or 0), len(order))


def order_of(stream: Stream, part: Part, seed: int) -> NDArray[np.int64]:
    """The rows of a part of a stream, in the order in which they come."""
    number = part.permutation
    if number is None:
        return np.arange(part.start, part.stop)
    generator = np.random.default_rng((seed, number))
    if part.within:
        return part.start + generator.permutation(part.stop - part.start)
    if stream.permutations is not None and number < len(stream.permutations):
        order = stream.permutations[number]
    else:
        order = generator.permutation(len(stream))
    return np.asarray(order[part.start : part.stop], dtype=np.int64)

"""Replays by the hundred, in worker processes: the same numbers with any number of them."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
import typing
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

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
        context = multiprocessing.get_context("spawn")
        self._workers: dict[Connection, SpawnProcess] = {}
        with one_thread(), _deaf_to_interrupts():
            for _ in range(jobs):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs,), daemon=True)
                process.start()
                theirs.close()
                self._workers[ours] = process
        for pipe in self._workers:
            self._send(pipe, (stream, seed, paper_accounting))

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is not None:
            self.stop()
        for pipe, process in self._workers.items():
            pipe.close()  # which tells a worker that it is done
            process.join()

    def stop(self) -> None:
        """End what is running now; nothing more can be run."""
        for process in self._workers.values():
            process.terminate()

    def run(self, tasks: Sequence[Task], what: str) -> Iterator[tuple[Task, Run | None]]:
        """Run the tasks, in any order of finishing, and give each with what came of it."""
        weights = [_weight(self.stream, METHODS[task.method].kind, task.part) for task in tasks]
        batches = self._batches(tasks, weights)
        running: dict[Connection, list[int]] = {}
        with Progress(what, sum(weights)) as progress:
            idle = list(self._workers)
            while True:
                for pipe, batch in zip(idle, batches, strict=False):
                    self._send(pipe, [tasks[i] for i in batch])
                    running[pipe] = batch
                if not running:
                    return
                idle = [pipe for pipe in wait(list(running)) if isinstance(pipe, Connection)]
                for pipe in idle:
                    batch = running.pop(pipe)
                    for i, run in zip(batch, self._receive(pipe), strict=True):
                        yield tasks[i], run
                    progress.add(sum(weights[i] for i in batch))

    def _send(self, pipe: Connection, message: object) -> None:
        try:
            pipe.send(message)
        except OSError:
            raise _death() from None

    def _receive(self, pipe: Connection) -> list[Run | None]:
        try:
            answer = pipe.recv()
        except (EOFError, OSError):
            raise _death() from None
        if isinstance(answer, Exception):
            raise answer
        return typing.cast(list[Run | None], answer)

    @staticmethod
    def _batches(tasks: Sequence[Task], weights: Sequence[float]) -> Iterator[list[int]]:
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


def _death() -> MemoryError:
    return MemoryError(
        "a worker process ended before its time, perhaps for lack of memory: use fewer --jobs"
    )


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: it is for the parent."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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


def _work(pipe: Connection) -> None:
    """Take the stream, then tasks, and give their runs, until the other end is closed."""
    global _stream, _seed, _paper_accounting
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _stream, _seed, _paper_accounting = pipe.recv()
        while True:
            tasks = pipe.recv()
            try:
                answer: object = [_replay(task) for task in tasks]
            except Exception as error:
                answer = error
            pipe.send(answer)
    except (EOFError, OSError):
        return


def _replay(task: Task) -> Run | None:
    order, numbers = _draw(task.part)
    seed = _seed + (task.part.permutation or 0)
    model = build(task.method, task.setting, dict(task.parameters), seed)
    try:
        outcome = replay(model, _stream, order, numbers, task.ticks, _paper_accounting)
    except OverflowError:
        return None
    is_spent = outcome.asked.sum() >= task.setting.budget
    exhausted = int(np.flatnonzero(outcome.asked)[-1]) + 1 if is_spent else None
    return Run(outcome.counts, exhausted, outcome.seconds)


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

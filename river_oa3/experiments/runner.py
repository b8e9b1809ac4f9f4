"""Replays by the hundred: the same numbers in this process and in any number of others."""

from __future__ import annotations

import abc
import concurrent.futures
import queue
import typing
from collections.abc import Iterator, Sequence

from river_oa3.datasets import Stream
from river_oa3.datasets.chunked import AnyStream
from river_oa3.experiments.output.progress import Progress
from river_oa3.experiments.processes import Processes
from river_oa3.experiments.progress_board import Mark, ProgressBoard
from river_oa3.experiments.store import RunStore
from river_oa3.experiments.tasks import (
    OVERFLOW,
    Draws,
    Failure,
    Run,
    Streams,
    Task,
    cached_draws,
    run_task,
)

__all__ = ["ProcessRunner", "Runner", "SerialRunner"]

# Tasks go to a process in parcels of about so many seconds.
PARCEL = 0.25
# Seconds between two looks at how far the processes are.
LOOK = 0.2


class Runner(abc.ABC):
    """Runs tasks on one stream; what the store has of them is not run again.

    Parameters
    ----------
    stream
        The events as the paper's methods take them.
    jobs
        How many processes to use.
    seed
        Makes everything repeatable.
    paper_accounting
        Whether events without features are counted as mistakes, as the paper does.
    store
        Where finished runs are kept and looked for; None keeps nothing.
    raw
        The events as they came, for methods that scale them; the same stream unless one is given.

    """

    def __init__(
        self,
        stream: AnyStream,
        jobs: int = 1,
        seed: int = 0,
        paper_accounting: bool = False,
        store: RunStore | None = None,
        raw: AnyStream | None = None,
    ):
        self.stream = stream
        self.streams = Streams(stream, stream if raw is None else raw)
        self.jobs = jobs
        self.seed = seed
        self.paper_accounting = paper_accounting
        self._kept = None
        if store is not None:
            assert isinstance(stream, Stream)
            self._kept = store.of(stream, seed, paper_accounting)

    def __enter__(self) -> typing.Self:
        return self

    @abc.abstractmethod
    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None: ...

    @abc.abstractmethod
    def stop(self) -> None:
        """End what is running now; nothing more can be run."""

    @abc.abstractmethod
    def _run(
        self, tasks: Sequence[Task], seconds: Sequence[float], progress: Progress
    ) -> Iterator[tuple[Task, Run | Failure]]:
        """Run the tasks, which take about so many seconds each, and tell of every step."""

    def run(self, tasks: Sequence[Task], what: str) -> Iterator[tuple[Task, Run | Failure]]:
        """Run the tasks, in any order of finishing, and give each with what came of it.

        A method that fails gives the reason in place of a run.
        """
        missing = list(tasks)
        if self._kept is not None:
            known = self._kept.known(tasks)
            yield from known.items()
            missing = [task for task in tasks if task not in known]
        seconds = {task: task.seconds(self.streams.of(task.method)) for task in missing}
        with Progress(what, sum(seconds.values())) as progress:
            for task, run in self._run(missing, list(seconds.values()), progress):
                # An overflow comes again; what else a method dies of may not.
                if self._kept is not None and (isinstance(run, Run) or run == OVERFLOW):
                    self._kept.keep(task, run)
                yield task, run


class SerialRunner(Runner):
    """A runner without processes, for small things; `jobs` is left out of account."""

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        pass

    def stop(self) -> None:
        """Nothing runs unless it is waited for."""

    def _run(
        self, tasks: Sequence[Task], seconds: Sequence[float], progress: Progress
    ) -> Iterator[tuple[Task, Run | Failure]]:
        held = _Held(self.streams, self.seed, self.paper_accounting, _draws(self.stream, self.seed))
        for task in tasks:
            yield task, held.run(task, progress)


class ProcessRunner(Runner):
    """A runner with worker processes, which hold the stream."""

    def __enter__(self) -> typing.Self:
        self._board = ProgressBoard(self.jobs)
        held = (self.streams, self.seed, self.paper_accounting, self._board)
        self._processes = Processes(self.jobs, _take, held)
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._processes.__exit__(kind, *exception)

    def stop(self) -> None:
        """End what is running now; nothing more can be run."""
        self._processes.stop()

    def _run(
        self, tasks: Sequence[Task], seconds: Sequence[float], progress: Progress
    ) -> Iterator[tuple[Task, Run | Failure]]:
        before = self._board.total()
        ended: queue.SimpleQueue[concurrent.futures.Future[list[Run | Failure]]] = (
            queue.SimpleQueue()
        )
        parcels = {
            self._processes.submit(_run_parcel, parcel): parcel
            for parcel in _parcels(tasks, seconds)
        }
        for future in list(parcels):
            future.add_done_callback(ended.put)
        # Whoever stops early ends the processes, and the pool sees to what is left: a future that
        # is cancelled here while its process dies would end the pool's thread with an error.
        while parcels:
            done = self._board.total()
            progress.move_to(done[0] - before[0], round(done[1] - before[1]))
            try:
                future = ended.get(timeout=LOOK)
            except queue.Empty:
                continue
            runs = future.result()
            yield from zip(parcels.pop(future), runs, strict=True)


def _parcels(tasks: Sequence[Task], seconds: Sequence[float]) -> Iterator[list[Task]]:
    parcel: list[Task] = []
    total = 0.0
    for task, each in zip(tasks, seconds, strict=True):
        parcel.append(task)
        total += each
        if total > PARCEL:
            yield parcel
            parcel, total = [], 0.0
    if parcel:
        yield parcel


class _Held(typing.NamedTuple):
    """What tasks are run with; a worker process holds it, so that it does not come with each."""

    streams: Streams
    seed: int
    paper_accounting: bool
    draws: Draws | None

    def run(self, task: Task, progress: Progress | Mark) -> Run | Failure:
        """Run a task, and tell after each chunk of the events how much is done."""
        stream = self.streams.of(task.method)
        events, seconds, told = task.part.stop - task.part.start, task.seconds(stream), 0

        def tell(more: int) -> None:
            nonlocal told
            told += more
            progress.add(seconds * more / max(1, events), more)

        run = run_task(stream, self.seed, task, self.paper_accounting, self.draws, tell)
        # A method that fails has ended early.
        tell(events - told)
        return run


_held: _Held
_mark: Mark


def _take(streams: Streams, seed: int, paper_accounting: bool, board: ProgressBoard) -> None:
    global _held, _mark
    _held = _Held(streams, seed, paper_accounting, _draws(streams.scaled, seed))
    _mark = board.claim()


def _draws(stream: AnyStream, seed: int) -> Draws | None:
    """Orders of the rows, whatever was done to them; those of chunks are not worth keeping."""
    return cached_draws(stream, seed) if isinstance(stream, Stream) else None


def _run_parcel(tasks: Sequence[Task]) -> list[Run | Failure]:
    return [_held.run(task, _mark) for task in tasks]

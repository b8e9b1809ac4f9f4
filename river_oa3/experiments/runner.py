"""Replays by the hundred: the same numbers in this process and in any number of others."""

from __future__ import annotations

import abc
import concurrent.futures
import typing
from collections.abc import Iterator, Sequence

from river_oa3.datasets import Stream
from river_oa3.experiments.output.progress import Progress
from river_oa3.experiments.processes import Processes
from river_oa3.experiments.store import RunStore
from river_oa3.experiments.tasks import Draws, Run, Task, cached_draws, run_task

__all__ = ["ProcessRunner", "Runner", "SerialRunner"]

# Tasks go to a process in parcels of about so many seconds.
PARCEL = 0.25


class Runner(abc.ABC):
    """Runs tasks on one stream; what the store has of them is not run again.

    Parameters
    ----------
    stream
        The events.
    jobs
        How many processes to use.
    seed
        Makes everything repeatable.
    paper_accounting
        Whether events without features are counted as mistakes, as the paper does.
    store
        Where finished runs are kept and looked for; None keeps nothing.

    """

    def __init__(
        self,
        stream: Stream,
        jobs: int = 1,
        seed: int = 0,
        paper_accounting: bool = False,
        store: RunStore | None = None,
    ):
        self.stream = stream
        self.jobs = jobs
        self.seed = seed
        self.paper_accounting = paper_accounting
        self._kept = None if store is None else store.of(stream, seed, paper_accounting)

    def __enter__(self) -> typing.Self:
        return self

    @abc.abstractmethod
    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None: ...

    @abc.abstractmethod
    def stop(self) -> None:
        """End what is running now; nothing more can be run."""

    @abc.abstractmethod
    def _run(
        self, tasks: Sequence[Task], seconds: Sequence[float]
    ) -> Iterator[tuple[Task, Run | None]]:
        """Run the tasks, which take about so many seconds each."""

    def run(self, tasks: Sequence[Task], what: str) -> Iterator[tuple[Task, Run | None]]:
        """Run the tasks, in any order of finishing, and give each with what came of it.

        A method that overflows gives None in place of a run.
        """
        missing = list(tasks)
        if self._kept is not None:
            known = self._kept.known(tasks)
            yield from known.items()
            missing = [task for task in tasks if task not in known]
        seconds = {task: task.seconds(self.stream) for task in missing}
        with Progress(what, sum(seconds.values())) as progress:
            for task, run in self._run(missing, list(seconds.values())):
                if self._kept is not None:
                    self._kept.keep(task, run)
                progress.add(seconds[task])
                yield task, run


class SerialRunner(Runner):
    """A runner without processes, for small things; `jobs` is left out of account."""

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        pass

    def stop(self) -> None:
        """Nothing runs unless it is waited for."""

    def _run(
        self, tasks: Sequence[Task], seconds: Sequence[float]
    ) -> Iterator[tuple[Task, Run | None]]:
        draws = cached_draws(self.stream, self.seed)
        for task in tasks:
            yield task, run_task(self.stream, self.seed, task, self.paper_accounting, draws)


class ProcessRunner(Runner):
    """A runner with worker processes, which hold the stream."""

    def __enter__(self) -> typing.Self:
        held = (self.stream, self.seed, self.paper_accounting)
        self._processes = Processes(self.jobs, _take, held)
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._processes.__exit__(kind, *exception)

    def stop(self) -> None:
        """End what is running now; nothing more can be run."""
        self._processes.stop()

    def _run(
        self, tasks: Sequence[Task], seconds: Sequence[float]
    ) -> Iterator[tuple[Task, Run | None]]:
        parcels = {
            self._processes.submit(_run_parcel, parcel): parcel
            for parcel in _parcels(tasks, seconds)
        }
        try:
            for future in concurrent.futures.as_completed(parcels):
                runs = self._processes.result(future)
                yield from zip(parcels.pop(future), runs, strict=True)
        finally:
            for future in parcels:
                future.cancel()


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
    """What a worker process holds, so that it does not come with every task."""

    stream: Stream
    seed: int
    paper_accounting: bool
    draws: Draws


_held: _Held


def _take(stream: Stream, seed: int, paper_accounting: bool) -> None:
    global _held
    _held = _Held(stream, seed, paper_accounting, cached_draws(stream, seed))


def _run_parcel(tasks: Sequence[Task]) -> list[Run | None]:
    held = _held
    return [
        run_task(held.stream, held.seed, task, held.paper_accounting, held.draws) for task in tasks
    ]

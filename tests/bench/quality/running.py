"""Runs of all contenders on a stream: in processes, kept as they finish, never done twice."""

from __future__ import annotations

import concurrent.futures
import hashlib
import importlib.metadata
import json
import time
import typing
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from river_oa3.datasets import Stream
from river_oa3.experiments.output.progress import Progress
from river_oa3.experiments.processes import Processes
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.store import RunStore, fingerprint
from river_oa3.experiments.tasks import Run

from ..quality.contest import Case, Cell, Contest, Setting
from ..quality.registry import CONTENDERS

__all__ = ["Job", "Result", "jobs_of", "library_of", "play", "run_all"]

# Cells of one contender and order go to a process together, about so many seconds of them.
PARCEL = 30.0


class Job(typing.NamedTuple):
    """A contender with one setting and budget over one order of a stream."""

    contender: str
    order: int
    share: float
    cell: Cell


class Result(typing.NamedTuple):
    """What came of a job."""

    stream: str
    contender: str
    setting: Setting
    order: int
    share: float
    counts: Counts
    seconds: float


def jobs_of(stream: Stream, contest: Contest, names: Iterable[str]) -> list[Job]:
    """Everything that there is to run on a stream."""
    jobs = []
    for name in names:
        contender = CONTENDERS[name]
        if len(stream.names) > contender.most_features:
            continue
        jobs += [
            Job(name, order, share, Cell(setting, contest.labels(stream, share)))
            for order in range(contest.orders_of(contender))
            for setting in contender.settings
            for share in contest.budgets
        ]
    return jobs


def run_all(
    streams: Sequence[Stream],
    contest: Contest,
    names: Sequence[str],
    store: RunStore,
    jobs: int,
) -> Iterator[Result]:
    """Run what the store does not have yet; Ctrl-C ends it, and what is finished is kept."""
    wanted = {stream.name: jobs_of(stream, contest, names) for stream in streams}
    missing: dict[str, list[Job]] = {}
    keys: dict[str, dict[Job, str]] = {}
    for stream in streams:
        keys[stream.name] = _keys(stream, contest, wanted[stream.name])
        known = _known(store, keys[stream.name])
        missing[stream.name] = [job for job in wanted[stream.name] if job not in known]
        for job, run in known.items():
            yield _result(stream, job, run)
    seconds = {
        stream.name: sum(_seconds(stream, contest, job) for job in missing[stream.name])
        for stream in streams
    }
    with Progress("playing", sum(seconds.values())) as progress:
        for stream in streams:
            if not missing[stream.name]:
                continue
            progress.what = f"playing {stream.name}"
            with Processes(jobs, _take, (stream, contest)) as processes:
                parcels = {
                    processes.submit(_play_parcel, parcel): parcel
                    for parcel in _parcels(stream, contest, missing[stream.name])
                }
                for future in concurrent.futures.as_completed(parcels):
                    runs = future.result()
                    for job, run in zip(parcels[future], runs, strict=True):
                        if CONTENDERS[job.contender].is_kept:
                            store.add(keys[stream.name][job], run)
                        progress.add(_seconds(stream, contest, job))
                        yield _result(stream, job, run)


def play(stream: Stream, contest: Contest, jobs: Sequence[Job]) -> list[Run]:
    """Run jobs of one contender and one order here and now."""
    contender = CONTENDERS[jobs[0].contender]
    case = Case(stream, jobs[0].order, contest.n_events(stream), contest.seed)
    return _timed(contender.play(case, [job.cell for job in jobs]))


def _timed(found: Iterator[Counts]) -> list[Run]:
    runs = []
    start = time.perf_counter()
    for counts in found:
        now = time.perf_counter()
        runs.append(Run(Counts(*(np.array([count]) for count in counts)), None, now - start))
        start = now
    return runs


def _seconds(stream: Stream, contest: Contest, job: Job) -> float:
    return CONTENDERS[job.contender].seconds(stream, contest.n_events(stream))


def _parcels(stream: Stream, contest: Contest, jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Jobs of one contender and order, which share what is prepared, not too many at once."""
    parcel: list[Job] = []
    total = 0.0
    for job in jobs:
        if parcel and (total > PARCEL or job[:2] != parcel[-1][:2]):
            yield parcel
            parcel, total = [], 0.0
        parcel.append(job)
        total += _seconds(stream, contest, job)
    if parcel:
        yield parcel


def _keys(stream: Stream, contest: Contest, jobs: Sequence[Job]) -> dict[Job, str]:
    """Digests of everything that runs depend on."""
    origin = (fingerprint(stream), contest.n_events(stream), contest.seed)
    library = {name: library_of(name) for name in {job.contender for job in jobs}}
    return {
        job: hashlib.sha256(
            json.dumps(
                (*origin, job.contender, " ".join(library[job.contender]), job.order, job.cell)
            ).encode()
        ).hexdigest()[:32]
        for job in jobs
    }


def library_of(contender: str) -> tuple[str, str]:
    """The library that a contender comes from, and its version."""
    entry = CONTENDERS[contender]
    if entry.needs is None:
        library = "river" if entry.side == "peer" else "river-oa3"
    else:
        (library,) = importlib.metadata.packages_distributions()[entry.needs]
    return library, importlib.metadata.version(library)


def _known(store: RunStore, keys: dict[Job, str]) -> dict[Job, Run]:
    kept = {key: job for job, key in keys.items() if CONTENDERS[job.contender].is_kept}
    return {kept[key]: run for key, run in store.find(kept).items() if isinstance(run, Run)}


def _result(stream: Stream, job: Job, run: Run) -> Result:
    return Result(
        stream.name,
        job.contender,
        job.cell.setting,
        job.order,
        job.share,
        Counts(*(int(count) for count in run.final)),
        run.seconds,
    )


_held: tuple[Stream, Contest]


def _take(stream: Stream, contest: Contest) -> None:
    global _held
    _held = (stream, contest)


def _play_parcel(jobs: Sequence[Job]) -> list[Run]:
    return play(*_held, jobs)

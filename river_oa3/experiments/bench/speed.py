"""Predict and learn, microseconds an event: our learners and others, in one run on one core."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import time
import typing
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from river_oa3.experiments.bench.contenders import (
    BASELINE,
    CONTENDERS,
    FLOOR,
    Contender,
    Events,
    classifier,
    installed,
)
from river_oa3.experiments.output.text import aligned
from river_oa3.experiments.output.versions import processor, versions
from river_oa3.experiments.processes import Processes
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

__all__ = ["Effort", "Measured", "Sweep", "exponent", "measure", "table"]

Times = dict[str, float]


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much time to spend: seconds that a pass may take, passes that are timed, and events."""

    limit: float = 0.5
    rounds: int = 5
    events: int = 2_000
    largest: int = 1_000_000


QUICK = Effort(limit=0.02, rounds=1, events=60, largest=10_000)


class Case(typing.NamedTuple):
    """A kind of events: each has `nonzeros` of the `features` of the stream."""

    features: int
    nonzeros: int


class Sweep(typing.NamedTuple):
    """Times while one thing grows: for each contender a point, where it took part."""

    title: str
    label: str
    values: list[int]
    times: list[Times]


class Measured(typing.NamedTuple):
    """All that was measured, with what and where."""

    cases: dict[str, Times]
    sweeps: list[Sweep]
    machine: dict[str, str]

    @property
    def names(self) -> list[str]:
        """All who took part in something, in their order."""
        taking_part = {name for times in self.cases.values() for name in times}
        return [name for name in CONTENDERS if name in taking_part]


CASES = {
    "sparse, 12 of 300 features": Case(300, 12),
    "dense, 48 features": Case(48, 48),
}


def measure(effort: Effort | None = None) -> Measured:
    """Measure everything, in a process of its own that computes in one thread on one core."""
    with Processes(1) as processes:
        return processes.result(processes.submit(_measure, effort or Effort()))


def _measure(effort: Effort) -> Measured:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    contenders = installed()
    cases = {title: _pace(contenders, case, effort) for title, case in CASES.items()}
    sweeps = [
        _sweep(
            "dense events",
            "features of an event",
            [4, 16, 64, 256, 1024],
            lambda n: Case(n, n),
            contenders,
            effort,
        ),
        _sweep(
            "sparse events, vocabulary of 10,000",
            "non-zeros of an event",
            [4, 16, 64, 256],
            lambda n: Case(10_000, n),
            contenders,
            effort,
        ),
        _sweep(
            "20 non-zeros, growing vocabulary",
            "features of the stream",
            [100, 1_000, 10_000, 100_000, 1_000_000],
            lambda n: Case(n, 20),
            contenders,
            effort,
        ),
        _sketches([1, 2, 5, 10, 20, 50], effort),
    ]
    return Measured(cases, sweeps, {**versions(), "processor": processor()})


def _sweep(
    title: str,
    label: str,
    values: Sequence[int],
    case: Callable[[int], Case],
    contenders: dict[str, Contender],
    effort: Effort,
) -> Sweep:
    kept = [value for value in values if case(value).features <= effort.largest]
    times = [_pace(contenders, case(value), effort) for value in kept]
    return Sweep(title, label, kept, times)


def _sketches(sizes: Sequence[int], effort: Effort) -> Sweep:
    """The two sketches as their size grows, on the sparse case."""
    case = CASES["sparse, 12 of 300 features"]
    times = []
    for size in sizes:
        sketches = {
            name: Contender(classifier(functools.partial(sketch, sketch_size=size)))
            for name, sketch in (("SSOA3", SSOA3Classifier), ("SOA3", SOA3Classifier))
        }
        floor = {name: each for name, each in installed().items() if name in (FLOOR, BASELINE)}
        times.append(_pace(floor | sketches, case, effort))
    return Sweep("12 of 300 features, growing sketch", "rows of the sketch", list(sizes), times)


def _pace(contenders: dict[str, Contender], case: Case, effort: Effort) -> Times:
    """Microseconds an event for each contender, once it knows the features.

    The contenders take turns, and the best turn of each counts, for the machine may be busy.
    """
    names = [f"f{j}" for j in range(case.features)]
    # Enough events to meet most of the vocabulary.
    n = min(max(effort.events, case.features // case.nonzeros), 50_000)
    events = list(_events(case, names, n))
    going = {
        name: contender.make(names)
        for name, contender in contenders.items()
        if case.features <= contender.most_features
        and (case.features == case.nonzeros or not contender.dense_only)
    }
    reached = {name: _passed(go, events, 4 * effort.limit)[0] for name, go in going.items()}
    best = dict.fromkeys(going, math.inf)
    for _ in range(effort.rounds):
        for name, go in going.items():
            done, seconds = _passed(go, events[: reached[name]], effort.limit)
            best[name] = min(best[name], seconds / done * 1e6)
    return best


def _passed(go: Callable[[Events], None], events: Events, limit: float) -> tuple[int, float]:
    """How many events it got through in about the time, and the time that took."""
    chunk = max(1, min(100, len(events) // 4))
    start = time.perf_counter()
    done = 0
    while done < len(events):
        go(events[done : done + chunk])
        done = min(done + chunk, len(events))
        if time.perf_counter() - start > limit:
            break
    return done, time.perf_counter() - start


def _events(case: Case, names: list[str], n: int) -> Iterator[tuple[dict[str, float], bool]]:
    """Events of unit length with a linear boundary, a tenth of the labels wrong."""
    rng = np.random.default_rng(0)
    truth = rng.standard_normal(case.features)
    for _ in range(n):
        if case.nonzeros == case.features:
            columns = np.arange(case.features)
        else:
            columns = np.unique(rng.integers(0, case.features, size=case.nonzeros))
        values = rng.standard_normal(len(columns))
        values /= np.linalg.norm(values)
        y = bool((values @ truth[columns] > 0) != (rng.random() < 0.1))
        features = [names[j] for j in columns.tolist()]
        yield dict(zip(features, values.tolist(), strict=True)), y


def exponent(sweep: Sweep, name: str) -> float | None:
    """How time grows at the upper end of a sweep: the k of time ~ value^k, over three points."""
    points = [
        (value, times[name])
        for value, times in zip(sweep.values, sweep.times, strict=True)
        if name in times
    ][-3:]
    if len(points) < 3:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def table(measured: Measured) -> str:
    """Times and ratios of the two cases, and the growth of each sweep."""
    names = measured.names
    heads = [head for title in measured.cases for head in (title, "x faster", "x floor")]
    rows = [["predict + learn, us an event", *heads]]
    for name in names:
        row = [name]
        for times in measured.cases.values():
            if name in times:
                row += [
                    f"{times[name]:.2f}",
                    f"{times[BASELINE] / times[name]:.2f}",
                    f"{times[name] / times[FLOOR]:.1f}",
                ]
            else:
                row += ["-", "-", "-"]
        rows.append(row)
    growth = [["growth exponent", *(sweep.label for sweep in measured.sweeps)]]
    for name in names:
        exponents = [exponent(sweep, name) for sweep in measured.sweeps]
        growth.append([name, *("-" if each is None else f"{each:.2f}" for each in exponents)])
    return "\n\n".join(aligned(each) for each in (rows, growth))

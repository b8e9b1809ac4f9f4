"""All contenders on two kinds of events, and as events, vocabulary and sketch grow."""

from __future__ import annotations

import functools
import math
import time
import typing
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from river_oa3.experiments.output.text import aligned
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

from .contenders import (
    BASELINE,
    CONTENDERS,
    FLOOR,
    Contender,
    classifier,
    installed,
)
from .events import Case, Events, random_events
from .timing import Effort

__all__ = ["Sweep", "cases", "exponent", "growth_table", "sweeps", "table", "taking_part"]

Times = dict[str, float]


class Sweep(typing.NamedTuple):
    """Times while one thing grows: for each contender one point where it took part."""

    title: str
    label: str
    values: list[int]
    times: list[Times]


CASES = {
    "sparse, 12 of 300 features": Case(300, 12),
    "dense, 48 features": Case(48, 48),
}


def cases(effort: Effort) -> dict[str, Times]:
    """Microseconds per event of all contenders, by case."""
    return {title: _pace(installed(), case, effort) for title, case in CASES.items()}


def sweeps(effort: Effort) -> list[Sweep]:
    """All contenders while events, vocabulary or sketch grow."""
    contenders = installed()
    return [
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
    """Microseconds per event for each contender, once it knows the features.

    The contenders take turns, and the best turn of each counts, for the machine may be busy.
    """
    names = [f"f{j}" for j in range(case.features)]
    # Enough events to meet most of the vocabulary.
    n = min(max(effort.events, case.features // case.nonzeros), 50_000)
    events = list(random_events(case, names, n))
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


def table(found: dict[str, Times]) -> str:
    """Times of the cases, and their ratios to river's learner and to the floor."""
    heads = [head for title in found for head in (title, "x faster", "x floor")]
    rows = [["predict + learn, us per event", *heads]]
    for name in taking_part(found.values()):
        row = [name]
        for times in found.values():
            if name in times:
                row += [
                    f"{times[name]:.2f}",
                    f"{times[BASELINE] / times[name]:.2f}",
                    f"{times[name] / times[FLOOR]:.1f}",
                ]
            else:
                row += ["-", "-", "-"]
        rows.append(row)
    return aligned(rows)


def growth_table(found: Sequence[Sweep]) -> str:
    """How the time of each contender grows in each sweep."""
    rows = [["growth exponent", *(sweep.label for sweep in found)]]
    for name in taking_part(times for sweep in found for times in sweep.times):
        exponents = [exponent(sweep, name) for sweep in found]
        rows.append([name, *("-" if each is None else f"{each:.2f}" for each in exponents)])
    return aligned(rows)


def taking_part(found: Iterable[Times]) -> list[str]:
    """All who took part in something, in their order."""
    names = {name for times in found for name in times}
    return [name for name in CONTENDERS if name in names]

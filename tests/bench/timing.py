"""Clocks: contenders take turns, and the best turn of each counts, for the machine may be busy."""

from __future__ import annotations

import dataclasses
import math
import os
import time
import typing
from collections.abc import Callable, Mapping

from river import active

from .events import Events

__all__ = [
    "FULL",
    "QUICK",
    "Effort",
    "fastest",
    "learn_rows",
    "predict_and_learn",
    "run_on_one_core",
    "timed",
]


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much time to spend.

    Parameters
    ----------
    limit
        Seconds that a pass of a contender may take.
    rounds
        How many passes are timed.
    events
        How many events a case has, at least.
    largest
        The largest vocabulary.
    stream
        How many events the streams have that are gone through from start to end.

    """

    limit: float = 0.5
    rounds: int = 5
    events: int = 2_000
    largest: int = 1_000_000
    stream: int = 20_000


FULL = Effort()
QUICK = Effort(limit=0.02, rounds=1, events=60, largest=10_000, stream=200)


def timed(call: Callable[..., object], *arguments: typing.Any) -> float:
    """How many seconds a call takes."""
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def fastest(
    contenders: Mapping[str, tuple[Callable[[], typing.Any], Events]], rounds: int
) -> dict[str, float]:
    """Microseconds per event of each contender, a new model in each round."""
    best = dict.fromkeys(contenders, math.inf)
    for _ in range(rounds):
        for name, (make, events) in contenders.items():
            seconds = timed(predict_and_learn, make(), events)
            best[name] = min(best[name], 1e6 * seconds / len(events))
    return best


def predict_and_learn(model: typing.Any, events: Events) -> None:
    """Predict every event, and learn it; an active learner learns what it asks about."""
    predict, learn = model.predict_one, model.learn_one
    if isinstance(model, active.base.ActiveLearningClassifier):
        for x, y in events:
            if predict(x)[1]:
                learn(x, y)
        return
    for x, y in events:
        predict(x)
        learn(x, y)


def learn_rows(model: typing.Any, events: Events) -> None:
    """Learn every event."""
    for x, y in events:
        model.learn_one(x, y)


def run_on_one_core() -> None:
    """Keep this process on one core, where the system knows how."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

"""One method over one order of the events: what there is to do, and how it is done."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import Stream
from river_oa3.experiments.methods import METHODS, Setting, build
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.stream_replay import replay, uniforms

__all__ = ["TUNING", "Draws", "Parameters", "Part", "Run", "Task", "cached_draws", "run_task"]

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
    checkpoints: tuple[int, ...]

    def seconds(self, stream: Stream) -> float:
        """About how many seconds it takes."""
        return METHODS[self.method].seconds(stream, self.part.stop - self.part.start)


class Run(typing.NamedTuple):
    """What came of a task: counts at each checkpoint, and when the last label was spent, if so."""

    counts: Counts
    exhausted: int | None
    seconds: float

    @property
    def final(self) -> Counts:
        """The counts at the end."""
        return Counts(*(count[-1] for count in self.counts))


# The rows of a part in their order, and the uniforms that go with it.
Draws = Callable[[Part], tuple[NDArray[np.int64], NDArray[np.float64]]]


def run_task(
    stream: Stream,
    seed: int,
    task: Task,
    paper_accounting: bool = False,
    draws: Draws | None = None,
) -> Run | None:
    """Replay a task, which depends on the arguments alone; None where the method overflows.

    `draws` is what `cached_draws` gives for the same stream and seed: it spares drawing the same
    order anew for every method.
    """
    order, numbers = (draws or functools.partial(_draw, stream, seed))(task.part)
    model = build(
        task.method, task.setting, dict(task.parameters), seed + (task.part.permutation or 0)
    )
    try:
        outcome = replay(model, stream, order, numbers, task.checkpoints, paper_accounting)
    except OverflowError:
        return None
    is_spent = outcome.asked.sum() >= task.setting.budget
    exhausted = int(np.flatnonzero(outcome.asked)[-1]) + 1 if is_spent else None
    return Run(outcome.counts, exhausted, outcome.seconds)


def cached_draws(stream: Stream, seed: int) -> Draws:
    """Orders and uniforms of the parts of a stream, the newest few of them kept."""
    return functools.lru_cache(maxsize=4)(functools.partial(_draw, stream, seed))


def _draw(stream: Stream, seed: int, part: Part) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    order = order_of(stream, part, seed)
    return order, uniforms(seed * (TUNING << 1) + (part.permutation or 0), len(order))


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

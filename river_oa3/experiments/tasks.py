"""One method over one order of the events: what there is to do, and how it is done."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from river_oa3.active import ActiveLearner
from river_oa3.datasets import DataError, Stream
from river_oa3.datasets.chunked import AnyStream
from river_oa3.experiments.event_loop import EventLoop
from river_oa3.experiments.methods import Setting, build, find
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.stream_replay import GivenUniforms, Replay, Uniforms, uniforms

__all__ = [
    "OVERFLOW",
    "TUNING",
    "Draws",
    "Failure",
    "Parameters",
    "Part",
    "Run",
    "Streams",
    "Task",
    "cached_draws",
    "run_task",
    "walk",
]

Parameters = tuple[tuple[str, float], ...]

# Permutations for tuning count from here: never those that are reported.
TUNING = 1 << 20


class Part(typing.NamedTuple):
    """Which events of a stream, from `start` to `stop`, in which order.

    `permutation` is the number of a shuffle of the whole stream or, where `within` is set, of these
    events alone; None leaves the events in the order in which they came, and `repeat` then numbers
    the run. Either number is that of the random numbers which methods ask by.
    """

    start: int
    stop: int
    permutation: int | None
    within: bool = False
    repeat: int = 0

    @property
    def number(self) -> int:
        """Which of the runs it is."""
        return self.repeat if self.permutation is None else self.permutation

    def numbered(self, number: int) -> Part:
        """The same events in another shuffle; in their order, with other random numbers."""
        if self.permutation is None:
            return self._replace(repeat=number)
        return self._replace(permutation=number)


class Task(typing.NamedTuple):
    """One method with one set of parameters over one order of the events."""

    method: str
    parameters: Parameters
    setting: Setting
    part: Part
    checkpoints: tuple[int, ...]

    def seconds(self, stream: AnyStream) -> float:
        """About how many seconds it takes."""
        events = self.part.stop - self.part.start
        share = min(1.0, self.setting.budget / max(1, events))
        return find(self.method).seconds(stream, events, share)


class Run(typing.NamedTuple):
    """What came of a task: counts at each checkpoint, and when the last label was spent, if so."""

    counts: Counts
    exhausted: int | None
    seconds: float

    @property
    def final(self) -> Counts:
        """The counts at the end."""
        return Counts(*(count[-1] for count in self.counts))


class Failure(typing.NamedTuple):
    """Why a task has no run: what its method raised."""

    reason: str


OVERFLOW = Failure("OverflowError")


# The rows of a part in their order, and the uniforms that go with it.
Draws = Callable[[Part], tuple[NDArray[np.int64], NDArray[np.float64]]]


class Streams(typing.NamedTuple):
    """The same events as different methods take them.

    `scaled` is for the paper's methods, which leave scaling to others, and `raw` for those that see
    to it themselves.
    """

    scaled: AnyStream
    raw: AnyStream

    def of(self, method: str) -> AnyStream:
        """The events as a method takes them."""
        return self.raw if find(method).takes_raw else self.scaled


def run_task(
    stream: AnyStream,
    seed: int,
    task: Task,
    paper_accounting: bool = False,
    draws: Draws | None = None,
    went_on: Callable[[int], None] | None = None,
) -> Run | Failure:
    """Replay a task, which depends on the arguments alone.

    The stream is the one that the method takes. `draws` is what `cached_draws` gives for a stream
    with the same rows and the same seed: it spares drawing the same order anew for every method.
    `went_on` is called with the number of events after each chunk of them.
    """
    if find(task.method).family == "river":  # which would take a NaN for a number
        stream = stream.filled()
    parts, numbers = _walk(stream, seed, task.part, draws)
    model = build(task.method, task.setting, dict(task.parameters), seed + task.part.number)
    if isinstance(model, ActiveLearner):
        run: Replay | EventLoop = Replay(model, numbers, task.checkpoints, paper_accounting)
    else:
        run = EventLoop(model, task.setting.budget, task.checkpoints, paper_accounting)
    try:
        for chunk, order in parts:
            run.go_on(chunk, order)
            if went_on is not None:
                went_on(len(order))
    except DataError:
        raise
    except OverflowError:
        return OVERFLOW
    except Exception as error:  # of a method, whatever it is: the others go on
        return Failure(f"{type(error).__name__}: {error}")
    outcome = run.outcome()
    is_spent = outcome.asked.sum() >= task.setting.budget
    exhausted = int(np.flatnonzero(outcome.asked)[-1]) + 1 if is_spent else None
    return Run(outcome.counts, exhausted, outcome.seconds)


def walk(stream: AnyStream, seed: int, part: Part) -> Iterable[tuple[Stream, NDArray[np.int64]]]:
    """The chunks of a part of a stream, each with the order of its rows."""
    return _walk(stream, seed, part, None)[0]


def _walk(
    stream: AnyStream, seed: int, part: Part, draws: Draws | None
) -> tuple[Iterable[tuple[Stream, NDArray[np.int64]]], Uniforms]:
    """The chunks of a stream with the order of their rows, and the uniforms for all of them."""
    if isinstance(stream, Stream):
        order, numbers = (draws or functools.partial(_draw, stream, seed))(part)
        return [(stream, order)], GivenUniforms(numbers)
    generator = (
        None if part.permutation is None else np.random.default_rng((seed, part.permutation))
    )
    return stream.walk(part.stop, generator, part.start), Uniforms(_uniforms_seed(seed, part))


def cached_draws(stream: Stream, seed: int) -> Draws:
    """Orders and uniforms of the parts of a stream, the newest few of them kept."""
    return functools.lru_cache(maxsize=4)(functools.partial(_draw, stream, seed))


def _draw(stream: Stream, seed: int, part: Part) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    order = order_of(stream, part, seed)
    return order, uniforms(_uniforms_seed(seed, part), len(order))


def _uniforms_seed(seed: int, part: Part) -> int:
    return seed * (TUNING << 1) + part.number


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

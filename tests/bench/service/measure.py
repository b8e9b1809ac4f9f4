from __future__ import annotations

import asyncio
import itertools
import os
import tempfile
import typing
from collections.abc import Coroutine
from pathlib import Path

from river_oa3.active import ActiveLearner
from river_oa3.budget import RateBudget

from ..events import dense_events
from ..service.load import Load, Pacing
from ..service.serving import serving

__all__ = ["BARS", "MODEL", "Measured", "measure"]

FEATURES = 12
RATE = 0.01
MODEL = (
    f"AutoOA3 on events of {FEATURES} numbers with six decimals, SQLite with full synchronous "
    f"writes, labels for {RATE:.0%} of the events, all of which are answered"
)

# Events in a request, and how many a second there have to be.
BARS = {1: 1_000, 500: 20_000}
MOST_MILLISECONDS = 20.0

_CONNECTIONS = {1: 32, 500: 2}

_Result = typing.TypeVar("_Result")


class Measured(typing.NamedTuple):
    """One way to send events."""

    batch: int
    events_per_second: float
    at_half: Pacing
    labels: int
    refused: int

    @property
    def passes(self) -> bool:
        enough = self.events_per_second >= BARS[self.batch]
        return enough and self.at_half.p99 < MOST_MILLISECONDS


def measure(seconds: float) -> list[Measured]:
    """Events alone and in batches: as many as it takes, then half of what it has to take."""
    ids = itertools.count()
    events = [
        ({name: round(v, 6) for name, v in x.items()}, y) for x, y in dense_events(5_000, FEATURES)
    ]
    server_core, client_core = _cores()
    if client_core is not None:
        os.sched_setaffinity(0, {client_core})
    found = []
    with tempfile.TemporaryDirectory() as folder:
        model = ActiveLearner(budget=RateBudget(RATE, window=1_000), seed=0)
        with serving(model, Path(folder), server_core) as port:
            for batch, bar in BARS.items():
                load = Load(port, events, batch, ids)
                _run(load.flood(min(1.0, seconds), 4))  # to be warm
                most = _run(load.flood(seconds, _CONNECTIONS[batch]))
                paced = _run(load.paced(seconds, bar / 2))
                found.append(Measured(batch, most, paced, load.n_labels, load.n_refused))
    return found


def _run(work: Coroutine[typing.Any, typing.Any, _Result]) -> _Result:
    """Run to the end, in uvloop where there is one: the client must not be what is measured."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _cores() -> tuple[int | None, int | None]:
    """A core for the service, and another for the load, where there are two to choose from."""
    if not hasattr(os, "sched_getaffinity"):
        return None, None
    cores = sorted(os.sched_getaffinity(0))
    return (cores[0], cores[1]) if len(cores) > 1 else (None, None)

"""How many runs and which methods, where nobody says: what fits into a few minutes."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from river_oa3.experiments.budget_curve import steps_around
from river_oa3.experiments.methods import AUTO, EVERY_LABEL, find
from river_oa3.experiments.tasks import Streams

__all__ = ["Size", "sized"]

RUNS = (5, 20)
"""The fewest runs that show a difference, and the most that are worth waiting for."""

PATIENCE = 600.0
"""About so many seconds the comparison itself may take."""


class Size(typing.NamedTuple):
    """Which methods in how many runs; what is left out, and about how long all of it takes."""

    methods: tuple[str, ...]
    runs: int
    left_out: tuple[str, ...]
    seconds: float


def sized(
    streams: Streams,
    events: int,
    budget: int,
    jobs: int,
    wanted: Sequence[str],
    methods_given: bool = False,
    runs_given: int | None = None,
) -> Size:
    """Choose methods and runs by about how long they take.

    Parameters
    ----------
    streams
        The events.
    events
        How many of them a run has.
    budget
        How many of their labels may be asked for.
    jobs
        How many processes there are.
    wanted
        Methods to choose from.
    methods_given
        Whether somebody named them, so that none may be left out.
    runs_given
        How many runs somebody asked for.

    """
    share = budget / events
    seconds = {name: find(name).seconds(streams.of(name), events, share) for name in wanted}
    least = RUNS[0] if runs_given is None else runs_given
    left_out: list[str] = []
    if not methods_given:
        # The slowest go first; AutoOA3 is what it is all about.
        for name in sorted(seconds, key=lambda name: -seconds[name]):
            if name != AUTO and least * sum(seconds.values()) > PATIENCE * jobs:
                left_out.append(name)
                del seconds[name]
    each = max(sum(seconds.values()), 1e-9)
    runs = runs_given
    if runs is None:
        runs = int(min(max(PATIENCE * jobs / each, RUNS[0]), RUNS[1]))
    kept = tuple(name for name in wanted if name in seconds)
    # Then every label is bought, and AutoOA3 plays with other budgets.
    auto, every = (find(name).seconds(streams.of(name), events) for name in (AUTO, EVERY_LABEL))
    each += every + len(steps_around(budget, events)) * auto
    return Size(kept, runs, tuple(left_out), runs * each / jobs)

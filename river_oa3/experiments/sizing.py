"""How many orders and which methods, where nobody says: what fits into a few minutes."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from river_oa3.experiments.budget_curve import steps_around
from river_oa3.experiments.methods import AUTO, EVERY_LABEL, find
from river_oa3.experiments.tasks import Streams

__all__ = ["Size", "sized"]

ORDERS = (5, 20)
"""The fewest orders that show a difference, and the most that are worth waiting for."""

PATIENCE = 600.0
"""About so many seconds the comparison itself may take."""


class Size(typing.NamedTuple):
    """Which methods in how many orders; what is left out, and about how long all of it takes."""

    methods: tuple[str, ...]
    orders: int
    left_out: tuple[str, ...]
    seconds: float


def sized(
    streams: Streams,
    events: int,
    budget: int,
    jobs: int,
    wanted: Sequence[str],
    methods_given: bool = False,
    orders_given: int | None = None,
) -> Size:
    """Choose methods and orders by about how long they take.

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
    orders_given
        How many orders somebody asked for; 0 for one run through the events as they came.

    """
    share = budget / events
    seconds = {name: find(name).seconds(streams.of(name), events, share) for name in wanted}
    least = ORDERS[0] if orders_given is None else max(1, orders_given)
    left_out: list[str] = []
    if not methods_given:
        # The slowest go first; AutoOA3 is what it is all about.
        for name in sorted(seconds, key=lambda name: -seconds[name]):
            if name != AUTO and least * sum(seconds.values()) > PATIENCE * jobs:
                left_out.append(name)
                del seconds[name]
    each = max(sum(seconds.values()), 1e-9)
    orders = orders_given
    if orders is None:
        orders = int(min(max(PATIENCE * jobs / each, ORDERS[0]), ORDERS[1]))
    kept = tuple(name for name in wanted if name in seconds)
    orders_run = max(1, orders)
    # Then every label is bought, and AutoOA3 plays with other budgets.
    auto, every = (find(name).seconds(streams.of(name), events) for name in (AUTO, EVERY_LABEL))
    each += every + len(steps_around(budget, events)) * auto
    return Size(kept, orders, tuple(left_out), orders_run * each / jobs)

"""What a contest is made of: streams in orders, budgets, and contenders with their settings."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import math
import typing
from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import Stream
from river_oa3.experiments.scores import Counts, Goal
from river_oa3.experiments.stream_replay import uniforms
from river_oa3.experiments.tasks import Part, cached_draws

__all__ = ["GOALS", "Case", "Cell", "Contender", "Contest", "Setting", "grid", "weight_of"]

Setting = tuple[tuple[str, float | str], ...]
"""Parameters by name, the same for every stream: what depends on the stream goes by a name."""

Shared = typing.TypeVar("Shared")

GOALS: dict[str, Goal] = {"sum": Goal("sum"), "cost": Goal("cost")}
"""What every run is scored by: the balanced sum, and the cost of 0.9 per miss, 0.1 per alarm."""


class Contest(typing.NamedTuple):
    """Which orders of how many events, and which shares of them may be asked about."""

    budgets: tuple[float, ...] = (0.005, 0.01, 0.02, 0.1)
    orders: int = 10
    slow_orders: int = 2
    events: int = 20_000
    seed: int = 0

    def n_events(self, stream: Stream) -> int:
        """How many events of a stream a run has."""
        return min(len(stream), self.events)

    def orders_of(self, contender: Contender) -> int:
        """How many orders a contender goes through: the first ones."""
        return min(self.orders, self.slow_orders) if contender.is_slow else self.orders

    def labels(self, stream: Stream, share: float) -> int:
        """How many labels a share of the events is, at least one."""
        return max(1, round(share * self.n_events(stream)))


class Cell(typing.NamedTuple):
    """One setting of a contender with one budget of labels."""

    setting: Setting
    budget: int


class Case:
    """One order of the events of a stream, with what contenders prepare of it.

    Parameters
    ----------
    stream
        The stream as it is: nothing is scaled.
    number
        The number of the order.
    events
        How many of its events there are.
    seed
        Makes the orders and all decisions repeatable.

    """

    def __init__(self, stream: Stream, number: int, events: int, seed: int):
        self.stream = stream
        self.number = number
        self.seed = seed + number
        self.rows, self.numbers = cached_draws(stream, seed)(Part(0, events, number))
        self._prepared: dict[Hashable, object] = {}

    @functools.cached_property
    def y(self) -> NDArray[np.uint8]:
        """The labels in their order."""
        return np.ascontiguousarray(self.stream.y[self.rows]).view(np.uint8)

    @functools.cached_property
    def own_numbers(self) -> NDArray[np.float64]:
        """What a sampler of river with the seed of this order would draw."""
        return uniforms(self.seed, len(self.rows))

    @property
    def ratio(self) -> float:
        """Negatives per positive in the whole stream, which a live stream does not tell."""
        return self.stream.negatives / self.stream.positives

    def prepared(self, name: Hashable, make: Callable[[], Shared]) -> Shared:
        """What several settings share, made once."""
        if name not in self._prepared:
            self._prepared[name] = make()
        return typing.cast(Shared, self._prepared[name])


Play = Callable[[Case, Sequence[Cell]], Iterator[Counts]]


@dataclasses.dataclass(frozen=True)
class Contender:
    """Who takes part.

    Parameters
    ----------
    title
        What the tables call it.
    side
        Ours with defaults, a learner of the paper, or a peer.
    settings
        Its grid; the first setting is its default.
    play
        Goes through an order with each of the cells in turn.
    cost
        About how many microseconds an event takes, from its non-zeros and the stream's features.
    needs
        The module that it cannot do without.
    is_slow
        Whether it runs on fewer orders.
    most_features
        It takes no part in streams with more.
    is_kept
        Whether its runs are kept from one command to the next.

    """

    title: str
    side: typing.Literal["ours", "paper", "peer"]
    settings: tuple[Setting, ...]
    play: Play
    cost: Callable[[float, int], float]
    needs: str | None = None
    is_slow: bool = False
    most_features: int = 10**9
    is_kept: bool = True

    @property
    def is_installed(self) -> bool:
        """Whether the library that it needs is there."""
        return self.needs is None or importlib.util.find_spec(self.needs) is not None

    def settings_for(self, metric: str) -> list[int]:
        """Which of its settings may be reported for a metric: one with another goal may not."""
        goals = [dict(setting).get("objective", metric) for setting in self.settings]
        return [index for index, goal in enumerate(goals) if goal == metric]

    def seconds(self, stream: Stream, events: int) -> float:
        """About how many seconds a run of so many events takes."""
        nonzeros = float(stream.X.nnz) / max(1, len(stream))
        return 1e-6 * events * self.cost(nonzeros, len(stream.names))


def grid(**values: Sequence[float | str]) -> tuple[Setting, ...]:
    """Every combination of values; the first of each make the default.

    Examples
    --------

    >>> from ..quality.contest import grid

    >>> grid(rate=(0.1, 1.0), weight=("1",))
    ((('rate', 0.1), ('weight', '1')), (('rate', 1.0), ('weight', '1')))

    """
    settings: list[Setting] = [()]
    for name, choices in values.items():
        settings = [(*setting, (name, choice)) for setting in settings for choice in choices]
    return tuple(settings)


def weight_of(name: float | str, ratio: float) -> float:
    """The weight of a positive that goes by a name, where there are so many negatives per positive.

    Examples
    --------

    >>> from ..quality.contest import weight_of

    >>> [weight_of(name, ratio=25.0) for name in ("one", "root", "ratio", "costs")]
    [1.0, 5.0, 25.0, 9.0]

    """
    goal = GOALS["cost"]
    weights = {
        "one": 1.0,
        "root": math.sqrt(ratio),
        "ratio": ratio,
        "costs": goal.cost_fn / goal.cost_fp,
    }
    return weights[str(name)]

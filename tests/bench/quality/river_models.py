"""river's EntropySampler around models of river that are called one event at a time."""

from __future__ import annotations

import typing
from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np
from river import active, forest, naive_bayes, tree

from river_oa3.experiments.peers import Sampler
from river_oa3.experiments.scores import Counts

from ..quality.asking import FIRST, predict_and_ask
from ..quality.contest import (
    Case,
    Cell,
    Contender,
    Play,
    Setting,
    grid,
    weight_of,
)

__all__ = ["RIVER_MODELS"]

Event = dict[Hashable, float]


def _play(make: Callable[[int], typing.Any]) -> Play:
    """A model on events that have every feature, zeros among them, as they are."""

    def play(case: Case, cells: Sequence[Cell]) -> Iterator[Counts]:
        table = case.prepared("table", lambda: np.asarray(case.stream.X[case.rows].toarray()))
        columns = range(table.shape[1])

        def event(i: int) -> Event:
            return dict(zip(columns, table[i].tolist(), strict=True))

        for cell in cells:
            chosen = dict(cell.setting)
            sampler = Sampler(make(case.seed), float(chosen["discount"]), case.seed)
            # The sampler passes no weight on, and not every model takes one.
            weights = {}
            if "weight" in chosen:
                weights = {True: {"w": weight_of(chosen["weight"], case.ratio)}}
            yield _go(sampler, case, cell.budget, event, weights)

    return play


def _go(
    sampler: active.EntropySampler,
    case: Case,
    budget: int,
    event: Callable[[int], Event],
    weights: dict[bool, dict[str, float]],
) -> Counts:
    wanted = False

    def predict(i: int) -> float:
        nonlocal wanted
        found, wanted = sampler.predict_proba_one(event(i))
        return float(found.get(True, 0.0))

    def learn(i: int) -> None:
        y = bool(case.y[i])
        sampler.classifier.learn_one(event(i), y, **weights.get(y, {}))

    return predict_and_ask(case, budget, predict, lambda i, p: wanted, learn, FIRST)


def _contender(
    title: str,
    make: Callable[[int], typing.Any],
    microseconds: Callable[[float, int], float],
    settings: tuple[Setting, ...] = grid(discount=(3.0, 1.0)),
) -> Contender:
    return Contender(
        title=f"river {title}",
        side="peer",
        settings=settings,
        play=_play(make),
        cost=microseconds,
        is_slow=True,
        most_features=500,
    )


RIVER_MODELS: dict[str, Contender] = {
    "GaussianNB": _contender(
        "GaussianNB",
        lambda seed: naive_bayes.GaussianNB(),
        lambda nonzeros, features: 80.0 + 1.5 * features,
    ),
    "HoeffdingTree": _contender(
        "HoeffdingTree",
        lambda seed: tree.HoeffdingTreeClassifier(),
        lambda nonzeros, features: 25.0 + 0.1 * features,
        grid(discount=(3.0, 1.0), weight=("one", "ratio")),
    ),
    "ARF": _contender(
        "ARF",
        lambda seed: forest.ARFClassifier(seed=seed),
        lambda nonzeros, features: 130.0 + 0.2 * features,
    ),
}

"""river's own learners, each in river's sampler and with river's defaults, as rivals of ours."""

from __future__ import annotations

import typing
from collections.abc import Callable

from river import active, forest, linear_model, naive_bayes, preprocessing, tree
from river.active.base import ActiveLearningClassifier

from river_oa3.experiments.methods import Cost, Method, Style

__all__ = ["PEERS", "Sampler"]


class Sampler(active.EntropySampler):
    """River's, which divides by zero where one class has all the odds, and they are not quite 1."""

    def _p(self, y_pred: typing.Any) -> float:
        possible = sum(p > 0.0 for p in y_pred.values())
        return float(super()._p(y_pred)) if possible > 1 else 0.0


def _peer(make: Callable[[int | None], typing.Any], color: str, marker: str, cost: Cost) -> Method:
    def in_sampler(seed: int | None = None) -> ActiveLearningClassifier:
        return Sampler(make(seed), seed=seed)

    return Method(in_sampler, (), "river", Style(color, "-.", marker, 1.2), cost, takes_raw=True)


# Seen on events of 10 to 60 features, in nanoseconds.
PEERS: dict[str, Method] = {
    "LogisticRegression": _peer(
        lambda seed: preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        "#117733",
        "1",
        lambda nonzeros, features, share: 10_000.0 + 1_800.0 * min(features, 500),
    ),
    "GaussianNB": _peer(
        lambda seed: naive_bayes.GaussianNB(),
        "#44AA99",
        "2",
        lambda nonzeros, features, share: 80_000.0 + 3_000.0 * min(features, 500),
    ),
    "HoeffdingTree": _peer(
        lambda seed: tree.HoeffdingTreeClassifier(),
        "#DDCC77",
        "3",
        lambda nonzeros, features, share: 25_000.0 + 600.0 * min(features, 500),
    ),
    "ARF": _peer(
        lambda seed: forest.ARFClassifier(seed=seed),
        "#AA4499",
        "4",
        lambda nonzeros, features, share: 130_000.0 + 1_000.0 * min(features, 500),
    ),
}
"""river's learners by name."""

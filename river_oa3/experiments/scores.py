"""From counts of right and wrong to the paper's two metrics."""

from __future__ import annotations

import dataclasses
import typing

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counts", "Goal"]

Numbers = NDArray[np.float64]


class Counts(typing.NamedTuple):
    """Counts after so many events: numbers, or an array a number for curves.

    Examples
    --------

    >>> from river_oa3.experiments import Counts

    >>> counts = Counts(8, 10, 90, 2, labels=50)
    >>> float(counts.sensitivity), float(counts.specificity)
    (80.0, 90.0)

    """

    true_positives: typing.Any
    false_positives: typing.Any
    true_negatives: typing.Any
    false_negatives: typing.Any
    labels: typing.Any

    @property
    def sensitivity(self) -> Numbers:
        """In percent; 0 while there is no positive event."""
        return _percent(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def specificity(self) -> Numbers:
        """In percent; 0 while there is no negative event."""
        return _percent(self.true_negatives, self.true_negatives + self.false_positives)


def _percent(part: typing.Any, whole: typing.Any) -> Numbers:
    whole = np.asarray(whole, dtype=np.float64)
    share: Numbers = np.zeros_like(whole)
    np.divide(100.0 * np.asarray(part), whole, out=share, where=whole > 0)
    return share


@dataclasses.dataclass(frozen=True)
class Goal:
    """What a comparison is after: the weighted sum, or the cost, and their weights.

    Examples
    --------

    >>> from river_oa3.experiments.scores import Counts, Goal

    >>> goal = Goal("sum")
    >>> counts = Counts(8, 10, 90, 2, 50)
    >>> float(goal.score(counts)), float(goal.cost(counts))
    (85.0, 2.8)
    >>> goal.rho(positives=10, negatives=100)
    10.0

    """

    metric: typing.Literal["sum", "cost"]
    alpha_pos: float = 0.5
    cost_fn: float = 0.9
    cost_fp: float = 0.1

    def sum(self, counts: Counts) -> Numbers:
        """The weighted sum of sensitivity and specificity, in percent."""
        return self.alpha_pos * counts.sensitivity + (1.0 - self.alpha_pos) * counts.specificity

    def cost(self, counts: Counts) -> Numbers:
        """The cost of the mistakes."""
        return np.asarray(
            self.cost_fn * counts.false_negatives + self.cost_fp * counts.false_positives
        )

    def score(self, counts: Counts) -> Numbers:
        """The one that counts, sum or cost."""
        return self.sum(counts) if self.metric == "sum" else self.cost(counts)

    def merit(self, counts: Counts) -> float:
        """A number that is the larger the better."""
        score = float(self.score(counts))
        return score if self.metric == "sum" else -score

    def rho(self, positives: int, negatives: int) -> float:
        """The weight of a positive that this goal asks for, as the paper sets it."""
        if self.metric == "cost":
            return self.cost_fn / self.cost_fp
        return self.alpha_pos * negatives / ((1.0 - self.alpha_pos) * positives)

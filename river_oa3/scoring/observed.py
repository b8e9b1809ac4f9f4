"""What events without labels have in common with others: sums, which may be added up anywhere."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from river_oa3 import pipelines
from river_oa3._core.auto_observed import LARGEST_VALUE, observe_sums
from river_oa3.auto import AutoOA3Classifier
from river_oa3.query import AdaptiveQuery

if typing.TYPE_CHECKING:
    from river_oa3.active import ActiveLearner
    from river_oa3.scoring.rows import Rows

__all__ = ["Observed"]

Numbers = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Observed:
    """Sums over events, by the names of their features.

    Adding two of them up is exact but for rounding, in any order. `teach` then brings an active
    learner to where it would be had it predicted these events one by one, as far as that is a sum:
    the scale of the features, the length of rows and the number of events. What is a running mean,
    the boundary and the worth of a label, takes all events of a batch as alike.

    Parameters
    ----------
    events
        The number of events.
    features
        For each feature: how many events had it, the mean and the variance of its values there, and
        in how many events it was missing.
    rows
        Sums over the rows: of squared lengths, of the slow and the fast learner's probability, of
        predictions that are positive, and of the worth of labels.

    """

    events: int = 0
    features: dict[Hashable, tuple[float, float, float, float]] = dataclasses.field(
        default_factory=dict
    )
    rows: tuple[float, float, float, float, float] = (0.0,) * 5

    @classmethod
    def of(cls, rows: Rows, sums: tuple[float, ...]) -> Observed:
        """The sums of some rows."""
        n_names = len(rows.names)
        gaps = np.bincount(rows.indices[np.isnan(rows.data)], minlength=n_names)
        there = (rows.data != 0.0) & ~np.isnan(rows.data)
        indices = rows.indices[there]
        data = np.clip(rows.data[there], -LARGEST_VALUE, LARGEST_VALUE)
        n = np.bincount(indices, minlength=n_names).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = np.bincount(indices, data, minlength=n_names) / n
            var = np.bincount(indices, (data - mean[indices]) ** 2, minlength=n_names) / n
        features = {
            rows.names[i]: (float(n[i]), float(mean[i]), float(var[i]), float(gaps[i]))
            if n[i]
            else (0.0, 0.0, 0.0, float(gaps[i]))
            for i in np.flatnonzero(n + gaps).tolist()
        }
        return cls(len(rows) - len(rows.errors), features, typing.cast(typing.Any, sums))

    def __add__(self, other: Observed) -> Observed:
        features = dict(self.features)
        for name, seen in other.features.items():
            features[name] = _merged(features[name], seen) if name in features else seen
        rows = tuple(a + b for a, b in zip(self.rows, other.rows, strict=True))
        return Observed(self.events + other.events, features, typing.cast(typing.Any, rows))

    def teach(self, model: ActiveLearner) -> None:
        """Let an active learner observe these events."""
        if not self.events:
            return
        squares, slow, fast, positives, worth = self.rows
        classifier = pipelines.last_step(model.classifier)
        if model._observes and isinstance(classifier, AutoOA3Classifier):
            table: Numbers = np.array(list(self.features.values())).reshape(-1, 4)
            sums = self.events, squares, slow, fast, positives
            n, mean, var, gaps = np.ascontiguousarray(table.T)
            observe_sums(classifier._core, list(self.features), n, mean, var, gaps, *sums)
        if isinstance(model._query, AdaptiveQuery):
            model._query._rule.note_batch(worth / self.events, self.events)
        model.n_seen += self.events
        # As many labels may come of events that have been observed.
        model._taught += self.events if model._observes else 0


def _merged(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    n = one[0] + other[0]
    if not n:
        return 0.0, 0.0, 0.0, one[3] + other[3]
    part, gap = other[0] / n, other[1] - one[1]
    return (
        n,
        one[1] + part * gap,
        one[2] + part * (other[2] - one[2]) + part * (1.0 - part) * gap * gap,
        one[3] + other[3],
    )

from __future__ import annotations

import copy
import math
import typing
from collections.abc import Sequence

import numpy as np

from river_oa3._core import checks
from river_oa3.monitor import measures, stored
from river_oa3.monitor.loss_watch import LossWatch
from river_oa3.monitor.totals import FALSE_ALARMS, HITS, MISSES, PASSES, plausible_totals
from river_oa3.state import State, counted

if typing.TYPE_CHECKING:
    from river import metrics as river_metrics

    from river_oa3 import metrics

__all__ = ["AskedQuality", "Estimate"]

# Labels of each class, or of predicted positives, below which nothing is said.
ENOUGH = 15
# Smaller ones count as this, so that no digits of a sum of squared weights are lost.
LEAST_PROBABILITY = 1e-6

# What labels change.
_KEPT = ("_counts", "_weights", "_squares", "_losses", "_has_risen", "_half_way", "n_drifts")


class Estimate(typing.NamedTuple):
    """A measure, and the limits of its interval.

    Examples
    --------

    >>> from river_oa3 import monitor

    >>> monitor.Estimate(value=0.9, low=0.8, high=0.95).low
    0.8

    """

    value: float
    low: float
    high: float


class AskedQuality(LossWatch):
    """How good the answers are, from the labels that were asked for, and from no others.

    Asked labels are no fair sample: events near the boundary are asked about more often. The label
    of an event that was asked about with probability `p` counts `1 / p` times, so that what is
    estimated is the quality over all events that could be asked about (`p > 0`), asked or not.

    Five measures are kept: `sensitivity`, `specificity`, `precision`, `weighted_sum` of the first
    two, and `weighted_cost` per event. The metric chooses one of them for `get` and `interval`.

    Intervals are those of the mid-p gamma method for weighted counts, for each kind of event (hit,
    miss, false alarm, pass) by itself, and combined by a fixed set of points: there is no normal
    approximation, and no interval without width because no mistake happened to be asked about. In
    simulations of whole active learners, 1,000 streams each, those of 95 percent held the truth in
    93 to 98 percent of the streams, for sensitivity in up to 99 where few positives were asked
    about. Where fewer than 15 labels of a class that a measure looks at have been seen (for
    precision also: of predicted positives), there are too few to say, and the answer is None.

    `drift_detected` is raised when river's ADWIN finds that mistakes have become more frequent. A
    mistake counts by its weight relative to the mean weight, up to 3. The flag falls again when
    they have come half way back, or ADWIN sees them fall. Expect a false alarm in 10,000 labels. A
    change that an `AutoOA3Classifier` has learned within a few hundred labels mostly passes
    unseen. When positives became hard to tell for good, and half of the sensitivity was lost, it
    was raised after 200 to 350 labels; with 800 labels in all and 2 to 10 percent of positives in
    30 to 60 of 100 streams, with 1,600 in 80. So it is a reason to look, and its silence is none
    not to: the intervals tell more.

    What to do when it is raised:

    1. Look at the newest asks, and at the columns: a unit that changed, a field that is empty, a
       new category. Mend what is broken before anything is learned from it.
    2. Give it labels. An `AutoOA3Classifier` adapts by itself: twice the rate for a few hundred
       labels is what it needs, and nothing has to be reset.
    3. Watch the flag. Where it stays up, and the quality of the newest labels stays low
       (`river.utils.Rolling(AskedQuality, window_size=500)`), start a new model, or one with other
       features, beside the old one, and let it replace it when its intervals are better.

    Parameters
    ----------
    metric
        What `get` and `interval` speak about: `metrics.WeightedSum`, which is the default with
        equal weights, `metrics.WeightedCost` (per event), `metrics.Sensitivity`,
        `metrics.Specificity`, or river's own `metrics.Precision`.

    Attributes
    ----------
    n_labels
        The number of labels.
    n_drifts
        How often the flag has been raised.

    Examples
    --------

    >>> import random
    >>> from river_oa3 import ActiveLearner, budget, monitor

    >>> rng = random.Random(42)
    >>> model = ActiveLearner(budget=budget.RateBudget(0.1), seed=42)
    >>> quality = monitor.AskedQuality()
    >>> for _ in range(5000):
    ...     y = rng.random() < 0.05
    ...     x = {'amount': rng.gauss(2.5 * y, 1), 'age': rng.gauss(0, 1)}
    ...     y_pred, ask = model.predict_one(x)
    ...     if ask:
    ...         quality.update(y, y_pred, model.last_query.probability)
    ...         model.learn_one(x, y)

    >>> print(quality.summary)
    The weighted sum is 0.929 (95 percent interval 0.812 to 0.941), by 499 labels.

    >>> value, low, high = quality.estimate('sensitivity')
    >>> print(f'{value:.2f}, from {low:.2f} to {high:.2f}')
    0.98, from 0.74 to 0.99

    >>> quality.drift_detected
    False

    With few labels it says so:

    >>> quality = monitor.AskedQuality()
    >>> quality.update(y_true=True, y_pred=False, probability=0.1)
    >>> quality.get() is None
    True
    >>> print(quality.summary)
    Too few labels to say: 1 positive and 0 negative ones so far, and it takes 15 of each that
    counts.

    """

    def __init__(
        self,
        metric: metrics.WeightedSum
        | metrics.WeightedCost
        | metrics.Sensitivity
        | metrics.Specificity
        | river_metrics.Precision
        | None = None,
    ):
        from river_oa3 import metrics

        super().__init__()
        self.metric = metrics.WeightedSum() if metric is None else metric
        measures.named_by(self.metric)
        # Of each kind of event: labels, their weights, and the squares of these.
        self._counts = [0, 0, 0, 0]
        self._weights = [0.0, 0.0, 0.0, 0.0]
        self._squares = [0.0, 0.0, 0.0, 0.0]

    def __setstate__(self, state: dict[str, typing.Any]) -> None:
        self.__dict__.update(state)
        stored.check(vars(self))

    def state(self) -> dict[str, typing.Any]:
        """All that labels have told it, whatever its metric looks at."""
        return {
            "counts": list(map(counted, self._counts)),
            "weights": list(self._weights),
            "squares": list(self._squares),
            "losses": np.array(self._losses, dtype=np.float64),
            "has_risen": bool(self._has_risen),
            "half_way": float(self._half_way),
            "n_drifts": counted(self.n_drifts),
        }

    def restore(self, state: dict[str, typing.Any]) -> None:
        """Go on where one was when it gave this `state`, with a metric of one's own.

        A `ValueError` says what no labels can have led to; then nothing has changed.
        """
        given = State(state)
        kept = {name: given.take(name.strip("_")) for name in _KEPT}
        given.check_all_taken()
        kept["_losses"] = np.asarray(kept["_losses"]).tolist()
        stored.check(kept)
        self.__dict__.update(copy.deepcopy(kept))

    @property
    def _measure(self) -> str:
        return measures.named_by(self.metric)

    def update(self, y_true: typing.Any, y_pred: typing.Any, probability: float) -> None:
        """Take the label of an event that was asked about.

        Parameters
        ----------
        y_true
            The label.
        y_pred
            What was predicted when the event came.
        probability
            The probability with which the event was asked about.

        """
        kind, weight = _read(y_true, y_pred, probability)
        self._count(kind, weight, 1)
        mistaken = kind in (MISSES, FALSE_ALARMS)
        self._watch(weight * self.n_labels / sum(self._weights) if mistaken else 0.0)

    def revert(self, y_true: typing.Any, y_pred: typing.Any, probability: float) -> None:
        """Take a label back from the estimates, as `river.utils.Rolling` does; not from the flag.

        Parameters
        ----------
        y_true
            The label.
        y_pred
            What was predicted when the event came.
        probability
            The probability with which the event was asked about.

        """
        self._count(*_read(y_true, y_pred, probability), -1)

    def _count(self, kind: int, weight: float, sign: int) -> None:
        self._counts[kind] += sign
        if self._counts[kind] == 0:
            # What rounding would leave over.
            self._weights[kind] = self._squares[kind] = 0.0
        else:
            self._weights[kind] += sign * weight
            self._squares[kind] += sign * weight * weight

    @property
    def n_labels(self) -> int:
        return sum(self._counts)

    @property
    def n_positives(self) -> int:
        """The number of labels that are positive."""
        return self._counts[MISSES] + self._counts[HITS]

    @property
    def effective_sample_size(self) -> float:
        """How many labels of equal weight would say as much."""
        return self._effective(range(4))

    def _effective(self, kinds: Sequence[int]) -> float:
        weight = math.fsum(self._weights[kind] for kind in kinds)
        square = math.fsum(self._squares[kind] for kind in kinds)
        return weight * weight / square if square > 0.0 else 0.0

    def get(self) -> float | None:
        """The metric, estimated; None where there are too few labels to say."""
        return self._value(self._measure) if self.is_enough() else None

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The interval of the metric; None where there are too few labels to say.

        Parameters
        ----------
        level
            How sure it should be to hold the truth.

        """
        estimate = self.estimate(level=level)
        return None if estimate is None else (estimate.low, estimate.high)

    def estimate(self, measure: str | None = None, level: float = 0.95) -> Estimate | None:
        """A measure and its interval; None where there are too few labels to say.

        Parameters
        ----------
        measure
            `'sensitivity'`, `'specificity'`, `'precision'`, `'weighted_sum'` or
            `'weighted_cost'`; None is that of the metric.
        level
            How sure the interval should be to hold the truth.

        """
        measure = self._measure if measure is None else measures.known(measure)
        return self._estimates([measure], level)[measure]

    def is_enough(self, measure: str | None = None) -> bool:
        """Whether there are labels enough to say something about a measure.

        Parameters
        ----------
        measure
            One of the five; None is that of the metric.

        """
        measure = self._measure if measure is None else measures.known(measure)
        positives = self.n_positives
        return {
            "sensitivity": positives,
            "specificity": self.n_labels - positives,
            "precision": min(positives, self._counts[HITS] + self._counts[FALSE_ALARMS]),
        }.get(measure, min(positives, self.n_labels - positives)) >= ENOUGH

    @property
    def summary(self) -> str:
        """What there is to say, in plain words."""
        estimate = self.estimate()
        if estimate is None:
            negatives = self.n_labels - self.n_positives
            said = (
                f"Too few labels to say: {self.n_positives} positive and {negatives} negative ones "
                f"so far, and it takes {ENOUGH} of each that counts."
            )
        else:
            said = (
                f"The {self._measure.replace('_', ' ')} is {estimate.value:.3g} (95 percent "
                f"interval {estimate.low:.3g} to {estimate.high:.3g}), by {self.n_labels} labels."
            )
        return said + (" Mistakes have become more frequent." if self.drift_detected else "")

    def to_dict(self) -> dict[str, typing.Any]:
        """All there is to say as numbers, bools and texts, with intervals of 95 percent."""
        estimates = self._estimates(list(measures.FORMULAS), 0.95)
        return {
            "metric": self._measure,
            "level": 0.95,
            "measures": {
                measure: {
                    "estimate": None if estimate is None else estimate.value,
                    "low": None if estimate is None else estimate.low,
                    "high": None if estimate is None else estimate.high,
                    "enough": estimate is not None,
                }
                for measure, estimate in estimates.items()
            },
            "n_labels": self.n_labels,
            "n_positives": self.n_positives,
            "effective_sample_size": self.effective_sample_size,
            "effective_positives": self._effective((MISSES, HITS)),
            "effective_negatives": self._effective((PASSES, FALSE_ALARMS)),
            "drift_detected": self.drift_detected,
            "n_drifts": self.n_drifts,
            "summary": self.summary,
        }

    def _value(self, measure: str) -> float:
        return float(measures.FORMULAS[measure](np.array(self._weights), self.metric))

    def _estimates(self, wanted: list[str], level: float) -> dict[str, Estimate | None]:
        if not 0.0 < checks.positive("level", level) < 1.0:
            raise ValueError(f"level must be above 0 and below 1, not {level!r}")
        estimates: dict[str, Estimate | None] = dict.fromkeys(wanted)
        told = [measure for measure in wanted if self.is_enough(measure)]
        if told:
            totals = plausible_totals(self._counts, self._weights, self._squares)
        for measure in told:
            value = self._value(measure)
            spread = measures.FORMULAS[measure](totals, self.metric)
            low, high = np.quantile(spread, [0.5 - level / 2.0, 0.5 + level / 2.0]).tolist()
            estimates[measure] = Estimate(value, min(low, value), max(high, value))
        return estimates

    def __repr__(self) -> str:
        return f"AskedQuality: {self.summary}"


def _read(y_true: typing.Any, y_pred: typing.Any, probability: typing.Any) -> tuple[int, float]:
    """The kind of an event, and how many it stands for."""
    # The checks are for others than these, and take their time.
    actual = y_true if type(y_true) is bool else checks.as_label(y_true)
    predicted = y_pred if type(y_pred) is bool else checks.as_label(y_pred)
    if not (type(probability) is float and 0.0 < probability <= 1.0):
        probability = checks.share("probability", probability)
    return 2 * actual + predicted, 1.0 / max(probability, LEAST_PROBABILITY)

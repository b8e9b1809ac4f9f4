"""The paper's two metrics, and what they are made of, for river's evaluator."""

from __future__ import annotations

import typing

from river import metrics

from river_oa3._core import checks

__all__ = ["Sensitivity", "Specificity", "WeightedCost", "WeightedSum"]


def _found(cm: metrics.ConfusionMatrix, label: bool) -> float:
    """The share of the events with a label that are given it; 0 where there are none."""
    support = cm.support(label)
    return float(cm.true_positives(label) / support) if support > 0 else 0.0


class Sensitivity(metrics.base.BinaryMetric):
    """The share of positives that are found, also called recall.

    It is 0 as long as there is no positive.

    Parameters
    ----------
    cm
        A confusion matrix to share with other metrics.
    pos_val
        Value to treat as "positive".

    Examples
    --------

    >>> from river_oa3 import metrics

    >>> metric = metrics.Sensitivity()
    >>> for y_true, y_pred in [(True, True), (True, False), (False, False)]:
    ...     metric.update(y_true, y_pred)
    >>> metric
    Sensitivity: 50.00%

    """

    def get(self) -> float:
        return _found(self.cm, True)


class Specificity(metrics.base.BinaryMetric):
    """The share of negatives that are let pass.

    It is 0 as long as there is no negative.

    Parameters
    ----------
    cm
        A confusion matrix to share with other metrics.
    pos_val
        Value to treat as "positive".

    Examples
    --------

    >>> from river_oa3 import metrics

    >>> metric = metrics.Specificity()
    >>> for y_true, y_pred in [(False, True), (False, False), (True, False)]:
    ...     metric.update(y_true, y_pred)
    >>> metric
    Specificity: 50.00%

    """

    def get(self) -> float:
        return _found(self.cm, False)


class WeightedSum(metrics.base.BinaryMetric):
    """A weighted sum of sensitivity and specificity.

    With equal weights this is balanced accuracy. A class that has not been seen adds 0.

    Parameters
    ----------
    alpha_pos
        The weight of sensitivity, from 0 to 1; specificity has the rest.
    cm
        A confusion matrix to share with other metrics.
    pos_val
        Value to treat as "positive".

    Examples
    --------

    >>> from river_oa3 import metrics

    >>> metric = metrics.WeightedSum(alpha_pos=0.5)
    >>> for y_true, y_pred in [(True, True), (False, True), (False, False), (False, False)]:
    ...     metric.update(y_true, y_pred)
    >>> metric
    WeightedSum: 83.33%

    """

    def __init__(
        self,
        alpha_pos: float = 0.5,
        cm: metrics.ConfusionMatrix | None = None,
        pos_val: typing.Any = True,
    ):
        super().__init__(cm, pos_val)
        self.alpha_pos = checks.weight("alpha_pos", alpha_pos, most=1.0)

    def get(self) -> float:
        return self.alpha_pos * _found(self.cm, True) + (1.0 - self.alpha_pos) * _found(
            self.cm, False
        )


class WeightedCost(metrics.base.BinaryMetric):
    """What the mistakes cost: so much for a missed positive, so much for a false alarm.

    It is 0 as long as there is no mistake. The mistakes are counted here and not read from the
    confusion matrix: one that several metrics share counts every event several times.

    Parameters
    ----------
    cost_fn
        The cost of a positive that is missed.
    cost_fp
        The cost of a false alarm.
    cm
        A confusion matrix to share with other metrics.
    pos_val
        Value to treat as "positive".

    Examples
    --------

    >>> from river_oa3 import metrics

    >>> metric = metrics.WeightedCost(cost_fn=90, cost_fp=10)
    >>> for y_true, y_pred in [(True, False), (False, True), (False, False)]:
    ...     metric.update(y_true, y_pred)
    >>> metric
    WeightedCost: 100

    """

    _fmt = ",.6f"

    def __init__(
        self,
        cost_fn: float = 0.9,
        cost_fp: float = 0.1,
        cm: metrics.ConfusionMatrix | None = None,
        pos_val: typing.Any = True,
    ):
        super().__init__(cm, pos_val)
        self.cost_fn = checks.weight("cost_fn", cost_fn)
        self.cost_fp = checks.weight("cost_fp", cost_fp)
        self._missed = 0.0
        self._false_alarms = 0.0

    @property
    def bigger_is_better(self) -> bool:
        return False

    def update(self, y_true: typing.Any, y_pred: typing.Any, w: float = 1.0) -> None:
        super().update(y_true, y_pred, w)
        self._count(y_true, y_pred, w)

    def revert(self, y_true: typing.Any, y_pred: typing.Any, w: float = 1.0) -> None:
        super().revert(y_true, y_pred, w)
        self._count(y_true, y_pred, -w)

    def _count(self, y_true: typing.Any, y_pred: typing.Any, w: float) -> None:
        actual, predicted = y_true == self.pos_val, y_pred == self.pos_val
        if actual and not predicted:
            self._missed += w
        elif predicted and not actual:
            self._false_alarms += w

    def get(self) -> float:
        return self.cost_fn * self._missed + self.cost_fp * self._false_alarms

    def __repr__(self) -> str:
        # river strips every zero at the end, those of 100 too.
        cost = f"{self.get():{self._fmt}}".rstrip("0").rstrip(".")
        return f"{self.__class__.__name__}: {cost}"

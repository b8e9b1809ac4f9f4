"""What is measured, out of the number of events of each kind."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable

from river_oa3.monitor.totals import FALSE_ALARMS, HITS, MISSES, PASSES, Numbers

if typing.TYPE_CHECKING:
    from river import metrics as river_metrics

__all__ = ["FORMULAS", "known", "named_by"]


@functools.cache
def _names() -> tuple[tuple[type[river_metrics.base.BinaryMetric], str], ...]:
    from river import metrics as river_metrics

    from river_oa3 import metrics

    return (
        (metrics.WeightedSum, "weighted_sum"),
        (metrics.WeightedCost, "weighted_cost"),
        (metrics.Sensitivity, "sensitivity"),
        (metrics.Specificity, "specificity"),
        (river_metrics.Precision, "precision"),
    )


def named_by(metric: typing.Any) -> str:
    """The measure that a metric stands for."""
    for kind, measure in _names():
        if isinstance(metric, kind):
            if metric.pos_val not in (True,):
                raise ValueError(
                    "labels are True and False here: the metric's pos_val must be True, not "
                    f"{metric.pos_val!r}"
                )
            return measure
    raise TypeError(
        "metric must be a WeightedSum, WeightedCost, Sensitivity or Specificity of "
        f"river_oa3.metrics, or river's own metrics.Precision, not {metric!r}"
    )


def known(measure: str) -> str:
    if measure not in FORMULAS:
        raise ValueError(f"measure must be one of {', '.join(FORMULAS)}, not {measure!r}")
    return measure


def _sensitivity(n: typing.Any, _: typing.Any) -> typing.Any:
    return n[HITS] / (n[HITS] + n[MISSES])


def _specificity(n: typing.Any, _: typing.Any) -> typing.Any:
    return n[PASSES] / (n[PASSES] + n[FALSE_ALARMS])


def _precision(n: typing.Any, _: typing.Any) -> typing.Any:
    return n[HITS] / (n[HITS] + n[FALSE_ALARMS])


def _weighted_sum(n: typing.Any, metric: typing.Any) -> typing.Any:
    from river_oa3.metrics import WeightedSum

    alpha = (metric if isinstance(metric, WeightedSum) else WeightedSum()).alpha_pos
    return alpha * _sensitivity(n, metric) + (1.0 - alpha) * _specificity(n, metric)


def _weighted_cost(n: typing.Any, metric: typing.Any) -> typing.Any:
    from river_oa3.metrics import WeightedCost

    prices = metric if isinstance(metric, WeightedCost) else WeightedCost()
    cost = prices.cost_fn * n[MISSES] + prices.cost_fp * n[FALSE_ALARMS]
    return cost / n.sum(axis=0)


# Of the number of events of each kind, at the weights and costs of a metric.
FORMULAS: dict[str, Callable[[Numbers, typing.Any], typing.Any]] = {
    "sensitivity": _sensitivity,
    "specificity": _specificity,
    "precision": _precision,
    "weighted_sum": _weighted_sum,
    "weighted_cost": _weighted_cost,
}

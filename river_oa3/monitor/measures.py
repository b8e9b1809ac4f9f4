"""What is measured, out of the number of events of each kind."""

from __future__ import annotations

import typing
from collections.abc import Callable

from river import metrics as river_metrics

from river_oa3 import metrics
from river_oa3.monitor.totals import FALSE_ALARMS, HITS, MISSES, PASSES, Numbers

__all__ = ["FORMULAS", "known", "named_by"]

_NAMES: tuple[tuple[type[river_metrics.base.BinaryMetric], str], ...] = (
    (metrics.WeightedSum, "weighted_sum"),
    (metrics.WeightedCost, "weighted_cost"),
    (metrics.Sensitivity, "sensitivity"),
    (metrics.Specificity, "specificity"),
    (river_metrics.Precision, "precision"),
)

# Whose weights and costs count where the metric has none.
_SUM, _COST = metrics.WeightedSum(), metrics.WeightedCost()


def named_by(metric: typing.Any) -> str:
    """The measure that a metric stands for."""
    for kind, measure in _NAMES:
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
    alpha = (metric if isinstance(metric, metrics.WeightedSum) else _SUM).alpha_pos
    return alpha * _sensitivity(n, metric) + (1.0 - alpha) * _specificity(n, metric)


def _weighted_cost(n: typing.Any, metric: typing.Any) -> typing.Any:
    prices = metric if isinstance(metric, metrics.WeightedCost) else _COST
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

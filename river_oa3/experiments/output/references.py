"""What methods are held against: the best constant answer, and every label bought."""

from __future__ import annotations

import numpy as np

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.scores import METRICS, Counts, Goal, Metric

__all__ = ["CHANCE", "EVERY_LABEL", "constant_answer", "references"]

CHANCE = "chance"
EVERY_LABEL = "every label"


def references(findings: Findings) -> dict[str, Counts]:
    """The last counts of the best constant answer and, where it was run, of every label bought."""
    constant = constant_answer(findings.comparison, findings.comparison.plan.goal.measure)
    last = Counts(*(np.asarray(each)[:, -1] for each in constant))._replace(labels=None)
    ceiling = {} if findings.ceiling is None else {EVERY_LABEL: findings.ceiling}
    return {CHANCE: last, **ceiling}


def constant_answer(comparison: Comparison, metric: Metric) -> Counts:
    """The counts of the constant answer that is best by a metric: arrays of runs by checkpoints.

    Where both answers are as good, it is the one that is better by the other metrics.
    """
    seen = comparison.curves(next(iter(comparison.runs)))
    positives = np.asarray(seen.true_positives + seen.false_negatives)
    negatives = np.asarray(seen.true_negatives + seen.false_positives)
    none = np.zeros_like(positives)
    always = Counts(positives, negatives, none, none, none)
    never = Counts(none, none, negatives, positives, none)
    goal, others = comparison.plan.goal, [each for each in METRICS.values() if each != metric]

    def goodness(counts: Counts) -> list[float]:
        return [_last_objective(goal, each, counts) for each in (metric, *others)]

    return max((never, always), key=goodness)


def _last_objective(goal: Goal, metric: Metric, counts: Counts) -> float:
    last = metric.score(goal, counts)[..., -1]
    # Scores that differ by the rounding of a sum of weights are as good as each other.
    return round(float(metric.objective(last.mean())), 9)

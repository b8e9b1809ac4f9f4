"""Findings with scores that a test sets, without a replay."""

from __future__ import annotations

import numpy as np

from river_oa3 import datasets
from river_oa3.experiments import Comparison, Counts, Goal, Plan
from river_oa3.experiments.budget_curve import BudgetCurve
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.methods import Setting
from river_oa3.experiments.scores import together
from river_oa3.experiments.tasks import Run
from river_oa3.experiments.verdict import judge

POSITIVES, NEGATIVES, BUDGET = 100, 900, 40

# Method by method, one sum per order: the first is ahead of all, or level with the second.
CLEAR = {"OA3": [90.0, 92.0, 91.0], "PAA": [80.0, 82.0, 81.5], "CSOAL": [70.0, 71.0, 71.5]}
LEVEL = {"OA3": [90.0, 92.0, 91.0], "PAA": [92.0, 90.0, 90.5], "CSOAL": [70.0, 71.0, 71.5]}
LOST = {"OA3": [50.0, 52.0, 49.0], "PAA": [48.0, 50.0, 51.0]}


def counts_of(percent):
    """Counts of which sensitivity and specificity both are this, and so is the sum."""
    share = np.asarray(percent) / 100.0
    right = POSITIVES * share, NEGATIVES * share
    labels = np.full(share.shape, float(BUDGET))
    return Counts(right[0], NEGATIVES - right[1], right[1], POSITIVES - right[0], labels)


def made(sums=CLEAR, metric="sum", name="made", ceiling=None, curve=None, preferred=()):
    """Findings with these sums of methods, this of every label, and a curve of budgets to sums."""
    goal = Goal(metric)
    y = np.arange(POSITIVES + NEGATIVES) < POSITIVES
    stream = datasets.stream(name, np.ones((len(y), 1)), y)
    checkpoints = np.array([len(y) // 2, len(y)])
    runs = {
        method: {
            k: Run(_at_half_and_end(counts_of(each)), 500, 0.01) for k, each in enumerate(values)
        }
        for method, values in sums.items()
    }
    orders = len(next(iter(sums.values())))
    plan = Plan(BUDGET, goal, tuple(sums), permutations=orders)
    comparison = Comparison(
        stream, plan, Setting(BUDGET, 9.0), checkpoints, {name: {} for name in sums}, runs
    )
    counts = {method: comparison.curves(method) for method in sums}
    verdict = judge(goal, counts, preferred=preferred)
    return Findings(
        comparison,
        verdict,
        ceiling=None if ceiling is None else counts_of([ceiling] * orders),
        curve=curve and _curve(goal, curve),
    )


def _at_half_and_end(counts):
    return Counts(*(np.array([each / 2, each]) for each in counts))


def _curve(goal, sums, apart=0.1, every_label=None):
    """Two runs with each budget, one as far above the sum as the other is below it."""
    counts = [
        together([_at_half_and_end(counts_of(each + side)) for side in (-apart, apart)])
        for each in (*sums.values(), every_label or list(sums.values())[-1])
    ]
    return BudgetCurve("OA3", goal, tuple(sums), tuple(counts[:-1]), counts[-1])

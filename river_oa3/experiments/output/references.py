"""What methods are compared with: the best constant answer, and all labels."""

from __future__ import annotations

import numpy as np

from river_oa3.experiments.findings import Findings
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.verdict import constant_answer

__all__ = ["ALL_LABELS", "CONSTANT", "references"]

CONSTANT = "constant answer"
ALL_LABELS = "all labels"


def references(findings: Findings) -> dict[str, Counts]:
    """The last counts of the best constant answer and, where it was run, of all labels."""
    comparison, goal = findings.comparison, findings.comparison.plan.goal
    seen = comparison.curves(findings.verdict.best)
    constant = constant_answer(goal, goal.measure, seen)
    last = Counts(*(np.asarray(each)[:, -1] for each in constant))._replace(labels=None)
    ceiling = {} if findings.ceiling is None else {ALL_LABELS: findings.ceiling}
    return {CONSTANT: last, **ceiling}

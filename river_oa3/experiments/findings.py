"""All that a comparison found: runs, verdict, ceiling, and how many labels are enough."""

from __future__ import annotations

import dataclasses

from river_oa3.experiments.budget_curve import BudgetCurve
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.verdict import Verdict

__all__ = ["Findings"]


@dataclasses.dataclass(frozen=True)
class Findings:
    """What a comparison found.

    Parameters
    ----------
    comparison
        The runs of every method.
    verdict
        Who is ahead, as far as the orders show it.
    ceiling
        The last counts of AutoOA3 with every label bought, one per order; None where that was not
        run.
    curve
        What other budgets would bring; None where that was not run.
    is_complete
        Whether all of it was run.

    """

    comparison: Comparison
    verdict: Verdict
    ceiling: Counts | None = None
    curve: BudgetCurve | None = None
    is_complete: bool = True

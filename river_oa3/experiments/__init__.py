"""The experiments of the paper, and what it reports of them."""

from river_oa3.experiments.comparison import Comparison, Plan, compare
from river_oa3.experiments.replaying import Outcome, replay
from river_oa3.experiments.scores import Counts, Goal

__all__ = ["Comparison", "Counts", "Goal", "Outcome", "Plan", "compare", "replay"]

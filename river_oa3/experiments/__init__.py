"""The experiments of the paper, and what it reports of them."""

from river_oa3.experiments.comparison import Comparison, Plan, compare
from river_oa3.experiments.scores import Counts, Goal
from river_oa3.experiments.stream_replay import Outcome, replay

__all__ = ["Comparison", "Counts", "Goal", "Outcome", "Plan", "compare", "replay"]

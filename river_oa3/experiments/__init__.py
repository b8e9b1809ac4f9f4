"""Methods side by side on whole streams, and the experiments of the paper.

Here are methods, scores, replay, tasks and their runner, tuning and comparison; `output` has what
is shown and written, `paper` the published tables and what reproduces them, `bench` the speed.
"""

from river_oa3.experiments.comparison import Comparison, Plan, compare
from river_oa3.experiments.scores import Counts, Goal
from river_oa3.experiments.stream_replay import Outcome, replay

__all__ = ["Comparison", "Counts", "Goal", "Outcome", "Plan", "compare", "replay"]

"""Many events at once, from Arrow's columns: what a model thinks of them, and what they teach."""

from river_oa3.scoring.observed import Observed
from river_oa3.scoring.rows import Rows, rows_of_columns, rows_of_maps, rows_of_table
from river_oa3.scoring.scorer import Scorer, Scores

__all__ = [
    "Observed",
    "Rows",
    "Scorer",
    "Scores",
    "rows_of_columns",
    "rows_of_maps",
    "rows_of_table",
]

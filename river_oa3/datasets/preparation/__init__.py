"""A table as a stranger has it, made ready to learn from: its profile, its schema, its events."""

from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.found_schema import FoundSchema, schema_of
from river_oa3.datasets.preparation.options import Options
from river_oa3.datasets.preparation.problems import Problems
from river_oa3.datasets.preparation.profile import Profile, Progress, profile

__all__ = [
    "ColumnProfile",
    "FoundSchema",
    "Options",
    "Problems",
    "Profile",
    "Progress",
    "profile",
    "schema_of",
]

"""A table as a stranger has it, made ready to learn from: its profile, its schema, its events."""

from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.found_schema import FoundSchema, schema_of
from river_oa3.datasets.preparation.problems import Problems
from river_oa3.datasets.preparation.profile import Profile, Progress, profile
from river_oa3.datasets.preparation.wishes import Wishes

__all__ = [
    "ColumnProfile",
    "FoundSchema",
    "Problems",
    "Profile",
    "Progress",
    "Wishes",
    "profile",
    "schema_of",
]

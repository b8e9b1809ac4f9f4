"""A table as a stranger has it, made ready to learn from: profile, plan, encode, hand over."""

from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.plan import plan
from river_oa3.datasets.preparation.preparation import Preparation
from river_oa3.datasets.preparation.problems import Problems
from river_oa3.datasets.preparation.profile import Profile, Progress, profile
from river_oa3.datasets.preparation.wishes import Wishes
from river_oa3.datasets.spool import Block

__all__ = [
    "Block",
    "ColumnProfile",
    "Preparation",
    "Problems",
    "Profile",
    "Progress",
    "Wishes",
    "plan",
    "profile",
]

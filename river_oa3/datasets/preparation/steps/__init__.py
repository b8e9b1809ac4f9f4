"""What becomes of one column: one kind of step a file."""

from river_oa3.datasets.preparation.steps.category import CategoryStep
from river_oa3.datasets.preparation.steps.date import DateStep
from river_oa3.datasets.preparation.steps.flag import FlagStep
from river_oa3.datasets.preparation.steps.hashed import HashedStep
from river_oa3.datasets.preparation.steps.number import NumberStep
from river_oa3.datasets.preparation.steps.step import Call, Part, Step
from river_oa3.datasets.preparation.steps.words import WordsStep

__all__ = [
    "Call",
    "CategoryStep",
    "DateStep",
    "FlagStep",
    "HashedStep",
    "NumberStep",
    "Part",
    "Step",
    "WordsStep",
]

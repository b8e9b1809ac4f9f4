"""Events as the paper's learners want them, scaled by numbers that do not change."""

from __future__ import annotations

import math
import typing
from collections.abc import Hashable, Mapping

from river import base

from river_oa3._core.category import Category

__all__ = ["REACH", "FixedColumn", "FixedScaler"]

REACH = 4.0
"""Values of dense columns end so many deviations from the mean."""


class FixedColumn(typing.NamedTuple):
    """What becomes of one feature: its new name, what is taken from it, what it is divided by."""

    name: Hashable
    centre: float = 0.0
    scale: float = 1.0
    is_dense: bool = False
    """Whether an event without the feature has a zero to be centred, too."""
    fill: float = 0.0
    """What a number that is missing is taken to be."""

    def scaled(self, value: float) -> float:
        """A value of this column, brought to scale."""
        if not self.is_dense:
            return value / self.scale
        return min(max((value - self.centre) / self.scale, -REACH), REACH)


class FixedScaler(base.Transformer):
    """Fills gaps, makes one indicator of each category, and scales, all by what a file showed.

    It learns nothing: a model that `compare` exports meets the same events as when it was
    compared. A category that the file did not have, and a number that it did not name, are passed
    on as they are.

    Parameters
    ----------
    columns
        What becomes of each number, by its name, and of each category, by its name and value.
    missing
        What becomes of the flag of a number that is missing, by the name of the number.
    intercept
        Whether to add a feature that is 1 in every event.
    unit_rows
        Whether to divide each event by its Euclidean length.

    Examples
    --------

    >>> from river_oa3.fixed_scaler import FixedColumn, FixedScaler

    >>> size = FixedColumn("size", centre=2.0, scale=0.5, is_dense=True, fill=2.0)
    >>> scaler = FixedScaler({"size": size}, {"size": FixedColumn("size is missing")})
    >>> scaler.transform_one({"size": 3.0, "colour": "red"})
    {'size': 2.0, 'colour=red': 1.0}
    >>> scaler.transform_one({"size": None})
    {'size is missing': 1.0}

    """

    def __init__(
        self,
        columns: Mapping[Hashable, FixedColumn],
        missing: Mapping[Hashable, FixedColumn] | None = None,
        intercept: bool = False,
        unit_rows: bool = False,
    ):
        self.columns = columns
        self.missing = {} if missing is None else missing
        self.intercept = intercept
        self.unit_rows = unit_rows
        dense = [*self.columns.values(), *self.missing.values()]
        self._zeros = {each.name: each.scaled(0.0) for each in dense if each.is_dense}

    def transform_one(
        self, x: dict[base.typing.FeatureName, typing.Any]
    ) -> dict[base.typing.FeatureName, typing.Any]:
        """The features of an event, brought to scale.

        Parameters
        ----------
        x
            A dictionary of numbers and texts; None for a number that is missing.

        """
        row = self._zeros.copy()
        for name, value in x.items():
            if isinstance(value, str):
                column = self.columns.get(Category(name, value))
                if column is None:
                    column = FixedColumn(f"{name}={value}")
                row[column.name] = column.scaled(1.0)
                continue
            column = self.columns.get(name)
            if value is None or value != value:
                flag = self.missing.get(name)
                if flag is not None:
                    row[flag.name] = flag.scaled(1.0)
                if column is not None:
                    row[column.name] = column.scaled(column.fill)
            else:
                row[name if column is None else column.name] = (
                    value if column is None else column.scaled(value)
                )
        if self.intercept:
            row["intercept"] = 1.0
        row = {name: value for name, value in row.items() if value}
        return _of_length_1(row) if self.unit_rows and row else row

    @classmethod
    def _unit_test_params(cls) -> typing.Iterator[dict[str, typing.Any]]:
        yield {"columns": {"gallup": FixedColumn("gallup", 40.0, 3.0, True, 40.0)}}


def _of_length_1(row: dict[Hashable, float]) -> dict[Hashable, float]:
    # A power of two takes the squares into range and rounds nothing.
    _, exponent = math.frexp(max(map(abs, row.values())))
    row = {name: math.ldexp(value, -exponent) for name, value in row.items()}
    length = math.sqrt(sum(value * value for value in row.values()))
    return {name: value / length for name, value in row.items()}

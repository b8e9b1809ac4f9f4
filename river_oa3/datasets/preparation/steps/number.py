"""Numbers, whose gaps are filled."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from river_oa3.datasets.preparation.reading import as_numbers
from river_oa3.datasets.preparation.steps.step import Call, Part, Step, indicators, literal

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class NumberStep(Step):
    """A number as it is; a gap is filled, and flagged where the file has gaps."""

    fill: float | None
    """None where a gap is a feature that is not there."""
    filled_with: str
    """What the fill is, such as "the mean"."""

    @property
    def names(self) -> list[Hashable]:
        return [self.column, *self._missing_name()]

    @property
    def number_columns(self) -> list[int]:
        return [0]

    def encode(self, cells: pa.Array) -> list[Part]:
        numbers = as_numbers(cells)
        if numbers is None or np.isinf(numbers).any():
            raise self._refuse("a finite number")
        gaps = np.isnan(numbers)
        values = np.where(gaps, self.fill or 0.0, numbers) if gaps.any() else numbers
        rows = np.flatnonzero(values)
        part = indicators(rows, 0)._replace(values=values[rows])
        return [part, *self._missing_part(gaps, 1)]

    def line(self) -> str:
        if self.fill is None:
            return "a number, not there where it has a gap"
        if self.missing is None:
            return "a number as it is"
        return f"a number, gaps filled with {self.filled_with} {self.fill!r} and flagged"

    def call(self) -> Call:
        fill = f"fill={literal(self.fill)}"
        return Call("add_number", [literal(self.column), fill, *self._missing_argument()])

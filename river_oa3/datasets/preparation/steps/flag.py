"""True and false."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from river_oa3.datasets.preparation.reading import as_flags
from river_oa3.datasets.preparation.steps.step import Call, Part, Step, indicators, literal

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class FlagStep(Step):
    """1 for true, 0 for false."""

    @property
    def names(self) -> list[Hashable]:
        return [self.column, *self._missing_name()]

    def encode(self, cells: pa.Array) -> list[Part]:
        flags = as_flags(cells)
        if flags is None:
            raise self._refuse("true or false")
        return [indicators(np.flatnonzero(flags == 1), 0), *self._missing_part(flags < 0, 1)]

    def line(self) -> str:
        return "1 for true, 0 for false" + (", gaps flagged" if self.missing else "")

    def call(self) -> Call:
        return Call("add_flag", [literal(self.column), *self._missing_argument()])

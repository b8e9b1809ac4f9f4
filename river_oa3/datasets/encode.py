"""Features of any kind as columns of numbers, the same for dicts and for data frames."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import scipy.sparse

from river_oa3._core import checks
from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.labels import Labels

MAX_TEXTS_PER_FEATURE = 1000
"""A text feature with more distinct values than this is free text or an id, not a category."""


class Table(NamedTuple):
    """Rows of numbers, the labels as they stand in the data, and a name per column."""

    X: scipy.sparse.csr_array
    labels: Labels
    names: list[Hashable]


class Columns:
    """Columns in order of first appearance: one per number, one per value of a text."""

    def __init__(self) -> None:
        self.names: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}
        self._texts: dict[Hashable, dict[str, int]] = {}

    def number(self, feature: Hashable) -> int:
        """The column of a feature that is a number."""
        column = self._numbers.get(feature)
        if column is None:
            column = self._numbers[feature] = self._new(feature)
        return column

    def text(self, feature: Hashable, value: str) -> int:
        """The column that is 1 where a feature has this text."""
        values = self._texts.setdefault(feature, {})
        column = values.get(value)
        if column is None:
            if len(values) == MAX_TEXTS_PER_FEATURE:
                raise DataError(
                    f"feature {short_repr(feature)} has more than {MAX_TEXTS_PER_FEATURE:,} "
                    "distinct texts, so it is free text or an id: leave it out, or turn it into "
                    "numbers first"
                )
            column = values[value] = self._new(f"{feature}={value}")
        return column

    def entry(self, event: int, feature: Hashable, value: Any) -> tuple[int, float]:
        """The column and the number of a value of any kind."""
        if isinstance(value, str):
            return self.text(feature, value), 1.0
        try:
            return self.number(feature), checks.as_number(feature, value)
        except (TypeError, OverflowError, ValueError) as error:
            raise DataError(f"event {event}: {error}") from None

    def _new(self, name: Hashable) -> int:
        self.names.append(name)
        return len(self.names) - 1

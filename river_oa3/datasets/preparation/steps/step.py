"""What the steps of a preparation have in common."""

from __future__ import annotations

import abc
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError, short_repr

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int64]


class Part(NamedTuple):
    """Entries of some encoded columns: rows in order, no column twice in a row, no zeros."""

    rows: Ints
    columns: Ints
    values: NDArray[np.float64]


class Call(NamedTuple):
    """A call of one of the functions of `row_code`: its name, and its arguments as code."""

    function: str
    arguments: list[str]


@dataclass(frozen=True, kw_only=True)
class Step(abc.ABC):
    """What becomes of one column: how it is encoded, said, and written as code."""

    column: str
    is_sparse: bool = False
    """Whether rows may lack the column, which is then not a gap but a feature that is not there."""
    missing: str | None = None
    """The name of the feature that flags a gap; None where there is no such feature."""

    @property
    @abc.abstractmethod
    def names(self) -> list[Hashable]:
        """The names of the encoded columns."""

    @property
    def number_columns(self) -> list[int]:
        """Which encoded columns are numbers, not indicators."""
        return []

    @abc.abstractmethod
    def encode(self, cells: pa.Array) -> list[Part]:
        """The entries of these cells, in the order of the encoded columns."""

    @abc.abstractmethod
    def line(self) -> str:
        """What is done, in a few words."""

    @abc.abstractmethod
    def call(self) -> Call:
        """The same for one row, as code."""

    def _missing_argument(self) -> list[str]:
        return [f"missing={literal(self.missing)}"] if self.missing else []

    def _missing_name(self) -> list[Hashable]:
        return [self.missing] if self.missing else []

    def _missing_part(self, gaps: NDArray[np.bool_], column: int) -> list[Part]:
        return [indicators(np.flatnonzero(gaps), column)] if self.missing else []

    def _refuse(self, what: str) -> DataError:
        return DataError(
            f"column {short_repr(self.column)} holds what is not {what}, unlike when it was "
            "prepared: prepare it again"
        )


def indicators(rows: Ints, columns: Ints | int) -> Part:
    """Ones in these rows and columns."""
    return Part(
        rows, np.broadcast_to(np.asarray(columns, np.int64), rows.shape), np.ones(len(rows))
    )


def literal(value: str | float | None) -> str:
    """A value as Python's code; a text in double quotes where that needs no escapes."""
    text = repr(value)
    if isinstance(value, str) and text == f"'{value}'" and '"' not in value:
        return f'"{value}"'
    return text

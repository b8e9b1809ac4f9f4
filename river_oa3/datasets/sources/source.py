"""What every table has in common: columns of cells that come in batches of rows."""

from __future__ import annotations

import abc
import collections
import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError, short_repr

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 65_536
"""The most rows of a batch; fewer where they are long."""


class Cells(NamedTuple):
    """What a batch holds of one column."""

    values: pa.Array
    """One value for each row that has the column; a null is a gap."""
    rows: NDArray[np.int64] | None
    """Which rows of the batch have the column; None where all do."""


class Batch(NamedTuple):
    """Some rows of a table that follow one another."""

    start: int
    """The number of rows before this batch."""
    n: int
    columns: dict[str, Cells]
    done: float
    """The share of the table that has been read, from 0 to 1."""


class Source(abc.ABC):
    """A table that is read in batches, any number of times.

    Examples
    --------

    >>> import pandas as pd
    >>> from river_oa3.datasets.sources import open_source

    >>> source = open_source(pd.DataFrame({"size": [1.5, None], "colour": ["red", "blue"]}))
    >>> source.columns
    ['size', 'colour']
    >>> for batch in source.batches():
    ...     print({name: cells.values.to_pylist() for name, cells in batch.columns.items()})
    {'size': [1.5, None], 'colour': ['red', 'blue']}
    >>> source.where(1, "size")
    "event 2, column 'size'"

    """

    path: Path | None
    """None for a frame."""
    name: str
    """The title: the name of the file without its suffix."""
    kind: Literal["CSV", "Parquet", "JSON lines", "frame"]
    columns: list[str] | None
    """None where they are known only once everything has been read."""
    remarks: Sequence[str] = ()
    """What was done with the names of columns, where it may not be what was meant."""
    is_nested: bool = False
    """Whether "a.b" may be a part of "a"."""

    @abc.abstractmethod
    def batches(self, problems: list[str] | None = None) -> Iterator[Batch]:
        """All rows, from the first one; each call reads the table again.

        `problems` gets what is wrong with the table where reading can go on all the same, as if
        the user had chosen the likely remedy. Without it, the first such problem is raised.
        """

    def where(self, row: int, column: str | None = None) -> str:
        """The place of a row, counted from 0, as a user would look for it."""
        parts = [] if self.path is None else [str(self.path)]
        parts.append(self._place(row))
        if column is not None:
            parts.append(f"column {short_repr(column)}")
        return ", ".join(parts)

    def _within(self, start: int, column: str) -> Callable[[int], str]:
        """The places in a batch that starts at a row."""
        return lambda index: self.where(start + index, column)

    def _place(self, row: int) -> str:
        return f"event {row + 1}"


def arrow(what: Any, module: str = "pyarrow") -> Any:
    """A module of pyarrow, which is imported where it is used."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DataError(f"{what} is read with pyarrow: pip install 'river-oa3[tables]'") from error


def check_names(what: Any, names: Iterable[str]) -> None:
    """Refuse two columns of one name: which is which could not be told."""
    times = collections.Counter(names)
    twice = [f"{short_repr(name)} ({n} times)" for name, n in times.items() if n > 1]
    if twice:
        raise DataError(
            f"{what}: columns that have the same name, {', '.join(twice)}: rename or remove all "
            "but one of each"
        )


def no_events(what: Any) -> DataError:
    return DataError(f"{what} has no events: at least one of each class is needed")

"""What is done with a table: seen, encoded, and written as code."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.preparation.blocks import encode
from river_oa3.datasets.preparation.code import Code, written
from river_oa3.datasets.preparation.label_scan import is_positive
from river_oa3.datasets.preparation.profile import Profile, Progress
from river_oa3.datasets.preparation.row_sample import taker
from river_oa3.datasets.preparation.steps import Step
from river_oa3.datasets.sources import Batch, Source
from river_oa3.datasets.spool import Block


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """What is done with each column of a table."""

    profile: Profile
    steps: list[Step]
    left_out: dict[str, str]
    """Columns that are no features, and why."""
    warnings: list[str]

    @functools.cached_property
    def names(self) -> list[Hashable]:
        """One name per encoded column."""
        return list(itertools.chain.from_iterable(step.names for step in self.steps))

    @functools.cached_property
    def _starts(self) -> list[int]:
        """The first encoded column of each step."""
        widths = [len(step.names) for step in self.steps]
        return list(itertools.accumulate(widths, initial=0))[:-1]

    @functools.cached_property
    def number_columns(self) -> NDArray[np.int64]:
        """The encoded columns that are numbers, not indicators of anything."""
        found = [
            start + column
            for step, start in zip(self.steps, self._starts, strict=True)
            for column in step.number_columns
        ]
        return np.array(found, dtype=np.int64)

    def blocks(self, source: Source, progress: Progress | None = None) -> Iterator[Block]:
        """The rows of the table, encoded; those of the sample where one was wished for."""
        taken = taker(self.profile.below, self.profile.seed)
        for batch in source.batches():
            yield encode(batch, self.steps, self._starts, self._labels(batch), taken(batch.n))
            if progress is not None:
                progress(batch.done, batch.start + batch.n)

    def _labels(self, batch: Batch) -> NDArray[np.bool_]:
        label = self.profile.label
        cells = batch.columns.get(label)
        if cells is None or cells.rows is not None:
            raise DataError(f"events without the label {short_repr(label)}: fill it in")
        return is_positive(cells.values, set(self.profile.positive))

    @property
    def done(self) -> dict[str, str]:
        """What was done with each column, in a few words."""
        made = {step.column: step.line() for step in self.steps}
        left = {name: f"left out, {reason}" for name, reason in self.left_out.items()}
        return {
            name: made.get(name) or left[name]
            for name in [*self.profile.columns, *self.profile.dropped]
        }

    def describe(self) -> list[str]:
        """What was done with each column, a line each."""
        return [f"{' '.join(name.split())}: {line}" for name, line in self.done.items()]

    def as_json(self) -> dict[str, Any]:
        """The profile and what was done, as JSON knows it."""
        return {
            "profile": self.profile.as_json(),
            "done": self.done,
            "left_out": self.left_out,
            "features": len(self.names),
            "warnings": self.warnings,
        }

    def code(self) -> str:
        """Code with a function `prepare` that turns one row into the features of one event.

        It needs nothing but Python. A row is a dict of texts, as csv.DictReader gives it, or of
        typed values. A key that is absent is a gap; a category that is new is passed on as it is; a
        text among numbers is a ValueError that names the column.
        """
        return str(self.code_parts())

    def code_parts(self) -> Code:
        """The same in two parts: the imports, and what follows them."""
        return written(self.steps, self.left_out)

"""What the options say about the preparation of a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from river_oa3.datasets.errors import short_repr


@dataclass(frozen=True)
class Options:
    """What a user wants done differently from the default.

    Parameters
    ----------
    label
        The column of the labels; by default the one called label, target, class or y.
    positive
        The positive class; by default True, 1 or +1, and of two other classes the rarer one.
    drop
        Columns to leave out.
    keep
        Columns to keep that would be left out as an id or a constant.
    category
        Columns that are categories, numbers too.
    decimal
        The sign before decimals in all columns of numbers, "." or ","; by default it is found out.
    sample
        How much of the file to take: a share below 1, or a number of rows.
    seed
        Of the generator that draws the sample.

    """

    label: str | None = None
    positive: Any = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    decimal: str | None = None
    sample: float | None = None
    seed: int = 0

    def problems(self) -> list[str]:
        """What is wrong with the options themselves, whatever the file."""
        found = [
            f"column {short_repr(column)} is to be dropped and kept at once: leave it out of "
            "--drop, or name it in --drop alone"
            for column in self.drop
            if column in (*self.keep, *self.category)
        ]
        if self.sample is not None and not _is_amount(self.sample):
            found.append(
                f"--sample {self.sample} is neither a share nor a number of rows: give one above 0 "
                "and below 1 (a share), or a whole number"
            )
        return found


def _is_amount(sample: float) -> bool:
    return 0.0 < sample < 1.0 or (1.0 <= sample < math.inf and sample == int(sample))

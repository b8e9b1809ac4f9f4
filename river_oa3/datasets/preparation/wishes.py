"""What the options say about the preparation of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from river_oa3.datasets.errors import short_repr

IMPUTATIONS = ("mean", "median", "zero", "none")


@dataclass(frozen=True)
class Wishes:
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
        Columns that become one indicator per value, numbers too.
    impute
        What fills the gaps of a column of numbers: "mean", "median", "zero", "none" (the feature is
        then not there) or a number as text. The column None stands for all others.
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
    impute: Mapping[str | None, str] = field(default_factory=dict)
    sample: float | None = None
    seed: int = 0

    def imputation(self, column: str) -> str:
        """What fills the gaps of this column."""
        return self.impute.get(column) or self.impute.get(None) or "mean"

    def problems(self) -> list[str]:
        """What is wrong with the wishes themselves, whatever the file."""
        found = [
            f"--impute {'' if column is None else f'{column}='}{how} is not a way to fill gaps: "
            f"give {', '.join(IMPUTATIONS)} or a number"
            for column, how in self.impute.items()
            if how not in IMPUTATIONS and as_finite(how) is None
        ]
        found += [
            f"column {short_repr(column)} is to be dropped and prepared at once: leave it out of "
            "--drop, or name it in --drop alone"
            for column in self.drop
            if column in (*self.keep, *self.category, *self.impute)
        ]
        if self.sample is not None and not _is_amount(self.sample):
            found.append(
                f"--sample {self.sample} is neither a share nor a number of rows: give one above 0 "
                "and below 1 (a share), or a whole number"
            )
        return found


def as_finite(text: str) -> float | None:
    """The finite number that a text reads as, if any."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_amount(sample: float) -> bool:
    return 0.0 < sample < 1.0 or (1.0 <= sample < math.inf and sample == int(sample))

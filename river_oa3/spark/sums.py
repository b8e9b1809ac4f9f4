"""What events without labels teach, added up without rounding: the same in any partitions."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Hashable

import numpy as np
from scipy.sparse import csr_array

from river_oa3._core.auto_observed import LARGEST_VALUE
from river_oa3._core.category import Category
from river_oa3._core.exact_sums import SQUARE_UNIT, UNIT, exact_sums
from river_oa3.scoring import Observed, Rows, Scores

__all__ = ["Sums"]


@dataclasses.dataclass
class Sums:
    """Exact sums over events; they may be added up in any order, and are rounded once, at the end.

    Parameters
    ----------
    events
        The number of events.
    positives
        How many of them are predicted positive.
    rows
        Sums over the events, in units of 2^-UNIT: of the probability of asking, the squared
        length, the slow and the fast learner's probability and the worth of a label.
    features
        For each feature: how many events had it, the sum of its values there, that of their
        squares, in units of 2^-SQUARE_UNIT, and in how many events it was missing.

    """

    events: int = 0
    positives: int = 0
    rows: list[int] = dataclasses.field(default_factory=lambda: [0] * 5)
    features: dict[Hashable, tuple[int, int, int, int]] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, rows: Rows, scores: Scores, is_raw: bool) -> Sums:
        """The sums of some events; those with errors do not count."""
        good = np.ones(len(rows), dtype=bool)
        good[list(scores.errors)] = False
        lines = np.vstack([scores.query_probability, scores.details])[:, good]
        n = lines.shape[1]
        found = exact_sums(lines.reshape(-1), np.arange(0, lines.size + 1, n or 1)[:6])
        sums = [total for _, total, _ in found] if n else [0] * 5
        features = _features(rows) if is_raw else {}
        return cls(n, int(scores.label[good].sum()), sums, features)

    def add(self, other: Sums) -> None:
        self.events += other.events
        self.positives += other.positives
        self.rows = [a + b for a, b in zip(self.rows, other.rows, strict=True)]
        for name, seen in other.features.items():
            known = self.features.get(name)
            if known is not None:
                seen = typing.cast(
                    tuple[int, int, int, int],
                    tuple(a + b for a, b in zip(known, seen, strict=True)),
                )
            self.features[name] = seen

    @property
    def expected(self) -> float:
        """How many labels would be asked for."""
        return self.rows[0] / (1 << UNIT)

    @property
    def observed(self) -> Observed:
        """The same as an active learner takes it, with the features in the order of their names."""
        features = {
            name: _moments(*self.features[name])
            for name in sorted(self.features, key=lambda name: json.dumps(_name_json(name)))
        }
        squares, slow, fast, worth = (total / (1 << UNIT) for total in self.rows[1:])
        rows = (squares, slow, fast, float(self.positives), worth)
        return Observed(self.events, features, rows)

    def to_json(self) -> typing.Any:
        features = [
            [_name_json(name), n, _packed(total), _packed(squares), gaps]
            for name, (n, total, squares, gaps) in self.features.items()
        ]
        return [self.events, self.positives, [_packed(total) for total in self.rows], features]

    @classmethod
    def from_json(cls, told: typing.Any) -> Sums:
        events, positives, rows, features = told
        return cls(
            events,
            positives,
            [_unpacked(total) for total in rows],
            {
                Category(*name) if isinstance(name, list) else name: (
                    n,
                    _unpacked(total),
                    _unpacked(squares),
                    gaps,
                )
                for name, n, total, squares, gaps in features
            },
        )


def _features(rows: Rows) -> dict[Hashable, tuple[int, int, int, int]]:
    data = np.clip(rows.data, -LARGEST_VALUE, LARGEST_VALUE)
    shape = (len(rows), len(rows.names))
    by_name = csr_array((data, rows.indices, rows.indptr), shape=shape).tocsc()
    found = exact_sums(by_name.data, by_name.indptr.astype(np.intp))
    gaps = np.bincount(rows.indices[np.isnan(rows.data)], minlength=len(rows.names)).tolist()
    return {
        name: (*sums, missing)
        for name, sums, missing in zip(rows.names, found, gaps, strict=True)
        if sums[0] or missing
    }


def _moments(n: int, total: int, squares: int, gaps: int) -> tuple[float, float, float, float]:
    """The number, the mean and the variance, each rounded once, and how many are missing."""
    if not n:
        return 0.0, 0.0, 0.0, float(gaps)
    variance = (n * squares - total * total) / (n * n << SQUARE_UNIT)
    return float(n), total / (n << UNIT), variance, float(gaps)


def _name_json(name: Hashable) -> typing.Any:
    return [name.name, name.value] if isinstance(name, Category) else name


def _packed(number: int) -> tuple[str, int]:
    """A number that ends in many zeros, in few letters."""
    zeros = max(0, (number & -number).bit_length() - 1)
    return f"{number >> zeros:x}", zeros


def _unpacked(told: tuple[str, int]) -> int:
    return int(told[0], 16) << told[1]

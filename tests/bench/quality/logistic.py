"""river's EntropySampler around its LogisticRegression, over a grid, by a compiled twin."""

from __future__ import annotations

import functools
import typing
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.scores import Counts

from .. import entropy_logistic
from ..quality.contest import Case, Cell, Contender, grid, weight_of

__all__ = ["LOGISTIC_REGRESSION", "Rows", "scaled_rows"]

INTERCEPT_RATE = 0.01
"""What river's LogisticRegression moves its intercept with unless told otherwise."""


class Rows(typing.NamedTuple):
    """Rows in the order in which they come; without indices, every row has every feature."""

    data: NDArray[np.float64]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]


def scaled_rows(case: Case, scaling: str) -> Rows:
    """The events after StandardScaler, which learns each before it scales it, or Normalizer.

    `complete` gives events that have every feature of the stream, zeros among them; `present` gives
    them as river's sparse ones are, where a feature that is zero is left out; `unit` divides each
    by its length.
    """
    stream = case.stream.unit_rows() if scaling == "unit" else case.stream
    rows, features = stream.X[case.rows], len(stream.names)
    if scaling == "complete":
        table = np.ascontiguousarray(rows.toarray())
        entropy_logistic.standardise_complete(table)
        starts = np.arange(len(table) + 1, dtype=np.int64) * features
        return Rows(table.ravel(), np.empty(0, dtype=np.int32), starts)
    scaled = Rows(rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int64))
    if scaling == "present":
        entropy_logistic.standardise(*scaled, features)
    return scaled


def _play(case: Case, cells: Sequence[Cell]) -> Iterator[Counts]:
    """`EntropySampler(LogisticRegression(SGD(rate), Log(weight)), discount)` after a scaler.

    What a scaler does depends on no label: all settings and budgets share its rows.
    """
    for cell in cells:
        chosen = dict(cell.setting)
        scaling = str(chosen["scaling"])
        rows = case.prepared(scaling, functools.partial(scaled_rows, case, scaling))
        counts = entropy_logistic.play(
            *rows,
            case.y,
            case.own_numbers,
            len(case.stream.names),
            cell.budget,
            learning_rate=float(chosen["rate"]),
            intercept_rate=INTERCEPT_RATE,
            weight=weight_of(chosen["weight"], case.ratio),
            discount=float(chosen["discount"]),
        )
        yield Counts(*counts)


LOGISTIC_REGRESSION = Contender(
    title="river LogisticRegression",
    side="peer",
    settings=grid(
        scaling=("complete", "present", "unit"),
        rate=(0.01, 0.003, 0.03, 0.1, 0.3, 1.0),
        weight=("one", "root", "ratio", "costs"),
        discount=(3.0, 1.0, 10.0),
    ),
    play=_play,
    cost=lambda nonzeros, features: 0.04 + 0.0005 * features,
)

"""In which order events are played: that of time, that of the file, or many shuffles.

A file without a date may still be a stream. Its order is taken to tell something where neighbouring
rows are more often alike than in shuffled rows: in their label, in whether a column is above its
median, or in that among the positive events alone. For a yes-or-no of so many rows, the number of
runs of yes in shuffled rows is hypergeometric (Wald and Wolfowitz's test of runs), so that nothing
is drawn and nothing is approximated. All tests together take rows without any order for a stream
once in a thousand files (Bonferroni).
"""

from __future__ import annotations

import datetime
import re
import typing
from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy import stats

from river_oa3.datasets.preparation.row_order import TimeColumn

__all__ = [
    "FALSE_ALARMS",
    "Order",
    "as_given",
    "by_number_of_runs",
    "by_rows",
    "chosen_time",
    "columns_of",
    "in_time",
    "is_sorted_by",
    "places_of",
]

FALSE_ALARMS = 0.001
"""How often a file whose rows are in a random order is taken for a stream."""

MOST_ROWS, MOST_COLUMNS = 100_000, 64
"""Columns are looked at in no more rows than this, and of a wide matrix those with most values."""

LONG_RUN = 20
"""Where runs of the rarer class have so many events on average, the file is sorted by class."""

NOT_OF_THE_EVENT = re.compile(r"birth|born|dob(?![a-z])|expir|geburt|naissance", re.IGNORECASE)
"""A date of a person or a card says nothing of when the event took place."""


class Order(typing.NamedTuple):
    """In which order events are played, and why, in a sentence."""

    kind: typing.Literal["time", "file", "shuffled"]
    sentence: str
    column: str | None = None

    @property
    def is_shuffled(self) -> bool:
        return self.kind == "shuffled"


def places_of(column: TimeColumn) -> NDArray[np.int64]:
    """The place of each row in the order of time; equals stay as they are in the file.

    A row without a date stays behind the row before it.
    """
    rows = np.arange(len(column.values))
    before = np.maximum.accumulate(np.where(column.gaps, -1, rows))
    first = int(np.argmin(column.gaps))
    filled = column.values[np.where(before < 0, first, before)]
    places = np.empty(len(rows), dtype=np.int64)
    places[np.argsort(filled, kind="stable")] = rows
    return places


def is_sorted_by(column: TimeColumn) -> bool:
    """Whether the rows are sorted by a column, but for one pair of neighbours in a hundred."""
    known = column.values[~column.gaps]
    return len(known) > 1 and float(np.mean(known[1:] >= known[:-1])) >= 0.99


def as_given(kind: typing.Literal["file", "shuffled"], why: str) -> Order:
    """An order that somebody asked for, or that follows from what the data are."""
    played = "played as they come in the file" if kind == "file" else "shuffled"
    return Order(kind, f"Events are {played}: {why}.")


def chosen_time(found: Sequence[TimeColumn]) -> TimeColumn | None:
    """The column that tells when events took place, of those that are dates.

    Of several it is one that the file is sorted by; else, or of several of those, the one with the
    fewest gaps; of equals the one with the most distinct dates, and then the first.
    """
    usable = [
        each
        for each in found
        if not NOT_OF_THE_EVENT.search(each.name)
        and np.mean(each.gaps) <= 0.5
        and np.ptp(each.values[~each.gaps]) > 0
    ]
    return max(
        usable,
        default=None,
        key=lambda each: (
            is_sorted_by(each),
            -int(np.count_nonzero(each.gaps)),
            len(np.unique(each.values)),
        ),
    )


def in_time(chosen: TimeColumn, others: Sequence[TimeColumn], is_named: bool = False) -> Order:
    """The order of a column, chosen among others or named."""
    kind = "date column" if chosen.is_date else "column"
    parts = [f"Events are played in the order of the {kind} {chosen.name!r}"]
    if chosen.is_date:
        known = chosen.values[~chosen.gaps]
        parts.append(f", {_day(known.min())} to {_day(known.max())}")
    if is_named:
        parts.append(", as asked for by --time")
    elif others:
        listed = ", ".join(repr(each.name) for each in others)
        why = "the file is sorted by it" if is_sorted_by(chosen) else "it has the fewest gaps"
        if not is_sorted_by(chosen) and any(
            each.gaps.sum() == chosen.gaps.sum() for each in others
        ):
            why = "of those with the fewest gaps it has the most distinct dates"
        parts.append(f" (not of {listed}: {why}; --time names another)")
    n = int(np.count_nonzero(chosen.gaps))
    if n:
        parts.append(f"; {n:,} events without one stay behind the row before them")
    return Order("time", f"{''.join(parts)}. --shuffle N shuffles them instead.", chosen.name)


def _day(microseconds: typing.Any) -> str:
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(microseconds))
    return moment.date().isoformat()


def by_rows(y: NDArray[np.bool_], columns: Mapping[str, NDArray[np.float64]]) -> Order:
    """The order of events of which no column tells the time, by what neighbouring rows share.

    Parameters
    ----------
    y
        The label of each event in the order of the file.
    columns
        Numbers of the first events, by name; the codes of categories are numbers too.

    Examples
    --------

    >>> import numpy as np
    >>> from river_oa3.experiments.orders import by_rows

    >>> y = np.random.default_rng(0).random(1000) < 0.1
    >>> by_rows(y, {}).kind
    'shuffled'
    >>> by_rows(np.sort(y), {}).sentence
    'Events are shuffled: the file is sorted by class, which is no order of time.'

    """
    level = FALSE_ALARMS / (1 + 2 * len(columns))
    p = by_number_of_runs(y)
    if p < FALSE_ALARMS and _is_sorted_by_class(y):
        return as_given("shuffled", "the file is sorted by class, which is no order of time")
    if p < level:
        return _signal("the labels of neighbouring rows are alike", p)
    found: list[tuple[float, str]] = []
    for name, values in columns.items():
        labels = y[: len(values)]
        found.append(
            (by_number_of_runs(_halves(values)), f"neighbouring rows are alike in {name!r}")
        )
        found.append(
            (
                by_number_of_runs(_halves(values[labels])),
                f"positive events that follow one another are alike in {name!r}",
            )
        )
    best, what = min(found, default=(1.0, ""))
    if best < level:
        return _signal(what, best)
    why = "no column tells the time, and neighbouring rows are no more alike than shuffled ones"
    return as_given("shuffled", why)


def _signal(what: str, p: float) -> Order:
    """The order of the file, which tells something."""
    chance = f"{p:.0e}" if p > 1e-12 else "below 1e-12"
    sentence = (
        f"Events are played as they come in the file: no column tells the time, but {what} as "
        f"shuffled rows would be with probability {chance} (test of runs)."
        " --shuffle N shuffles them instead."
    )
    return Order("file", sentence)


def by_number_of_runs(yes: NDArray[np.bool_]) -> float:
    """How probable it is that shuffled rows have no more runs of yes than these.

    Examples
    --------

    >>> import numpy as np
    >>> from river_oa3.experiments.orders import by_number_of_runs

    >>> print(round(by_number_of_runs(np.array([1, 1, 0, 0], dtype=bool)), 3))
    0.5

    """
    n, n_yes = len(yes), int(np.count_nonzero(yes))
    if n_yes in (0, n):
        return 1.0
    runs = int(yes[0]) + int(np.count_nonzero(yes[1:] & ~yes[:-1]))
    return float(stats.hypergeom.cdf(runs, n, n - n_yes + 1, n_yes))


def _is_sorted_by_class(y: NDArray[np.bool_]) -> bool:
    """Whether labels change at most three times, or runs of the rarer class are long on average."""
    changes = int(np.count_nonzero(y[1:] != y[:-1]))
    rarer = y if np.count_nonzero(y) <= len(y) / 2 else ~y
    runs = int(rarer[0]) + int(np.count_nonzero(rarer[1:] & ~rarer[:-1]))
    return changes <= 3 or int(np.count_nonzero(rarer)) >= LONG_RUN * runs


def _halves(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each value is above the median, or at it where hardly any is below; gaps are not."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), dtype=np.bool_)
    median = np.median(known)
    above: NDArray[np.bool_] = values > median
    at_least: NDArray[np.bool_] = values >= median
    half = len(values) / 2.0
    closer = abs(at_least.sum() - half) < abs(above.sum() - half)
    return at_least if closer else above


def columns_of(
    X: scipy.sparse.csr_array, names: Sequence[typing.Hashable]
) -> dict[str, NDArray[np.float64]]:
    """The columns of a matrix that have most values, in its first rows."""
    first = X[:MOST_ROWS]
    counts = np.bincount(first.indices, minlength=first.shape[1])
    most = np.sort(np.argsort(-counts, kind="stable")[:MOST_COLUMNS])
    by_column = first[:, most].tocsc()
    return {str(names[j]): by_column[:, [i]].toarray().ravel() for i, j in enumerate(most.tolist())}

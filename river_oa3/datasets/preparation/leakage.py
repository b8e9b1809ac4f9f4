"""What one column alone says of the class, on a sample of the rows of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.special
from numpy.typing import NDArray

from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.dates import GAP, as_timestamps
from river_oa3.datasets.preparation.profile import Profile
from river_oa3.datasets.preparation.reading import as_numbers, as_texts, join

if TYPE_CHECKING:
    import pyarrow as pa

LEAST_ROWS = 30
"""With fewer rows of a class, chance alone separates it too often."""

# A value is suspicious that at least this share of the positives has ...
_MANY = 0.25
# ... and so many times fewer of the others. Of ten public tables one has such values: scans of a
# network, of which half are refused connections.
_TIMES = 25.0
# With what probability chance alone makes one value of any column look so.
_BY_CHANCE = 0.001

_ALIKE = 0.999
_BINS = 20
_LEAST_GAIN = 0.02
_ERRORS = 4.0

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def balanced_accuracy(column: ColumnProfile, profile: Profile) -> float | None:
    """The mean of sensitivity and specificity of the best rule on this column; None if unknown.

    The rule is found on half of the sample and judged on the other half. For numbers and dates it
    is a threshold, for others the likelier class of each value; a gap is a value.
    """
    if column.looks == "text" or not _is_sampled(column, profile):
        return None
    cells, y = _cells(column, profile), _labels(profile)
    # The sample is in random order, so every other row is a random half.
    learned = np.arange(len(y)) % 2 == 0
    if column.looks in ("number", "date"):
        answers = _by_threshold(_as_floats(cells, column), y, learned)
    else:
        answers = _by_value(cells, y, learned)
    judged, right = ~learned, answers == y
    return float((right[judged & y].mean() + right[judged & ~y].mean()) / 2.0)


class Leak(NamedTuple):
    """A value that many positives have and nearly no other row."""

    value: str | None
    """None for a gap."""
    is_other: bool
    """Whether it is any other value than that one."""
    positives: float
    """The share of the positives that have it."""
    others: float


def leak(column: ColumnProfile, profile: Profile) -> Leak | None:
    """The value, or gap, that leaks the class of many positives; None where there is none.

    It is said of what is beyond doubt: the shares are taken at the ends of their intervals that
    speak against it, at a level that allows for the number of values that were looked at.
    """
    if column.looks == "text" or not _is_sampled(column, profile):
        return None
    encoded = as_texts(_cells(column, profile)).dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(-1)) + 1
    y = _labels(profile)
    sizes = np.array([np.count_nonzero(y), np.count_nonzero(~y)])
    counts = np.stack(
        [np.bincount(codes[rows], minlength=len(encoded.dictionary) + 1) for rows in (y, ~y)]
    )
    # Any value at all, a gap, each value, and any value but the most common one.
    common = int(counts[:, 1:].sum(axis=0).argmax()) + 1 if len(encoded.dictionary) else 0
    places = [0, *range(counts.shape[1]), common]
    is_other = np.array([True, *[False] * counts.shape[1], True])
    having = np.where(is_other, sizes[:, None] - counts[:, places], counts[:, places])
    level = _BY_CHANCE / (len(places) * max(len(profile.columns), 1))
    # By Clopper and Pearson; with none of one, and with all of the other, there is no such end.
    least = scipy.special.betaincinv(having[0], sizes[0] - having[0] + 1, level)
    most = scipy.special.betaincinv(having[1] + 1, sizes[1] - having[1], 1.0 - level)
    least, most = np.nan_to_num(least, nan=0.0), np.nan_to_num(most, nan=1.0)
    times = np.where(least >= _MANY, least / most, 0.0)
    best = int(times.argmax())
    if times[best] < _TIMES:
        return None
    place = places[best]
    value = None if place == 0 else encoded.dictionary[place - 1].as_py()
    positives, others = (having[:, best] / sizes).tolist()
    return Leak(value, bool(is_other[best]), positives, others)


def grows_with_time(column: ColumnProfile, profile: Profile) -> str | None:
    """The column of dates with which these numbers only grow, if there is one."""
    if not _is_sampled(column, profile):
        return None
    numbers = _as_floats(_cells(column, profile), column)
    for date in profile.columns.values():
        if date.dates is None or date.name == column.name or not _is_sampled(date, profile):
            continue
        days = _as_floats(_cells(date, profile), date)
        both = ~(np.isnan(numbers) | np.isnan(days))
        if len(np.unique(days[both])) < LEAST_ROWS or len(np.unique(numbers[both])) < 2:
            continue
        if np.corrcoef(_ranks(numbers[both]), _ranks(days[both]))[0, 1] > _ALIKE:
            return date.name
    return None


class Worth(NamedTuple):
    """The area under the ROC curve on rows held out."""

    as_category: float
    as_number: float


def worth_of_codes(column: ColumnProfile, profile: Profile) -> Worth | None:
    """How much more whole numbers say as categories; None where they do not, beyond doubt.

    Both ways, the score of a row is the share of positives, on the half of the sample that the row
    is not in: among rows with its value, or among those whose numbers are close to its own. So an
    amount is as good in bins, whatever the shape of its effect, and a code is not.
    """
    if not _is_sampled(column, profile) or column.distinct <= 2 * _BINS:
        return None
    numbers, y = _as_floats(_cells(column, profile), column), _labels(profile)
    known = ~np.isnan(numbers)
    numbers, y = numbers[known], y[known]
    # With fewer rows of each value there is nothing to learn of it.
    values, codes = np.unique(numbers, return_inverse=True)
    if len(values) > len(numbers) / 5 or min(np.count_nonzero(y), np.count_nonzero(~y)) < 100:
        return None
    # As many bins for equal shares of the rows as of the values, as most rows may have one value.
    shares = np.linspace(0.0, 1.0, _BINS + 1)[1:-1]
    edges = np.union1d(np.quantile(numbers, shares), np.quantile(values, shares))
    bins = np.searchsorted(edges, numbers, side="right")
    even = np.arange(len(y)) % 2 == 0
    areas = [
        np.mean([_area(_rates(groups, y, half)[~half], y[~half]) for half in (even, ~even)])
        for groups in (codes, bins)
    ]
    worth = Worth(float(areas[0]), float(areas[1]))
    is_worth_it = worth.as_category - worth.as_number > max(
        _LEAST_GAIN, _ERRORS * _error_of_area(worth.as_category, y)
    )
    return worth if is_worth_it else None


def _rates(groups: NDArray[np.int64], y: Bools, learned: Bools) -> Floats:
    """The share of positives in the group of each row, near that of all where it has few rows."""
    size = int(groups.max()) + 1
    all_rows = np.bincount(groups[learned], minlength=size)
    positives = np.bincount(groups[learned & y], minlength=size)
    share = y[learned].mean()
    rates: Floats = ((positives + 2.0 * share) / (all_rows + 2.0))[groups]
    return rates


def _area(scores: Floats, y: Bools) -> float:
    ranks = _ranks(scores)
    positives, others = np.count_nonzero(y), np.count_nonzero(~y)
    above = ranks[y].sum() - positives * (positives + 1) / 2
    return float(above / (positives * others))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1, those that are equal with the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[places])


def _error_of_area(area: float, y: Bools) -> float:
    """The standard error of an area, by Hanley and McNeil."""
    positives, others = np.count_nonzero(y), np.count_nonzero(~y)
    first, second = area / (2.0 - area), 2.0 * area * area / (1.0 + area)
    variance = area * (1.0 - area) + (positives - 1) * (first - area * area)
    variance += (others - 1) * (second - area * area)
    return float(np.sqrt(max(variance, 0.0) / (positives * others)))


def _is_sampled(column: ColumnProfile, profile: Profile) -> bool:
    sizes = [len(sample) for sample in profile.sample.values()]
    return min(sizes) >= LEAST_ROWS and column.name in profile.sample[True].columns


def _cells(column: ColumnProfile, profile: Profile) -> pa.Array:
    return join([profile.sample[truth].column(column.name) for truth in (True, False)])


def _labels(profile: Profile) -> Bools:
    return np.repeat([True, False], [len(profile.sample[True]), len(profile.sample[False])])


def _as_floats(cells: pa.Array, column: ColumnProfile) -> Floats:
    if column.dates is None or column.dates.form is not None:
        numbers = as_numbers(cells, column.decimal, column.gap_words)
        assert numbers is not None
        return numbers
    timestamps = as_timestamps(cells, column.dates.day_first)
    assert timestamps is not None
    return np.where(timestamps == GAP, np.nan, timestamps.astype(np.float64))


def _weights(y: Bools) -> Floats:
    """Signed weights: the positives add up to 1, the others to -1."""
    return np.where(y, 1.0 / np.count_nonzero(y), -1.0 / np.count_nonzero(~y))


def _by_threshold(values: Floats, y: Bools, learned: Bools) -> Bools:
    """Answers by the best threshold; at a gap the class that has more of them."""
    weights = _weights(y[learned])
    gaps = np.isnan(values)
    answers = np.full(len(y), bool(weights[gaps[learned]].sum() > 0.0))
    known, known_weights = values[learned & ~gaps], weights[~gaps[learned]]
    if not len(known):
        return answers
    order = np.argsort(known, kind="stable")
    known, known_weights = known[order], known_weights[order]
    below = np.cumsum(known_weights)
    # No threshold lies between two numbers that are the same.
    is_last = np.append(known[1:] != known[:-1], True)
    gain = np.where(is_last, np.abs(2.0 * below - below[-1]), -1.0)
    best = int(np.argmax(gain))
    is_low_positive = 2.0 * below[best] > below[-1]
    nearest = known[min(best + 1, len(known) - 1)]
    # Halfway, as the other half of the sample has numbers in between.
    threshold = known[best] / 2.0 + nearest / 2.0
    low = values <= threshold
    answers[~gaps] = (low if is_low_positive else ~low)[~gaps]
    return answers


def _by_value(cells: pa.Array, y: Bools, learned: Bools) -> Bools:
    """Answers by the likelier class of each value; for values not seen before, the negative."""
    codes = np.asarray(as_texts(cells).dictionary_encode().indices.fill_null(-1)) + 1
    scores = np.bincount(codes[learned], _weights(y[learned]), minlength=int(codes.max()) + 1)
    answers: Bools = scores[codes] > 0.0
    return answers

"""How well one column alone tells the classes apart, on rows that it was not judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.dates import GAP, as_moments
from river_oa3.datasets.preparation.profile import Profile
from river_oa3.datasets.preparation.reading import as_numbers, as_texts, join

if TYPE_CHECKING:
    import pyarrow as pa

LEAST_ROWS = 30
"""With fewer rows of a class, chance alone separates it too often."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def balanced_accuracy(column: ColumnProfile, profile: Profile) -> float | None:
    """The mean of sensitivity and specificity of the best rule on this column; None if unknown.

    The rule is found on half of the sample and judged on the other half. For numbers and dates it
    is a threshold, for others the likelier class of each value; a gap is a value.
    """
    sizes = [len(sample) for sample in profile.sample.values()]
    is_sampled = column.name in profile.sample[True].columns
    if min(sizes) < LEAST_ROWS or column.looks == "text" or not is_sampled:
        return None
    cells = join([profile.sample[truth].column(column.name) for truth in (True, False)])
    y = np.repeat([True, False], [len(profile.sample[True]), len(profile.sample[False])])
    # The sample is in random order, so every other row is a random half.
    learned = np.arange(len(y)) % 2 == 0
    if column.looks in ("number", "date"):
        answers = _by_threshold(_as_floats(cells, column), y, learned)
    else:
        answers = _by_value(cells, y, learned)
    judged, right = ~learned, answers == y
    return float((right[judged & y].mean() + right[judged & ~y].mean()) / 2.0)


def _as_floats(cells: pa.Array, column: ColumnProfile) -> Floats:
    if column.dates is None:
        numbers = as_numbers(cells)
        assert numbers is not None
        return numbers
    moments = as_moments(cells, column.dates.day_first)
    assert moments is not None
    return np.where(moments == GAP, np.nan, moments.astype(np.float64))


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

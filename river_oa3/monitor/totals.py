"""How many events there may have been of each kind, judged by those that were asked about.

An event that was asked about with probability p stands for 1 / p events: itself, and those of its
kind that were not asked about. How many those are is a negative binomial number with the mean
1 / p - 1 and the variance (1 - p) / p^2. Their sum over the labels of a kind is taken for a gamma
variable of the same mean and variance. A kind may also have one label more than were seen, before
which the next one was waiting: it gets the root mean square weight of all labels. Both views count
half, which is the mid-p gamma interval for weighted counts [^1], made for events that come to an
end: what was asked about for certain leaves no doubt.

Few and heavy labels have skewed sums. Intervals by a normal approximation, which have no width
where no mistake was seen, miss the truth far too often.

[^1]: Fay, M. P. and Kim, S., 2017. Confidence intervals for directly standardized rates using
    mid-p gamma intervals. Biometrical Journal, 59(2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtr, ndtri

__all__ = ["FALSE_ALARMS", "HITS", "MISSES", "PASSES", "Numbers", "plausible_totals"]

Numbers = NDArray[np.float64]

# Which kind of event: twice the true label plus the predicted one.
PASSES, FALSE_ALARMS, MISSES, HITS = range(4)

_POINTS = 2048
# Points that fill the unit cube of four dimensions evenly: the powers of the root of x^5 = x + 1.
_STEPS = 1.1673039782614187 ** -np.arange(1.0, 5.0)
_UNIFORMS: Numbers = (0.5 + np.arange(_POINTS) * _STEPS[:, None]) % 1.0
# Each point is one of either view, and as far out in it as a standard normal number.
_HAS_ONE_MORE = _UNIFORMS >= 0.5
_NORMALS: Numbers = ndtri(np.clip(2.0 * _UNIFORMS % 1.0, 1e-9, 1.0 - 1e-9))

_NODES = np.linspace(-4.0, 4.0, 33)
_NODE_SHARES = ndtr(_NODES)


def plausible_totals(
    counts: Sequence[int], weights: Sequence[float], squares: Sequence[float]
) -> Numbers:
    """So many events of each kind, a row, as there may have been; each column is as likely.

    Parameters
    ----------
    counts
        The number of labels of each kind.
    weights
        The sum of their weights, 1 / p.
    squares
        The sum of the squared weights.

    """
    typical = math.sqrt(sum(squares) / sum(counts))
    totals = np.empty((4, _POINTS))
    for kind in range(4):
        mean = weights[kind] - counts[kind]
        variance = squares[kind] - weights[kind]
        totals[kind] = counts[kind] + np.where(
            _HAS_ONE_MORE[kind],
            _gamma(mean + typical - 1.0, variance + typical * (typical - 1.0), _NORMALS[kind]),
            _gamma(mean, variance, _NORMALS[kind]),
        )
    return totals


def _gamma(mean: float, variance: float, normals: Numbers) -> Numbers:
    """Gamma quantiles at the shares of standard normal ones."""
    if mean <= 1e-9 or variance <= 1e-9:
        return np.zeros_like(normals)
    # Their cube roots are nearly normal, and so nearly a straight line (Wilson and Hilferty).
    roots = np.cbrt(gammaincinv(mean * mean / variance, _NODE_SHARES))
    cubes: Numbers = np.interp(normals, _NODES, roots) ** 3
    return cubes * (variance / mean)

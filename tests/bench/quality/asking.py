"""The loop that all models go through that are called one event at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.scores import Counts, says_positive

from ..quality.contest import Case

__all__ = ["FIRST", "Wants", "ask_by_entropy", "predict_and_ask"]

Wants = Callable[[int, float], bool]
"""Whether to ask about an event, by its place in the order, with this probability."""

FIRST = 5
"""So many labels of each class are asked for before a model is asked what it wants.

Models that count give one class everything until they know of two, or until they have the variance
of both, and an uncertainty of nothing never asks.
"""


def predict_and_ask(
    case: Case,
    budget: int,
    predict: Callable[[int], float],
    wants: Wants,
    learn: Callable[[int], object],
    first: int = 0,
    rest: Callable[[int], NDArray[np.bool_]] | None = None,
) -> Counts:
    """Predict, account, ask and learn, with a hard budget.

    Parameters
    ----------
    case
        The events, which the functions are given by their place in the order.
    budget
        How many labels there are.
    predict
        The probability of a positive.
    wants
        Whether to ask about an event with this probability.
    learn
        Learn an event with its label.
    first
        Ask about every event until there are so many labels of each class.
    rest
        Whether each event from this place on is positive, at once: called when there is no label
        left to learn from.

    """
    answers = np.zeros(len(case.y), dtype=np.bool_)
    asked = [0, 0]
    left = budget
    for i, y in enumerate(case.y.tolist()):
        p = predict(i)
        answers[i] = says_positive(p)
        if left and (wants(i, p) or min(asked) < first):
            left -= 1
            asked[y] += 1
            learn(i)
            if not left and rest is not None:
                answers[i + 1 :] = rest(i + 1)
                break
    return _counts(case.y.astype(np.bool_), answers, budget - left)


def _counts(y: NDArray[np.bool_], answers: NDArray[np.bool_], labels: int) -> Counts:
    return Counts(
        int(np.count_nonzero(answers & y)),
        int(np.count_nonzero(answers & ~y)),
        int(np.count_nonzero(~answers & ~y)),
        int(np.count_nonzero(~answers & y)),
        labels,
    )


def ask_by_entropy(numbers: Iterable[float], discount: float) -> Wants:
    """The rule of river's EntropySampler, given the uniforms that it would draw."""
    drawn = list(numbers)

    def wants(i: int, p: float) -> bool:
        if not 0.0 < p < 1.0:
            return False
        q = 1.0 - p
        entropy = -(q * math.log2(q) + p * math.log2(p))
        return bool(drawn[i] < entropy**discount)

    return wants

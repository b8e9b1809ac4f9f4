"""An active learner of river over the events of a stream, one call after another."""

from __future__ import annotations

import time
import typing
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from river.active.base import ActiveLearningClassifier

from river_oa3.datasets import Stream
from river_oa3.experiments.scores import says_positive
from river_oa3.experiments.stream_replay import Outcome

__all__ = ["EventLoop"]

MOST_COMPLETE = 500
"""With no more features than this, an event tells of those that are zero too.

river's scaler and its trees learn what a feature is like from the events that have it.
"""

FIRST = 5
"""So many labels of each class are asked for before a model is asked what it wants.

Models that count give one class everything until they know of two, and an uncertainty of nothing
never asks.
"""


class EventLoop:
    """Predict, account, ask and learn with a hard budget, from one part of the events to the next.

    Parameters
    ----------
    model
        An active learner of river's, which knows of no budget.
    budget
        How many labels it may have.
    checkpoints
        After how many events to write the counts down.
    paper_accounting
        Whether an event without features is counted as a mistake.

    """

    def __init__(
        self,
        model: ActiveLearningClassifier,
        budget: int,
        checkpoints: Sequence[int],
        paper_accounting: bool = False,
    ):
        self._model = model
        self._budget = budget
        self._checkpoints = set(checkpoints)
        self._paper_accounting = paper_accounting
        # True and false positives, true and false negatives, labels; labels by class.
        self._counts = [0, 0, 0, 0, 0]
        self._labels = {True: 0, False: 0}
        self._curve: list[tuple[int, ...]] = []
        self._asked: list[bool] = []
        self._seconds = 0.0

    def go_on(self, stream: Stream, rows: NDArray[np.integer[typing.Any]]) -> None:
        """Take these events of a stream, after all that went before."""
        start = time.thread_time()
        zeros = dict.fromkeys(map(str, stream.names), 0.0)
        if len(zeros) > MOST_COMPLETE:
            zeros = {}
        for found, y in stream.events(rows.tolist()):
            x = zeros | {str(name): value for name, value in found.items()}
            self._take(x, y, is_empty=not found)
        self._seconds += time.thread_time() - start

    def _take(self, x: dict[str, float], y: bool, is_empty: bool) -> None:
        odds, wants = self._model.predict_proba_one(x)
        answer = says_positive(odds.get(True, 0.0))
        if is_empty and self._paper_accounting:
            answer = not y
        self._counts[(0 if y else 1) if answer else (3 if y else 2)] += 1
        is_asked = self._counts[4] < self._budget and (wants or self._is_starting)
        if is_asked:
            self._model.learn_one(x, y)
            self._counts[4] += 1
            self._labels[y] += 1
        self._asked.append(is_asked)
        if len(self._asked) in self._checkpoints:
            self._curve.append(tuple(self._counts))

    @property
    def _is_starting(self) -> bool:
        return min(self._labels.values()) < FIRST

    def outcome(self) -> Outcome:
        """What became of all events so far."""
        curve = np.array(self._curve, dtype=np.int64).reshape(-1, 5)
        tp, fp, tn, fn, labels = curve.T
        reached = np.array(sorted(c for c in self._checkpoints if c <= len(self._asked)))
        asked = np.array(self._asked, dtype=np.bool_)
        return Outcome(reached, tp, fp, tn, fn, labels, asked, 0, self._seconds)

"""Vowpal Wabbit's adaptive, normalised, importance-aware logistic regression, asked by entropy."""

from __future__ import annotations

import contextlib
import math
import typing
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.scores import Counts, says_positive

from ..quality.asking import Wants, ask_by_entropy, predict_and_ask
from ..quality.contest import Case, Cell, Contender, grid, weight_of

__all__ = ["VOWPAL_WABBIT"]

CONSTANT = 11650396
"""Where Vowpal Wabbit has its intercept."""


class Parsed:
    """The events of an order as Vowpal Wabbit reads them, with their labels and weights.

    Parsing takes longer than learning, and an example serves any number of models that differ in
    their learning rate alone. The weight of a positive stands in its example: there is one for each
    weight.
    """

    def __init__(self, case: Case):
        self.rows = case.stream.X[case.rows]
        self._y = case.y
        self._reader = _model(0.5, len(case.stream.names))
        self._negatives = {i: self._parse(i, "-1") for i in np.flatnonzero(case.y == 0).tolist()}
        self._positives: dict[float, dict[int, typing.Any]] = {}

    def examples(self, weight: float) -> list[typing.Any]:
        """The events in their order, a positive weighing as much as this."""
        if weight not in self._positives:
            self._positives[weight] = {
                i: self._parse(i, f"1 {weight!r}") for i in np.flatnonzero(self._y).tolist()
            }
        found = {**self._negatives, **self._positives[weight]}
        return [found[i] for i in range(len(self._y))]

    def close(self) -> None:
        """Give the examples back, whose memory Vowpal Wabbit would keep for ever."""
        for examples in (self._negatives, *self._positives.values()):
            for example in examples.values():
                self._reader.finish_example(example)
        self._reader.finish()

    def _parse(self, i: int, label: str) -> typing.Any:
        start, stop = self.rows.indptr[i], self.rows.indptr[i + 1]
        pairs = zip(
            self.rows.indices[start:stop].tolist(),
            self.rows.data[start:stop].tolist(),
            strict=True,
        )
        return self._reader.parse(f"{label} | " + " ".join([f"{j}:{x!r}" for j, x in pairs]))


def _model(rate: float, features: int) -> typing.Any:
    from vowpalwabbit import Workspace

    # A number is its own hash: the least room in which the intercept is no feature, for a model is
    # made faster the smaller it is.
    bits = features.bit_length()
    while CONSTANT % 2**bits < features:
        bits += 1
    return Workspace(f"--quiet --loss_function logistic -b {bits} -l {rate!r}")


def _play(case: Case, cells: Sequence[Cell]) -> Iterator[Counts]:
    """Asked by entropy as river's models are, after a first label of each class.

    Without that it is sure of the negative class after a few events of many streams, and never
    asks again.
    """
    with contextlib.closing(Parsed(case)) as parsed:
        for cell in cells:
            chosen = dict(cell.setting)
            examples = parsed.examples(weight_of(chosen["weight"], case.ratio))
            model = _model(float(chosen["rate"]), len(case.stream.names))
            wants = ask_by_entropy(case.own_numbers, float(chosen["discount"]))
            first = int(chosen["first"])
            yield _go(case, cell.budget, model, examples, parsed.rows, wants, first)
            model.finish()


def _go(
    case: Case,
    budget: int,
    model: typing.Any,
    examples: list[typing.Any],
    rows: typing.Any,
    wants: Wants,
    first: int,
) -> Counts:
    from vowpalwabbit.pyvw import pylibvw

    # Workspace's own methods ask on every call what kind of example they were given.
    predict_example, learn_example = pylibvw.vw.predict, pylibvw.vw.learn
    margin_of = pylibvw.example.get_partial_prediction

    def predict(i: int) -> float:
        predict_example(model, examples[i])
        margin = margin_of(examples[i])
        return 1.0 / (1.0 + math.exp(-margin)) if margin > -30.0 else 0.0

    def learn(i: int) -> None:
        learn_example(model, examples[i])

    def rest(start: int) -> NDArray[np.bool_]:
        weights = np.array([model.get_weight(j) for j in range(rows.shape[1])])
        margins = rows[start:] @ weights + model.get_weight(CONSTANT)
        answers = margins >= 0.0
        # Sums in another order than Vowpal Wabbit's: what is near the boundary it says itself.
        scale = abs(rows[start:]) @ np.abs(weights) + 1.0
        for i in np.flatnonzero(np.abs(margins) < 1e-4 * scale).tolist():
            answers[i] = says_positive(predict(start + i))
        return np.asarray(answers)

    return predict_and_ask(case, budget, predict, wants, learn, first, rest)


VOWPAL_WABBIT = Contender(
    title="Vowpal Wabbit",
    side="peer",
    settings=grid(
        rate=(0.5, 0.1, 2.0),
        weight=("one", "root", "ratio", "costs"),
        discount=(3.0, 1.0, 0.3),
        first=(1.0,),
    ),
    play=_play,
    cost=lambda nonzeros, features: 3.5 + 0.01 * nonzeros,
    needs="vowpalwabbit",
)

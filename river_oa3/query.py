"""Whether a label is worth asking for: rules that turn a margin into a probability.

A rule draws nothing and spends nothing; `ActiveLearner` does both. Asking for a probability changes
no rule.
"""

from __future__ import annotations

import abc
import typing

from river_oa3._core import checks
from river_oa3._core.query import AdaptiveRule, asymmetric_probability
from river_oa3.budget import UNLIMITED
from river_oa3.parameters import Mutable
from river_oa3.state import State

__all__ = ["AdaptiveQuery", "AsymmetricQuery", "FirstComeQuery", "Query", "RandomQuery"]

# Of the worth of a label, whose running mean is kept over so many events.
_MOST_WORTH = 1e300
_SCORE_WINDOW = 200.0


class Query(Mutable, abc.ABC):
    """A rule for asking.

    Rules that set `uses_margin` to False are not given a margin, which spares the work of
    computing one.

    One that is to be kept in a model file is registered: see `river_oa3.files.register`. Where use
    changes it, it says how (`state`, `restore`).

    """

    uses_margin: typing.ClassVar[bool] = True

    @abc.abstractmethod
    def probability(self, margin: float, confidence: float) -> float:
        """The probability of asking for the label of an event.

        Parameters
        ----------
        margin
            How far the event is from the boundary, positive on the positive side.
        confidence
            How sure the model is of that, 0 for completely, and the less sure the lower.

        """

    def state(self) -> dict[str, typing.Any]:
        """What use has made of it, as plain values; its parameters are not among them."""
        return {}

    def restore(self, state: dict[str, typing.Any]) -> None:
        """Go on where one of the same kind was when it gave this `state`.

        A `ValueError` says what cannot be a state; then nothing has changed.
        """
        State(state).check_all_taken()


class AsymmetricQuery(Query):
    """OA3's own rule: ask where the margin is small or unsure, with a bias for each side.

    With `q = |margin| + confidence`, an event with `q <= 0` is asked about for certain, any other
    with probability `delta / (delta + q)`, where `delta` is `delta_pos` for an event predicted
    positive and `delta_neg` for one predicted negative. In a stream with few positives a larger
    `delta_pos` spends the labels where positives are found.

    Parameters
    ----------
    delta_pos
        The bias for asking about events predicted positive. The defaults were chosen by mean regret
        over seven imbalanced data sets with rows of unit length, at budgets of 1, 5 and 20 percent
        of the labels.
    delta_neg
        The bias for asking about events predicted negative.
    use_confidence
        Whether the rule looks at the confidence. Without it this is the first-order asymmetric
        rule, and with equal biases the symmetric one.

    Examples
    --------

    >>> from river_oa3 import query

    >>> rule = query.AsymmetricQuery(delta_pos=1.0, delta_neg=0.1)
    >>> rule.probability(margin=0.9, confidence=0.0)
    0.526...
    >>> rule.probability(margin=-0.9, confidence=0.0)
    0.1
    >>> rule.probability(margin=-0.9, confidence=-2.0)
    1.0

    """

    _mutable_checks: typing.ClassVar = {
        "delta_pos": checks.positive,
        "delta_neg": checks.positive,
        "use_confidence": lambda _, value: value,
    }

    def __init__(
        self, delta_pos: float = 0.1, delta_neg: float = 0.01, use_confidence: bool = True
    ):
        self.delta_pos = checks.positive("delta_pos", delta_pos)
        self.delta_neg = checks.positive("delta_neg", delta_neg)
        self.use_confidence = use_confidence

    def probability(self, margin: float, confidence: float) -> float:
        return asymmetric_probability(
            margin, confidence if self.use_confidence else 0.0, self.delta_pos, self.delta_neg
        )


class AdaptiveQuery(Query):
    """The rule that goes with `AutoOA3Classifier`: sets its own scale, keeps the budget's pace.

    The worth of a label is `1 / (1 + q^2)`, where `q` is the distance of the event from the
    boundary in units of what is unsure about it, and ten times that where the event is predicted
    positive. It is asked about with the probability that the budget's pace gives to an event of
    mean worth, times its worth relative to the running mean over the last 200 events or so. A share
    of the pace goes to all events alike: as long as there is budget left, no probability is 0, and
    no importance weight is above `1 / (rate * floor)`.

    As long as one class has not been learned, what counts is how new an event is, and how much it
    leans to the missing class.

    How fast a budget should be spent is the budget's to say (`Budget.pace`): so many labels in all
    at once, but for what is not worth asking; a share of the events, or of a window of time, spread
    over them.

    Examples
    --------

    >>> from river_oa3 import query

    >>> rule = query.AdaptiveQuery()
    >>> rule.probability(margin=0.1, confidence=-0.1)
    0.3

    """

    def __init__(self) -> None:
        self._rule = AdaptiveRule()

    def probability(self, margin: float, confidence: float) -> float:
        """The probability of asking about an event as the next one, both classes being known.

        Parameters
        ----------
        margin
            How far the event is from the boundary, positive on the positive side.
        confidence
            How sure the model is of that, from 0 for completely down to -1/2.

        """
        # Of the paper's c = -1/2 v / (1 + v).
        confidence = max(confidence, -0.5 + 1e-12)
        variance = -2.0 * confidence / (1.0 + 2.0 * confidence)
        return self._rule.probability(margin, margin, variance, 0, *UNLIMITED)

    def state(self) -> dict[str, typing.Any]:
        mean, count = typing.cast(typing.Any, self._rule).__reduce__()[1]
        return {"mean": mean, "count": count}

    def restore(self, state: dict[str, typing.Any]) -> None:
        given = State(state)
        mean = given.number("mean", 0.0, _MOST_WORTH)
        count = given.number("count", 0.0, _SCORE_WINDOW)
        given.check_all_taken()
        self._rule = AdaptiveRule(mean, count)


class RandomQuery(Query):
    """Ask with the same probability about every event.

    Parameters
    ----------
    probability
        The probability, above 0 and up to 1.

    Examples
    --------

    >>> from river_oa3 import query

    >>> query.RandomQuery(0.1).probability(margin=3.0, confidence=0.0)
    0.1

    """

    uses_margin = False
    _mutable_checks: typing.ClassVar = {"probability": checks.share}

    def __init__(self, probability: float):
        self._probability = checks.share("probability", probability)

    def mutate(self, new_attrs: dict[str, typing.Any]) -> None:
        # The parameter shares its name with the method.
        others = {name: value for name, value in new_attrs.items() if name != "probability"}
        super().mutate(others)
        if len(others) < len(new_attrs):
            self._probability = checks.share("probability", new_attrs["probability"])

    def probability(self, margin: float, confidence: float) -> float:
        return self._probability

    def _get_params(self) -> dict[str, typing.Any]:
        # The parameter shares its name with the method.
        return {"probability": self._probability}

    def __repr__(self) -> str:
        return f"RandomQuery({self._probability})"


class FirstComeQuery(Query):
    """Ask about every event, first come, first served, as long as the budget lasts.

    Examples
    --------

    >>> from river_oa3 import query

    >>> query.FirstComeQuery().probability(margin=3.0, confidence=0.0)
    1.0

    """

    uses_margin = False

    def probability(self, margin: float, confidence: float) -> float:
        return 1.0

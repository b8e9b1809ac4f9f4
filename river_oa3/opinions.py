"""What a classifier thinks of an event: all that is needed to answer, and to decide on asking."""

from __future__ import annotations

import math
import typing

from river_oa3.auto import AutoOA3Classifier
from river_oa3.base import MarginClassifier, SecondOrderClassifier

__all__ = ["Opinion", "answers_as_core", "margin_of", "of_margin_classifier", "of_other_classifier"]


class Opinion(typing.NamedTuple):
    """The odds are given where they were asked for, the label where they were not."""

    label: typing.Any
    odds: dict[typing.Any, float] | None
    margin: float
    confidence: float
    # Whether anything can be learned from the event at all.
    teachable: bool
    # That of a second learner beside the one that answers, where there is one.
    second_margin: float = 0.0
    variance: float = 0.0
    # The class that has not been learned yet: 1 the positive, -1 the negative, 2 both, 0 neither.
    missing: int = 0

    @property
    def view(self) -> tuple[float, float, float, int]:
        """What `AdaptiveQuery` looks at."""
        return self.margin, self.second_margin, self.variance, self.missing


_ANSWERS = ("margin_one", "confidence_one", "predict_one")
# The methods that the core stands for, as they are here: somebody may put others in their place.
_OURS: tuple[tuple[type[MarginClassifier], dict[str, typing.Any]], ...] = tuple(
    (kind, {name: getattr(kind, name) for name in names})
    for kind, names in (
        (AutoOA3Classifier, (*_ANSWERS, "observe_one", "learn_one")),
        (SecondOrderClassifier, _ANSWERS),
        (MarginClassifier, ("margin_one", "predict_one")),
    )
)


def answers_as_core(classifier: typing.Any) -> bool:
    """Whether the answers are those of the compiled core: a subclass may have its own."""
    for kind, ours in _OURS:
        if issubclass(type(classifier), kind):
            return all(
                getattr(type(classifier), name) is method and name not in vars(classifier)
                for name, method in ours.items()
            )
    return False


def of_margin_classifier(
    classifier: typing.Any, x: typing.Any, proba: bool, as_core: bool
) -> Opinion:
    """The opinion of a classifier of this package; `as_core` is what `answers_as_core` says."""
    missing, teachable = 0, True
    if isinstance(classifier, AutoOA3Classifier):
        # Any event can teach it something, if only its intercept.
        margin, second, variance, confidence, missing = classifier._core.judge_one(x)
    else:
        margin, variance, confidence, teachable = classifier._core.judge_one(x)
        second = margin
    odds = classifier.predict_proba_one(x) if proba else None
    label = margin >= 0.0
    if not as_core:
        label, margin = classifier.predict_one(x), classifier.margin_one(x)
        if hasattr(classifier, "confidence_one"):
            confidence = classifier.confidence_one(x)
    return Opinion(label, odds, margin, confidence, teachable, second, variance, missing)


def of_other_classifier(
    classifier: typing.Any,
    x: typing.Any,
    kwargs: dict[str, typing.Any],
    proba: bool,
    needs_margin: bool,
) -> Opinion:
    label, odds, margin = None, {}, 0.0
    if proba or needs_margin:
        try:
            odds = classifier.predict_proba_one(x, **kwargs)
        except NotImplementedError:
            raise NotImplementedError(
                f"{type(classifier).__name__} gives no probabilities: use a query that needs "
                "none, query.RandomQuery or query.FirstComeQuery"
            ) from None
        margin = margin_of(odds)
    if not proba:
        label = classifier.predict_one(x, **kwargs)
    return Opinion(label, odds, margin, 0.0, True, second_margin=margin)


def margin_of(odds: dict[typing.Any, float]) -> float:
    """How far apart the odds are; 0, on the boundary, where there are none to speak of."""
    if not odds:
        return 0.0
    if odds.keys() <= {False, True}:
        margin = odds.get(True, 0.0) - odds.get(False, 0.0)
    else:
        best, second = sorted((*odds.values(), 0.0), reverse=True)[:2]
        margin = best - second
    return 0.0 if math.isnan(margin) else margin

"""What a classifier thinks of an event: all that is needed to answer, and to decide on asking."""

from __future__ import annotations

import math
import typing

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


def answers_as_core(classifier: typing.Any) -> bool:
    """Whether the answers are those of the compiled core: a subclass may have its own."""
    kind = type(classifier)
    if not issubclass(kind, MarginClassifier):
        return False
    ours = SecondOrderClassifier if issubclass(kind, SecondOrderClassifier) else MarginClassifier
    methods = ("margin_one", "confidence_one", "predict_one")
    return all(getattr(kind, name, None) is getattr(ours, name, None) for name in methods)


def of_margin_classifier(
    classifier: typing.Any, x: typing.Any, proba: bool, as_core: bool
) -> Opinion:
    """The opinion of a classifier of this package; `as_core` is what `answers_as_core` says."""
    margin, _, confidence, teachable = classifier._core.judge_one(x)
    odds = classifier.predict_proba_one(x) if proba else None
    if as_core:
        return Opinion(margin >= 0.0, odds, margin, confidence, teachable)
    if isinstance(classifier, SecondOrderClassifier):
        confidence = classifier.confidence_one(x)
    label = classifier.predict_one(x)
    return Opinion(label, odds, classifier.margin_one(x), confidence, teachable)


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
    return Opinion(label, odds, margin, 0.0, True)


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

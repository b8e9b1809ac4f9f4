"""What an active learner answers: two things, which no model that wraps classifiers can use.

Such a model would take the pair for a label, or for a dictionary of probabilities, and
`OneVsRestClassifier` would take the wish to ask for the probability of True. So the pair is a tuple
that says what to do where it is used as anything but a pair.
"""

from __future__ import annotations

import typing

__all__ = ["NO", "NO_AND_ASK", "YES", "YES_AND_ASK", "Answer", "Odds", "OddsAnswer", "answer"]

_ADVICE = (
    "an ActiveLearner answers with two things, not with a label or a dictionary of probabilities: "
    "label, ask = model.predict_one(x). No model that wraps classifiers can take that. Wrap such a "
    "model in the ActiveLearner instead: ActiveLearner(OneVsRestClassifier(AutoOA3Classifier()), "
    "budget=100), not OneVsRestClassifier(ActiveLearner(...)). If it gives no probabilities, as "
    "OneVsOneClassifier, add query=query.RandomQuery(0.1). For several outputs, use an "
    "ActiveLearner for each"
)


def _refuse(*_: typing.Any) -> typing.NoReturn:
    raise TypeError(_ADVICE)


class Answer(tuple[typing.Any, bool]):
    """A label, and whether to ask for the true one."""

    __slots__ = ()

    # Scalars of NumPy leave comparisons to this class.
    __array_ufunc__ = None

    __bool__ = __hash__ = _refuse
    keys = values = items = get = _refuse

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) if isinstance(other, tuple) else _refuse()

    def __ne__(self, other: object) -> bool:
        return super().__ne__(other) if isinstance(other, tuple) else _refuse()

    def __reduce__(self) -> tuple[type, tuple[tuple[typing.Any, bool]]]:
        # What is stored can be read without this package.
        return tuple, (tuple(self),)


class OddsAnswer(Answer):
    """The probability of each label, and whether to ask for the true one."""

    __slots__ = ()

    def __getitem__(self, index: typing.Any) -> typing.Any:
        # True is a number to a tuple, the second; to whoever writes it, it is a label.
        if isinstance(index, bool) or not isinstance(index, (int, slice)):
            _refuse()
        return super().__getitem__(index)


class Odds(dict[typing.Any, float]):
    """The probability of each label, in an `OddsAnswer`.

    Ensembles count what they iterate over, and a dictionary cannot be counted for a reason that
    says nothing.
    """

    __slots__ = ()
    __hash__ = _refuse  # type: ignore[assignment]  # None in any other dictionary

    def __reduce__(self) -> tuple[type, tuple[dict[typing.Any, float]]]:
        return dict, (dict(self),)


# Shared, since making one takes longer than the rest of an answer.
YES_AND_ASK = Answer((True, True))
YES = Answer((True, False))
NO_AND_ASK = Answer((False, True))
NO = Answer((False, False))


def answer(label: typing.Any, ask: bool) -> Answer:
    """The answer with a label."""
    if label is True:
        return YES_AND_ASK if ask else YES
    if label is False:
        return NO_AND_ASK if ask else NO
    return Answer((label, ask))

"""Why a label was asked for, in plain words."""

from __future__ import annotations

import typing
from collections.abc import Callable

from river_oa3.budget import UNLIMITED
from river_oa3.query import AdaptiveQuery, FirstComeQuery

if typing.TYPE_CHECKING:
    from river_oa3.active import ActiveLearner

__all__ = ["reason_of"]

NOVEL = "novel: the model knows little about events like this one"
NEAR = "near the boundary: the model can hardly decide"
POSITIVE = "predicted positive: such labels are worth the most"
AT_RANDOM = "at random: a few labels go to events of every kind"
FIRST_COME = "first come, first served: every label is asked for while the budget lasts"
NOTHING_KNOWN = "novel: no label has been learned yet"
NO_POSITIVE = "novel: no positive event has been learned yet"
NO_NEGATIVE = "novel: no negative event has been learned yet"

# On the negative side, so far from the boundary that nothing but chance asks.
FAR = -1e9


def reason_of(model: ActiveLearner) -> str:
    """Why an active learner has just asked.

    Said is what raised the probability the most, of what is unsure about the event, its nearness to
    the boundary, and the side that it is on, unless chance alone would have asked as readily.
    """
    assert model._asked_about is not None
    margin, _, variance, confidence, missing = model._asked_about
    if isinstance(model._query, FirstComeQuery):
        return FIRST_COME
    if not model._query.uses_margin:
        return AT_RANDOM
    if missing and model._adapts:
        return {2: NOTHING_KNOWN, 1: NO_POSITIVE, -1: NO_NEGATIVE}[missing]
    # A classifier may have learned before this model was made around it.
    if model.n_learned == 0 and margin == 0.0:
        return NOTHING_KNOWN
    chance, unsure = _rule_of(model), variance if model._adapts else confidence
    by_chance, near = chance(FAR, 0.0), chance(-abs(margin), 0.0)
    on_this_side, in_all = chance(margin, 0.0), chance(margin, unsure)
    gains = {
        POSITIVE: on_this_side - near,
        NEAR: near - by_chance,
        NOVEL: in_all - on_this_side,
        AT_RANDOM: by_chance,
    }
    return max(gains, key=lambda reason: gains[reason])


def _rule_of(model: ActiveLearner) -> Callable[[float, float], float]:
    """The probability of asking, given a margin and what the rule takes for being unsure of it."""
    if not model._adapts:
        return model._query.probability
    rule = typing.cast(AdaptiveQuery, model._query)._rule
    pace = UNLIMITED if model._budget is None else model._budget.pace()
    return lambda margin, variance: rule.noted_probability(margin, margin, variance, 0, *pace)

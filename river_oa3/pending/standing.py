"""Where an active learner stands, apart from what its classifier knows."""

from __future__ import annotations

import typing

from river_oa3._core.query import AdaptiveRule
from river_oa3.budget import Budget, RateBudget, TotalBudget, WindowBudget, _Window

if typing.TYPE_CHECKING:
    from river_oa3.active import ActiveLearner

__all__ = ["check_budget", "is_sound", "restore", "standing_of"]

Standing = dict[str, typing.Any]

# What learning counts by itself is counted again as labels are learned again.
_COUNTERS = ("n_seen", "n_asked", "_n_leading_zero_events")

# What changes in a budget as it is used; everything else is given anew at each start.
_MOVING: dict[type[Budget], tuple[str, ...]] = {
    TotalBudget: ("_spent",),
    RateBudget: ("_saved",),
    WindowBudget: ("_events", "_window"),
}

# What each part may be, whatever the budget and the rule are.
_NUMBER = (int, float)
_NOTHING = type(None)
_WINDOW = [(*_NUMBER, _NOTHING)] * len(_Window._fields)
_SHAPES: dict[str, list[typing.Any]] = {
    "counters": [[int] * len(_COUNTERS)],
    "budget": [
        _NOTHING,
        [TotalBudget.__name__, int],
        [RateBudget.__name__, _NUMBER],
        [WindowBudget.__name__, int, _WINDOW],
    ],
    "rule": [_NOTHING, [_NUMBER, _NUMBER]],
    "events": [int],
    "batch": [_NOTHING, [str, int]],
}


def is_sound(standing: typing.Any) -> bool:
    """Whether this can be where a learner stood."""
    return isinstance(standing, dict) and all(
        any(_has_shape(standing.get(name, ...), shape) for shape in shapes)
        for name, shapes in _SHAPES.items()
    )


def _has_shape(value: typing.Any, shape: typing.Any) -> bool:
    if isinstance(shape, list):
        is_as_long = isinstance(value, list) and len(value) == len(shape)
        return is_as_long and all(map(_has_shape, value, shape))
    return value == shape if isinstance(shape, str) else isinstance(value, shape)


def check_budget(budget: Budget | None) -> None:
    """Refuse a budget of which it is not known what to keep."""
    if budget is not None and type(budget) not in _MOVING:
        raise TypeError(
            f"a store cannot keep {type(budget).__name__}, a budget of your own: use TotalBudget, "
            "RateBudget or WindowBudget of river_oa3.budget, or keep the asks in memory with "
            "store=None"
        )


def standing_of(model: ActiveLearner) -> Standing:
    """Counters, budget and rule, as plain values."""
    return {
        "counters": [getattr(model, name) for name in _COUNTERS],
        "budget": None if model._budget is None else _budget_standing(model._budget),
        "rule": list(_rule(model).__reduce__()[1]) if model._adapts else None,
    }


def _budget_standing(budget: Budget) -> list[typing.Any]:
    moving = [getattr(budget, name) for name in _MOVING[type(budget)]]
    # A window is a tuple of its own kind.
    return [
        type(budget).__name__,
        *(list(each) if isinstance(each, tuple) else each for each in moving),
    ]


def restore(model: ActiveLearner, standing: Standing) -> None:
    """Put an active learner where another one stood."""
    budget, stored = model._budget, standing["budget"]
    if (None if budget is None else type(budget).__name__) != (stored and stored[0]):
        raise ValueError(
            f"the store was used with {stored[0] if stored else 'no budget'}, and this model has "
            f"{type(budget).__name__ if budget else 'none'}: numbers of labels may change, the "
            "kind of budget may not. Start a new store for the new kind"
        )
    if model._adapts != (standing["rule"] is not None):
        raise ValueError(
            "the store was used with another rule for asking: start a new store for this one"
        )
    for name, value in zip(_COUNTERS, standing["counters"], strict=True):
        setattr(model, name, value)
    if budget is not None:
        moving = dict(zip(_MOVING[type(budget)], stored[1:], strict=True))
        if isinstance(budget, WindowBudget):
            moving["_window"] = type(budget._window)(*moving["_window"])
        vars(budget).update(moving)
        budget._adjust()
    if standing["rule"] is not None:
        typing.cast(typing.Any, model._query)._rule = AdaptiveRule(*standing["rule"])


def _rule(model: ActiveLearner) -> typing.Any:
    return typing.cast(typing.Any, model._query)._rule

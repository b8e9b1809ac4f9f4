"""Where an active learner stands, apart from what its classifier knows."""

from __future__ import annotations

import copy
import typing

from river_oa3.budget import Budget, RateBudget, TotalBudget, WindowBudget
from river_oa3.files.parts import is_known
from river_oa3.query import AdaptiveQuery, Query

if typing.TYPE_CHECKING:
    from river_oa3.active import ActiveLearner

__all__ = ["check_budget", "check_same", "is_sound", "restore", "standing_of"]

Standing = dict[str, typing.Any]

# Of a learner's state: what is kept with each snapshot, for it is counted again as labels are
# learned again, and what is of use until the next event alone.
WITH_SNAPSHOTS = ("n_learned", "taught")
_NOT_KEPT = ("last_query", "random")

# Their states are kept as lists, in their order, and so is that of AdaptiveQuery: as ever.
_OWN_BUDGETS = (TotalBudget, RateBudget, WindowBudget)
_NAMES = [kind.__name__ for kind in _OWN_BUDGETS]


def is_sound(standing: typing.Any) -> bool:
    """Whether this can be where a learner stood; its parts check their own states."""
    if not isinstance(standing, dict):
        return False
    budget, rule, batch = (standing.get(name, ...) for name in ("budget", "rule", "batch"))
    return (
        _types(standing.get("counters")) == [int] * 3  # those of `_counters`
        and type(standing.get("events")) is int
        and (
            budget is None
            or _is_named(budget)
            or (_types(budget)[:1] == [str] and budget[0] in _NAMES)
        )
        and (rule is None or _is_named(rule) or len(_types(rule)) == 2)
        and (batch is None or _types(batch) == [str, int])
    )


def _types(value: typing.Any) -> list[type]:
    return [type(each) for each in value] if isinstance(value, list) else []


def _is_named(kept: typing.Any) -> bool:
    """Whether this is the state of a class of somebody's own, with its name."""
    return _types(kept) == [str, dict]


def check_budget(budget: Budget | None) -> None:
    """Refuse a budget of which it is not known what to keep."""
    if budget is not None and not is_known(type(budget)):
        raise TypeError(
            f"a store cannot keep {type(budget).__name__}, a budget of your own: use TotalBudget, "
            "RateBudget or WindowBudget of river_oa3.budget, give it state() and restore() and "
            "river_oa3.files.register it, or keep the asks in memory with store=None"
        )


def standing_of(model: ActiveLearner) -> Standing:
    """Counters, budget and rule, as plain values."""
    budget, rule = model.spending, model.rule
    return {
        "counters": list(_counters(model).values()),
        "budget": None if budget is None else [type(budget).__name__, *_kept(budget)],
        "rule": _kept_rule(rule),
    }


def _counters(model: ActiveLearner) -> dict[str, int]:
    not_here = (*WITH_SNAPSHOTS, *_NOT_KEPT)
    return {name: count for name, count in model.state().items() if name not in not_here}


def _kept_rule(rule: Query) -> list[typing.Any] | None:
    if _is_own(rule):
        return _kept(rule)
    return [type(rule).__name__, *_kept(rule)] if rule.state() else None


def _is_own(part: Budget | Query) -> bool:
    return type(part) in _OWN_BUDGETS or type(part).state is AdaptiveQuery.state


def _kept(part: Budget | Query) -> list[typing.Any]:
    state = part.state()
    return _values(state) if _is_own(part) else [copy.deepcopy(state)]


def _values(state: Standing) -> list[typing.Any]:
    return [_values(each) if isinstance(each, dict) else each for each in state.values()]


def check_same(model: ActiveLearner, standing: Standing) -> None:
    """Refuse a standing of another kind of budget or rule; a `ValueError` says of which."""
    budget, kept = model.spending, standing["budget"]
    if (None if budget is None else type(budget).__name__) != (kept and kept[0]):
        raise ValueError(
            f"the store was used with {kept[0] if kept else 'no budget'}, and this model has "
            f"{type(budget).__name__ if budget else 'none'}: numbers of labels may change, the "
            "kind of budget may not. Start a new store for the new kind"
        )
    kept, given = standing["rule"], _kept_rule(model.rule)
    if _name_of(kept) != _name_of(given):
        raise ValueError(
            "the store was used with another rule for asking: start a new store for this one"
        )


def _name_of(rule: list[typing.Any] | None) -> str | None:
    """The name of a rule that is kept; AdaptiveQuery has never been named."""
    if rule is None:
        return None
    return rule[0] if _is_named(rule) else AdaptiveQuery.__name__


def restore(model: ActiveLearner, standing: Standing) -> None:
    """Put an active learner where another one of the same kind stood."""
    counters = dict(zip(_counters(model), standing["counters"], strict=True))
    model.restore({**model.state(), **counters})
    if model.spending is not None:
        _take_back(model.spending, standing["budget"][1:])
    if standing["rule"] is not None:
        rule = standing["rule"]
        _take_back(model.rule, rule[1:] if _is_named(rule) else rule)


def _take_back(part: Budget | Query, kept: list[typing.Any]) -> None:
    part.restore(_named(kept, part.state()) if _is_own(part) else copy.deepcopy(kept[0]))


def _named(kept: list[typing.Any], like: Standing) -> Standing:
    """A state of which the values have been kept, with the names of another one."""
    return {
        name: _named(value, each) if isinstance(each, dict) else value
        for (name, each), value in zip(like.items(), kept, strict=True)
    }

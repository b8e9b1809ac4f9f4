"""What an object gives of itself is all that use has made of it, and it takes nothing else."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
import random

import pytest
from asking import Clock
from hypothesis import given
from hypothesis import strategies as st
from learners import sparse_events
from own_kinds import Curious, Wallet

from river_oa3 import ActiveLearner, OA3DiagClassifier, budget, query
from river_oa3.monitor import AskedQuality

NOON = dt.datetime(2024, 5, 2, 12, tzinfo=dt.UTC)
HOURS = {"later": dt.timedelta(hours=7), "earlier": dt.timedelta(hours=-9)}

BUDGETS = {
    "total": lambda: budget.TotalBudget(9),
    "rate": lambda: budget.RateBudget(0.3, window=8),
    "events": lambda: budget.WindowBudget(3, every=5),
    "time": lambda: budget.WindowBudget(3, dt.timedelta(days=1), Clock(NOON)),
    "somebody's own": lambda: Wallet(9, rise=0.5),
}
acts = st.lists(st.sampled_from(["tick", "try_spend", "refund", *HOURS]), max_size=40)


def used(limit, done):
    """A budget after this has been done with it."""
    for act in done:
        if act not in HOURS:
            getattr(limit, act)()
        elif getattr(limit, "clock", None) is not None:
            limit.clock.now += HOURS[act]
    return limit


def asked(rule):
    """A rule of which much has been asked."""
    model = ActiveLearner(query=rule, budget=budget.RateBudget(0.2), seed=1)
    for x, y in sparse_events(60):
        if model.predict_one(x)[1]:
            model.learn_one(x, y)
    return rule


def moved():
    rule = Curious(0.5)
    rule.move(0.25)
    return rule


def judged():
    rng, quality = random.Random(3), AskedQuality()
    for i in range(3000):
        label = rng.random() < 0.3
        right = rng.random() < 0.9 - 0.3 * (i > 1500)
        quality.update(label, label == right, rng.uniform(0.05, 1.0))
    return quality


def learning():
    model = ActiveLearner(OA3DiagClassifier(), budget=9, seed=1)
    for x, y in [({}, True), *sparse_events(40)]:
        if model.predict_one(x)[1]:
            model.learn_one(x, y)
    return model


USED = {
    "total": lambda: used(BUDGETS["total"](), ["try_spend"]),
    "rate": lambda: used(BUDGETS["rate"](), ["tick", "tick", "try_spend"]),
    "events": lambda: used(BUDGETS["events"](), ["tick", "try_spend"] * 7),
    "time": lambda: used(BUDGETS["time"](), ["tick", "try_spend", "later", "later", "earlier"] * 3),
    "adaptive": lambda: asked(query.AdaptiveQuery()),
    "somebody's rule": moved,
    "quality": judged,
    "learner": learning,
}
FRESH = {
    **{name: BUDGETS[name] for name in ("total", "rate", "events", "time")},
    "adaptive": query.AdaptiveQuery,
    "somebody's rule": lambda: Curious(0.5),
    "quality": AskedQuality,
    "learner": lambda: ActiveLearner(OA3DiagClassifier(), budget=9, seed=1),
}
# Parts with a state of their own, and what is of use until the next event alone.
NOT_OF_A_LEARNER = {"classifier", "_budget", "_query", "_asked_about"}
each_kind = pytest.mark.parametrize("name", USED)


def attributes(part):
    """All that there is in an object, as bytes each."""
    without = NOT_OF_A_LEARNER if isinstance(part, ActiveLearner) else {"clock"}
    return {name: pickle.dumps(value) for name, value in vars(part).items() if name not in without}


@pytest.mark.parametrize("make", BUDGETS.values(), ids=BUDGETS)
@given(done=acts)
def test_a_budget_that_takes_the_state_of_another_is_that_one(make, done):
    one = used(make(), done)
    other = make()
    other.restore(one.state())
    assert attributes(other) == attributes(one)


@each_kind
def test_state_is_all_that_use_has_changed(name):
    """A counter that a class gains and its state does not name shows here."""
    one, other = USED[name](), FRESH[name]()
    assert attributes(other) != attributes(one)
    other.restore(one.state())
    assert attributes(other) == attributes(one)


@each_kind
def test_use_leaves_a_state_that_was_given_as_it_was(name):
    one = USED[name]()
    given = one.state()
    given.pop("random", None)
    before = pickle.dumps(given)
    other = FRESH[name]()
    other.restore({**other.state(), **given})
    for part in (one, other):
        if isinstance(part, AskedQuality):
            part.update(True, False, 0.5)
        elif isinstance(part, budget.Budget):
            used(part, ["tick", "try_spend"])
    assert pickle.dumps(given) == before


BAD = [-1, 2**60, 0.5, float("nan"), float("inf"), "x", None, True, [], {}]


def is_taken(part, state):
    """Whether this can be restored, and leaves no trace where it cannot."""
    before = attributes(part)
    try:
        part.restore(state)
    except ValueError:
        assert attributes(part) == before
        return False
    return True


@pytest.mark.parametrize("name", [name for name in USED if name != "somebody's rule"])
def test_damaged_state_is_refused_by_the_name_of_the_field(name):
    state = USED[name]().state()
    for field in state.keys() - {"random"}:
        part = FRESH[name]()
        assert not is_taken(part, {key: state[key] for key in state if key != field})
        refused = [not is_taken(part, {**state, field: bad}) for bad in BAD]
        assert sum(refused) >= len(BAD) - 3
        if name != "quality":
            with pytest.raises(ValueError, match=field):
                part.restore({**state, field: "x"})
    with pytest.raises(ValueError, match=r"nothing is known of: .'more'"):
        FRESH[name]().restore({**state, "more": 1})


def test_damage_inside_of_a_window_is_refused_by_name():
    state = USED["time"]().state()
    for field in state["window"]:
        damaged = copy.deepcopy(state)
        damaged["window"][field] = "x"
        with pytest.raises(ValueError, match=rf"window\.{field} is 'x'"):
            FRESH["time"]().restore(damaged)


def test_parameters_are_those_of_the_budget_that_takes_the_state():
    smaller = budget.RateBudget(0.1, window=20)
    smaller.restore({"saved": 7.0})
    assert (smaller.rate, smaller.window, smaller.left) == (0.1, 20, 2)

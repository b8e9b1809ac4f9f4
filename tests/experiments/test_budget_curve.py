"""How many labels would be enough, from curves that are made up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.experiments import Goal
from river_oa3.experiments.budget_curve import BudgetCurve, steps_around


def curve(means, budgets=(10, 20, 40, 80), metric="sum"):
    scores = np.array(means)[:, None] + [-1.0, 1.0]
    return BudgetCurve("OA3", Goal(metric), budgets, scores)


@pytest.mark.parametrize(
    ("means", "enough"),
    [
        ([60.0, 70.0, 80.0, 90.0], None),
        ([80.0, 80.0, 80.0, 80.0], 10),
        ([60.0, 80.0, 80.5, 80.6], 20),
        ([80.0, 70.0, 80.0, 80.0], 40),
        ([80.0, 80.0, 80.0, 82.0], None),
        ([90.0, 80.0, 70.0, 60.0], 10),
    ],
    ids=["rising", "flat", "rising then flat", "dip", "late rise", "falling"],
)
def test_enough_is_where_no_later_doubling_is_worthwhile(means, enough):
    assert curve(means).enough == enough


def test_a_cost_that_falls_is_a_gain_in_percent():
    gains = curve([100.0, 90.0, 45.0, 45.0], metric="cost").gains
    assert gains.tolist() == pytest.approx([10.0, 50.0, 0.0])


def test_gains_are_per_doubling():
    assert curve([60.0, 70.0], budgets=(10, 40)).gains.tolist() == pytest.approx([5.0])


budgets_and_events = st.integers(1, 10**6).flatmap(
    lambda events: st.tuples(st.integers(1, events), st.just(events))
)


@given(budgets_and_events)
def test_steps_rise_and_fit_the_events(drawn):
    budget, events = drawn
    steps = steps_around(budget, events)
    assert list(steps) == sorted(set(steps))
    assert 1 <= steps[0] <= steps[-1] <= events


@given(budgets_and_events)
def test_the_budget_is_among_its_steps(drawn):
    budget, events = drawn
    assert budget in steps_around(budget, events)


@given(budgets_and_events)
def test_no_step_but_the_budget_is_below_the_least(drawn):
    budget, events = drawn
    assert min({*steps_around(budget, events)} - {budget, events}, default=10) >= 10

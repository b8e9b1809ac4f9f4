"""How many labels would be enough, from curves that are made up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_runs import steady

from river_oa3 import datasets
from river_oa3.experiments import Goal
from river_oa3.experiments.budget_curve import BudgetCurve, steps_around
from river_oa3.experiments.methods import AUTO, EVERY_LABEL, Setting
from river_oa3.experiments.scores import together
from river_oa3.experiments.tasks import Part, Task, run_task

BUDGETS = (10, 20, 40, 80)


def curve(means, budgets=BUDGETS, metric="sum", every_label=None, noise=0.0):
    """Runs of these balanced accuracies, with the same noise in none of them."""
    rng = np.random.default_rng(0)
    sums = np.array([*means, means[-1] if every_label is None else every_label])
    runs = sums[:, None] + rng.normal(scale=noise, size=(len(sums), 5))
    counts = [steady(each) for each in runs]
    return BudgetCurve("OA3", Goal(metric), budgets, tuple(counts[:-1]), counts[-1])


@pytest.mark.parametrize(
    ("means", "enough"),
    [
        ([60.0, 70.0, 80.0, 90.0], None),
        ([80.0, 80.0, 80.0, 80.0], 10),
        ([60.0, 80.0, 80.5, 80.6], 20),
        ([80.0, 70.0, 80.0, 80.0], 40),
        ([80.0, 80.0, 80.0, 82.0], None),
    ],
    ids=["rising", "flat", "rising then flat", "dip", "late rise"],
)
def test_enough_is_where_no_later_doubling_is_worthwhile(means, enough):
    assert curve(means).enough == enough


def test_nothing_is_enough_where_all_labels_bring_more():
    """A learner that does not spend its budget has a flat curve, whatever there is to gain."""
    assert curve([80.0] * 4, every_label=87.0).enough is None


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_nothing_is_enough_for_what_a_constant_answer_does_as_well(metric):
    assert curve([50.0] * 4, metric=metric).enough is None


def test_nothing_is_enough_where_the_runs_do_not_show_it():
    assert curve([80.0] * 4, noise=1.0).enough is None


def test_a_cost_that_falls_is_a_gain_in_percent():
    """A point of the balanced accuracy costs 1.8: the costs are 100, 90, 45 and 45."""
    means = [100.0 - cost / 1.8 for cost in (100.0, 90.0, 45.0, 45.0)]
    gains = [each.mean for each in curve(means, metric="cost").gains]
    assert gains == pytest.approx([10.0, 50.0, 0.0])


def test_the_interval_of_a_cost_has_its_lower_end_first():
    (mean, *_) = curve([70.0] * 4, metric="cost", noise=1.0).means
    assert mean.low < mean.mean < mean.high


def test_gains_are_per_doubling():
    (gain,) = curve([60.0, 70.0], budgets=(10, 40)).gains
    assert gain.mean == pytest.approx(5.0)


def test_labels_are_those_that_were_bought():
    counts = steady([80.0, 81.0])
    bought = np.array([[3.0, 5.0, 7.0, 9.0], [3.0, 5.0, 7.0, 11.0]])
    found = BudgetCurve("OA3", Goal("sum"), (20,), (counts._replace(labels=bought),), counts)
    assert found.labels == [10.0]


def test_seeds_on_a_real_stream_say_the_same_or_nothing():
    """Five shuffles each, with which the curve of means alone gives several numbers."""
    stream = datasets.open_stream("Phishing")
    budgets, events = steps_around(50, len(stream)), len(stream)
    said, by_means = set(), set()
    for seed in range(6):
        counts = [runs(stream, AUTO, budget, seed) for budget in budgets]
        every = runs(stream, EVERY_LABEL, events, seed)
        found = BudgetCurve(AUTO, Goal("sum"), budgets, tuple(counts), every)
        said.add(found.enough)
        by_means.add(budgets[sum(gain.mean >= 1.0 for gain in found.gains)])
    assert len(said - {None}) <= 1
    assert len(by_means) > 1


def runs(stream, method, budget, seed):
    setting = Setting(budget, 1.0, goal=Goal("sum"))
    ends = tuple(range(125, len(stream) + 1, 125))
    parts = (Part(0, len(stream), order) for order in range(5))
    return together(
        [run_task(stream, seed, Task(method, (), setting, p, ends)).counts for p in parts]
    )


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

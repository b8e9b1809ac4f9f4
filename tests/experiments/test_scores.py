"""From counts to the paper's two metrics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.experiments import Counts, Goal

tallies = st.integers(0, 1000)
counts = st.builds(Counts, tallies, tallies, tallies, tallies, tallies)
shares = st.floats(0.01, 0.99)
costs = st.floats(0.01, 100.0)


@given(counts, shares)
def test_the_sum_is_a_percentage(counts, alpha):
    assert 0.0 <= float(Goal("sum", alpha).sum(counts)) <= 100.0 + 1e-9


@given(counts, shares)
def test_the_sum_lies_between_sensitivity_and_specificity(counts, alpha):
    low, high = sorted([float(counts.sensitivity), float(counts.specificity)])
    assert low - 1e-9 <= float(Goal("sum", alpha).sum(counts)) <= high + 1e-9


@given(st.integers(1, 1000), st.integers(1, 1000), shares)
def test_the_sum_of_no_mistakes_is_100(positives, negatives, alpha):
    perfect = Counts(positives, 0, negatives, 0, 0)
    assert float(Goal("sum", alpha).sum(perfect)) == pytest.approx(100.0)


@given(counts, counts, costs, costs)
def test_the_cost_of_two_streams_is_the_sum_of_their_costs(one, other, fn, fp):
    goal = Goal("cost", cost_fn=fn, cost_fp=fp)
    both = Counts(*(a + b for a, b in zip(one, other, strict=True)))
    assert float(goal.cost(both)) == pytest.approx(float(goal.cost(one)) + float(goal.cost(other)))


@given(counts, costs, costs, st.floats(0.1, 10.0))
def test_the_cost_is_linear_in_its_weights(counts, fn, fp, factor):
    one = Goal("cost", cost_fn=fn, cost_fp=fp)
    other = Goal("cost", cost_fn=factor * fn, cost_fp=factor * fp)
    assert float(other.cost(counts)) == pytest.approx(factor * float(one.cost(counts)))


@given(counts, st.sampled_from(["sum", "cost"]))
def test_a_positive_that_is_found_after_all_has_a_better_objective(counts, metric):
    worse = counts._replace(false_negatives=counts.false_negatives + 1)
    better = counts._replace(true_positives=counts.true_positives + 1)
    assert Goal(metric).objective(better) > Goal(metric).objective(worse)


@given(counts, st.sampled_from(["sum", "cost"]))
def test_a_false_alarm_that_is_spared_has_a_better_objective(counts, metric):
    worse = counts._replace(false_positives=counts.false_positives + 1)
    better = counts._replace(true_negatives=counts.true_negatives + 1)
    assert Goal(metric).objective(better) > Goal(metric).objective(worse)


@given(counts, tallies, st.sampled_from(["sum", "cost"]))
def test_labels_do_not_count_in_the_objective(counts, labels, metric):
    assert Goal(metric).objective(counts) == Goal(metric).objective(counts._replace(labels=labels))


@given(st.lists(counts, min_size=1, max_size=5))
def test_the_scores_of_a_curve_are_those_of_its_points(points):
    curve = Counts(*(np.array(each) for each in zip(*points, strict=True)))
    goal = Goal("sum", 0.3)
    assert goal.sum(curve).tolist() == [float(goal.sum(point)) for point in points]
    assert goal.cost(curve).tolist() == pytest.approx([float(goal.cost(p)) for p in points])


def test_a_class_without_events_adds_nothing():
    assert float(Goal("sum").sum(Counts(3, 0, 0, 0, 0))) == 50.0


@given(shares, st.integers(1, 10**6), st.integers(1, 10**6))
def test_rho_of_the_sum_makes_all_positives_weigh_alpha(alpha, positives, negatives):
    rho = Goal("sum", alpha).rho(positives, negatives)
    assert rho * positives / (rho * positives + negatives) == pytest.approx(alpha)


@given(costs, costs, st.integers(1, 10**6), st.integers(1, 10**6))
def test_rho_of_the_cost_does_not_depend_on_the_classes(fn, fp, positives, negatives):
    assert Goal("cost", 0.5, fn, fp).rho(positives, negatives) == pytest.approx(fn / fp)

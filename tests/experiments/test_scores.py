"""From counts to the paper's two metrics."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import experiments
from river_oa3.experiments import Counts, Goal
from river_oa3.experiments.scores import COST, METRICS, SUM

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


# Metrics

each_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9)


@each_metric
@given(scores)
def test_the_best_score_has_the_largest_objective(metric, scores):
    best = metric.best(scores)
    assert metric.objective(scores[best]) == max(map(metric.objective, scores))


@each_metric
def test_what_is_not_a_number_is_never_best(metric):
    assert metric.best([float("nan"), 3.0, float("nan")]) == 1


@each_metric
@given(counts)
def test_the_score_of_a_goal_is_that_of_its_metric(metric, counts):
    goal = Goal(metric.name)
    assert float(goal.score(counts)) == float(metric.score(goal, counts))
    assert goal.objective(counts) == metric.objective(float(goal.score(counts)))


def test_a_larger_sum_is_better_and_a_smaller_cost():
    assert (SUM.best([1.0, 2.0]), COST.best([1.0, 2.0])) == (1, 0)


@each_metric
@given(scores)
def test_the_best_has_no_regret_and_no_other_has_less(metric, scores):
    values = np.abs(scores) + 1.0
    regret = metric.regret(values)
    assert regret[metric.best(values)] == 0.0
    assert (regret >= 0.0).all()


@each_metric
@given(shares, st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_more_the_negatives_weigh_the_less_a_positive_does(
    metric, weight, positives, negatives
):
    light, heavy = (metric.weigh(each).rho(positives, negatives) for each in (weight / 2, weight))
    assert heavy < light


def test_only_one_file_decides_between_sum_and_cost():
    """Whoever adds a metric adds it there: nobody else compares names of metrics."""
    folder = Path(experiments.__file__).parent
    decides = re.compile(r"""(==|!=|\bin\b|\bis\b)\s*\(?["'](sum|cost)["']""")
    found = {path.name for path in folder.rglob("*.py") if decides.search(path.read_text())}
    assert found == set()

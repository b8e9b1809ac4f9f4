"""What the experiments are made of: methods, scores, orders, tuning, reports and pictures."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import re
import statistics
import sys

import numpy as np
import pytest
from commands import InProcess, Small, events, write_parts
from hypothesis import example, given, settings
from hypothesis import strategies as st

from river_oa3 import datasets
from river_oa3.datasets import DataError
from river_oa3.experiments import (
    Comparison,
    Counts,
    Goal,
    Plan,
    beside,
    compare,
    comparison,
    plots,
    progress,
    report,
)
from river_oa3.experiments.lab import HIGH_DIMENSIONAL, STANDARD, Lab, Variation, final
from river_oa3.experiments.methods import METHODS, Setting, build, check_parameters
from river_oa3.experiments.progress import Progress
from river_oa3.experiments.published import BUDGETS, PUBLISHED, SETS
from river_oa3.experiments.reproduce import EXPERIMENTS, reproduce
from river_oa3.experiments.running import TUNING, Part, Run, Task, Workers, order_of
from river_oa3.experiments.tuning import EXPONENTS, FEW, MANY, tune


@pytest.fixture
def small(monkeypatch):
    return Small(monkeypatch)


@pytest.fixture(scope="module")
def stream():
    X, y = events()
    return datasets.stream("small", X, y).unit_rows()


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"))


# Scores


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
def test_a_positive_that_is_found_after_all_has_more_merit(counts, metric):
    worse = counts._replace(false_negatives=counts.false_negatives + 1)
    better = counts._replace(true_positives=counts.true_positives + 1)
    assert Goal(metric).merit(better) > Goal(metric).merit(worse)


@given(counts, st.sampled_from(["sum", "cost"]))
def test_a_false_alarm_that_is_spared_has_more_merit(counts, metric):
    worse = counts._replace(false_positives=counts.false_positives + 1)
    better = counts._replace(true_negatives=counts.true_negatives + 1)
    assert Goal(metric).merit(better) > Goal(metric).merit(worse)


@given(counts, tallies, st.sampled_from(["sum", "cost"]))
def test_labels_have_no_merit(counts, labels, metric):
    assert Goal(metric).merit(counts) == Goal(metric).merit(counts._replace(labels=labels))


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


# Methods

each_method = pytest.mark.parametrize("method", METHODS)


@each_method
def test_a_method_is_built_with_the_setting_that_it_knows(method):
    setting = Setting(budget=7, rho=3.0, gamma=0.5, sketch_size=2, probability=0.25)
    model = build(method, setting, METHODS[method].parameters, seed=5)
    for name in ("rho", "gamma", "sketch_size"):
        # SOAL is the symmetric one: it has no rho of its own.
        if hasattr(model.classifier, name) and not (method == "SOAL" and name == "rho"):
            assert getattr(model.classifier, name) == getattr(setting, name)
    assert (model.budget, model.seed) == (7, 5)


@each_method
def test_every_parameter_of_a_method_can_be_set(method):
    for name in METHODS[method].parameters:
        check_parameters(method, {name: 0.5})
        build(method, Setting(5, 2.0), {name: 0.5}, seed=1)


@each_method
def test_an_unknown_parameter_is_refused_with_those_that_there_are(method):
    with pytest.raises(ValueError, match=f"{method} has no parameter 'depth'") as caught:
        check_parameters(method, {"depth": 3.0})
    assert ", ".join(METHODS[method].parameters) in str(caught.value)


@each_method
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_parameter_that_is_not_above_zero_is_refused(method, value):
    name = METHODS[method].tuned[0]
    with pytest.raises(ValueError, match=name):
        check_parameters(method, {name: value})


def test_random_asking_asks_for_the_share_that_the_budget_pays_for():
    model = build("OA3-R", Setting(10, 2.0, probability=0.125), {}, seed=1)
    assert model._query.probability(0.0, 0.0) == 0.125


# Orders


@given(st.integers(0, 10**6), st.integers(0, 50))
def test_a_permutation_has_every_row_once(stream, seed, number):
    order = order_of(stream, Part(0, len(stream), number), seed)
    assert sorted(order) == list(range(len(stream)))


def test_permutations_differ_by_number(stream):
    orders = [order_of(stream, Part(0, len(stream), number), 0).tobytes() for number in range(50)]
    assert len(set(orders)) == 50


def test_permutations_differ_by_seed(stream):
    orders = [order_of(stream, Part(0, len(stream), 0), seed).tobytes() for seed in range(50)]
    assert len(set(orders)) == 50


def test_permutations_do_not_repeat_under_the_next_seed(stream):
    """Permutation 1 of seed 0 is not permutation 0 of seed 1."""
    every = {
        order_of(stream, Part(0, len(stream), number), seed).tobytes()
        for seed in range(6)
        for number in range(6)
    }
    assert len(every) == 36


def test_no_permutation_is_the_order_in_which_they_came(stream):
    assert order_of(stream, Part(3, 9, None), 0).tolist() == [3, 4, 5, 6, 7, 8]


def test_a_part_is_the_start_of_a_permutation_of_all(stream):
    whole = order_of(stream, Part(0, len(stream), 4), 0)
    assert order_of(stream, Part(0, 10, 4), 0).tolist() == whole[:10].tolist()


def test_a_shuffle_within_a_part_keeps_to_it(stream):
    order = order_of(stream, Part(24, 120, 4, within=True), 0)
    assert sorted(order) == list(range(24, 120))
    assert order.tolist() != sorted(order)


def test_permutations_that_come_with_the_data_are_used_first(stream):
    given_orders = np.array([np.arange(len(stream))[::-1]])
    with_orders = dataclasses.replace(stream, permutations=given_orders)
    part = Part(0, len(stream), 0)
    assert order_of(with_orders, part, 7).tolist() == given_orders[0].tolist()
    drawn = [order_of(each, part._replace(permutation=1), 7) for each in (with_orders, stream)]
    assert drawn[0].tolist() == drawn[1].tolist()


def test_tuning_does_not_use_permutations_that_come_with_the_data(stream):
    orders = np.tile(np.arange(len(stream)), (30, 1))
    with_orders = dataclasses.replace(stream, permutations=orders)
    tuned = order_of(with_orders, Part(0, len(stream), TUNING), 0)
    assert tuned.tolist() != list(range(len(stream)))


# Workers


@pytest.fixture(scope="module")
def real_workers(stream):
    with Workers(stream, jobs=2, seed=5) as workers:
        yield workers


def some_tasks(stream, methods=("CSOAL", "OA3", "SSOA3"), permutations=3):
    return [
        Task(
            method,
            tuple(METHODS[method].parameters.items()),
            Setting(20, 3.0, probability=1 / 6),
            Part(0, len(stream), number),
            (10, len(stream)),
        )
        for number in range(permutations)
        for method in methods
    ]


def told(runs):
    """What came of tasks, without what a clock measured."""
    return {
        task: (run.exhausted, [each.tolist() for each in run.counts]) for task, run in runs if run
    }


def test_processes_give_what_this_process_gives(real_workers, stream):
    tasks = some_tasks(stream)
    here = InProcess(stream, 1, seed=5)
    assert told(real_workers.run(tasks, "there")) == told(here.run(tasks, "here"))


def test_every_task_comes_back_once(real_workers, stream):
    tasks = some_tasks(stream)
    assert sorted(task for task, _ in real_workers.run(tasks, "all")) == sorted(tasks)


def test_a_worker_that_dies_is_an_error_that_says_so(stream):
    with Workers(stream, jobs=1, seed=5) as workers:
        workers.stop()
        with pytest.raises(MemoryError, match="--jobs"):
            list(workers.run(some_tasks(stream), "in vain"))


def test_no_tasks_are_no_runs(real_workers):
    assert list(real_workers.run([], "nothing")) == []


def test_an_error_in_a_worker_is_raised_here(real_workers, stream):
    (task,) = some_tasks(stream, ("CSOAL",), 1)
    bad = task._replace(setting=Setting(20, -1.0))
    with pytest.raises(ValueError, match="rho"):
        list(real_workers.run([bad], "bad"))


def test_a_method_that_overflows_gives_none():
    huge = datasets.stream("huge", np.full((6, 2), 1e160), [1, 0] * 3)
    tasks = some_tasks(huge, ("CSOAL",), 1)
    tasks = [task._replace(setting=Setting(6, 1.0), ticks=(6,)) for task in tasks]
    assert [run for _, run in InProcess(huge, 1, seed=0).run(tasks, "huge")] == [None]


def test_when_the_budget_is_spent_is_the_event_of_the_last_label(stream):
    (task,) = some_tasks(stream, ("OA3-F",), 1)
    ((_, run),) = InProcess(stream, 1, seed=5).run(
        [task._replace(ticks=tuple(range(1, 121)))], "one"
    )
    assert run.exhausted == 1 + run.counts.labels.tolist().index(20)


def test_a_budget_that_is_not_spent_has_no_end(stream):
    (task,) = some_tasks(stream, ("OA3-F",), 1)
    task = task._replace(setting=Setting(len(stream), 3.0))
    ((_, run),) = InProcess(stream, 1, seed=5).run([task], "one")
    assert run.exhausted is None


# Tuning


class Scorer:
    """Stands for workers: a run costs what a formula says of its exponents and its order."""

    def __init__(self, formula):
        self.formula = formula
        self.tasks = []

    def run(self, tasks, what):
        for task in reversed(tasks):
            self.tasks.append(task)
            point = tuple(round(np.log10(value)) for _, value in task.parameters)
            cost = self.formula(point, task.part.permutation - TUNING)
            if cost is None:
                yield task, None
            else:
                yield task, Run(Counts(*(np.array([c]) for c in (0, cost, 0, 0, 0))), None, 0.0)

    def orders(self):
        """How many orders each point was tried in."""
        found = {}
        for task in self.tasks:
            point = tuple(round(np.log10(value)) for _, value in task.parameters)
            found.setdefault((task.method, point), []).append(task.part.permutation)
        return found


COST = Goal("cost", cost_fn=1.0, cost_fp=1.0)


def tuned(formula, methods=("OA3",)):
    scorer = Scorer(formula)
    found = tune(scorer, methods, Setting(10, 2.0), COST, Part(0, 100, None))
    points = {
        method: tuple(round(np.log10(value)) for _, value in parameters)
        for method, parameters in found.items()
    }
    return points, scorer


exponents = st.integers(EXPONENTS[0], EXPONENTS[-1])


@settings(max_examples=25)
@given(st.tuples(exponents, exponents, exponents))
def test_tuning_finds_the_optimum_of_a_bowl(best):
    points, _ = tuned(
        lambda point, order: sum((a - b) ** 2 for a, b in zip(point, best, strict=True))
    )
    assert points == {"OA3": best}


@settings(max_examples=25)
@given(st.tuples(exponents, exponents))
def test_tuning_finds_the_end_of_a_curved_valley(best):
    """The two parameters only do well together, along a diagonal."""

    def formula(point, order):
        across = (point[0] - best[0]) - (point[1] - best[1])
        return 10 * across**2 + (point[0] - best[0]) ** 2

    points, _ = tuned(formula, ["CSOAL"])
    assert points == {"CSOAL": best}


def test_tuning_finds_an_optimum_under_noise():
    noise = np.random.default_rng(0).normal(size=(11, 11, 11, MANY))
    best = (2, -3, 1)

    def formula(point, order):
        distance = sum((a - b) ** 2 for a, b in zip(point, best, strict=True))
        return 2 * distance + noise[(*point, order)]

    points, _ = tuned(formula)
    assert points == {"OA3": best}


def test_a_setting_that_fails_now_and_then_does_not_win():
    """It is best in the few orders that come first, and fails in later ones."""

    def formula(point, order):
        if point == (0, 0):
            return 0 if order < FEW else 100
        return 10 + point[0] ** 2 + point[1] ** 2

    points, _ = tuned(formula, ["CSOAL"])
    assert points["CSOAL"] != (0, 0)


def test_tuning_never_tries_a_point_twice_in_an_order():
    _, scorer = tuned(lambda point, order: abs(point[0] - 1) + abs(point[1]) + abs(point[2] + 2))
    assert len(set(scorer.tasks)) == len(scorer.tasks)


def test_tuning_takes_a_small_part_of_the_runs_of_the_whole_grid():
    _, scorer = tuned(lambda point, order: sum(e**2 for e in point))
    assert len(scorer.tasks) < 0.1 * MANY * len(EXPONENTS) ** 3


def test_tuning_stays_on_the_grid():
    _, scorer = tuned(lambda point, order: -sum(point))
    assert {e for _, point in scorer.orders() for e in point} <= set(EXPONENTS)


def test_the_winner_was_tried_in_as_many_orders_as_are_reported():
    points, scorer = tuned(lambda point, order: sum(e**2 for e in point))
    assert len(scorer.orders()["OA3", points["OA3"]]) == MANY


def test_tuning_uses_orders_that_are_never_reported():
    _, scorer = tuned(lambda point, order: 0)
    assert min(task.part.permutation for task in scorer.tasks) >= TUNING


def test_methods_are_tuned_side_by_side():
    points, _ = tuned(lambda point, order: sum((e - 1) ** 2 for e in point), ["OA3-F", "CSOAL"])
    assert points == {"OA3-F": (1,), "CSOAL": (1, 1)}


def test_no_methods_need_no_tuning():
    points, scorer = tuned(lambda point, order: 0, [])
    assert (points, scorer.tasks) == ({}, [])


def test_equals_are_settled_near_the_middle_of_the_grid():
    points, _ = tuned(lambda point, order: 0)
    assert max(map(abs, points["OA3"])) <= 1


def test_a_point_that_overflows_does_not_win():
    def formula(point, order):
        return None if point[0] > 0 else abs(point[0] - 1) + abs(point[1])

    points, _ = tuned(formula, ["CSOAL"])
    assert points == {"CSOAL": (0, 0)}


def test_a_point_that_overflows_in_one_order_of_many_does_not_win():
    def formula(point, order):
        return None if point == (0, 0) and order == MANY - 1 else abs(point[0]) + abs(point[1])

    points, _ = tuned(formula, ["CSOAL"])
    assert points["CSOAL"] != (0, 0)


def test_tuning_survives_when_everything_overflows():
    points, _ = tuned(lambda point, order: None, ["CSOAL"])
    assert set(points) == {"CSOAL"}


@settings(max_examples=60)
@example(1)
@example(75)
@example(78)
@given(st.integers(0, 10**6))
def test_no_neighbour_of_the_best_is_left_untried(seed):
    """As the module says: the neighbours of the best are tried until none is better."""
    table = np.random.default_rng(seed).random((11, 11, MANY))
    _, scorer = tuned(lambda point, order: 1000 * table[(*point, order)], ["CSOAL"])
    orders = {point: len(found) for (_, point), found in scorer.orders().items()}
    means = {
        point: statistics.fmean(1000 * table[(*point, order)] for order in range(FEW))
        for point, n in orders.items()
        if n >= FEW
    }
    best = min(means, key=lambda point: means[point])
    near = itertools.product(*((e - 1, e, e + 1) for e in best))
    untried = [p for p in near if all(e in EXPONENTS for e in p) and orders.get(p, 0) < FEW]
    assert untried == []


# Comparisons


@pytest.fixture(scope="module")
def compared(stream):
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        return compare(stream, Plan(20, Goal("sum"), permutations=3, seed=2))


class Interrupted(InProcess):
    """Workers of a person who presses Ctrl-C after so many runs."""

    after = 0

    def run(self, tasks, what):
        yield from itertools.islice(super().run(tasks, what), self.after)
        raise KeyboardInterrupt


def interrupted(monkeypatch, stream, after, **more):
    monkeypatch.setattr(comparison, "Workers", Interrupted)
    monkeypatch.setattr(Interrupted, "after", after)
    plan = Plan(20, Goal("sum"), ("CSOAL", "OA3"), permutations=3, seed=2, **more)
    return compare(stream, plan)


def test_an_interrupt_keeps_what_is_finished(monkeypatch, stream, compared):
    result = interrupted(monkeypatch, stream, after=5)
    assert {method: sorted(runs) for method, runs in result.runs.items()} == {
        "CSOAL": [0, 1, 2],
        "OA3": [0, 1],
    }


def test_what_is_finished_is_what_it_would_have_been(monkeypatch, stream, compared):
    result = interrupted(monkeypatch, stream, after=5)
    assert result.counts("OA3").labels.tolist() == compared.counts("OA3").labels[:2].tolist()


def test_an_interrupted_comparison_is_not_complete(monkeypatch, stream):
    assert not interrupted(monkeypatch, stream, after=5).is_complete


def test_an_interrupt_while_tuning_leaves_no_runs(monkeypatch, stream, small):
    assert interrupted(monkeypatch, stream, after=5, tuning="permutations").runs == {}


def test_an_interrupted_comparison_is_described_as_such(monkeypatch, stream):
    result = interrupted(monkeypatch, stream, after=5)
    assert "INTERRUPTED: 2 of 3 permutations finished" in report.describe(result)


def test_a_permutation_that_a_method_did_not_reach_is_not_finished(monkeypatch, stream):
    result = interrupted(monkeypatch, stream, after=1)
    assert "INTERRUPTED: 0 of 3 permutations finished" in report.describe(result)


def test_a_finished_comparison_is_complete(compared):
    assert compared.is_complete


def test_the_counts_of_a_run_add_up_to_the_events(compared, stream):
    for method in METHODS:
        tp, fp, tn, fn, _ = compared.counts(method)
        assert (tp + fn).tolist() == [stream.positives] * 3
        assert (fp + tn).tolist() == [stream.negatives] * 3


def test_the_curves_end_at_the_counts(compared):
    curves, counts = compared.curves("OA3"), compared.counts("OA3")
    for curve, count in zip(curves, counts, strict=True):
        assert curve[:, -1].tolist() == count.tolist()


def test_the_times_stand_in_the_order_of_the_permutations(compared):
    """Runs come as they finish; every list of values is by permutation."""
    runs = {number: compared.runs["OA3"][number] for number in (2, 0, 1)}
    late = dataclasses.replace(compared, runs={"OA3": runs})
    assert late.microseconds("OA3").tolist() == compared.microseconds("OA3").tolist()


def test_the_end_of_the_budget_is_the_mean_over_the_runs(compared):
    ends = [run.exhausted for run in compared.runs["OA3-F"].values()]
    assert compared.exhausted("OA3-F") == np.mean(ends)


def test_the_budget_has_no_end_if_a_run_did_not_spend_it(compared):
    runs = dict(compared.runs["OA3-F"])
    runs[1] = runs[1]._replace(exhausted=None)
    assert dataclasses.replace(compared, runs={"OA3-F": runs}).exhausted("OA3-F") is None


def test_a_method_that_overflows_is_named(small):
    huge = datasets.stream("huge", np.full((6, 2), 1e160), [1, 0] * 3)
    with pytest.raises(
        DataError, match=r"CSOAL overflows on huge with delta=.* scale the features"
    ):
        compare(huge, Plan(6, Goal("sum"), ("CSOAL",), permutations=1))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(0, Goal("sum")), "choose 1 to 120"),
        (Plan(121, Goal("sum")), "choose 1 to 120"),
        (Plan(97, Goal("sum"), tuning="prefix"), "choose 1 to 96"),
        (Plan(5, Goal("sum"), ("SVM",)), "no method 'SVM'"),
        (Plan(5, Goal("sum"), parameters={"SVM": {}}), "no method 'SVM'"),
        (Plan(5, Goal("sum"), parameters={"OA3": {"C": 1.0}}), "no parameter 'C'"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(stream, plan, message):
    with pytest.raises(ValueError, match=message):
        comparison.check(stream, plan)


# Reports


def test_the_best_is_bold_at_a_terminal(compared):
    text = report.table(compared, bold=True)
    sums = {method: np.mean(Goal("sum").sum(compared.counts(method))) for method in METHODS}
    best = max(sums, key=lambda method: sums[method])
    (line,) = [line for line in text.splitlines() if re.match(rf"{best} ", line)]
    assert re.search(rf"\x1b\[1m{sums[best]:.2f} \+- [0-9.]+\x1b\[0m", line)


def test_a_table_at_a_terminal_has_no_stars(compared):
    assert "*" not in report.table(compared, bold=True)


def test_bold_does_not_move_a_column(compared):
    plain = re.sub(r"\x1b\[\d+m", "", report.table(compared, bold=True))
    assert len({len(line.rstrip()) for line in plain.splitlines()}) == 1


def test_stars_do_not_move_a_column():
    rows = [["method", "sum"], ["OA3", "9.5 +- 0.1"], ["SOA3", "10.5 +- 10.1"]]
    starred, plain = (report.aligned(rows, marked, bold=False) for marked in ({(2, 1)}, set()))
    assert starred.replace("*", "") == plain


def test_what_rounds_to_the_best_is_best_too(compared):
    twins = dataclasses.replace(
        compared, runs={"OA3": compared.runs["OA3"], "SOA3": compared.runs["OA3"]}
    )
    text = report.table(twins, bold=False)
    assert text.count("*") == 10


def test_one_run_has_no_deviation():
    assert report.mean_and_deviation(np.array([3.5])) == (3.5, 0.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_mean_and_deviation_are_those_of_a_sample(values):
    mean, deviation = report.mean_and_deviation(np.array(values))
    assert mean == pytest.approx(statistics.fmean(values), abs=1e-6)
    assert deviation == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-6)


def test_the_weight_stands_in_the_head_where_it_is_not_a_half(compared):
    plan = dataclasses.replace(compared.plan, goal=Goal("sum", 0.8))
    assert "sum 0.8/0.2 (%)" in report.table(dataclasses.replace(compared, plan=plan), False)


def test_a_given_rho_is_described_as_given(compared):
    plan = dataclasses.replace(compared.plan, rho=2.0)
    assert "(given)" in report.describe(dataclasses.replace(compared, plan=plan))


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "a.txt"
    report.write_text(path, "one, which is longer")
    report.write_text(path, "two")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("two", [path])


def test_what_cannot_take_its_place_leaves_no_part(tmp_path):
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(DataError, match=r"a\.txt"):
        report.write_text(tmp_path / "a.txt", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which every file ends after a byte."""
    write = type(report.Path()).write_bytes

    def fail(path, content):
        write(path, content[:1])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(type(report.Path()), "write_bytes", fail)


def test_a_full_disk_leaves_no_part(full_disk, tmp_path):
    with pytest.raises(DataError, match="No space left"):
        report.write_text(tmp_path / "a.txt", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(full_disk, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(DataError, match="No space left"):
        report.write_text(path, "new")
    assert path.read_text() == "old"


def test_the_results_folder_is_made_with_those_above_it(tmp_path):
    assert report.results_folder(tmp_path / "a" / "b").is_dir()


def test_the_results_folder_is_left_empty(tmp_path):
    assert list(report.results_folder(tmp_path / "a").iterdir()) == []


def test_a_results_folder_below_a_file_is_refused(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(DataError, match="choose another --output"):
        report.results_folder(tmp_path / "a" / "b")


# Progress


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""

    class Clock:
        now = 1000.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_a_bar_is_silent_where_there_is_no_terminal():
    stream = io.StringIO()
    with Progress("replaying", 2.0, stream) as bar:
        bar.add(1.0)
    assert stream.getvalue() == ""


def test_a_bar_is_drawn_at_a_terminal():
    stream = FakeTerminal()
    with Progress("replaying", 2.0, stream) as bar:
        bar.add(1.0)
        assert "replaying [" in stream.getvalue()


def test_a_bar_is_wiped_away_at_the_end():
    stream = FakeTerminal()
    with Progress("replaying", 2.0, stream) as bar:
        bar.add(1.0)
    assert stream.getvalue().endswith("\r\x1b[2K")


def test_a_bar_is_wiped_away_after_an_error():
    stream = FakeTerminal()
    with pytest.raises(KeyboardInterrupt), Progress("replaying", 2.0, stream):
        raise KeyboardInterrupt
    assert stream.getvalue().endswith("\r\x1b[2K")


def test_a_bar_moves(clock):
    stream = FakeTerminal()
    with Progress("replaying", 4.0, stream) as bar:
        clock.now += 1
        bar.add(1.0)
        assert stream.getvalue().endswith(bar.line())
    assert " 25%" in stream.getvalue()


def test_a_bar_is_not_drawn_more_than_ten_times_a_second(clock):
    stream = FakeTerminal()
    with Progress("replaying", 1000.0, stream) as bar:
        for _ in range(1000):
            clock.now += 0.001
            bar.add(1.0)
    assert stream.getvalue().count("replaying") <= 11


def test_the_time_left_follows_from_the_share_that_is_done(clock):
    bar = Progress("replaying", 4.0, io.StringIO())
    clock.now += 30
    bar.add(1.0)
    assert bar.line().endswith(" 25%, 1:30 left")


def test_no_time_left_is_guessed_before_anything_is_done(clock):
    assert Progress("replaying", 4.0, io.StringIO()).line().endswith("]   0%")


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_bar_is_as_wide_whatever_is_done(total, done):
    bar = Progress("x", total, io.StringIO())
    bar.move_to(done)
    (inside,) = re.findall(r"\[(#*\.*)\]", bar.line())
    assert len(inside) == progress.WIDTH


def test_a_bar_does_not_go_beyond_its_end():
    bar = Progress("x", 2.0, io.StringIO())
    bar.move_to(5.0)
    assert "100%" in bar.line()


# Beside the paper


def with_counts(name, goal, found, events=None):
    """A comparison on a data set of the paper with counts made up: (tp, fp, tn, fn) by method."""
    n = SETS[name].examples if events is None else events
    y = np.zeros(n, dtype=bool)
    y[: n // 4] = True
    stream = datasets.stream(name, np.ones((n, 1)), y)
    runs = {
        method: {
            number: Run(Counts(*(np.array([c]) for c in (*counts, 5))), None, 0.5)
            for number, counts in enumerate(each)
        }
        for method, each in found.items()
    }
    parameters = {method: METHODS[method].parameters for method in found}
    plan = Plan(5, goal, tuple(found), permutations=2)
    return Comparison(stream, plan, Setting(5, 3.0), np.array([n]), parameters, runs)


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_difference_is_in_the_papers_standard_deviations(metric):
    goal = Goal(metric)
    counts = [(80, 20, 80, 20), (90, 30, 70, 10)]
    (line,) = beside.lines("IAD", with_counts("IAD", goal, {"OA3": counts}))
    mean = np.mean([float(goal.score(Counts(*each, 5))) for each in counts])
    paper = PUBLISHED["IAD"][metric]["OA3"].score
    assert line.difference == pytest.approx((mean - paper.mean) / paper.deviation)


def test_the_difference_is_shown_for_the_whole_set():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20), (90, 30, 70, 10)]})
    assert re.search(r"[+-]\d+\.\d sd", beside.table("IAD", found, bold=False))


def test_no_difference_is_given_for_a_part():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20)] * 2}, events=200)
    assert beside.lines("IAD", found)[0].difference is None


def test_no_difference_is_given_for_what_the_paper_does_not_table():
    found = with_counts("IAD", Goal("sum"), {"OA3-R": [(80, 20, 80, 20)] * 2})
    assert beside.lines("IAD", found)[0].difference is None


def ranked(order, metric):
    """Counts under which methods come in this order, the best first."""
    return with_counts(
        "IAD",
        Goal(metric),
        {m: [(100 - i, 0, 100, i)] * 2 for i, m in enumerate(order)},
    )


TABLED = list(PUBLISHED["w8a"]["sum"])


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_conclusions_give_the_order_of_the_methods(metric):
    order = [*beside.OURS, "SOAL-CS", "SOAL", *beside.FIRST_ORDER]
    assert f"order here:  {' > '.join(order)}" in beside.conclusions("IAD", ranked(order, metric))


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_conclusions_count_pairs_that_hold(metric):
    order = [*beside.OURS, "SOAL-CS", "PAA", "SOAL", "OAAL", "CSOAL"]
    text = "\n".join(beside.conclusions("IAD", ranked(order, metric)))
    assert "second order over first order: 17 of 18 pairs" in text
    assert "OA3 and its versions over all rivals: 20 of 20 pairs" in text


def test_ties_do_not_count_as_held():
    found = with_counts("IAD", Goal("sum"), {m: [(80, 20, 80, 20)] * 2 for m in TABLED})
    text = "\n".join(beside.conclusions("IAD", found))
    assert "second order over first order: 0 of 18 pairs" in text


@pytest.mark.parametrize(
    ("metric", "gap"), [("sum", "SOA3 -1.00 points"), ("cost", "SOA3 +1.80 in cost")]
)
def test_the_conclusions_give_the_gap_of_the_sketches(metric, gap):
    order = ["OA3", "OA3-diag", "SOA3", "SSOA3", "SOAL-CS", "SOAL", *beside.FIRST_ORDER]
    assert gap in beside.conclusions("IAD", ranked(order, metric))[-1]


def test_nothing_is_concluded_from_some_of_the_methods():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20)] * 2})
    assert beside.conclusions("IAD", found) == []


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_best_that_the_paper_tables_is_starred(metric):
    order = ["SOAL", *(method for method in TABLED if method != "SOAL")]
    text = beside.table("IAD", ranked(order, metric), bold=False)
    (line,) = [line for line in text.splitlines() if "*" in line]
    assert line.startswith("SOAL ")


def test_the_csv_beside_the_paper_has_the_papers_numbers():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20), (90, 30, 70, 10)]})
    (row,) = csv.DictReader(io.StringIO(beside.as_csv({("IAD", "sum"): found})))
    paper = PUBLISHED["IAD"]["sum"]["OA3"]
    assert float(row["paper_score"]) == paper.score.mean
    assert float(row["paper_specificity_deviation"]) == paper.specificity.deviation
    assert float(row["paper_seconds"]) == paper.seconds


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_plain_accounting_can_be_worked_out_from_the_papers(small, stream, metric):
    """The stream has empty rows of both classes."""
    empty = np.diff(stream.X.indptr) == 0
    assert 0 < (empty & stream.y).sum() < empty.sum()
    plan = Plan(20, Goal(metric), permutations=2, paper_accounting=True)
    paper, plain = (
        compare(stream, dataclasses.replace(plan, paper_accounting=is_paper))
        for is_paper in (True, False)
    )
    for method in METHODS:
        found = beside.without_paper_accounting(paper, paper.counts(method))
        assert [each.tolist() for each in found] == [each.tolist() for each in plain.counts(method)]


def test_plain_accounting_stays_as_it_is(compared):
    counts = compared.counts("OA3")
    assert beside.without_paper_accounting(compared, counts) is counts


# The lab


@pytest.fixture
def lab(small, parts, tmp_path):
    with Lab(tmp_path, data_dir=str(parts), permutations=2) as lab:
        yield lab


def test_data_sets_that_are_not_there_are_left_out(lab):
    assert lab.available(STANDARD) == ["protein", "Sensorless", "KDDCUP08"]


def test_why_a_data_set_is_not_there_is_kept(lab):
    lab.available(STANDARD)
    assert list(lab.absent) == ["w8a"]
    assert "--download" in lab.absent["w8a"]


def test_a_data_set_that_is_asked_for_and_not_there_is_an_error(parts, tmp_path):
    with Lab(tmp_path, ["w8a"], str(parts)) as lab, pytest.raises(DataError, match="w8a is not in"):
        lab.available(STANDARD)


def test_no_data_set_at_all_is_an_error(tmp_path):
    with Lab(tmp_path, data_dir=str(tmp_path)) as lab, pytest.raises(DataError, match="--download"):
        reproduce(lab, ["table2"])


@pytest.mark.parametrize("name", ["protein", "Sensorless", "KDDCUP08", "IAD"])
def test_the_rows_of_a_lab_have_unit_length(lab, name):
    X = lab.stream(name).X
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    assert np.allclose(lengths[lengths > 0], 1.0)


@pytest.mark.parametrize("experiment", BUDGETS)
def test_every_budget_fits_the_part_that_is_there(lab, experiment):
    for name in lab.available(BUDGETS[experiment]):
        assert 1 <= lab.budget(name, experiment) <= len(lab.stream(name))


def test_a_title_says_what_a_part_is_not(lab):
    title = lab.title("protein", 1234)
    assert title.startswith("protein (a 16 % part of protein), B=1,234")


@pytest.mark.parametrize("is_accounted", [True, False])
def test_a_title_says_how_empty_events_are_accounted_for(lab, is_accounted):
    lab.paper_accounting = is_accounted
    assert lab.title("protein").endswith("empty events as mistakes") == is_accounted


def test_a_fixed_budget_is_run_once(lab, small):
    first = lab.fixed("IAD", "sum")
    n = len(small.tasks)
    assert (lab.fixed("IAD", "sum") is first, len(small.tasks)) == (True, n)


def test_what_a_lab_tuned_is_found_by_the_next(lab, parts, tmp_path, monkeypatch):
    found = lab.fixed("IAD", "sum").parameters
    monkeypatch.setattr(comparison, "tune", None)
    with Lab(tmp_path, data_dir=str(parts), permutations=3) as later:
        assert later.fixed("IAD", "sum").parameters == found


def test_what_a_lab_tuned_for_one_metric_is_not_taken_for_the_other(lab, tmp_path):
    lab.fixed("IAD", "sum")
    lab.fixed("IAD", "cost")
    assert len(json.loads((tmp_path / "tuned.json").read_text())) == 2


def test_an_interrupted_lab_remembers_nothing(lab, tmp_path, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "tune", stop)
    with pytest.raises(KeyboardInterrupt):
        lab.fixed("IAD", "sum")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["{", "", "[]", "null", '{"a": 1}'])
def test_a_damaged_memory_of_tuned_parameters_is_passed_over(lab, tmp_path, content):
    (tmp_path / "tuned.json").write_text(content)
    assert lab._remembered() == {}


def test_a_memory_that_lacks_a_method_is_passed_over(lab, parts, tmp_path):
    lab.fixed("IAD", "sum")
    path = tmp_path / "tuned.json"
    ((key, chosen),) = json.loads(path.read_text()).items()
    del chosen["SSOA3"]
    path.write_text(json.dumps({key: chosen}))
    with Lab(tmp_path, data_dir=str(parts), permutations=2) as later:
        assert later.fixed("IAD", "sum").is_complete


def test_a_sweep_scores_every_variation_as_a_comparison_does(lab):
    goal = Goal("cost")
    setting = lab.setting("IAD", goal, 20)
    variations = [
        Variation("CSOAL", eta, (("delta", 1.0), ("eta", eta)), dataclasses.replace(setting), goal)
        for eta in (0.1, 10.0)
    ]
    scores = lab.sweep("IAD", variations, 2, "etas")
    for eta in (0.1, 10.0):
        plan = Plan(
            20, goal, ("CSOAL",), 2, {"CSOAL": {"delta": 1.0, "eta": eta}}, paper_accounting=True
        )
        expected = goal.cost(compare(lab.stream("IAD"), plan).counts("CSOAL"))
        assert scores["CSOAL", eta].tolist() == expected.tolist()


def test_a_sweep_runs_what_is_the_same_once(lab, small):
    """What is varied is only the value of false alarms, which OA3-F's runs do not depend on."""
    goals = [Goal("sum", 0.5), Goal("sum", 0.25)]
    setting = Setting(10, 3.0)
    variations = [Variation("OA3-F", g.alpha_pos, (("eta", 1.0),), setting, g) for g in goals]
    scores = lab.sweep("IAD", variations, 2, "weights")
    assert len(small.tasks) == 2
    assert scores["OA3-F", 0.5].tolist() != scores["OA3-F", 0.25].tolist()


def test_an_overflow_in_a_sweep_is_not_a_number(lab, monkeypatch):
    def overflow(self, tasks, what):
        yield from ((task, None) for task in tasks)

    monkeypatch.setattr(InProcess, "run", overflow)
    variation = Variation("OA3-F", 1.0, (("eta", 1.0),), Setting(10, 3.0), Goal("sum"))
    assert np.isnan(lab.sweep("IAD", [variation], 3, "all")["OA3-F", 1.0]).tolist() == [True] * 3


def test_the_final_counts_of_a_run_are_its_last():
    run = Run(Counts(*(np.array([i, 10 * i]) for i in range(1, 6))), None, 0.0)
    assert final(run) == Counts(10, 20, 30, 40, 50)


def test_there_is_an_experiment_for_every_table_and_figure_of_the_paper():
    figures = [f"fig{i}" for i in range(1, 8)] + [f"figC{i}" for i in range(1, 7)]
    assert set(EXPERIMENTS) == {"table2", "table3", "speedups", *figures}


def test_every_data_set_of_the_paper_is_in_one_table():
    assert sorted((*STANDARD, *HIGH_DIMENSIONAL)) == sorted(PUBLISHED)


# Pictures


def test_every_method_has_a_style_of_its_own():
    looks = [(style.color, style.dashes) for style in plots.STYLES.values()]
    assert set(plots.STYLES) == set(METHODS)
    assert len(set(looks)) == len({style.marker for style in plots.STYLES.values()}) == len(METHODS)


@pytest.fixture(scope="module")
def development(compared):
    return plots.development(compared)


def test_the_development_is_of_sum_and_cost(development):
    assert [axes.get_ylabel() for axes in development.axes] == [
        plots.UNITS["sum"],
        plots.UNITS["cost"],
    ]
    assert [axes.get_xlabel() for axes in development.axes] == ["events", "events"]


def test_the_development_has_a_curve_for_every_method(development, compared):
    for axes in development.axes:
        curves = [line for line in axes.get_lines() if len(line.get_xdata()) > 1]
        assert len(curves) == len(compared.runs)


def test_the_spent_budget_is_marked_where_it_was_spent(development, compared):
    spent = [compared.exhausted(method) for method in compared.runs]
    marks = [
        line.get_xdata()[0]
        for line in development.axes[0].get_lines()
        if len(line.get_xdata()) == 1
    ]
    assert marks == [end for end in spent if end is not None]


def test_the_legend_names_every_method(development):
    (legend,) = development.legends
    assert [text.get_text() for text in legend.get_texts()] == list(METHODS)


def test_the_title_names_the_data_and_the_budget(development):
    assert development.get_suptitle() == "small: budget 20 of 120 labels"


def test_a_heat_map_marks_the_best():
    values = np.zeros((11, 11))
    values[3, 7] = 1.0
    for metric, sign in (("sum", 1), ("cost", -1)):
        figure = plots.heat_maps({"a": sign * values}, list(EXPONENTS), metric, "title")
        (star,) = figure.axes[0].get_lines()
        assert (star.get_xdata()[0], star.get_ydata()[0]) == (7, 3)


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_there_are_as_many_panels_as_data_sets(panels):
    curves = {f"set {i}": {"OA3": np.ones((3, 2))} for i in range(panels)}
    figure = plots.sweeps(curves, [1, 2, 3], "sum", "eta", True, "title")
    assert [axes.get_title() for axes in figure.axes] == list(curves)


def test_pictures_are_not_to_be_had_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert not plots.available()

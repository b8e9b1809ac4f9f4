"""Parameters from the paper's grid: what is tried, and what wins."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from river_oa3.experiments import Counts, Goal
from river_oa3.experiments.methods import Setting
from river_oa3.experiments.tasks import OVERFLOW, TUNING, Part, Run
from river_oa3.experiments.tuning import PAPER, Search, Stage, tune


class Scorer:
    """Stands for a runner: a run costs what a formula says of its exponents and its order."""

    def __init__(self, formula, by_events=False):
        self.formula = formula
        self.by_events = by_events
        self.tasks = []

    def run(self, tasks, what):
        for task in reversed(tasks):
            self.tasks.append(task)
            point = tuple(round(np.log10(value)) for _, value in task.parameters)
            more = (task.part.stop,) if self.by_events else ()
            cost = self.formula(point, task.part.permutation - TUNING, *more)
            if cost is None:
                yield task, OVERFLOW
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


def tuned(formula, methods=("OA3",), search=None, setting=None, by_events=False):
    scorer = Scorer(formula, by_events)
    setting = setting or Setting(10, 2.0)
    found = tune(scorer, methods, setting, COST, Part(0, 100, 0), search)
    points = {
        method: tuple(round(np.log10(value)) for _, value in parameters)
        for method, parameters in found.items()
    }
    return points, scorer


exponents = st.integers(PAPER.exponents[0], PAPER.exponents[-1])


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
    noise = np.random.default_rng(0).normal(size=(11, 11, 11, PAPER.final.orders))
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
            return 0 if order < PAPER.fine.orders else 100
        return 10 + point[0] ** 2 + point[1] ** 2

    points, _ = tuned(formula, ["CSOAL"])
    assert points["CSOAL"] != (0, 0)


def test_tuning_never_tries_a_point_twice_in_an_order():
    _, scorer = tuned(lambda point, order: abs(point[0] - 1) + abs(point[1]) + abs(point[2] + 2))
    assert len(set(scorer.tasks)) == len(scorer.tasks)


def test_tuning_takes_a_small_part_of_the_runs_of_the_whole_grid():
    _, scorer = tuned(lambda point, order: sum(e**2 for e in point))
    assert len(scorer.tasks) < 0.1 * PAPER.final.orders * len(PAPER.exponents) ** 3


def test_tuning_stays_on_the_grid():
    _, scorer = tuned(lambda point, order: -sum(point))
    assert {e for _, point in scorer.orders() for e in point} <= set(PAPER.exponents)


def test_the_winner_was_tried_in_as_many_orders_as_are_reported():
    points, scorer = tuned(lambda point, order: sum(e**2 for e in point))
    assert len(scorer.orders()["OA3", points["OA3"]]) == PAPER.final.orders


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
        if point == (0, 0) and order == PAPER.final.orders - 1:
            return None
        return abs(point[0]) + abs(point[1])

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
    table = np.random.default_rng(seed).random((11, 11, PAPER.final.orders))
    _, scorer = tuned(lambda point, order: 1000 * table[(*point, order)], ["CSOAL"])
    orders = {point: len(found) for (_, point), found in scorer.orders().items()}
    means = {
        point: statistics.fmean(1000 * table[(*point, order)] for order in range(PAPER.fine.orders))
        for point, n in orders.items()
        if n >= PAPER.fine.orders
    }
    best = min(means, key=lambda point: means[point])
    near = itertools.product(*((e - 1, e, e + 1) for e in best))
    on_grid = [point for point in near if all(e in PAPER.exponents for e in point)]
    assert [point for point in on_grid if orders.get(point, 0) < PAPER.fine.orders] == []


# Stages

STAGED = PAPER.on_events(10, 30, None)


def events_of(scorer):
    """The numbers of events, in the order in which they were first tried."""
    return list(dict.fromkeys(task.part.stop for task in scorer.tasks))


def test_a_staged_search_ends_on_all_events():
    _, scorer = tuned(lambda point, order: sum(e**2 for e in point), search=STAGED)
    assert events_of(scorer) == [10, 30, 100]


def test_only_finalists_see_all_events():
    _, scorer = tuned(lambda point, order: sum(e**2 for e in point), search=STAGED)
    finals = {task.parameters for task in scorer.tasks if task.part.stop == 100}
    assert len(finals) == PAPER.finalists


def test_runs_on_few_events_do_not_count_in_the_finals():
    """A point that shines on few events loses to one that is good on all."""

    def formula(point, order, events):
        if point == (0, 0):
            return 0 if events < 100 else 50
        return 10 + abs(point[0]) + abs(point[1])

    points, _ = tuned(formula, ["CSOAL"], search=STAGED, by_events=True)
    assert points["CSOAL"] != (0, 0)


def test_the_budget_of_a_stage_is_the_same_share_of_its_events():
    setting = Setting(10, 2.0, probability=0.1)
    _, scorer = tuned(lambda point, order: 0, search=STAGED, setting=setting)
    assert {(task.part.stop, task.setting.budget) for task in scorer.tasks} == {
        (10, 1),
        (30, 3),
        (100, 10),
    }


def test_stages_of_as_many_events_repeat_no_run():
    search = PAPER.on_events(100, 100, None)
    _, scorer = tuned(lambda point, order: sum(e**2 for e in point), search=search)
    assert len(set(scorer.tasks)) == len(scorer.tasks)


def test_more_events_than_there_are_is_all_of_them():
    _, scorer = tuned(lambda point, order: 0, search=PAPER.on_events(10**6, 10**6, 10**6))
    assert events_of(scorer) == [100]


def test_a_smaller_search_stays_on_its_grid_and_in_its_orders():
    search = Search(exponents=(-1, 0, 1), coarse=Stage(1), fine=Stage(2), final=Stage(3))
    points, scorer = tuned(lambda point, order: 10 + sum(point), search=search)
    assert points == {"OA3": (-1, -1, -1)}
    assert max(task.part.permutation for task in scorer.tasks) == TUNING + 2


@pytest.mark.parametrize(("method", "parameters"), [("OA3-F", 1), ("CSOAL", 2), ("OA3", 3)])
def test_the_expected_number_of_runs_is_about_right(method, parameters):
    _, scorer = tuned(lambda point, order: sum((e - 2) ** 2 for e in point), [method])
    expected = sum(runs for _, runs in PAPER.runs(parameters))
    assert 0.5 < len(scorer.tasks) / expected < 2

"""Who is ahead: said only where the orders show it."""

from __future__ import annotations

import numpy as np
import pytest

from river_oa3.experiments.scores import Goal
from river_oa3.experiments.verdict import chance_of, judge, paired_difference

SUM, COST = Goal("sum"), Goal("cost")


def scores(*means, orders=10, spread=0.5, seed=0):
    rng = np.random.default_rng(seed)
    return {
        name: mean + rng.normal(scale=spread, size=orders)
        for name, mean in zip("ABCDEFG", means, strict=False)
    }


def test_a_clear_lead_is_a_win():
    assert judge(SUM, scores(90, 80, 70), 50.0).winner == "A"


def test_a_small_cost_wins():
    assert judge(COST, scores(90, 80, 70), 500.0).winner == "C"


def test_no_difference_names_no_winner():
    verdict = judge(SUM, scores(80, 80, 60), 50.0)
    assert verdict.winner is None
    assert set(verdict.tied) == {"A", "B"}


def test_methods_that_are_the_same_are_tied():
    same = np.array([80.0, 81.0, 82.0])
    assert judge(SUM, {"A": same, "B": same.copy()}, 50.0).tied == ("A", "B")


def test_one_order_shows_nothing():
    verdict = judge(SUM, {"A": np.array([90.0]), "B": np.array([50.0])}, 50.0)
    assert (verdict.winner, verdict.above_chance) == (None, ())


def test_a_method_alone_has_won_nothing():
    assert judge(SUM, scores(90), 50.0).winner is None


def test_a_preferred_method_is_recommended_where_it_is_tied():
    ups_and_downs = np.array([2.0, -2.0, 1.0, -1.0])
    tied = {"A": 80.2 + ups_and_downs, "B": 80.0 - ups_and_downs}
    verdict = judge(SUM, tied, 50.0, preferred=("B",))
    assert (verdict.winner, verdict.recommended) == (None, "B")


def test_a_preferred_method_that_may_be_far_behind_is_not_recommended():
    wide = {"A": np.array([99.0, 60.0, 95.0]), "B": np.array([60.0, 62.0, 64.0])}
    verdict = judge(SUM, wide, 50.0, preferred=("B",))
    assert (verdict.tied, verdict.recommended) == (("A", "B"), "A")


def test_what_is_at_chance_is_not_above_it():
    assert judge(SUM, scores(80, 50), 50.0).above_chance == ("A",)


def test_a_difference_that_is_not_there_is_seldom_shown():
    """At 95 % no more than one in twenty, here with room for the luck of 2,000 trials."""
    rng = np.random.default_rng(1)
    shown = [
        abs(found.mean) > found.high - found.mean
        for found in (paired_difference("x", rng.normal(size=8)) for _ in range(2000))
    ]
    assert 0.03 < np.mean(shown) < 0.07


def test_a_winner_among_equals_is_seldom_named():
    rng = np.random.default_rng(2)
    named = [
        judge(SUM, {name: rng.normal(80, 1, size=10) for name in "ABCDE"}, 50.0).winner is not None
        for _ in range(400)
    ]
    assert np.mean(named) < 0.05


@pytest.mark.parametrize(("alpha", "chance"), [(0.5, 50.0), (0.8, 80.0), (0.3, 70.0)])
def test_chance_is_the_better_constant_answer(alpha, chance):
    assert chance_of(Goal("sum", alpha_pos=alpha), 5, 95) == pytest.approx(chance)


# How many labels are enough

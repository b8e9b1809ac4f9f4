"""Who is ahead: said only where the runs show it, and no more often wrong than is claimed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from simulated_runs import simulated, steady

from river_oa3.experiments.scores import COST, SUM, Counts, Goal
from river_oa3.experiments.verdict import Scores, chance_of, constant_answer, difference, judge

BY_SUM, BY_COST = Goal("sum"), Goal("cost")


def spread(*means, runs=10, by=0.5, seed=0):
    rng = np.random.default_rng(seed)
    return {
        name: steady(mean + rng.normal(scale=by, size=runs))
        for name, mean in zip("ABCDEFG", means, strict=False)
    }


def test_a_clear_lead_is_a_win():
    assert judge(BY_SUM, spread(90, 80, 70)).winner == "A"


def test_the_smallest_cost_wins():
    assert judge(BY_COST, spread(90, 80, 70)).winner == "A"


def test_no_difference_names_no_winner():
    verdict = judge(BY_SUM, spread(80, 80, 60))
    assert verdict.winner is None
    assert set(verdict.tied) == {"A", "B"}


def test_methods_that_are_the_same_are_tied():
    same = steady([80.0, 81.0, 82.0])
    assert judge(BY_SUM, {"A": same, "B": same}).tied == ("A", "B")


def test_one_run_shows_nothing():
    verdict = judge(BY_SUM, {"A": steady([90.0]), "B": steady([50.0])})
    assert (verdict.winner, verdict.above_chance) == (None, ())


def test_a_method_alone_has_won_nothing():
    assert judge(BY_SUM, spread(90)).winner is None


@pytest.mark.parametrize(("lead", "winner"), [(0.9, None), (1.1, "A")])
def test_a_lead_that_is_not_worthwhile_wins_nothing(lead, winner):
    """It is significant all the same: a point is what the balanced accuracy calls worthwhile."""
    verdict = judge(BY_SUM, {"A": steady([80.0 + lead] * 3), "B": steady([80.0] * 3)})
    assert (verdict.tied, verdict.winner) == (("A",), winner)


def test_what_is_worthwhile_in_cost_is_a_share_of_it():
    """5 percent of a cost of 36 are 1.8, and each point is 1.8."""
    verdicts = [
        judge(BY_COST, {"A": steady([80.0 + lead] * 3), "B": steady([80.0] * 3)})
        for lead in (0.9, 1.1)
    ]
    assert [verdict.winner for verdict in verdicts] == [None, "A"]


def test_a_preferred_method_is_recommended_where_it_is_tied():
    ups_and_downs = np.array([2.0, -2.0, 1.0, -1.0])
    tied = {"A": steady(80.2 + ups_and_downs), "B": steady(80.0 - ups_and_downs)}
    verdict = judge(BY_SUM, tied, preferred=("B",))
    assert (verdict.winner, verdict.recommended) == (None, "B")


def test_a_preferred_method_that_may_be_far_behind_is_not_recommended():
    wide = {"A": steady([99.0, 60.0, 95.0]), "B": steady([60.0, 62.0, 64.0])}
    verdict = judge(BY_SUM, wide, preferred=("B",))
    assert (verdict.tied, verdict.recommended) == (("A", "B"), "A")


def test_what_does_as_well_as_a_constant_answer_is_not_above_it():
    assert judge(BY_SUM, spread(80, 50)).above_chance == ("A",)


@pytest.mark.parametrize(("alpha", "chance"), [(0.5, 50.0), (0.8, 80.0), (0.3, 70.0)])
def test_the_better_constant_answer_counts(alpha, chance):
    assert chance_of(Goal("sum", alpha_pos=alpha), 5, 95) == pytest.approx(chance)


@pytest.mark.parametrize("metric", [SUM, COST])
def test_of_constant_answers_that_score_alike_the_cheaper_is_taken(metric):
    never = constant_answer(BY_SUM, metric, steady([70.0]))
    assert np.all(never.true_positives == 0)


# Simulated runs


def verdicts(skills, trials, seed, **options):
    rng = np.random.default_rng(seed)
    return [judge(BY_SUM, simulated(rng, skills, **options)) for _ in range(trials)]


def at_most(level, trials):
    """So many of the trials, where the level is kept, with room for luck once in a thousand."""
    return stats.binom.ppf(0.999, trials, level)


@pytest.mark.parametrize(
    ("methods", "runs", "luck"),
    [(2, 5, 1.0), (4, 5, 1.0), (16, 5, 1.0), (12, 20, 1.0), (12, 20, 0.2)],
)
def test_of_equal_methods_none_is_called_worse_or_a_winner(methods, runs, luck):
    """Where little is left to the luck of a run, it is the events that favour one of them."""
    found = verdicts([0.5] * methods, 100, seed=1, runs=runs, events=200, luck=luck)
    assert sum(len(each.tied) < methods for each in found) <= at_most(0.05, 100)


def test_of_equal_methods_none_is_called_worse_in_the_order_of_time():
    found = verdicts([0.5] * 4, 100, seed=2, luck=0.2, events=500, in_time=True)
    assert sum(len(each.tied) < 4 for each in found) <= at_most(0.05, 100)


def test_a_method_that_is_ahead_is_found():
    """Of twelve, by ten points or so on 3,000 events, in nine of ten comparisons."""
    found = verdicts([1.4, *[0.5] * 11], 30, seed=3, runs=10, events=3000, luck=0.2)
    assert sum(each.winner == "A" for each in found) >= 27


def test_the_interval_holds_on_other_events_where_one_of_runs_alone_does_not():
    """The true difference is 0; all runs play the same events, which favour one of the two."""
    rng, trials, missed, missed_by_runs = np.random.default_rng(4), 200, 0, 0
    for _ in range(trials):
        a, b = (
            Scores.of(BY_SUM, each, in_time=False)
            for each in simulated(rng, [0.5, 0.5], runs=20, luck=0.1).values()
        )
        found = difference("", a, b)
        missed += not found.low < 0.0 < found.high
        lead = a.runs - b.runs
        by_runs = stats.t.interval(0.95, 19, lead.mean(), stats.sem(lead))
        missed_by_runs += not by_runs[0] < 0.0 < by_runs[1]
    assert missed <= at_most(0.05, trials)
    assert missed_by_runs > 0.2 * trials


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_error_by_events_is_that_of_fresh_events(metric):
    """With no luck but that of the events, the interval is as wide as the scores vary."""
    rng, goal = np.random.default_rng(5), Goal(metric)
    leads, reaches = [], []
    for _ in range(200):
        one = simulated(rng, [0.5, 0.5], runs=2, luck=0.0)
        # Both runs are the same one: the spread between runs is nothing.
        a, b = (
            Scores.of(goal, Counts(*(each[:1].repeat(2, axis=0) for each in counts[:4]), 0), True)
            for counts in one.values()
        )
        found = difference("", a, b)
        leads.append(found.mean)
        reaches.append(found.high - found.mean)
    assert np.mean(reaches) / stats.t.ppf(0.975, 19) == pytest.approx(np.std(leads), rel=0.15)

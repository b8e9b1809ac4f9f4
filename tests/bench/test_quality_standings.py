"""The arithmetic of `bench quality`: scores, choices in hindsight, intervals, wins and losses."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from bench.quality import picture
from bench.quality.contest import Contest
from bench.quality.registry import CONTENDERS
from bench.quality.running import Result
from bench.quality.standings import (
    DEFAULT,
    FIXED,
    HINDSIGHT,
    Standing,
    best_each,
    best_fixed,
    best_of,
    compared,
    interval,
    score,
)
from bench.quality.tables import (
    ANY_PEER,
    as_json,
    judge,
    runs_as_csv,
    worst_orders,
)
from river_oa3.experiments.scores import Counts

STREAMS = ["one", "two", "three"]
CONTEST = Contest(budgets=(0.01, 0.1), orders=4)


def standing(scores, name="LogisticRegression", how=FIXED):
    scores = np.asarray(scores, dtype=float)
    return Standing(name, how, scores, [[()] * scores.shape[1] for _ in scores])


def counts_of(sum_):
    """Counts of 100 positives and 900 negatives with this sum, all of it by sensitivity."""
    hits = round(2 * sum_ - 100)
    return Counts(hits, 0, 900, 100 - hits, 10)


@pytest.fixture(scope="module")
def results():
    """Every setting of some contenders, ours well ahead but on one stream."""
    rng = np.random.default_rng(0)
    found = []
    for name, level in (("ActiveLearner", 90), ("CSOAL", 70), ("LogisticRegression", 75)):
        for stream in STREAMS:
            if name == "ActiveLearner" and stream == "three":
                level = 60
            for setting in CONTENDERS[name].settings:
                found += [
                    Result(
                        *(stream, name, setting, order, share),
                        counts_of(level + rng.integers(-5, 6)),
                        0.01,
                    )
                    for order in range(CONTEST.orders)
                    for share in CONTEST.budgets
                ]
    return found


@pytest.fixture(scope="module")
def verdicts(results):
    return judge(results, STREAMS, CONTEST, ["ActiveLearner", "CSOAL", "LogisticRegression"])


def test_the_interval_of_a_mean_is_students():
    """Of 1, 2, 3, 6: mean 3, deviation sqrt(14 / 3), t of 3 degrees 3.182."""
    mean, half = interval([1.0, 2.0, 3.0, 6.0])
    assert mean == 3.0
    assert half == pytest.approx(3.18245 * math.sqrt(14 / 3) / 2, rel=1e-5)


def test_an_interval_leaves_out_what_is_not_there():
    assert interval([1.0, math.nan, 3.0]) == interval([1.0, 3.0])


def test_one_value_has_no_interval():
    mean, half = interval([5.0])
    assert mean == 5.0
    assert math.isnan(half)


@pytest.mark.parametrize(
    ("counts", "percent"),
    [
        (Counts(0, 0, 900, 100, 1), 100.0),  # saying no costs 90
        (Counts(100, 900, 0, 0, 1), 100.0),  # and so does saying yes
        (Counts(90, 90, 810, 10, 1), 20.0),
    ],
)
def test_a_cost_is_a_share_of_the_best_constant_answers(counts, percent):
    assert score("cost", counts) == pytest.approx(percent)


def test_a_fixed_setting_is_the_best_by_the_mean_of_the_streams():
    table = np.zeros((2, 3, 1, 2))  # settings, streams, budgets, orders
    table[0, :, 0] = [[90, 90], [50, 50], [50, 50]]
    table[1, :, 0] = [[60, 60], [65, 67], [70, 70]]
    np.testing.assert_array_equal(best_fixed("sum", table), [[1], [1], [1]])
    np.testing.assert_array_equal(best_fixed("cost", table), [[0], [0], [0]])
    np.testing.assert_array_equal(best_each("sum", table), [[0], [1], [1]])
    np.testing.assert_array_equal(best_each("cost", table), [[1], [0], [0]])


@pytest.mark.parametrize("index", [0, 1], ids=["sum", "cost"])
def test_hindsight_is_no_worse_than_one_setting_and_that_no_worse_than_defaults(verdicts, index):
    verdict = verdicts[index]
    for name in ("CSOAL", "LogisticRegression"):
        by = {each.how: each.means.mean(axis=0) for each in verdict.found if each.contender == name}
        ahead = [by[HINDSIGHT] - by[FIXED], by[FIXED] - by[DEFAULT]]
        for each in ahead:
            assert ((each if verdict.metric == "sum" else -each) > 0).all()


def test_hindsight_has_the_scores_of_the_settings_that_it_names(verdicts, results):
    (found,) = [
        each
        for each in verdicts[0].found
        if (each.contender, each.how) == ("LogisticRegression", HINDSIGHT)
    ]
    for i, stream in enumerate(STREAMS):
        for j, share in enumerate(CONTEST.budgets):
            expected = {
                result.order: score("sum", result.counts)
                for result in results
                if (result.contender, result.stream, result.share)
                == ("LogisticRegression", stream, share)
                and result.setting == found.settings[i][j]
            }
            assert dict(enumerate(found.scores[i, j])) == expected


def test_ours_is_reported_once_with_the_objective_of_the_metric(verdicts):
    for verdict in verdicts:
        (ours,) = [each for each in verdict.found if each.contender == "ActiveLearner"]
        assert ours.how == DEFAULT
        assert {setting for row in ours.settings for setting in row} == {
            (("objective", verdict.metric),)
        }


def test_cells_are_won_tied_and_lost_by_a_point():
    one = standing([[[70, 72], [70, 70]], [[60, 60], [55, 57]]])
    other = standing([[[69, 71], [70.9, 70.9]], [[60, 60], [57.1, 57.1]]])
    found = compared("sum", one, other)
    assert (found.won, found.tied, found.lost) == (1, 2, 1)
    np.testing.assert_allclose(found.per_stream, [[1.0, -0.9], [0.0, -1.1]])
    reverse = compared("cost", one, other)
    assert (reverse.won, reverse.tied, reverse.lost) == (1, 2, 1)
    np.testing.assert_allclose(reverse.per_stream, -found.per_stream)


def test_a_difference_is_paired():
    """Streams and orders that differ by a hundred, and the one ahead by 2 to 4 in each."""
    base = np.array([[[0.0, 100.0]], [[50.0, 90.0]], [[10.0, 20.0]]])
    ahead = np.array([[[2.0, 2.0]], [[3.0, 3.0]], [[4.0, 4.0]]])
    found = compared("sum", standing(base + ahead), standing(base))
    assert found.means[0] == pytest.approx(3.0)
    assert found.margins[0] == pytest.approx(interval([2.0, 3.0, 4.0])[1])
    np.testing.assert_allclose(found.per_stream_margins, 0.0, atol=1e-12)


def test_who_ran_on_fewer_orders_is_compared_on_those():
    whole = standing([[[80.0, 90.0, 10.0]]])
    part = standing([[[75.0, 85.0, math.nan]]])
    assert compared("sum", whole, part).means[0] == pytest.approx(5.0)


def test_the_cells_add_up(verdicts):
    for verdict in verdicts:
        for other in verdict.others:
            found = compared(verdict.metric, verdict.ours, other)
            assert found.won + found.tied + found.lost == len(STREAMS) * len(CONTEST.budgets)


def test_ours_wins_where_it_is_ahead_and_loses_where_it_is_not(verdicts):
    (fixed,) = [
        each
        for each in verdicts[0].others
        if (each.contender, each.how) == ("LogisticRegression", FIXED)
    ]
    found = compared("sum", verdicts[0].ours, fixed)
    assert (found.won, found.lost) == (4, 2)


@pytest.mark.parametrize(("metric", "worst"), [("sum", 60.0), ("cost", 80.0)])
def test_the_worst_order_depends_on_the_metric(metric, worst):
    assert worst_orders(metric, standing([[[60.0, math.nan, 80.0]]])) == worst


def test_all_peers_together_are_the_best_of_each_cell():
    one = standing([[[60.0], [80.0]], [[60.0], [50.0]]], how=HINDSIGHT)
    other = standing([[[70.0], [75.0]], [[65.0], [40.0]]], name="VowpalWabbit", how=HINDSIGHT)
    both = best_of("sum", ANY_PEER, [one, other])
    np.testing.assert_array_equal(both.means, [[70.0, 80.0], [65.0, 50.0]])


def test_all_peers_together_at_one_setting_are_the_best_of_each_budget():
    one = standing([[[60.0], [80.0]], [[60.0], [50.0]]])
    other = standing([[[70.0], [75.0]], [[65.0], [40.0]]], name="VowpalWabbit")
    both = best_of("sum", ANY_PEER, [one, other])
    np.testing.assert_array_equal(both.means, [[70.0, 80.0], [65.0, 50.0]])
    both = best_of("cost", ANY_PEER, [one, other])
    np.testing.assert_array_equal(both.means, [[60.0, 75.0], [60.0, 40.0]])


def test_the_tables_say_what_the_standings_say(verdicts):
    means, differences, streams = verdicts[0].tables()
    ours = interval(verdicts[0].ours.means[:, 0])[0]
    (line,) = [line for line in means.splitlines() if line.startswith("ActiveLearner()")]
    assert f" {ours:.1f} (" in line
    assert line.endswith("3 streams x 4 orders")
    assert "4/0/2" in differences
    (line,) = [line for line in streams.splitlines() if line.startswith("three")]
    assert "-1" in line


def test_the_json_has_every_score_and_no_nan(verdicts):
    text = json.dumps(as_json(verdicts[0]), allow_nan=False)
    (ours,) = [
        each for each in json.loads(text)["standings"] if each["contender"] == "ActiveLearner"
    ]
    np.testing.assert_allclose(ours["scores"]["two"], verdicts[0].ours.scores[1], atol=1e-4)


def test_the_csv_has_a_line_per_run(results):
    lines = runs_as_csv(results).splitlines()
    assert len(lines) == 1 + len(results)
    assert lines[0].startswith("stream,contender,setting,budget,order,true_positives")
    assert lines[1].startswith("one,ActiveLearner,objective=sum,0.01,0,")


def test_the_picture_has_a_panel_of_means_and_one_of_streams_per_metric(verdicts):
    figure = picture.draw(verdicts)
    assert len(figure.axes) == 4
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    assert names == {"ActiveLearner()", "CSOAL", "river LogisticRegression"}
    assert [label.get_text() for label in figure.axes[2].get_yticklabels()] == STREAMS

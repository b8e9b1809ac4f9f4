"""What experiments will take, before they start."""

from __future__ import annotations

import pytest
from paper.estimate import Work, estimate
from paper.registry import EXPERIMENTS, EXTRAS
from paper.study import Study


@pytest.fixture
def study(small, parts, tmp_path):
    with Study(tmp_path, ["protein", "IAD"], str(parts), permutations=2) as study:
        yield study


def work(study, *names):
    return estimate(study, [(EXPERIMENTS | EXTRAS)[name] for name in names])


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_runs_of_every_experiment_are_about_as_many_as_expected(study, small, name):
    expected = work(study, name).runs
    small.tasks.clear()
    EXPERIMENTS[name].run(study, name, lambda text: None)
    assert 0.5 < len(small.tasks) / expected < 2


def test_the_runs_for_the_defaults_are_as_many_as_expected(small, parts, tmp_path):
    with Study(tmp_path, ["IAD"], str(parts)) as study:
        # Three methods, three budgets, two metrics, four orders, and 96 points.
        assert work(study, "defaults").runs == 3 * 3 * 2 * 4 * 96


def test_what_several_experiments_need_counts_once(study):
    assert work(study, "table2", "fig1", "fig2").runs == work(study, "table2").runs


def test_what_is_tuned_is_not_counted_again(study):
    before = work(study, "table3").runs
    EXPERIMENTS["table3"].run(study, "table3", lambda text: None)
    assert work(study, "table3").runs == 2 * 9 * 2 < before


def test_more_permutations_take_longer(small, parts, tmp_path):
    few, many = (
        work(Study(tmp_path, ["IAD"], str(parts), permutations=n), "table3") for n in (1, 100)
    )
    assert many.runs > few.runs
    assert many.seconds > few.seconds


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Work(1234, 60.0).describe(2, 0), "about 1,234 runs, two minutes or less on 2 jobs"),
        (Work(10, 7200.0).describe(1, 0), "about 10 runs, 120 minutes on 1 job"),
        (Work(10, 7200.0).describe(4, 0), "about 10 runs, 30 minutes on 4 jobs"),
    ],
)
def test_the_estimate_is_a_line_to_read(found, text):
    assert found == text


def test_runs_that_are_kept_are_named():
    assert "of 1,500 finished runs that are kept" in Work(9, 1.0).describe(1, 1500)

"""The paper's experiments as one study."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from commands import Recorded

from river_oa3.datasets import DataError
from river_oa3.experiments import Counts, Goal, Plan, compare, comparison
from river_oa3.experiments.methods import Setting
from river_oa3.experiments.paper.published import BUDGETS, PUBLISHED
from river_oa3.experiments.paper.registry import EXPERIMENTS
from river_oa3.experiments.paper.reproduction import reproduce
from river_oa3.experiments.paper.sets import HIGH_DIMENSIONAL, STANDARD
from river_oa3.experiments.paper.study import Study, Variation
from river_oa3.experiments.scores import COST, SUM
from river_oa3.experiments.tasks import Run


@pytest.fixture
def study(small, parts, tmp_path):
    with Study(tmp_path, data_dir=str(parts), permutations=2) as study:
        yield study


def test_data_sets_that_are_not_there_are_left_out(study):
    assert study.available(STANDARD) == ["protein", "Sensorless", "KDDCUP08"]


def test_why_a_data_set_is_not_there_is_kept(study):
    study.available(STANDARD)
    assert list(study.streams.absent) == ["w8a"]
    assert "--download" in study.streams.absent["w8a"]


def test_a_data_set_that_is_asked_for_and_not_there_is_an_error(parts, tmp_path):
    with (
        Study(tmp_path, ["w8a"], str(parts)) as study,
        pytest.raises(DataError, match="w8a is not in"),
    ):
        study.available(STANDARD)


def test_no_data_set_at_all_is_an_error(tmp_path):
    with (
        Study(tmp_path, data_dir=str(tmp_path)) as study,
        pytest.raises(DataError, match="--download"),
    ):
        reproduce(study, ["table2"])


@pytest.mark.parametrize("name", ["protein", "Sensorless", "KDDCUP08", "IAD"])
def test_the_rows_of_a_study_have_unit_length(study, name):
    X = study.stream(name).X
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    assert np.allclose(lengths[lengths > 0], 1.0)


@pytest.mark.parametrize("experiment", BUDGETS)
def test_every_budget_fits_the_part_that_is_there(study, experiment):
    for name in study.available(BUDGETS[experiment]):
        assert 1 <= study.budget(name, experiment) <= len(study.stream(name))


def test_a_title_says_what_a_part_is_not(study):
    title = study.title("protein", 1234)
    assert title.startswith("protein (a 16 % part of protein), B=1,234")


@pytest.mark.parametrize("is_accounted", [True, False])
def test_a_title_says_how_empty_events_are_accounted_for(study, is_accounted):
    study.paper_accounting = is_accounted
    assert study.title("protein").endswith("empty events as mistakes") == is_accounted


def test_a_fixed_budget_is_run_once(study, small):
    first = study.fixed("IAD", SUM)
    n = len(small.tasks)
    assert (study.fixed("IAD", SUM) is first, len(small.tasks)) == (True, n)


def test_what_a_study_tuned_is_found_by_the_next(study, parts, tmp_path, monkeypatch):
    found = study.fixed("IAD", SUM).parameters
    monkeypatch.setattr(comparison, "tune", None)
    with Study(tmp_path, data_dir=str(parts), permutations=3) as later:
        assert later.fixed("IAD", SUM).parameters == found


def test_what_a_study_tuned_for_one_metric_is_not_taken_for_the_other(study, tmp_path):
    study.fixed("IAD", SUM)
    study.fixed("IAD", COST)
    assert len(json.loads((tmp_path / "tuned.json").read_text())) == 2


def test_an_interrupted_study_remembers_nothing(study, tmp_path, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "tune", stop)
    with pytest.raises(KeyboardInterrupt):
        study.fixed("IAD", SUM)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["{", "", "[]", "null", '{"a": 1}'])
def test_a_damaged_memory_of_tuned_parameters_is_passed_over(study, tmp_path, content):
    (tmp_path / "tuned.json").write_text(content)
    assert study.tuned.read() == {}


def test_a_memory_that_lacks_a_method_is_passed_over(study, parts, tmp_path):
    study.fixed("IAD", SUM)
    path = tmp_path / "tuned.json"
    ((key, chosen),) = json.loads(path.read_text()).items()
    del chosen["SSOA3"]
    path.write_text(json.dumps({key: chosen}))
    with Study(tmp_path, data_dir=str(parts), permutations=2) as later:
        assert later.fixed("IAD", SUM).is_complete


def test_a_sweep_scores_every_variation_as_a_comparison_does(study):
    goal = Goal("cost")
    setting = study.setting("IAD", goal, 20)
    variations = [
        Variation("CSOAL", eta, (("delta", 1.0), ("eta", eta)), dataclasses.replace(setting), goal)
        for eta in (0.1, 10.0)
    ]
    scores = study.sweep("IAD", variations, 2, "etas")
    for eta in (0.1, 10.0):
        plan = Plan(
            20, goal, ("CSOAL",), 2, {"CSOAL": {"delta": 1.0, "eta": eta}}, paper_accounting=True
        )
        expected = goal.cost(compare(study.stream("IAD"), plan).counts("CSOAL"))
        assert scores["CSOAL", eta].tolist() == expected.tolist()


def test_a_sweep_runs_what_is_the_same_once(study, small):
    """What is varied is only the value of false alarms, which OA3-F's runs do not depend on."""
    goals = [Goal("sum", 0.5), Goal("sum", 0.25)]
    setting = Setting(10, 3.0)
    variations = [Variation("OA3-F", g.alpha_pos, (("eta", 1.0),), setting, g) for g in goals]
    scores = study.sweep("IAD", variations, 2, "weights")
    assert len(small.tasks) == 2
    assert scores["OA3-F", 0.5].tolist() != scores["OA3-F", 0.25].tolist()


def test_an_overflow_in_a_sweep_is_not_a_number(study, monkeypatch):
    def overflow(self, tasks, seconds):
        yield from ((task, None) for task in tasks)

    monkeypatch.setattr(Recorded, "_run", overflow)
    variation = Variation("OA3-F", 1.0, (("eta", 1.0),), Setting(10, 3.0), Goal("sum"))
    assert np.isnan(study.sweep("IAD", [variation], 3, "all")["OA3-F", 1.0]).tolist() == [True] * 3


def test_the_final_counts_of_a_run_are_its_last():
    run = Run(Counts(*(np.array([i, 10 * i]) for i in range(1, 6))), None, 0.0)
    assert run.final == Counts(10, 20, 30, 40, 50)


def test_there_is_an_experiment_for_every_table_and_figure_of_the_paper():
    figures = [f"fig{i}" for i in range(1, 8)] + [f"figC{i}" for i in range(1, 7)]
    assert set(EXPERIMENTS) == {"table2", "table3", "speedups", *figures}


def test_every_data_set_of_the_paper_is_in_one_table():
    assert sorted((*STANDARD, *HIGH_DIMENSIONAL)) == sorted(PUBLISHED)

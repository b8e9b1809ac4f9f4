"""The paper's experiments as one study."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest
from commands import Recorded, events, write_npz
from paper import study as study_module
from paper import tables, tuned
from paper.published import BUDGETS, PUBLISHED
from paper.registry import EXPERIMENTS
from paper.reproduction import reproduce
from paper.sets import HIGH_DIMENSIONAL, STANDARD
from paper.study import Study, Variation
from paper.tuned import TunedParameters

from river_oa3.datasets import DataError
from river_oa3.experiments import Counts, Goal, Plan, compare, comparison, tuning
from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.scores import COST, SUM
from river_oa3.experiments.tasks import OVERFLOW, Run
from river_oa3.experiments.tuning import PAPER, Search, Stage


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
    def overflow(self, tasks, *more):
        yield from ((task, OVERFLOW) for task in tasks)

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


# What tuned parameters depend on


def key(study, **changes):
    plan = dataclasses.replace(study.fixed_plan("IAD", SUM), **changes)
    return study.tuned.key(study.stream("IAD"), plan)


@pytest.mark.parametrize(
    "changes",
    [
        {"goal": Goal("sum", 0.25)},
        {"goal": Goal("cost")},
        {"budget": 7},
        {"seed": 1},
        {"events": 20},
        {"tuning_events": 20},
        {"search": Search(exponents=(0, 1))},
        {"search": PAPER.on_events(10, 20, None)},
        {"search": Search(final=Stage(3))},
    ],
    ids=str,
)
def test_what_tuning_depends_on_is_in_the_key_of_what_it_found(study, changes):
    assert key(study, **changes) != key(study)


@pytest.mark.parametrize("changes", [{"permutations": 9}, {"jobs": 9}, {"paper_accounting": False}])
def test_what_tuning_does_not_depend_on_is_not_in_the_key(study, changes):
    assert key(study, **changes) == key(study)


def test_the_version_of_the_package_is_in_the_key_of_tuned_parameters(study, monkeypatch):
    before = key(study)
    monkeypatch.setattr(tuned, "code_version", lambda: "99.0")
    assert key(study) != before


def test_what_was_tuned_on_another_grid_is_tuned_again(study, small, parts, tmp_path, monkeypatch):
    study.fixed("IAD", SUM)
    for module in (tuning, study_module, tuned):
        monkeypatch.setattr(module, "PAPER", Search(exponents=(0, 1), final=Stage(5)))
    with Study(tmp_path, data_dir=str(parts), permutations=2) as later:
        later.fixed("IAD", SUM)
    assert len(json.loads((tmp_path / "tuned.json").read_text())) == 2


# How thoroughly parameters are looked for


def test_the_number_of_tuning_events_and_orders_can_be_set(parts, tmp_path):
    study = Study(
        tmp_path, None, str(parts), tuning_events=(5, 10, None), tuning_orders=3, permutations=2
    )
    search = study.search("CIFAR-10")
    assert [search.coarse.events, search.fine.events, search.final.events] == [5, 10, None]
    assert search.final.orders == 3


@pytest.mark.parametrize("name", ["protein", "Sensorless", "w8a"])
def test_sets_that_take_little_are_tuned_on_everything(parts, tmp_path, name):
    assert Study(tmp_path, None, str(parts)).search(name) == PAPER


def test_the_finals_of_cifar_are_on_all_events(parts, tmp_path):
    assert Study(tmp_path, None, str(parts)).search("CIFAR-10").final.events is None


# A quick study


@pytest.fixture
def quick(small, tmp_path, monkeypatch):
    """A stream of more events than a quick study takes."""
    write_npz(tmp_path / "sensorless_sub2200.npz", *events(300, seed=2))
    monkeypatch.setattr(study_module, "QUICK_EVENTS", 100)
    (tmp_path / "results").mkdir()
    with Study(
        tmp_path / "results", ["Sensorless"], str(tmp_path), permutations=2, quick=True
    ) as study:
        yield study


def test_a_quick_study_takes_fewer_events(quick):
    found = quick.fixed("Sensorless", SUM)
    assert found.events == 100
    assert {int(sum(each[:4])) for each in zip(*found.counts("OA3"), strict=True)} == {100}


def test_a_quick_study_asks_for_the_same_share(quick):
    share = BUDGETS["fixed"]["Sensorless"] / 58_509
    assert quick.fixed("Sensorless", SUM).plan.budget == round(share * 100)


def test_a_quick_study_says_so_in_its_titles(quick):
    assert "quick: 100 events, 2 permutations" in quick.title("Sensorless")


def test_a_quick_study_does_not_replace_the_files_of_a_real_one(quick, tmp_path):
    reproduce(quick, ["table2"], lambda text: None)
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"table2-quick.txt", "table2-quick.csv", "table2-quick.json"} <= names
    assert not any(name.startswith("table2.") for name in names)


def test_a_quick_table_says_so(quick, tmp_path):
    reproduce(quick, ["table2"], lambda text: None)
    text = (tmp_path / "results" / "table2-quick.txt").read_text()
    assert text.count("quick, not for comparison with the paper") == 2
    assert not re.search(r"[+-][0-9.]+ sd", text)


def test_the_plain_score_of_a_quick_table_counts_the_events_that_were_met(quick):
    """The empty positives are six in all; how many are met depends on the order."""
    paper = quick.fixed("Sensorless", COST)
    plan = dataclasses.replace(paper.plan, paper_accounting=False, tuning=None)
    plan = dataclasses.replace(plan, parameters=paper.parameters)
    plain = compare(quick.stream("Sensorless"), plan)
    for method in ("CSOAL", "OA3"):
        found = tables.without_paper_accounting(paper, method)
        assert [each.tolist() for each in found] == [each.tolist() for each in plain.counts(method)]


def test_a_quick_study_of_many_features_takes_few_events(small, tmp_path):
    """A run of the slowest method takes half a second or so."""
    X, y = events(2000, 1600, seed=4)
    write_npz(tmp_path / "iad.npz", X, y)
    study = Study(tmp_path / "results", ["IAD"], str(tmp_path), quick=True)
    slowest = max(method.seconds(study.stream("IAD"), 1) for method in METHODS.values())
    assert study.events("IAD") == round(0.5 / slowest) < 2000


def test_one_damaged_entry_of_tuned_parameters_costs_no_other(tmp_path):
    tuned = TunedParameters(tmp_path / "tuned.json")
    tuned.add("sound", {"CSOAL": {"delta": 1.0, "eta": 0.1}})
    content = json.loads(tuned.path.read_text()) | {"gone": {"NoSuchMethod": {}}, "odd": 5}
    tuned.path.write_text(json.dumps(content))
    tuned.add("later", {"CSOAL": {"delta": 2.0, "eta": 0.2}})
    assert list(tuned.read()) == ["sound", "later"]

"""`python -m notebooks.paper`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil

import pytest
from commands import Recorded, Small, events, paper_command, write_npz
from paper.command import parser
from paper.experiment import Experiment
from paper.published import BUDGETS, PUBLISHED
from paper.registry import EXPERIMENTS

from river_oa3 import datasets
from river_oa3.experiments import comparison, runner
from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.tasks import TUNING

TITLES = {
    "protein": "protein (a 16 % part of protein)",
    "Sensorless": "Sensorless (a 3.8 % sample of Sensorless)",
    "KDDCUP08": "KDDCUP08 (KDD Cup 2004 protein homology in place of KDDCUP08)",
}
TABLES = [(name, metric) for name in TITLES for metric in ("sum", "cost")]
each_table = pytest.mark.parametrize(("name", "metric"), TABLES)


def section(text, name, metric):
    """The part of the text about one data set and metric."""
    start = text.index(f'"{metric}" on {TITLES[name]}')
    end = text.find('" on ', start + 10)
    return text[start : end if end > 0 else None]


def test_reproduce_succeeds(table2):
    assert (table2.code, table2.err) == (0, "")


def test_the_table_is_written_as_text_csv_and_json(table2):
    assert table2.files == [
        *("runs.jsonl", "table2.csv", "table2.json", "table2.txt", "tuned.json")
    ]


@each_table
def test_a_part_is_named_as_such_in_the_title_of_its_table(table2, name, metric):
    text = (table2.folder / "table2.txt").read_text()
    assert text.count(f'"{metric}" on {TITLES[name]}') == 1


def test_a_part_is_named_as_such_in_every_line_of_the_csv(table2):
    with (table2.folder / "table2.csv").open(newline="") as file:
        assert {row["data"] for row in csv.DictReader(file)} == set(TITLES.values())


def test_a_part_is_named_as_such_in_the_json(table2):
    for name, content in json.loads((table2.folder / "table2.json").read_text()).items():
        data = content["data"]
        assert f"{data['name']} ({data['note']})" == TITLES[name.split("/")[0]]


def test_no_difference_in_deviations_is_claimed_for_a_part(table2):
    assert not re.search(r"[+-][0-9.]+ sd", table2.out)
    with (table2.folder / "table2.csv").open(newline="") as file:
        assert {row["difference"] for row in csv.DictReader(file)} == {""}


@each_table
def test_the_papers_score_stands_beside_every_method_that_it_tables(table2, name, metric):
    digits = 3 if metric == "sum" else 2
    text = section(table2.out, name, metric)
    for method, row in PUBLISHED[name][metric].items():
        (line,) = [line for line in text.splitlines() if re.match(rf"{method} +\d", line)]
        assert f" {row.score.mean:.{digits}f} +- {row.score.deviation:.{digits}f}" in line


@each_table
def test_every_method_has_a_line_beside_the_paper(table2, name, metric):
    text = section(table2.out, name, metric)
    assert re.findall(r"^([A-Z][\w-]+) +\d", text, re.MULTILINE) == list(METHODS)


@each_table
def test_the_conclusions_of_the_paper_are_checked(table2, name, metric):
    text = section(table2.out, name, metric)
    for start in (
        "order here: ",
        "order there: ",
        "second order over first order: ",
        "OA3 and its versions over all rivals: ",
        "sketches against full OA3: ",
    ):
        assert f"\n{start}" in text


def test_the_text_file_is_what_is_printed(table2):
    text = (table2.folder / "table2.txt").read_text()
    assert text.strip() in table2.out


def test_a_data_set_that_is_not_there_is_named_with_the_way_to_get_it(table2):
    (line,) = [line for line in table2.out.splitlines() if line.startswith("left out")]
    assert line.startswith("left out w8a: w8a is not in")
    assert "--download" in line


def test_the_accounting_is_the_papers_by_default(table2):
    assert table2.out.count("accounting of the paper: all 6 events") == len(TABLES)


def test_the_accounting_can_be_plain(small, parts, tmp_path):
    options = ("--data-dir", parts, "--sets", "protein", "--permutations", 1)
    ended = paper_command(tmp_path, "table2", *options, "--no-paper-accounting")
    assert "accounting of the paper" not in ended.out


def test_the_budget_of_a_part_is_the_papers_share(table2):
    for name, content in json.loads((table2.folder / "table2.json").read_text()).items():
        data_set = name.split("/")[0]
        share = BUDGETS["fixed"][data_set] / datasets.paper.SETS[data_set].rows
        assert content["plan"]["budget"] == round(share * content["data"]["events"])


def test_tuned_parameters_are_kept(table2):
    kept = json.loads((table2.folder / "tuned.json").read_text())
    content = json.loads((table2.folder / "table2.json").read_text())
    found = [
        {method: each["parameters"] for method, each in one["methods"].items()}
        for one in content.values()
    ]
    assert list(kept.values()) == found


def test_real_processes_give_the_same_table(table2, parts, tmp_path, monkeypatch):
    Small(monkeypatch, processes=True)
    shutil.copy(table2.folder / "tuned.json", tmp_path)
    options = ("--data-dir", parts, "--sets", "protein", "--permutations", 2, "--jobs", 2)
    paper_command(tmp_path, "table2", *options)
    one, other = (
        json.loads((folder / "table2.json").read_text())["protein/sum"]["methods"]["OA3"]["runs"]
        for folder in (tmp_path, table2.folder)
    )
    assert one["sum"] == other["sum"]


def refuse(*arguments):
    raise AssertionError("tuned again")


@pytest.fixture
def remembered(small, table2, parts, tmp_path, monkeypatch):
    """The command in the folder of an earlier one, unable to tune."""
    shutil.copy(table2.folder / "tuned.json", tmp_path)
    monkeypatch.setattr(comparison, "tune", refuse)

    def run(*arguments):
        options = ("--data-dir", parts, "--permutations", 2, "--jobs", 1, "--sets", "protein")
        return paper_command(tmp_path, *options, "table2", *arguments)

    return run


def test_tuned_parameters_are_used_the_second_time(remembered, table2):
    assert (
        section(remembered().out, "protein", "sum").splitlines()[:3]
        == (section(table2.out, "protein", "sum").splitlines()[:3])
    )


def test_what_is_remembered_gives_the_same_numbers(remembered, table2):
    def runs(ended):
        content = json.loads((ended.folder / "table2.json").read_text())["protein/cost"]
        return {method: each["runs"]["cost"] for method, each in content["methods"].items()}

    assert runs(remembered()) == runs(table2)


def test_what_was_tuned_otherwise_is_not_used(remembered):
    ended = remembered("--seed", 1)
    assert ended.code == 3
    assert "AssertionError: tuned again" in ended.err


def test_how_empty_events_are_accounted_for_does_not_change_what_is_tuned(remembered):
    assert remembered("--no-paper-accounting").code == 0


def test_an_interrupted_reproduction_does_not_deny_what_is_written(
    remembered, monkeypatch, tmp_path
):
    class Stopped(Experiment):
        def run(self, study, name, say):
            raise KeyboardInterrupt

    monkeypatch.setitem(EXPERIMENTS, "fig1", Stopped("stopped"))
    ended = remembered("fig1")
    assert (ended.code, (tmp_path / "table2.csv").exists()) == (1, True)
    assert "before anything was finished" not in ended.err


# Interrupted, and again


class Impatient(Recorded):
    """A runner of somebody who presses Ctrl-C after so many runs."""

    left = 0

    def _run(self, *arguments):
        for found in super()._run(*arguments):
            if Impatient.left == 0:
                raise KeyboardInterrupt
            Impatient.left -= 1
            yield found


@pytest.fixture
def run_for(small, parts, tmp_path, monkeypatch):
    """The command, interrupted after so many runs."""

    def run(runs, *more):
        monkeypatch.setattr(runner, "ProcessRunner", Impatient)
        monkeypatch.setattr(Impatient, "left", runs)
        options = ("--data-dir", parts, "--permutations", 2, "--jobs", 1, "--sets", "protein")
        return paper_command(tmp_path / "results", "table2", *options, *more)

    return run


def runs_of(ended):
    content = json.loads((ended.folder / "table2.json").read_text())
    return {
        name: {
            method: {key: found for key, found in each["runs"].items() if key != "microseconds"}
            for method, each in one["methods"].items()
        }
        for name, one in content.items()
    }


def test_what_is_interrupted_often_ends_as_if_it_had_not_been(run_for, table2):
    n = 0
    while (ended := run_for(150)).code == 1:
        n += 1
    assert n > 3
    expected = runs_of(table2)
    assert runs_of(ended) == {name: expected[name] for name in ("protein/sum", "protein/cost")}


def test_nothing_is_run_twice_when_it_goes_on(run_for):
    while (ended := run_for(150)).code == 1:
        pass
    lines = (ended.folder / "runs.jsonl").read_text().split()
    keys = [json.loads(line)["key"] for line in lines]
    assert len(keys) == len(set(keys)) > 150


def test_what_is_finished_is_not_run_at_all(run_for, small):
    run_for(10**6)
    n = len(small.tasks)
    assert (run_for(0).code, len(small.tasks)) == (0, n)


def test_an_interrupt_says_what_is_kept_and_how_to_go_on(run_for):
    ended = run_for(150)
    assert "Traceback" not in ended.err
    assert re.search(r"interrupted; \d+ finished runs", ended.err)
    (line,) = [line for line in ended.err.splitlines() if line.startswith("  python -m ")]
    assert shlex.split(line)[:4] == ["python", "-m", "notebooks.paper", "table2"]
    parser().parse_args(shlex.split(line)[3:])


def test_an_interrupt_between_runs_prints_a_table_of_those_that_are_finished(run_for, small):
    run_for(10**6)
    tuned = len(small.tasks)
    again = run_for(15, "--seed", 1)
    assert (again.code, "INTERRUPTED" in again.out) == (1, False)
    ended = run_for(15, "--permutations", 4)
    assert len(small.tasks) > tuned
    assert "INTERRUPTED: 3 of 4 shuffles finished" in ended.out
    content = json.loads((ended.folder / "table2.json").read_text())
    assert content["protein/sum"]["complete"] is False


def test_the_estimate_comes_first(table2):
    assert re.match(r"about [\d,]+ runs, .* on 1 job\n", table2.out)


def test_quick_is_said_and_written_under_names_of_its_own(small, parts, tmp_path):
    options = ("--data-dir", parts, "--sets", "protein", "--jobs", 1, "--quick")
    ended = paper_command(tmp_path, "table2", *options)
    assert "table2-quick.txt" in ended.files
    assert ended.out.count('quick, not for comparison with the paper: "') == 2
    assert "over 3 shuffles" in ended.out


@pytest.mark.parametrize(
    ("text", "stages"),
    [("40", [40]), ("20,40,all", [20, 40, 90]), ("all", [90])],
)
def test_tuning_events_are_those_of_the_stages(small, parts, tmp_path, text, stages):
    options = ("--data-dir", parts, "--sets", "protein", "--permutations", 1, "--jobs", 1)
    paper_command(tmp_path, "table2", *options, "--tuning-events", text)
    parts_tuned = [t.part for t in small.tasks if t.part.permutation >= TUNING]
    assert list(dict.fromkeys(part.stop for part in parts_tuned)) == stages


def test_tuning_orders_are_those_of_the_finals(small, parts, tmp_path):
    options = ("--data-dir", parts, "--sets", "protein", "--permutations", 1, "--jobs", 1)
    paper_command(tmp_path, "table2", *options, "--tuning-orders", 6)
    orders = {task.part.permutation - TUNING for task in small.tasks}
    assert max(orders) == 5


# Bad input


BAD_REPRODUCTIONS = {
    "an unknown data set": (["--sets", "protein,mnist"], ["'mnist'", "w8a", "CIFAR-10"]),
    "a data set that is not there": (["--sets", "w8a"], ["w8a is not in", "--download"]),
    "no permutations": (["--permutations", "0"], ["--permutations", "1 or more"]),
    "no jobs": (["--jobs", "0"], ["--jobs", "1 or more"]),
    "a seed below zero": (["--seed", "-1"], ["--seed", "0 or more"]),
    "no events to tune on": (["--tuning-events", "0"], ["--tuning-events", "500,2000,all"]),
    "two stages of tuning": (["--tuning-events", "5,all"], ["--tuning-events", "'5,all'"]),
    "words for tuning events": (["--tuning-events", "some"], ["--tuning-events", "'some'"]),
    "no orders to tune in": (["--tuning-orders", "0"], ["--tuning-orders", "1 or more"]),
    "a folder without data": (["--data-dir", "no such folder"], ["no such folder", "--download"]),
}


@pytest.mark.parametrize("problem", BAD_REPRODUCTIONS)
def test_a_bad_reproduction_is_one_line_that_names_the_fix_and_leaves_nothing(
    small, parts, tmp_path, problem
):
    options, named = BAD_REPRODUCTIONS[problem]
    ended = paper_command(tmp_path / "results", "table2", "--data-dir", parts, *options)
    assert (ended.code, ended.files, ended.folder.exists()) == (2, [], False)
    (line,) = ended.err.splitlines()
    assert not [part for part in named if part not in line]


def test_an_unknown_experiment_ends_with_code_2(tmp_path):
    assert paper_command(tmp_path, "table9").code == 2


def test_a_part_of_the_wrong_size_under_the_name_of_the_whole_is_refused(small, tmp_path):
    write_npz(tmp_path / "w8a.npz", *events())
    ended = paper_command(tmp_path / "results", "table2", "--data-dir", tmp_path, "--sets", "w8a")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "64,700" in ended.err

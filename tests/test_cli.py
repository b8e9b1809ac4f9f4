"""The commands: what they print and write, what they refuse, and what they leave behind."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest
from commands import (
    Ended,
    Small,
    command,
    events,
    write_csv,
    write_libsvm,
    write_npz,
    write_parts,
)

from river_oa3 import datasets, metrics
from river_oa3.cli import _parser
from river_oa3.experiments import Plan, comparison, plots, replay
from river_oa3.experiments.lab import Lab
from river_oa3.experiments.methods import METHODS, Setting, build
from river_oa3.experiments.published import BUDGETS, PUBLISHED, SETS
from river_oa3.experiments.replaying import uniforms
from river_oa3.experiments.reproduce import EXPERIMENTS, reproduce
from river_oa3.experiments.running import TUNING, Part, order_of

SEED = 3
PERMUTATIONS = 3
BUDGET = 20
FIGURES = {  # in CSV and JSON: the head in the table, its digits, and which is best
    "sum": ("sum (%)", 2, max),
    "sensitivity": ("sensitivity (%)", 2, max),
    "specificity": ("specificity (%)", 2, max),
    "cost": ("cost", 1, min),
    "labels": ("labels", 0, None),
    "microseconds": ("us/event", 2, min),
}
QUICK = ("--permutations", 1, "--methods", "CSOAL,SSOA3", "--budget", 10, "--jobs", 1)


@pytest.fixture
def small(monkeypatch):
    return Small(monkeypatch)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    X, y = events()
    return write_libsvm(tmp_path_factory.mktemp("data") / "small.libsvm", X, np.where(y, 1, -1))


@pytest.fixture(scope="module")
def stream(data):
    return datasets.open_stream(data).unit_rows()


def all_methods(folder, data, jobs, *more):
    return command(
        folder,
        *("compare", data, "--jobs", jobs, "--seed", SEED),
        *("--permutations", PERMUTATIONS, "--budget", BUDGET, *more),
    )


@pytest.fixture(scope="module")
def compared(data, tmp_path_factory):
    """All methods on the small stream, in two processes."""
    return all_methods(tmp_path_factory.mktemp("compared") / "results", data, 2)


@pytest.fixture
def compare(small, data, tmp_path):
    """The command on the small stream and some quick methods, in this process."""

    def run(*arguments, folder="results"):
        return command(tmp_path / folder, "compare", data, *QUICK, *arguments)

    return run


# What compare prints and writes


def test_compare_succeeds(compared):
    assert (compared.code, compared.err) == (0, "")


def test_the_table_has_every_method_in_the_papers_order(compared):
    assert list(compared.table) == list(METHODS)


def test_nothing_but_the_table_and_the_picture_is_written(compared):
    stem = "compare-small"
    assert compared.files == [f"{stem}.{suffix}" for suffix in ("csv", "json", "png", "svg")]


def test_the_written_files_are_named_in_the_output(compared):
    (line,) = [line for line in compared.out.splitlines() if line.startswith("written:")]
    assert all(name in line for name in compared.files)


def test_the_csv_has_a_line_for_every_method(compared):
    assert list(compared.csv) == list(METHODS)


def test_the_json_has_every_setting_of_the_plan(compared):
    plan = compared.json["plan"]
    assert set(plan) == {field.name for field in dataclasses.fields(Plan)}
    assert (plan["budget"], plan["seed"], plan["permutations"]) == (BUDGET, SEED, PERMUTATIONS)


def test_the_json_says_what_the_methods_share(compared, stream):
    rho = stream.negatives / stream.positives
    setting = Setting(BUDGET, rho, probability=BUDGET / len(stream))
    assert compared.json["setting"] == dataclasses.asdict(setting)


def test_the_json_says_what_the_data_are(compared, stream):
    assert compared.json["data"] == {
        "name": "small",
        "note": "",
        "events": len(stream),
        "features": len(set(stream.X.indices.tolist())),
        "positives": stream.positives,
    }


def test_the_json_has_the_versions_of_everything_that_made_the_numbers(compared):
    assert {"river-oa3", "river", "numpy", "scipy", "python"} <= set(compared.json["versions"])


def test_the_json_is_complete(compared):
    assert compared.json["complete"] is True


def test_the_json_has_the_parameters_of_every_method(compared):
    found = {name: each["parameters"] for name, each in compared.json["methods"].items()}
    assert found == {name: method.parameters for name, method in METHODS.items()}


def test_the_json_has_a_value_for_every_permutation(compared):
    for each in compared.json["methods"].values():
        assert each["permutations"] == list(range(PERMUTATIONS))
        assert {len(values) for values in each["runs"].values()} == {PERMUTATIONS}


def test_the_curves_end_at_the_means_of_the_runs(compared):
    for each in compared.json["methods"].values():
        for key, curve in each["curve"].items():
            assert len(curve) == len(compared.json["ticks"])
            assert curve[-1] == pytest.approx(np.mean(each["runs"][key]))


def test_the_ticks_rise_to_the_last_event(compared, stream):
    ticks = compared.json["ticks"]
    assert ticks == sorted(set(ticks))
    assert ticks[-1] == len(stream)


def test_the_budget_is_exhausted_when_the_curve_of_labels_reaches_it(compared):
    content = compared.json
    for each in content["methods"].values():
        if None not in each["exhausted"]:
            at = content["ticks"].index(
                next(t for t in content["ticks"] if t >= max(each["exhausted"]))
            )
            assert each["curve"]["labels"][at] == BUDGET


def test_no_method_asks_for_more_than_the_budget(compared):
    for each in compared.json["methods"].values():
        assert max(each["runs"]["labels"]) <= BUDGET


def test_csv_and_json_agree(compared):
    for name, row in compared.csv.items():
        for key, values in compared.json["methods"][name]["runs"].items():
            assert float(row[key]) == pytest.approx(np.mean(values), abs=1e-12)
            deviation = float(row[f"{key}_deviation"])
            assert deviation == pytest.approx(np.std(values, ddof=1), abs=1e-12)


def test_table_and_csv_agree(compared):
    for name, cells in compared.table.items():
        for key, (head, digits, _) in FIGURES.items():
            mean, deviation = (
                float(compared.csv[name][each]) for each in (key, f"{key}_deviation")
            )
            assert cells[head].rstrip("*") == f"{mean:.{digits}f} +- {deviation:.{digits}f}"


@pytest.mark.parametrize("key", FIGURES)
def test_the_best_of_a_column_are_starred_and_no_others(compared, key):
    head, _, best = FIGURES[key]
    shown = {name: float(cells[head].split()[0]) for name, cells in compared.table.items()}
    starred = {name for name, cells in compared.table.items() if cells[head].endswith("*")}
    wanted = best and best(shown.values())
    assert starred == {name for name, value in shown.items() if value == wanted}


def test_there_is_no_escape_code_where_there_is_no_terminal(compared):
    assert "\x1b" not in compared.out


def test_the_output_says_what_was_compared(compared, stream):
    head = compared.out.split("\n\n")[0]
    for part in (f"{len(stream)} events", f"budget {BUDGET} labels", "3 permutations", "seed 3"):
        assert part in head


def test_the_png_is_a_png(compared):
    assert compared.path("png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_the_svg_is_an_svg(compared):
    root = xml.etree.ElementTree.parse(compared.path("svg")).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


# Repeatable


def test_one_process_gives_the_numbers_of_two(compared, data, tmp_path):
    assert all_methods(tmp_path, data, 1).results == compared.results


def test_the_same_seed_gives_the_same_numbers_again(small, compared, data, tmp_path):
    assert all_methods(tmp_path, data, 1).results == compared.results


def test_another_seed_gives_other_numbers(compare):
    one, other = (compare("--seed", seed, folder=seed) for seed in ("1", "2"))
    assert one.results["CSOAL"]["sum"] != other.results["CSOAL"]["sum"]


def test_the_choice_of_methods_does_not_change_a_number(small, compared, data, tmp_path):
    alone = all_methods(tmp_path, data, 1, "--methods", "SOA3")
    assert alone.results["SOA3"] == compared.results["SOA3"]


# The numbers are those of a replay, and of the loop over single events


def by_replay(stream, method, setting, number, order=None, **more):
    """The last counts of a method over a permutation, by `experiments.replay` alone."""
    if order is None:
        order = order_of(stream, Part(0, len(stream), number), SEED)
    model = build(method, setting, METHODS[method].parameters, SEED + number)
    numbers = uniforms(SEED * 2 * TUNING + number, len(order))
    return replay(model, stream, order, numbers, **more)


@pytest.mark.parametrize("method", METHODS)
def test_the_numbers_are_those_of_a_replay(compared, stream, method):
    setting = Setting(**compared.json["setting"])
    runs = compared.json["methods"][method]["runs"]
    for number in range(PERMUTATIONS):
        outcome = by_replay(stream, method, setting, number)
        positives, negatives = stream.positives, stream.negatives
        assert runs["sensitivity"][number] == 100 * outcome.true_positives[-1] / positives
        assert runs["specificity"][number] == 100 * outcome.true_negatives[-1] / negatives
        assert runs["labels"][number] == outcome.labels[-1]


@pytest.fixture(scope="module")
def by_hand(compared, stream):
    """The paper's two metrics of CSOAL, by the evaluator's loop over single events."""
    found = []
    setting = Setting(**compared.json["setting"])
    for number in range(PERMUTATIONS):
        model = build("CSOAL", setting, METHODS["CSOAL"].parameters, SEED * 2 * TUNING + number)
        scores = metrics.WeightedSum(), metrics.WeightedCost(), metrics.Sensitivity()
        for x, y in stream.events(order_of(stream, Part(0, len(stream), number), SEED)):
            label, ask = model.predict_one(x)
            for score in scores:
                score.update(y, label)
            if ask:
                model.learn_one(x, y)
        found.append([*(score.get() for score in scores), model.n_asked])
    return dict(
        zip(("sum", "cost", "sensitivity", "labels"), zip(*found, strict=True), strict=True)
    )


@pytest.mark.parametrize(
    ("key", "unit"), [("sum", 100), ("cost", 1), ("sensitivity", 100), ("labels", 1)]
)
def test_the_numbers_are_those_of_an_active_learner_and_the_metrics(compared, by_hand, key, unit):
    runs = compared.json["methods"]["CSOAL"]["runs"]
    assert runs[key] == pytest.approx([unit * value for value in by_hand[key]], rel=1e-12)


# The options


def test_the_default_is_all_methods_on_a_percent_of_shuttle():
    options = _parser().parse_args(["compare"])
    assert (options.data, options.budget, options.permutations) == ("Shuttle", "1%", 20)
    assert options.methods.split(",") == list(METHODS)


def test_shuttle_is_found_without_a_file(small, tmp_path):
    ended = command(tmp_path, "compare", *QUICK, "--budget", "1%", "--methods", "CSOAL")
    assert ended.json["data"]["name"] == "Shuttle"


def test_in_order_takes_the_events_once_as_they_came(compare, stream):
    ended = compare("--in-order", "--seed", SEED)
    setting = Setting(**ended.json["setting"])
    outcome = by_replay(stream, "CSOAL", setting, 0, order=np.arange(len(stream)))
    runs = ended.json["methods"]["CSOAL"]["runs"]
    assert runs["sensitivity"] == [100 * outcome.true_positives[-1] / stream.positives]


def test_in_order_is_said(compare):
    assert "in the order in which they came" in compare("--in-order").out


@pytest.mark.parametrize(("text", "labels"), [("7", 7), ("10%", 12), ("0.1%", 1), ("100%", 120)])
def test_a_budget_is_a_count_or_a_share(compare, text, labels):
    assert compare("--budget", text).json["plan"]["budget"] == labels


@pytest.mark.parametrize("costs", [(0.9, 0.1), (0.8, 0.2), (5, 10)])
def test_rho_is_the_ratio_of_the_costs(compare, costs):
    fn, fp = costs
    ended = compare("--metric", "cost", "--cost-fn", fn, "--cost-fp", fp)
    assert ended.json["setting"]["rho"] == pytest.approx(fn / fp)


def test_rho_follows_from_alpha_and_the_classes(compare, stream):
    rho = 0.8 * stream.negatives / (0.2 * stream.positives)
    assert compare("--alpha", 0.8).json["setting"]["rho"] == pytest.approx(rho)


def test_rho_can_be_given(compare):
    assert compare("--rho", 2.5).json["setting"]["rho"] == 2.5


def test_a_given_rho_changes_what_is_learned(compare):
    assert compare("--rho", 50, folder="a").results != compare(folder="b").results


def test_alpha_weighs_sensitivity_and_specificity(compare):
    runs = compare("--alpha", 0.8).json["methods"]["CSOAL"]["runs"]
    expected = 0.8 * runs["sensitivity"][0] + 0.2 * runs["specificity"][0]
    assert runs["sum"][0] == pytest.approx(expected)


def test_the_costs_weigh_the_mistakes(compare, stream):
    runs = compare("--cost-fn", 7, "--cost-fp", 2).json["methods"]["CSOAL"]["runs"]
    missed = (1 - runs["sensitivity"][0] / 100) * stream.positives
    alarms = (1 - runs["specificity"][0] / 100) * stream.negatives
    assert runs["cost"][0] == pytest.approx(7 * missed + 2 * alarms)


def test_methods_are_known_in_any_case_and_taken_once(compare):
    assert list(compare("--methods", "ssoa3, csoal,SSOA3").csv) == ["SSOA3", "CSOAL"]


def test_a_parameter_can_be_set(compare):
    ended = compare("--set", "ssoa3.eta=0.25", "--set", "SSOA3.delta_pos=4")
    parameters = ended.json["methods"]["SSOA3"]["parameters"]
    assert (parameters["eta"], parameters["delta_pos"]) == (0.25, 4.0)


def test_a_parameter_that_is_set_changes_what_is_learned(compare):
    changed, default = compare("--set", "CSOAL.delta=1e-5", folder="a"), compare(folder="b")
    assert changed.results["CSOAL"] != default.results["CSOAL"]


def test_a_parameter_that_is_set_leaves_other_methods_alone(compare):
    changed, default = compare("--set", "CSOAL.delta=1e-5", folder="a"), compare(folder="b")
    assert changed.results["SSOA3"] == default.results["SSOA3"]


def test_an_intercept_is_one_more_feature(compare, stream):
    features = len(set(stream.X.indices.tolist()))
    assert compare("--intercept").json["data"]["features"] == features + 1


def test_an_intercept_stands_in_every_row(small, data, tmp_path):
    ended = command(
        tmp_path, "compare", data, *QUICK, "--methods", "OA3-F", "--budget", "100%", "--intercept"
    )
    # Without it the empty rows are never asked about.
    assert ended.json["methods"]["OA3-F"]["runs"]["labels"] == [120]


def test_raw_rows_are_not_scaled(compare, data):
    ended = compare("--raw", "--seed", SEED)
    raw = datasets.open_stream(data)
    outcome = by_replay(raw, "CSOAL", Setting(**ended.json["setting"]), 0)
    runs = ended.json["methods"]["CSOAL"]["runs"]
    assert runs["sensitivity"] == [100 * outcome.true_positives[-1] / raw.positives]
    assert runs["specificity"] == [100 * outcome.true_negatives[-1] / raw.negatives]


def test_raw_rows_give_other_numbers(compare):
    assert compare("--raw", folder="a").results != compare(folder="b").results


def test_paper_accounting_misses_the_empty_positives(compare, stream):
    paper, plain = compare("--paper-accounting", folder="a"), compare(folder="b")
    found = [ended.json["methods"]["SSOA3"]["runs"]["sensitivity"][0] for ended in (paper, plain)]
    assert found[1] - found[0] == pytest.approx(100 * 2 / stream.positives)


def test_paper_accounting_is_said(compare):
    assert "all 6 events without features count as mistakes" in compare("--paper-accounting").out


def test_gamma_and_the_sketch_size_reach_the_methods(compare):
    setting = compare("--gamma", 0.5, "--sketch-size", 3).json["setting"]
    assert (setting["gamma"], setting["sketch_size"]) == (0.5, 3)


def test_without_matplotlib_everything_but_the_pictures_is_written(compare):
    assert not plots.available()
    assert compare().files == ["compare-small.csv", "compare-small.json"]


def test_without_matplotlib_there_is_a_hint(compare):
    assert not plots.available()
    assert "pip install 'river-oa3[plots]'" in compare().out


def test_with_matplotlib_there_is_no_hint(compared):
    assert "pip install" not in compared.out


def test_a_table_is_the_same_stream_as_text_of_libsvm(compare, small, tmp_path):
    X, y = events()
    path = write_csv(tmp_path / "small.csv", X, np.where(y, "bad", "good"), "verdict")
    ended = command(
        tmp_path / "csv", "compare", path, *QUICK, "--label", "verdict", "--positive", "bad"
    )
    assert ended.results["CSOAL"] == compare().results["CSOAL"]


def test_an_archive_is_the_same_stream_as_text_of_libsvm(compare, small, tmp_path):
    path = write_npz(tmp_path / "small.npz", *events())
    ended = command(tmp_path / "npz", "compare", path, *QUICK)
    assert ended.results["CSOAL"] == compare().results["CSOAL"]


def test_the_permutations_of_an_archive_are_the_first_that_are_used(small, tmp_path):
    X, y = events()
    orders = np.arange(len(y))[None, :]
    path = write_npz(tmp_path / "small.npz", X, y, permutations=orders)
    first = command(tmp_path / "a", "compare", path, *QUICK)
    in_order = command(tmp_path / "b", "compare", path, *QUICK, "--in-order")
    assert first.results["CSOAL"] == in_order.results["CSOAL"]


def test_a_stream_of_two_events_can_be_compared(monkeypatch, tmp_path):
    Small(monkeypatch, pictures=True)
    path = write_csv(tmp_path / "two.csv", np.eye(2), [1, 0])
    assert command(tmp_path / "out", "compare", path, "--budget", 1, "--permutations", 2).code == 0


def test_a_stream_of_empty_events_can_be_compared(small, tmp_path):
    path = write_csv(tmp_path / "empty.csv", np.zeros((5, 2)), [1, 0, 0, 0, 0])
    ended = command(tmp_path / "out", "compare", path, "--budget", 1, "--permutations", 2)
    assert (ended.code, ended.csv["OA3"]["sensitivity"]) == (0, "100.0")


# Tuning


def tasks_of(small, stream, is_tuning):
    """The rows of the replays that tuned, or of those that are reported."""
    tasks = [
        task
        for task in small.tasks
        if (task.part.permutation is not None and task.part.permutation >= TUNING) == is_tuning
    ]
    assert tasks
    return [order_of(stream, part, 0) for part in {task.part for task in tasks}]


def test_tuned_parameters_are_points_of_the_grid(compare):
    for each in compare("--tune").json["methods"].values():
        assert set(each["parameters"].values()) <= {0.1, 1.0, 10.0}


def test_tuned_parameters_are_printed(compare):
    ended = compare("--tune")
    for method, row in ended.csv.items():
        assert re.search(rf"^  {method} +{re.escape(row['parameters'])}$", ended.out, re.MULTILINE)


def test_tuned_parameters_are_those_that_are_replayed(compare, small):
    ended = compare("--tune")
    reported = {task.method: dict(task.parameters) for task in small.tasks[-2:]}
    assert reported == {name: each["parameters"] for name, each in ended.json["methods"].items()}


def test_tuning_and_report_have_no_permutation_in_common(compare, small, stream):
    compare("--tune", "--permutations", 4)
    tuned, reported = (tasks_of(small, stream, is_tuning) for is_tuning in (True, False))
    assert not {order.tobytes() for order in tuned} & {order.tobytes() for order in reported}


def test_tuning_on_permutations_reports_every_event(compare, stream):
    assert compare("--tune").json["ticks"][-1] == len(stream)


def test_tuning_on_a_prefix_reports_four_fifths_of_the_events(compare):
    assert compare("--tune-prefix").json["ticks"][-1] == 96


def test_tuning_on_a_prefix_takes_the_prefix_alone(compare, small, stream):
    compare("--tune-prefix")
    for order in tasks_of(small, stream, is_tuning=True):
        assert sorted(order) == list(range(24))


@pytest.mark.parametrize("more", [["--permutations", 3], ["--in-order"]])
def test_a_prefix_is_never_part_of_what_is_reported(compare, small, stream, more):
    compare("--tune-prefix", *more)
    for order in tasks_of(small, stream, is_tuning=False):
        assert sorted(order) == list(range(24, 120))


@pytest.mark.parametrize("where", ["permutations", "prefix"])
def test_where_parameters_come_from_is_said(compare, where):
    words = {"permutations": "other permutations", "prefix": "the first fifth of the stream"}
    assert words[where] in compare({"permutations": "--tune", "prefix": "--tune-prefix"}[where]).out


def test_tuning_can_be_cut_to_some_events(compare, small, stream):
    compare("--tune", "--tune-events", 30)
    assert {len(order) for order in tasks_of(small, stream, is_tuning=True)} == {30}


def test_tuning_asks_about_as_large_a_share_as_the_report(compare, small):
    compare("--tune", "--tune-events", 30, "--budget", 40)
    budgets = {task.setting.budget for task in small.tasks if task.part.permutation >= TUNING}
    assert budgets == {10}


def test_a_method_whose_parameters_are_set_is_not_tuned(compare, small):
    compare("--tune", "--set", "CSOAL.eta=0.5")
    assert {t.method for t in small.tasks if t.part.permutation >= TUNING} == {"SSOA3"}


def test_tuning_finds_parameters_at_least_as_good_as_the_grids_worst(small, data, tmp_path):
    """On 20 orders that tuning has not seen: tuned parameters beat some others by a distance."""
    options = ("compare", data, "--methods", "CSOAL", "--budget", 40, "--permutations", 20)
    tuned = command(tmp_path / "a", *options, "--tune")
    poor = command(tmp_path / "b", *options, "--set", "CSOAL.eta=1e5", "--set", "CSOAL.delta=1e-5")
    assert float(tuned.csv["CSOAL"]["sum"]) > float(poor.csv["CSOAL"]["sum"]) + 5


# Bad input


def three_classes(folder):
    X, _ = events(9)
    return write_csv(folder / "three.csv", X, ["a", "b", "c"] * 3)


def all_negative(folder):
    X, _ = events(9)
    return write_libsvm(folder / "negative.libsvm", X, [-1] * 9)


def with_nan(folder):
    X, y = events(9)
    X[3, 2] = np.nan
    return write_npz(folder / "nan.npz", X, y)


def with_intercept(folder):
    path = folder / "intercept.csv"
    path.write_text("intercept,label\n1,1\n1,0\n")
    return path


def good(folder):
    X, y = events(30)
    return write_csv(folder / "good.csv", X, y.astype(int))


# What is wrong: the data, the options, and what the message has to name.
BAD_COMPARISONS = {
    "a missing file": (lambda folder: folder / "nothing.csv", [], ["no such file", "nothing.csv"]),
    "a missing label column": (good, ["--label", "verdict"], ["'verdict'", "--label"]),
    "three classes": (three_classes, [], ["3 classes", "--positive"]),
    "a class that is not there": (three_classes, ["--positive", "d"], ["'d'", "--positive"]),
    "one class alone": (all_negative, [], ["one class", "longer part"]),
    "not a number": (with_nan, [], ["event 4", "nan", "fill it"]),
    "no budget": (good, ["--budget", "0"], ["--budget 0", "1 to 30"]),
    "no budget in percent": (good, ["--budget", "0%"], ["--budget 0%", "1 to 30"]),
    "a budget above the stream": (good, ["--budget", "31"], ["--budget 31", "1 to 30"]),
    "a budget above the part that is reported": (
        good,
        ["--budget", "25", "--tune-prefix"],
        ["25", "1 to 24"],
    ),
    "a budget of words": (good, ["--budget", "abc"], ["'abc'", "such as 1%"]),
    "a budget below zero": (good, ["--budget", "-3"], ["'-3'", "such as 1%"]),
    "a budget above all": (good, ["--budget", "150%"], ["150%", "up to 100%"]),
    "a budget of half a label": (good, ["--budget", "0.5"], ["0.5", "0.5%"]),
    "a budget beyond all numbers": (good, ["--budget", "1e999"], ["--budget", "1 to 30"]),
    "an unknown method": (good, ["--methods", "CSOAL,SVM"], ["'SVM'", *METHODS]),
    "no method": (good, ["--methods", ""], ["method", *METHODS]),
    "an unknown parameter": (good, ["--set", "CSOAL.C=1"], ["'C'", "delta, eta"]),
    "a parameter of an unknown method": (good, ["--set", "SVM.C=1"], ["'SVM'", *METHODS]),
    "a parameter without a value": (good, ["--set", "CSOAL.eta"], ["--set", "OA3.eta=0.5"]),
    "a parameter that is no number": (good, ["--set", "CSOAL.eta=x"], ["--set", "'x'", "number"]),
    "a parameter of zero": (good, ["--set", "CSOAL.eta=0"], ["CSOAL", "eta", "above 0"]),
    "alpha above one": (good, ["--alpha", "1.5"], ["--alpha", "between 0 and 1", "1.5"]),
    "a cost of zero": (good, ["--cost-fn", "0"], ["--cost-fn", "above 0"]),
    "no jobs": (good, ["--jobs", "0"], ["--jobs", "1 or more"]),
    "no permutations": (good, ["--permutations", "0"], ["--permutations", "1 or more"]),
    "a seed below zero": (good, ["--seed", "-1"], ["--seed", "0 or more"]),
    "a rho of zero": (good, ["--rho", "0"], ["rho", "above 0"]),
    "a gamma below zero": (good, ["--gamma", "-1"], ["gamma", "0 or above"]),
    "no rows of a sketch": (good, ["--sketch-size", "0"], ["sketch", "1 or more"]),
    "no events to tune on": (good, ["--tune", "--tune-events", "0"], ["--tune-events"]),
    "less than no events to tune on": (good, ["--tune", "--tune-events", "-5"], ["--tune-events"]),
    "a second intercept": (with_intercept, ["--intercept"], ["'intercept'", "do not add another"]),
}

each_bad_comparison = pytest.mark.parametrize("problem", BAD_COMPARISONS)


@pytest.fixture
def refused(small, tmp_path):
    def run(problem):
        make, options, parts = BAD_COMPARISONS[problem]
        folder = tmp_path / "results"
        # The last of an option counts.
        return command(folder, "compare", make(tmp_path), *QUICK, *options), parts

    return run


@each_bad_comparison
def test_bad_input_ends_with_code_2(refused, problem):
    assert refused(problem)[0].code == 2


@each_bad_comparison
def test_bad_input_is_one_line_that_names_the_fix(refused, problem):
    ended, parts = refused(problem)
    (line,) = ended.err.splitlines()
    assert line.startswith("river-oa3: ")
    for part in parts:
        assert part in line


@each_bad_comparison
def test_bad_input_prints_no_table(refused, problem):
    assert refused(problem)[0].out == ""


@each_bad_comparison
def test_bad_input_writes_nothing(refused, problem):
    assert refused(problem)[0].files == []


@each_bad_comparison
def test_bad_input_does_not_make_the_folder(refused, problem):
    assert not refused(problem)[0].folder.exists()


def test_a_bad_word_on_the_command_line_ends_with_code_2(small, tmp_path):
    ended = command(tmp_path / "results", "compare", "--metric", "accuracy")
    assert (ended.code, ended.folder.exists()) == (2, False)


def test_an_output_that_is_a_file_is_refused(small, data, tmp_path):
    path = tmp_path / "taken"
    path.write_text("mine")
    ended = command(path, "compare", data, *QUICK)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "choose another --output" in ended.err


def test_an_output_that_is_a_file_is_left_alone(small, data, tmp_path):
    path = tmp_path / "taken"
    path.write_text("mine")
    command(path, "compare", data, *QUICK)
    assert path.read_text() == "mine"


def test_an_output_that_is_a_file_is_refused_before_the_work(small, data, tmp_path):
    path = tmp_path / "taken"
    path.write_text("mine")
    command(path, "compare", data, *QUICK)
    assert small.tasks == []


def test_a_result_that_cannot_be_written_is_one_line(small, data, tmp_path):
    (tmp_path / "compare-small.csv").mkdir()
    ended = command(tmp_path, "compare", data, *QUICK)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)


def test_a_method_that_overflows_is_named_with_a_fix(small, tmp_path):
    path = write_csv(tmp_path / "huge.csv", np.full((9, 2), 1e160), [1, 0, 0] * 3)
    ended = command(tmp_path / "out", "compare", path, *QUICK, "--budget", 9, "--raw")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    for part in ("CSOAL overflows on huge", "scale the features"):
        assert part in ended.err


# Ctrl-C


class Terminal:
    """A command in a process group of its own, whose progress bar is watched."""

    def __init__(self, *arguments):
        import pty

        self._parent, child = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "river_oa3", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=child,
            start_new_session=True,
            text=True,
        )
        os.close(child)
        os.set_blocking(self._parent, False)
        self.err = ""

    def read(self):
        try:
            while part := os.read(self._parent, 4096):
                self.err += part.decode()
        except OSError:  # nothing more, for now or for ever
            pass

    def wait_for(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.err):
            assert time.monotonic() < end, self.err
            assert self.process.poll() is None, self.err
            time.sleep(0.01)
            self.read()

    def interrupt(self, folder):
        """Press Ctrl-C, which reaches the workers too, and wait for the end."""
        os.killpg(self.process.pid, signal.SIGINT)
        try:
            out, _ = self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, _ = self.process.communicate()
        self.read()
        return Ended(self.process.returncode, out, self.err, folder)

    def loading(self):
        """The workers that are at their imports."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = []
        for child in map(int, children.read_text().split()):
            with contextlib.suppress(OSError):
                if "_multiarray_umath" in Path(f"/proc/{child}/maps").read_text():
                    found.append(child)
        return found

    def is_gone(self, seconds=20):
        """Whether nothing of the process group is left, soon."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.05)
        return False

    def close(self):
        if not self.is_gone(0.01):
            os.killpg(self.process.pid, signal.SIGKILL)
        os.close(self._parent)


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="no terminals to watch")
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look into")


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A comparison of minutes, interrupted when the bar shows that a part is done."""
    folder = tmp_path_factory.mktemp("interrupted")
    X, y = events(1000)
    data = write_libsvm(folder / "long.libsvm", X, np.where(y, 1, -1))
    terminal = Terminal(
        *("compare", data, "--methods", "CSOAL,SSOA3", "--permutations", 20_000),
        *("--jobs", 2, "--output", folder / "results"),
    )
    try:
        terminal.wait_for(r"replaying long \[.*\] +[1-9]\d*%")
        return terminal.interrupt(folder / "results"), terminal.is_gone()
    finally:
        terminal.close()


@needs_terminal
def test_an_interrupt_ends_with_code_1(interrupted):
    assert interrupted[0].code == 1


@needs_terminal
def test_an_interrupt_leaves_no_process_behind(interrupted):
    assert interrupted[1]


@needs_terminal
def test_an_interrupt_shows_no_traceback(interrupted):
    assert "Traceback" not in interrupted[0].err


@needs_terminal
def test_what_is_finished_is_printed_and_marked(interrupted):
    assert re.search(r"^INTERRUPTED: [1-9]\d* of 20000", interrupted[0].out, re.MULTILINE)


@needs_terminal
def test_the_table_of_what_is_finished_has_the_methods(interrupted):
    assert list(interrupted[0].table) == ["CSOAL", "SSOA3"]


@needs_terminal
def test_the_json_of_what_is_finished_says_that_it_is_not_complete(interrupted):
    assert interrupted[0].json["complete"] is False


@needs_terminal
def test_csv_and_json_have_what_is_finished(interrupted):
    ended = interrupted[0]
    for method, row in ended.csv.items():
        sums = ended.json["methods"][method]["runs"]["sum"]
        assert 0 < len(sums) == int(row["permutations"]) < 20_000
        assert float(row["sum"]) == pytest.approx(np.mean(sums))


@needs_terminal
def test_the_bar_says_how_much_time_is_left(interrupted):
    assert re.search(r"% *, \d+:\d\d left", interrupted[0].err)


@pytest.fixture(scope="module")
def interrupted_early(data, tmp_path_factory):
    """Interrupted while the workers start."""
    folder = tmp_path_factory.mktemp("early") / "results"
    terminal = Terminal("compare", data, "--jobs", 2, "--output", folder)
    try:
        end = time.monotonic() + 60
        while not (workers := terminal.loading()):
            assert time.monotonic() < end
            time.sleep(0.01)
        # Ctrl-C reaches all at once; who is first to act on it is chance, so let it be the workers.
        for worker in workers:
            os.kill(worker, signal.SIGINT)
        time.sleep(0.2)
        return terminal.interrupt(folder), terminal.is_gone()
    finally:
        terminal.close()


@needs_proc
def test_an_early_interrupt_says_that_nothing_is_finished(interrupted_early):
    ended, is_gone = interrupted_early
    assert (ended.code, is_gone) == (1, True)
    assert "interrupted before anything was finished" in ended.err


@needs_proc
def test_an_early_interrupt_writes_nothing(interrupted_early):
    assert interrupted_early[0].files == []


@needs_proc
def test_an_early_interrupt_shows_no_traceback(interrupted_early):
    assert "Traceback" not in interrupted_early[0].err


# reproduce: what it prints and writes


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def table2(parts, tmp_path_factory):
    """The main table on parts of three of its data sets, the small way."""
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        folder = tmp_path_factory.mktemp("table2") / "results"
        return command(
            folder, "reproduce", "table2", "--data-dir", parts, "--permutations", 2, "--jobs", 1
        )


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
    assert table2.files == ["table2.csv", "table2.json", "table2.txt", "tuned.json"]


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
    ended = command(tmp_path, "reproduce", "table2", *options, "--no-paper-accounting")
    assert "accounting of the paper" not in ended.out


def test_the_budget_of_a_part_is_the_papers_share(table2):
    for name, content in json.loads((table2.folder / "table2.json").read_text()).items():
        data_set = name.split("/")[0]
        share = BUDGETS["fixed"][data_set] / SETS[data_set].examples
        assert content["plan"]["budget"] == round(share * content["data"]["events"])


def test_tuned_parameters_are_kept(table2):
    kept = json.loads((table2.folder / "tuned.json").read_text())
    content = json.loads((table2.folder / "table2.json").read_text())
    found = [
        {method: each["parameters"] for method, each in one["methods"].items()}
        for one in content.values()
    ]
    assert list(kept.values()) == found


def test_real_processes_give_the_same_table(table2, parts, tmp_path):
    shutil.copy(table2.folder / "tuned.json", tmp_path)
    options = ("--data-dir", parts, "--sets", "protein", "--permutations", 2, "--jobs", 1)
    command(tmp_path, "reproduce", "table2", *options)
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
        return command(tmp_path, "reproduce", *options, "table2", *arguments)

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
    with pytest.raises(AssertionError, match="tuned again"):
        remembered("--seed", 1)


def test_how_empty_events_are_accounted_for_does_not_change_what_is_tuned(remembered):
    assert remembered("--no-paper-accounting").code == 0


def test_an_interrupted_reproduction_does_not_deny_what_is_written(
    remembered, monkeypatch, tmp_path
):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setitem(EXPERIMENTS, "fig1", dataclasses.replace(EXPERIMENTS["fig1"], run=stop))
    ended = remembered("fig1")
    assert (ended.code, (tmp_path / "table2.csv").exists()) == (1, True)
    assert "before anything was finished" not in ended.err


# Every experiment


@pytest.fixture(scope="module")
def everything(parts, table2, tmp_path_factory):
    """A folder, and what each experiment wrote to it on two data sets."""
    folder = tmp_path_factory.mktemp("everything")
    shutil.copy(table2.folder / "tuned.json", folder)
    said = {}
    with pytest.MonkeyPatch.context() as patch:
        Small(patch, pictures=True)
        with Lab(folder, ["protein", "IAD"], str(parts), permutations=2) as lab:
            for name in EXPERIMENTS:
                lines = []
                said[name] = reproduce(lab, [name], lines.append), "\n".join(lines)
    return said


each_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


@each_experiment
def test_every_experiment_writes_files_under_its_name(everything, name):
    paths, _ = everything[name]
    assert paths
    assert all(path.name.startswith(name) and path.stat().st_size for path in paths)


@each_experiment
def test_every_experiment_writes_a_table_with_a_line_below_its_head(everything, name):
    paths, _ = everything[name]
    tables = [path for path in paths if path.suffix == ".csv"]
    assert tables
    for path in tables:
        with path.open(newline="") as file:
            head, *rows = csv.reader(file)
        assert rows
        assert {len(row) for row in rows} == {len(head)}


@each_experiment
def test_every_experiment_says_that_its_data_are_a_part(everything, name):
    _, text = everything[name]
    assert "a 16 % part of protein" in text or "all 3,279 rows of IAD" in text


@each_experiment
def test_every_line_of_every_csv_says_that_its_data_are_a_part(everything, name):
    for path in everything[name][0]:
        if path.suffix == ".csv":
            with path.open(newline="") as file:
                _, *rows = csv.reader(file)
            assert all("part of protein" in row[0] or "rows of IAD" in row[0] for row in rows)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name.startswith("fig")])
def test_every_figure_is_a_picture_of_both_kinds(everything, name):
    paths, _ = everything[name]
    pngs, svgs = ([path for path in paths if path.suffix == each] for each in (".png", ".svg"))
    assert len(pngs) == len(svgs) > 0
    assert all(path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n") for path in pngs)
    for path in svgs:
        xml.etree.ElementTree.parse(path)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name.startswith("fig")])
def test_every_picture_says_that_its_data_are_a_part(everything, name):
    for path in everything[name][0]:
        if path.suffix == ".svg":
            # Text is drawn, and stands in comments.
            text = path.read_text()
            assert "part of protein" in text or "rows of IAD" in text


def test_the_files_of_experiments_have_names_of_their_own(everything):
    names = [path.name for paths, _ in everything.values() for path in paths]
    assert len(names) == len(set(names))


def test_nothing_half_written_is_left(everything):
    folder = next(iter(everything.values()))[0][0].parent
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("name", ["table2", "fig1", "fig3", "fig5", "figC4", "figC5"])
def test_an_experiment_on_none_of_its_data_sets_writes_nothing(monkeypatch, parts, tmp_path, name):
    Small(monkeypatch, pictures=True)
    options = ("--data-dir", parts, "--sets", "IAD", "--permutations", 1)
    assert command(tmp_path, "reproduce", name, *options).files == []


@pytest.mark.parametrize("chosen", [[], ["--sets", "protein"]])
def test_experiments_go_on_after_one_whose_data_sets_are_not_there(
    monkeypatch, table2, tmp_path, parts, chosen
):
    Small(monkeypatch, pictures=True)
    folder = tmp_path / "results"
    folder.mkdir()
    shutil.copy(table2.folder / "tuned.json", folder)
    shutil.copy(parts / "protein_val.npz", tmp_path)
    options = ("--data-dir", tmp_path, "--permutations", 1, *chosen)
    assert "fig1.csv" in command(folder, "reproduce", "figC6", "fig1", *options).files


# compare on one of the paper's data sets


@pytest.fixture
def on_a_part(small, parts, tmp_path):
    return command(tmp_path, "compare", "Protein", "--data-dir", parts, *QUICK)


def test_a_comparison_on_a_part_says_so(on_a_part):
    assert on_a_part.out.startswith(f"{TITLES['protein']}: 90 events")


def test_the_csv_of_a_comparison_on_a_part_says_so(on_a_part):
    assert {row["data"] for row in on_a_part.csv.values()} == {TITLES["protein"]}


def test_the_json_of_a_comparison_on_a_part_says_so(on_a_part):
    assert on_a_part.json["data"]["note"] == "a 16 % part of protein"


# Bad input for reproduce

BAD_REPRODUCTIONS = {
    "an unknown data set": (["--sets", "protein,mnist"], ["'mnist'", "w8a", "CIFAR-10"]),
    "a data set that is not there": (["--sets", "w8a"], ["w8a is not in", "--download"]),
    "no permutations": (["--permutations", "0"], ["--permutations", "1 or more"]),
    "no jobs": (["--jobs", "0"], ["--jobs", "1 or more"]),
    "a seed below zero": (["--seed", "-1"], ["--seed", "0 or more"]),
    "a folder without data": (["--data-dir", "no such folder"], ["no such folder", "--download"]),
}
each_bad_reproduction = pytest.mark.parametrize("problem", BAD_REPRODUCTIONS)


@pytest.fixture
def not_reproduced(small, parts, tmp_path):
    def run(problem):
        options, named = BAD_REPRODUCTIONS[problem]
        folder = tmp_path / "results"
        return command(folder, "reproduce", "table2", "--data-dir", parts, *options), named

    return run


@each_bad_reproduction
def test_a_bad_reproduction_ends_with_code_2(not_reproduced, problem):
    assert not_reproduced(problem)[0].code == 2


@each_bad_reproduction
def test_a_bad_reproduction_is_one_line_that_names_the_fix(not_reproduced, problem):
    ended, named = not_reproduced(problem)
    (line,) = ended.err.splitlines()
    for part in named:
        assert part in line


@each_bad_reproduction
def test_a_bad_reproduction_writes_nothing(not_reproduced, problem):
    assert not_reproduced(problem)[0].files == []


@each_bad_reproduction
def test_a_bad_reproduction_does_not_make_the_folder(not_reproduced, problem):
    assert not not_reproduced(problem)[0].folder.exists()


def test_an_unknown_experiment_ends_with_code_2(tmp_path):
    assert command(tmp_path, "reproduce", "table9").code == 2


def test_a_part_of_the_wrong_size_under_the_name_of_the_whole_is_refused(small, tmp_path):
    write_npz(tmp_path / "w8a.npz", *events())
    ended = command(
        tmp_path / "results", "reproduce", "table2", "--data-dir", tmp_path, "--sets", "w8a"
    )
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "64,700" in ended.err

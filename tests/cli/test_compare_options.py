"""`river-oa3 compare`: its options, and where its parameters come from."""

from __future__ import annotations

import argparse
import re
import sys

import numpy as np
import pytest
from commands import QUICK, SEED, Small, by_replay, command, events, write_csv, write_npz

from river_oa3 import datasets
from river_oa3.cli import parser
from river_oa3.commands.compare import add_arguments
from river_oa3.datasets.paper_rows import rows_for_paper
from river_oa3.experiments.methods import Setting
from river_oa3.experiments.output import plots
from river_oa3.experiments.tasks import TUNING, order_of


@pytest.fixture
def arguments():
    """The command's own parser, with its options."""
    found = argparse.ArgumentParser()
    add_arguments(found)
    return found


def test_the_help_has_groups_of_options_and_those_for_the_paper_come_last(arguments):
    heads = re.findall(r"^([a-z' ]+):$", arguments.format_help(), re.MULTILINE)
    groups = ["data", "budget and goal", "order", "methods", "for the paper's protocol"]
    assert heads == ["options", *groups]


def test_the_help_names_every_default(arguments):
    silent = [
        action.dest
        for group in arguments._action_groups
        for action in group._group_actions
        if action.default not in (None, False, [], argparse.SUPPRESS)
        and "default:" not in action.help
    ]
    assert silent == []


def test_the_default_is_all_methods_on_a_percent_of_shuttle():
    options = parser().parse_args(["compare"])
    assert (options.data, options.budget) == ("Shuttle", "1%")
    # Both follow from how long they take.
    assert (options.methods, options.shuffle) == (None, None)


def test_shuttle_is_found_without_a_file(small, tmp_path):
    ended = command(tmp_path, "compare", *QUICK, "--budget", "1%", "--methods", "CSOAL")
    assert ended.json["data"]["name"] == "Shuttle"


def test_in_order_takes_windows_of_the_events_as_they_came(compare, stream):
    ended = compare("--in-order", "--seed", SEED)
    setting = Setting(**ended.json["setting"])
    runs = ended.json["methods"]["CSOAL"]["runs"]["sensitivity"]
    assert len(runs) == 20
    for number, start in ((0, 0), (19, 24)):
        rows = np.arange(start, start + 96)
        outcome = by_replay(stream, "CSOAL", setting, number, order=rows)
        assert runs[number] == 100 * outcome.true_positives[-1] / stream.y[rows].sum()


def test_in_order_is_said(compare):
    assert "in the order in which they came" in compare("--in-order").out


@pytest.mark.parametrize(
    ("text", "labels"),
    [("7", 7), ("10%", 12), ("0.1%", 1), ("100%", 120), ("0.1", 12), (".5", 60), ("5 percent", 6)],
)
def test_a_budget_is_a_count_or_a_share(compare, text, labels):
    assert compare("--budget", text).json["plan"]["budget"] == labels


def test_a_budget_below_one_is_said_to_be_a_share(compare):
    said = "WARNING: --budget 0.1 is taken as a share, 10% of 120 events: 12 labels\n"
    assert said in compare("--budget", "0.1").out
    assert "taken as a share" not in compare("--budget", "10%").out


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


def test_paper_accounting_misses_the_empty_positives_on_the_papers_rows(compare, data):
    ended = compare("--paper-accounting", "--seed", SEED)
    stream, setting = datasets.open_stream(data).unit_rows(), Setting(**ended.json["setting"])
    found = [
        by_replay(stream, "SSOA3", setting, 0, paper_accounting=each).true_positives[-1]
        for each in (True, False)
    ]
    assert found[1] - found[0] == 2
    runs = ended.json["methods"]["SSOA3"]["runs"]
    assert runs["sensitivity"] == [100 * found[0] / stream.positives]


def test_paper_accounting_is_said(compare):
    assert "all 6 events without features count as mistakes" in compare("--paper-accounting").out


def test_gamma_and_the_sketch_size_reach_the_methods(compare):
    setting = compare("--gamma", 0.5, "--sketch-size", 3).json["setting"]
    assert (setting["gamma"], setting["sketch_size"]) == (0.5, 3)


def test_without_matplotlib_everything_but_the_pictures_is_written(compare):
    assert not plots.available()
    tables = [f"compare-small.{suffix}" for suffix in ("csv", "html", "json")]
    assert compare().files == [*tables, "model.oa3", "model.py"]


def test_without_matplotlib_there_is_a_hint(compare):
    assert not plots.available()
    assert "pip install 'river-oa3[plots]'" in compare().out


def test_without_jinja2_everything_but_the_page_is_written_and_there_is_a_hint(
    compare, monkeypatch
):
    monkeypatch.setitem(sys.modules, "jinja2", None)  # which an import takes for missing
    ended = compare()
    assert (ended.code, [name for name in ended.files if name.endswith(".html")]) == (0, [])
    assert {"compare-small.csv", "compare-small.json", "model.oa3"} <= {*ended.files}
    assert "for the page, install jinja2: pip install 'river-oa3[plots]'" in ended.out


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
    found = command(tmp_path / "a", "compare", path, *QUICK, "--seed", SEED).json
    stream, setting = rows_for_paper(datasets.open_stream(path)), Setting(**found["setting"])
    outcome = by_replay(stream, "CSOAL", setting, 0, order=np.arange(len(y)))
    sensitivity = found["methods"]["CSOAL"]["runs"]["sensitivity"]
    assert sensitivity == [100 * outcome.true_positives[-1] / stream.positives]


def test_orders_that_an_archive_brings_are_played_unless_others_are_asked_for(small, tmp_path):
    X, y = events()
    path = write_npz(tmp_path / "small.npz", X, y, permutations=np.arange(len(y))[None, :])
    ended = command(tmp_path / "a", "compare", path, *QUICK[2:])
    assert "Events are shuffled: the file brings shuffles of its own" in ended.out


def test_a_stream_of_two_events_can_be_compared(monkeypatch, tmp_path):
    Small(monkeypatch, pictures=True)
    path = write_csv(tmp_path / "two.csv", np.eye(2), [1, 0])
    assert command(tmp_path / "out", "compare", path, "--budget", 1, "--permutations", 2).code == 0


def test_a_stream_of_empty_events_can_be_compared(small, tmp_path):
    path = tmp_path / "empty.libsvm"
    path.write_text("1\n0\n0\n0\n0\n")
    ended = command(tmp_path / "out", "compare", path, "--budget", 1, "--permutations", 2)
    assert (ended.code, ended.csv["OA3"]["sensitivity"]) == (0, "100.0")


# Tuning


def tasks_of(small, stream, is_tuning):
    """The rows of the replays that tuned, or of those that are reported."""
    tasks = [task for task in small.tasks if (task.part.number >= TUNING) == is_tuning]
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
    last = [task for task in small.tasks if task.part.permutation == 0 and task.method in QUICK[3]]
    reported = {task.method: dict(task.parameters) for task in last}
    assert reported == {name: each["parameters"] for name, each in ended.json["methods"].items()}


def test_tuning_and_report_have_no_permutation_in_common(compare, small, stream):
    compare("--tune", "--permutations", 4)
    tuned, reported = (tasks_of(small, stream, is_tuning) for is_tuning in (True, False))
    assert not {order.tobytes() for order in tuned} & {order.tobytes() for order in reported}


def test_tuning_on_permutations_reports_every_event(compare, stream):
    assert compare("--tune").json["checkpoints"][-1] == len(stream)


def test_tuning_on_a_prefix_reports_four_fifths_of_the_events(compare):
    assert compare("--tune-prefix").json["checkpoints"][-1] == 96


def test_tuning_on_a_prefix_takes_the_prefix_alone(compare, small, stream):
    compare("--tune-prefix")
    for order in tasks_of(small, stream, is_tuning=True):
        assert sorted(order) == list(range(24))


@pytest.mark.parametrize("more", [["--permutations", 3], ["--in-order"]])
def test_a_prefix_is_never_part_of_what_is_reported(compare, small, stream, more):
    compare("--tune-prefix", *more)
    rows = {row for order in tasks_of(small, stream, is_tuning=False) for row in order.tolist()}
    assert rows == set(range(24, 120))


def test_tuning_in_order_uses_the_prefix_as_it_came_with_other_random_numbers(
    compare, small, stream
):
    ended = compare("--tune-prefix", "--in-order")
    for order in tasks_of(small, stream, is_tuning=True):
        assert order.tolist() == list(range(24))
    assert ended.code == 0


@pytest.mark.parametrize("where", ["permutations", "prefix"])
def test_where_parameters_come_from_is_said(compare, where):
    words = {"permutations": "other shuffles", "prefix": "the first fifth of the stream"}
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

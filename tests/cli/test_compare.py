"""`river-oa3 compare`: what it prints and writes, and that its numbers are right."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree

import numpy as np
import pytest
from commands import BUDGET, PERMUTATIONS, QUICK, SEED, all_methods, by_replay, command

from river_oa3 import datasets, metrics
from river_oa3.experiments import Plan
from river_oa3.experiments.methods import AUTO, METHODS, Setting, build
from river_oa3.experiments.tasks import TUNING, Part, order_of

FIGURES = {  # in CSV and JSON: the head in the table, its digits, and which is best
    "sum": ("balanced accuracy (%)", 2, max),
    "sensitivity": ("sensitivity (%)", 2, max),
    "specificity": ("specificity (%)", 2, max),
    "cost": ("cost", 1, min),
    "labels": ("labels", 0, None),
    "microseconds": ("us/event", 2, min),
}


def test_compare_succeeds(compared):
    assert (compared.code, compared.err) == (0, "")


def test_the_table_has_auto_first_and_then_every_method_in_the_papers_order(compared):
    assert list(compared.table) == [AUTO, *METHODS]


def test_tables_pictures_the_page_and_the_model_are_written_and_nothing_else(compared):
    stem = "compare-small"
    pictures = [f"{stem}-labels.png", f"{stem}-labels.svg", f"{stem}.png", f"{stem}.svg"]
    tables = [f"{stem}.csv", f"{stem}.html", f"{stem}.json"]
    assert compared.files == sorted([*pictures, *tables, "model.oa3", "model.py"])


def test_the_written_files_are_named_in_the_output(compared):
    (line,) = [line for line in compared.out.splitlines() if line.startswith("written:")]
    assert all(name in line for name in compared.files)


def test_the_csv_has_a_line_for_every_method(compared):
    assert list(compared.csv) == [AUTO, *METHODS]


def test_the_json_has_every_setting_of_the_plan(compared):
    plan = compared.json["plan"]
    assert set(plan) == {field.name for field in dataclasses.fields(Plan)}
    assert (plan["budget"], plan["seed"], plan["permutations"]) == (BUDGET, SEED, PERMUTATIONS)


def test_the_json_says_what_the_methods_share(compared, stream):
    rho = stream.negatives / stream.positives
    setting = Setting(BUDGET, rho, probability=BUDGET / len(stream))
    assert compared.json["setting"] == dataclasses.asdict(setting)


def test_the_json_says_what_the_data_are(compared, stream, data):
    assert compared.json["data"] == {
        "name": "small",
        "note": "",
        "events": len(stream),
        "features": datasets.open_stream(data).n_features,
        "positives": stream.positives,
    }


def test_the_json_has_the_versions_of_everything_that_made_the_numbers(compared):
    assert {"river-oa3", "river", "numpy", "scipy", "python"} <= set(compared.json["versions"])


def test_the_json_is_complete(compared):
    assert compared.json["complete"] is True


def test_the_json_has_the_parameters_of_every_method(compared):
    found = {name: each["parameters"] for name, each in compared.json["methods"].items()}
    assert found == {AUTO: {}} | {name: method.parameters for name, method in METHODS.items()}


def test_the_json_has_a_value_for_every_permutation(compared):
    for each in compared.json["methods"].values():
        assert each["permutations"] == list(range(PERMUTATIONS))
        assert {len(values) for values in each["runs"].values()} == {PERMUTATIONS}


def test_the_curves_end_at_the_means_of_the_runs(compared):
    for each in compared.json["methods"].values():
        for key, curve in each["curve"].items():
            assert len(curve) == len(compared.json["checkpoints"])
            assert curve[-1] == pytest.approx(np.mean(each["runs"][key]))


def test_the_checkpoints_rise_to_the_last_event(compared, stream):
    checkpoints = compared.json["checkpoints"]
    assert checkpoints == sorted(set(checkpoints))
    assert checkpoints[-1] == len(stream)


def test_the_budget_is_exhausted_when_the_curve_of_labels_reaches_it(compared):
    content = compared.json
    for each in content["methods"].values():
        if None not in each["exhausted"]:
            at = content["checkpoints"].index(
                next(t for t in content["checkpoints"] if t >= max(each["exhausted"]))
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
    head = compared.out.split("\n\n")[1]
    for part in (f"{len(stream)} events", f"budget {BUDGET} labels", "3 shuffles", "seed 3"):
        assert part in head


def test_the_png_is_a_png(compared):
    assert (compared.folder / "compare-small.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_the_svg_is_an_svg(compared):
    root = xml.etree.ElementTree.parse(compared.folder / "compare-small.svg").getroot()
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


@pytest.fixture
def on_a_part(small, parts, tmp_path):
    return command(tmp_path, "compare", "Protein", "--data-dir", parts, *QUICK)


def test_a_comparison_on_a_part_says_so(on_a_part):
    assert "\nprotein (a 16 % part of protein): 90 events" in on_a_part.out


def test_the_csv_of_a_comparison_on_a_part_says_so(on_a_part):
    assert {row["data"] for row in on_a_part.csv.values()} == {"protein (a 16 % part of protein)"}


def test_the_json_of_a_comparison_on_a_part_says_so(on_a_part):
    assert on_a_part.json["data"]["note"] == "a 16 % part of protein"

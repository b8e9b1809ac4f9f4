"""A comparison as a table, and what is said of it."""

from __future__ import annotations

import dataclasses
import json
import re
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_findings import CLEAR, made

from river_oa3.experiments import Goal
from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.output import report, text
from river_oa3.experiments.output.report import references


def test_the_best_is_bold_at_a_terminal(compared):
    text = report.table(compared, bold=True)
    sums = {method: np.mean(Goal("sum").sum(compared.counts(method))) for method in METHODS}
    best = max(sums, key=lambda method: sums[method])
    (line,) = [line for line in text.splitlines() if re.match(rf"{best} ", line)]
    assert re.search(rf"\x1b\[1m{sums[best]:.2f} \+- [0-9.]+\x1b\[0m", line)


def test_a_table_at_a_terminal_has_no_stars(compared):
    assert "*" not in report.table(compared, bold=True)


def test_bold_does_not_move_a_column(compared):
    plain = re.sub(r"\x1b\[\d+m", "", report.table(compared, bold=True))
    assert len({len(line.rstrip()) for line in plain.splitlines()}) == 1


def test_stars_do_not_move_a_column():
    rows = [["method", "sum"], ["OA3", "9.5 +- 0.1"], ["SOA3", "10.5 +- 10.1"]]
    starred, plain = (text.aligned(rows, marked, bold=False) for marked in ({(2, 1)}, set()))
    assert starred.replace("*", "") == plain


def test_what_rounds_to_the_best_is_best_too(compared):
    twins = dataclasses.replace(
        compared, runs={"OA3": compared.runs["OA3"], "SOA3": compared.runs["OA3"]}
    )
    text = report.table(twins, bold=False)
    assert text.count("*") == 10


def test_one_run_has_no_deviation():
    assert text.mean_and_deviation(np.array([3.5])) == (3.5, 0.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_mean_and_deviation_are_those_of_a_sample(values):
    mean, deviation = text.mean_and_deviation(np.array(values))
    assert mean == pytest.approx(statistics.fmean(values), abs=1e-6)
    assert deviation == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-6)


def test_the_weight_stands_in_the_head_where_it_is_not_a_half(compared):
    plan = dataclasses.replace(compared.plan, goal=Goal("sum", 0.8))
    assert "weighted 0.8/0.2 accuracy (%)" in report.table(
        dataclasses.replace(compared, plan=plan), False
    )


def test_a_given_rho_is_described_as_given(compared):
    plan = dataclasses.replace(compared.plan, rho=2.0)
    assert "(given)" in report.describe(dataclasses.replace(compared, plan=plan))


def lines_apart(findings):
    """The lines of the table below the methods, as cells."""
    text = report.table(findings.comparison, False, references(findings))
    return [re.split(r"  +", line.strip()) for line in text.split("\n\n")[1].splitlines()]


def test_a_constant_answer_stands_apart_from_the_methods_without_labels_and_time():
    assert lines_apart(made()) == [["constant answer", "50.00", "0.00", "100.00", "90.0"]]


def test_it_is_the_constant_answer_that_costs_least():
    findings = made(metric="cost")
    goal = dataclasses.replace(findings.comparison.plan.goal, cost_fn=50.0)
    plan = dataclasses.replace(findings.comparison.plan, goal=goal)
    comparison = dataclasses.replace(findings.comparison, plan=plan)
    changed = dataclasses.replace(findings, comparison=comparison)
    assert lines_apart(changed) == [["constant answer", "50.00", "100.00", "0.00", "90.0"]]


def test_all_labels_stand_below_a_constant_answer():
    _, ceiling = lines_apart(made(ceiling=99.0))
    assert ceiling == ["all labels", "99.00", "99.00", "99.00", "1.8", "40"]


def test_what_stands_apart_takes_no_part_in_the_stars():
    findings = made(ceiling=99.9)
    comparison = findings.comparison
    with_them = report.table(comparison, False, references(findings)).split("\n\n")[0]
    assert with_them.count("*") == report.table(comparison, False).count("*")


def test_the_table_without_what_stands_apart_is_in_one_piece(compared):
    assert "\n\n" not in report.table(compared, bold=False)


@pytest.mark.parametrize("metric", ["sum", "cost"])
@pytest.mark.parametrize("orders", [1, 3])
def test_the_findings_are_json_without_what_json_does_not_know(metric, orders):
    sums = {name: values[:orders] for name, values in CLEAR.items()}
    found = report.findings_as_json(made(sums, metric, ceiling=99.0, curve={10: 60.0, 20: 70.0}))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["verdict"]["orders"] == orders
    assert (found["verdict"]["differences"][0]["low"] is None) == (orders == 1)


def test_the_findings_have_the_verdict_the_ceiling_the_curve_and_the_words():
    found = report.findings_as_json(made(ceiling=99.0, curve={10: 60.0, 20: 60.5}))
    assert found["verdict"]["winner"] == "OA3"
    assert found["ceiling"]["sum"] == [99.0, 99.0, 99.0]
    assert (found["curve"]["budgets"], found["curve"]["enough"]) == ([10, 20], 10)
    assert found["words"][0].startswith("Use OA3")


def test_what_was_not_run_is_null():
    found = report.findings_as_json(made())
    assert (found["ceiling"], found["curve"]) == (None, None)


def test_more_is_written_beside_what_a_comparison_has(compared, tmp_path):
    paths = report.write(compared, tmp_path, "a", {"verdict": {"low": float("-inf")}})
    content = json.loads(paths[1].read_text())
    assert content["verdict"] == {"low": None}
    assert list(content["methods"]) == list(compared.runs)


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ("abc", "a, b and c")]
)
def test_names_are_listed_as_a_sentence_has_them(names, said):
    assert text.listed(names) == said


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_visible_steers_nothing(each):
    shown = text.visible(each)
    assert all(letter.isprintable() or letter in text.JOINERS for letter in shown)
    assert shown.encode().decode() == shown


@given(st.text(max_size=60), st.integers(3, 30))
def test_a_shortened_text_fits_and_keeps_both_ends(each, width):
    shown = text.shortened(each, width)
    assert len(shown) <= width
    assert shown == each if len(each) <= width else each.startswith(shown.partition("\u2026")[0])
    assert each.endswith(shown.rpartition("\u2026")[2])


def test_a_name_of_data_cannot_steer_a_terminal_or_break_a_file(tmp_path):
    comparison = made(name="a\x1b[2J\n\udc80").comparison
    assert report.describe(comparison).startswith(r"a\x1b[2J\n\udc80: 1,000 events")
    assert len(report.write(comparison, tmp_path, "a")) == 2

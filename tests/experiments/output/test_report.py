"""A comparison as a table, and what is said of it."""

from __future__ import annotations

import dataclasses
import re
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.experiments import Goal
from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.output import report, text


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
    assert "sum 0.8/0.2 (%)" in report.table(dataclasses.replace(compared, plan=plan), False)


def test_a_given_rho_is_described_as_given(compared):
    plan = dataclasses.replace(compared.plan, rho=2.0)
    assert "(given)" in report.describe(dataclasses.replace(compared, plan=plan))

"""Tables beside those of the paper."""

from __future__ import annotations

import csv
import dataclasses
import io
import re

import numpy as np
import pytest
from paper import tables
from paper.published import PUBLISHED

from river_oa3 import datasets
from river_oa3.experiments import Comparison, Counts, Goal, Plan, compare
from river_oa3.experiments.methods import METHODS, Setting, of_families
from river_oa3.experiments.tasks import Run


def with_counts(name, goal, found, events=None):
    """A comparison on a data set of the paper with counts made up: (tp, fp, tn, fn) by method."""
    n = datasets.paper.SETS[name].rows if events is None else events
    y = np.zeros(n, dtype=bool)
    y[: n // 4] = True
    stream = datasets.stream(name, np.ones((n, 1)), y)
    runs = {
        method: {
            number: Run(Counts(*(np.array([c]) for c in (*counts, 5))), None, 0.5)
            for number, counts in enumerate(each)
        }
        for method, each in found.items()
    }
    parameters = {method: METHODS[method].parameters for method in found}
    plan = Plan(5, goal, tuple(found), permutations=2)
    return Comparison(stream, plan, Setting(5, 3.0), np.array([n]), parameters, runs)


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_difference_is_in_the_papers_standard_deviations(metric):
    goal = Goal(metric)
    counts = [(80, 20, 80, 20), (90, 30, 70, 10)]
    (line,) = tables.lines("IAD", with_counts("IAD", goal, {"OA3": counts}))
    mean = np.mean([float(goal.score(Counts(*each, 5))) for each in counts])
    paper = PUBLISHED["IAD"][metric]["OA3"].score
    assert line.difference == pytest.approx((mean - paper.mean) / paper.deviation)


def test_the_difference_is_shown_for_the_whole_set():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20), (90, 30, 70, 10)]})
    assert re.search(r"[+-]\d+\.\d sd", tables.table("IAD", found, bold=False))


def test_no_difference_is_given_for_a_part():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20)] * 2}, events=200)
    assert tables.lines("IAD", found)[0].difference is None


def test_no_difference_is_given_for_what_the_paper_does_not_table():
    found = with_counts("IAD", Goal("sum"), {"OA3-R": [(80, 20, 80, 20)] * 2})
    assert tables.lines("IAD", found)[0].difference is None


def ranked(order, metric):
    """Counts under which methods come in this order, the best first."""
    return with_counts(
        "IAD",
        Goal(metric),
        {m: [(100 - i, 0, 100, i)] * 2 for i, m in enumerate(order)},
    )


OURS, FIRST_ORDER = of_families("OA3"), of_families("first-order rival")
TABLED = list(PUBLISHED["w8a"]["sum"])


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_conclusions_give_the_order_of_the_methods(metric):
    order = [*OURS, "SOAL-CS", "SOAL", *FIRST_ORDER]
    assert f"order here:  {' > '.join(order)}" in tables.conclusions("IAD", ranked(order, metric))


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_conclusions_count_pairs_that_hold(metric):
    order = [*OURS, "SOAL-CS", "PAA", "SOAL", "OAAL", "CSOAL"]
    text = "\n".join(tables.conclusions("IAD", ranked(order, metric)))
    assert "second order over first order: 17 of 18 pairs" in text
    assert "OA3 and its versions over all rivals: 20 of 20 pairs" in text


def test_ties_do_not_count_as_held():
    found = with_counts("IAD", Goal("sum"), {m: [(80, 20, 80, 20)] * 2 for m in TABLED})
    text = "\n".join(tables.conclusions("IAD", found))
    assert "second order over first order: 0 of 18 pairs" in text


@pytest.mark.parametrize(
    ("metric", "gap"), [("sum", "SOA3 -1.00 points"), ("cost", "SOA3 +1.80 in cost")]
)
def test_the_conclusions_give_the_gap_of_the_sketches(metric, gap):
    order = ["OA3", "OA3-diag", "SOA3", "SSOA3", "SOAL-CS", "SOAL", *FIRST_ORDER]
    assert gap in tables.conclusions("IAD", ranked(order, metric))[-1]


def test_nothing_is_concluded_from_some_of_the_methods():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20)] * 2})
    assert tables.conclusions("IAD", found) == []


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_best_that_the_paper_tables_is_starred(metric):
    order = ["SOAL", *(method for method in TABLED if method != "SOAL")]
    text = tables.table("IAD", ranked(order, metric), bold=False)
    (line,) = [line for line in text.splitlines() if "*" in line]
    assert line.startswith("SOAL ")


def test_the_csv_beside_the_paper_has_the_papers_numbers():
    found = with_counts("IAD", Goal("sum"), {"OA3": [(80, 20, 80, 20), (90, 30, 70, 10)]})
    (row,) = csv.DictReader(io.StringIO(tables.as_csv({("IAD", "sum"): found})))
    paper = PUBLISHED["IAD"]["sum"]["OA3"]
    assert float(row["paper_score"]) == paper.score.mean
    assert float(row["paper_specificity_deviation"]) == paper.specificity.deviation
    assert float(row["paper_seconds"]) == paper.seconds


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_plain_accounting_can_be_worked_out_from_the_papers(small, stream, metric):
    """The stream has empty rows of both classes."""
    empty = np.diff(stream.X.indptr) == 0
    assert 0 < (empty & stream.y).sum() < empty.sum()
    plan = Plan(20, Goal(metric), permutations=2, paper_accounting=True)
    paper, plain = (
        compare(stream, dataclasses.replace(plan, paper_accounting=is_paper))
        for is_paper in (True, False)
    )
    for method in METHODS:
        found = tables.without_paper_accounting(paper, method)
        assert [each.tolist() for each in found] == [each.tolist() for each in plain.counts(method)]


def test_plain_accounting_stays_as_it_is(compared):
    found = tables.without_paper_accounting(compared, "OA3")
    for each, count in zip(found, compared.counts("OA3"), strict=True):
        assert each.tolist() == count.tolist()

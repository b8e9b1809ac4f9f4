"""All methods on one stream: what is finished, and what is refused."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from commands import Recorded

from river_oa3 import datasets
from river_oa3.datasets import DataError
from river_oa3.experiments import Goal, Plan, compare, comparison, runner
from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.output import report
from river_oa3.experiments.tasks import Part, Task, run_task


class Interrupted(Recorded):
    """ProcessRunner of a person who presses Ctrl-C after so many runs."""

    after = 0

    def run(self, tasks, what):
        yield from itertools.islice(super().run(tasks, what), self.after)
        raise KeyboardInterrupt


def interrupted(monkeypatch, stream, after, **more):
    monkeypatch.setattr(runner, "ProcessRunner", Interrupted)
    monkeypatch.setattr(Interrupted, "after", after)
    plan = Plan(20, Goal("sum"), ("CSOAL", "OA3"), permutations=3, seed=2, **more)
    return compare(stream, plan)


def test_an_interrupt_keeps_what_is_finished(monkeypatch, stream, compared):
    result = interrupted(monkeypatch, stream, after=5)
    assert {method: sorted(runs) for method, runs in result.runs.items()} == {
        "CSOAL": [0, 1, 2],
        "OA3": [0, 1],
    }


def test_what_is_finished_is_what_it_would_have_been(monkeypatch, stream, compared):
    result = interrupted(monkeypatch, stream, after=5)
    assert result.counts("OA3").labels.tolist() == compared.counts("OA3").labels[:2].tolist()


def test_an_interrupted_comparison_is_not_complete(monkeypatch, stream):
    assert not interrupted(monkeypatch, stream, after=5).is_complete


def test_an_interrupt_while_tuning_leaves_no_runs(monkeypatch, stream, small):
    assert interrupted(monkeypatch, stream, after=5, tuning="permutations").runs == {}


def test_an_interrupted_comparison_is_described_as_such(monkeypatch, stream):
    result = interrupted(monkeypatch, stream, after=5)
    assert "INTERRUPTED: 2 of 3 shuffles finished" in report.describe(result)


def test_a_permutation_that_a_method_did_not_reach_is_not_finished(monkeypatch, stream):
    result = interrupted(monkeypatch, stream, after=1)
    assert "INTERRUPTED: 0 of 3 shuffles finished" in report.describe(result)


def test_a_finished_comparison_is_complete(compared):
    assert compared.is_complete


def test_the_counts_of_a_run_add_up_to_the_events(compared, stream):
    for method in METHODS:
        tp, fp, tn, fn, _ = compared.counts(method)
        assert (tp + fn).tolist() == [stream.positives] * 3
        assert (fp + tn).tolist() == [stream.negatives] * 3


def test_the_curves_end_at_the_counts(compared):
    curves, counts = compared.curves("OA3"), compared.counts("OA3")
    for curve, count in zip(curves, counts, strict=True):
        assert curve[:, -1].tolist() == count.tolist()


def test_the_times_stand_in_the_order_of_the_permutations(compared):
    """Runs come as they finish; every list of values is by permutation."""
    runs = {number: compared.runs["OA3"][number] for number in (2, 0, 1)}
    late = dataclasses.replace(compared, runs={"OA3": runs})
    assert late.microseconds("OA3").tolist() == compared.microseconds("OA3").tolist()


def test_the_end_of_the_budget_is_the_mean_over_the_runs(compared):
    ends = [run.exhausted for run in compared.runs["OA3-F"].values()]
    assert compared.exhausted("OA3-F") == np.mean(ends)


def test_the_budget_has_no_end_if_a_run_did_not_spend_it(compared):
    runs = dict(compared.runs["OA3-F"])
    runs[1] = runs[1]._replace(exhausted=None)
    assert dataclasses.replace(compared, runs={"OA3-F": runs}).exhausted("OA3-F") is None


def test_a_method_that_overflows_is_named(small):
    huge = datasets.stream("huge", np.full((6, 2), 1e160), [1, 0] * 3)
    with pytest.raises(
        DataError, match=r"fails on huge: CSOAL overflows with delta=.* scale the features"
    ):
        compare(huge, Plan(6, Goal("sum"), ("CSOAL",), permutations=1))


def test_runs_in_order_are_windows_of_equal_length_at_even_distances(stream):
    plan = Plan(20, Goal("sum"), permutations=0, windows=5)
    parts = comparison.parts_of(stream, plan)
    assert [(part.start, part.stop) for part in parts] == [
        (0, 96), (6, 102), (12, 108), (18, 114), (24, 120)
    ]  # fmt: skip
    assert [part.number for part in parts] == list(range(5))
    (whole,) = comparison.parts_of(stream, dataclasses.replace(plan, windows=1))
    assert (whole.start, whole.stop) == (0, 120)


def test_every_method_has_the_same_events_in_a_run_and_other_random_numbers_in_another(
    small, stream
):
    plan = Plan(96, Goal("sum"), ("OA3", "CSOAL", "OA3-R"), permutations=0, windows=5)
    found = compare(stream, plan)
    positives = [
        (found.counts(method).true_positives + found.counts(method).false_negatives).tolist()
        for method in plan.methods
    ]
    windows = [int(stream.y[part.start : part.stop].sum()) for part in found.parts("OA3")]
    assert positives == [windows] * 3
    assert found.is_complete


def test_runs_over_the_same_events_in_order_differ_by_their_random_numbers(stream):
    task = Task("OA3-R", (), Setting(40, 3.0, probability=0.3), Part(0, 96, None), (96,))
    first, other = (
        run_task(stream, 2, task._replace(part=task.part.numbered(number))) for number in (0, 1)
    )
    assert first.final != other.final
    assert first.final == run_task(stream, 2, task).final


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(0, Goal("sum")), "choose 1 to 120"),
        (Plan(121, Goal("sum")), "choose 1 to 120"),
        (Plan(97, Goal("sum"), tuning="prefix"), "choose 1 to 96"),
        (Plan(5, Goal("sum"), ("SVM",)), "no method 'SVM'"),
        (Plan(5, Goal("sum"), parameters={"SVM": {}}), "no method 'SVM'"),
        (Plan(5, Goal("sum"), parameters={"OA3": {"C": 1.0}}), "no parameter 'C'"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(stream, plan, message):
    with pytest.raises(ValueError, match=message):
        comparison.check(stream, plan)

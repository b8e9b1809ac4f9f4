"""Everything about one stream: all methods, the verdict, the ceiling, and other budgets."""

from __future__ import annotations

import dataclasses

import numpy as np

from river_oa3.datasets.chunked import AnyStream
from river_oa3.experiments import runner as runners
from river_oa3.experiments.budget_curve import BudgetCurve, steps_around
from river_oa3.experiments.comparison import Comparison, Plan, carry_out, check, setting_of
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.methods import AUTO, EVERY_LABEL, find
from river_oa3.experiments.runner import Runner
from river_oa3.experiments.scores import Counts, together
from river_oa3.experiments.tasks import Run, Task
from river_oa3.experiments.verdict import Verdict, judge

__all__ = ["survey", "verdict_of"]


def survey(stream: AnyStream, plan: Plan, raw: AnyStream | None = None) -> Findings | None:
    """Compare methods on a stream, and find out what more labels would bring.

    Ctrl-C ends it early, and what is finished is returned; None where nothing is.

    Parameters
    ----------
    stream
        The events as the paper's methods take them, which want them scaled.
    plan
        What to do with them.
    raw
        The events as they came, for methods that scale them; the same stream unless one is given.

    """
    check(stream, plan)
    with runners.ProcessRunner(
        stream, plan.jobs, plan.seed, plan.paper_accounting, raw=raw
    ) as runner:
        comparison = carry_out(runner, plan)
        if not comparison.runs:
            return None
        findings = Findings(comparison, verdict_of(comparison))
        if not comparison.is_complete:
            return findings
        try:
            every_label = _every_label(runner, comparison)
            ceiling = Counts(*(each[:, -1] for each in every_label))
            findings = dataclasses.replace(findings, ceiling=ceiling)
            return dataclasses.replace(findings, curve=_curve(runner, findings, every_label))
        except KeyboardInterrupt:
            runner.stop()
            return dataclasses.replace(findings, is_complete=False)


def verdict_of(comparison: Comparison) -> Verdict:
    """Who is ahead in the orders that every method has finished."""
    finished = set.intersection(*(set(runs) for runs in comparison.runs.values()))
    orders = sorted(finished) or sorted(next(iter(comparison.runs.values())))[:1]
    counts = {
        method: together([runs[order].counts for order in orders])
        for method, runs in comparison.runs.items()
        if finished or orders[0] in runs
    }
    in_time = not comparison.plan.permutations
    return judge(comparison.plan.goal, counts, in_time, preferred=(AUTO,))


def _every_label(runner: Runner, comparison: Comparison) -> Counts:
    """AutoOA3 with every label bought."""
    wanted = EVERY_LABEL, comparison.events
    return _run(runner, comparison, [wanted], "buying every label")[wanted]


def _curve(runner: Runner, findings: Findings, every_label: Counts) -> BudgetCurve:
    """The recommended method with other budgets."""
    comparison = findings.comparison
    method = findings.verdict.recommended
    if find(method).family == "river":  # which takes too long, and is not what we export
        method = AUTO
    used, goal = comparison.plan.budget, comparison.plan.goal
    budgets = steps_around(used, comparison.events)
    found: dict[tuple[str, int], Counts] = {}
    if method in comparison.runs:
        found[method, used] = comparison.curves(method)
    others = [(method, budget) for budget in budgets if (method, budget) not in found]
    found |= _run(runner, comparison, others, "other budgets")
    counts = tuple(found[method, budget] for budget in budgets)
    in_time = not comparison.plan.permutations
    return BudgetCurve(method, goal, budgets, counts, every_label, in_time)


def _run(
    runner: Runner, comparison: Comparison, wanted: list[tuple[str, int]], what: str
) -> dict[tuple[str, int], Counts]:
    """The counts of methods with budgets, in the runs of the comparison."""
    parts = comparison.parts(next(iter(comparison.runs)))
    tasks: dict[Task, tuple[tuple[str, int], int]] = {}
    for method, budget in wanted:
        share = budget / comparison.events
        setting = setting_of(runner.stream, comparison.plan)
        setting = dataclasses.replace(setting, budget=budget, probability=share)
        parameters = tuple(comparison.parameters.get(method, find(method).parameters).items())
        for index, part in enumerate(parts):
            checkpoints = tuple(comparison.checkpoints.tolist())
            task = Task(method, parameters, setting, part, checkpoints)
            tasks[task] = ((method, budget), index)
    found: dict[tuple[str, int], dict[int, Counts]] = {each: {} for each in wanted}
    for task, run in runner.run(list(tasks), f"{what}, {runner.stream.name}"):
        key, index = tasks[task]
        # A method that fails with this budget alone does as one that says nothing.
        found[key][index] = run.counts if isinstance(run, Run) else _silent(comparison, index)
    return {
        key: together([counts for _, counts in sorted(runs.items())]) for key, runs in found.items()
    }


def _silent(comparison: Comparison, index: int) -> Counts:
    """The counts, in one of the runs, of one who calls every event negative."""
    seen = comparison.curves(next(iter(comparison.runs)))
    some = Counts(*(each[index] for each in seen))
    negatives = some.false_positives + some.true_negatives
    none = np.zeros_like(negatives)
    return Counts(none, none, negatives, some.true_positives + some.false_negatives, none)

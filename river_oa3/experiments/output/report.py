"""A comparison as a table to read, and as CSV and JSON to work with."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import typing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import Stream
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.output.files import write_text
from river_oa3.experiments.output.text import (
    aligned,
    mean_and_deviation,
    named_values,
    plus_minus,
)
from river_oa3.experiments.output.versions import versions
from river_oa3.experiments.scores import METRICS, Counts, Goal
from river_oa3.experiments.tuning import Search

__all__ = ["as_csv", "as_json", "describe", "table", "write"]


class Column(typing.NamedTuple):
    """A column of the table: its head, the digits of its figures, and which of them is best."""

    key: str
    head: str
    digits: int
    # None where no figure is better than another.
    bigger_is_better: bool | None


def _columns(goal: Goal) -> list[Column]:
    alpha = "" if goal.alpha_pos == 0.5 else f" {goal.alpha_pos:g}/{1 - goal.alpha_pos:g}"
    return [
        Column("sum", f"sum{alpha} (%)", 2, True),
        Column("sensitivity", "sensitivity (%)", 2, True),
        Column("specificity", "specificity (%)", 2, True),
        Column("cost", "cost", 1, False),
        Column("labels", "labels", 0, None),
        Column("microseconds", "us/event", 2, False),
    ]


def figures(comparison: Comparison, method: str) -> dict[str, NDArray[np.float64]]:
    """What each run of a method came to, by column."""
    goal, counts = comparison.plan.goal, comparison.counts(method)
    return {
        "sum": goal.sum(counts),
        "sensitivity": counts.sensitivity,
        "specificity": counts.specificity,
        "cost": goal.cost(counts),
        "labels": np.asarray(counts.labels, dtype=float),
        "microseconds": comparison.microseconds(method),
    }


def table(comparison: Comparison, bold: bool) -> str:
    """The comparison as text; the best of a column is bold, or starred where `bold` is not set.

    What is within a column's last digit of the best is best too.
    """
    columns = _columns(comparison.plan.goal)
    found = {method: figures(comparison, method) for method in comparison.runs}
    rows = [["method", *(column.head for column in columns)]]
    rows += [
        [
            method,
            *(
                plus_minus(*mean_and_deviation(values[column.key]), column.digits)
                for column in columns
            ),
        ]
        for method, values in found.items()
    ]
    marked: set[tuple[int, int]] = set()
    for j, column in enumerate(columns, start=1):
        if column.bigger_is_better is not None:
            means = [float(values[column.key].mean()) for values in found.values()]
            best = f"{(max if column.bigger_is_better else min)(means):.{column.digits}f}"
            marked |= {
                (i, j)
                for i, mean in enumerate(means, start=1)
                if f"{mean:.{column.digits}f}" == best
            }
    return aligned(rows, marked, bold)


def describe(comparison: Comparison) -> str:
    """What was compared on what, in a few lines."""
    stream, plan, setting = comparison.stream, comparison.plan, comparison.setting
    share = plan.budget / comparison.events
    orders = (
        "one permutation"
        if plan.permutations == 1
        else f"mean +- standard deviation over {plan.permutations} permutations"
        if plan.permutations
        else "events in the order in which they came"
    )
    source = plan.goal.measure.rho_source if plan.rho is None else "given"
    lines = [
        f"{stream.title}: {len(stream):,} events, {stream.positives:,} positive "
        f"(1 in {len(stream) / stream.positives:.1f}), {_features(stream):,} features",
        f"budget {plan.budget:,} labels ({share:.2%} of {comparison.events:,} events), {orders}, "
        f"seed {plan.seed}",
        f"rho = {setting.rho:.4g} ({source}), {_parameters(comparison)}",
    ]
    empty = int((np.diff(stream.X.indptr) == 0).sum())
    if plan.paper_accounting:
        lines.append(
            f"accounting of the paper: all {empty:,} events without features count as mistakes"
        )
    if not comparison.is_complete:
        done = min(len(comparison.runs.get(method, ())) for method in plan.methods)
        lines.append(f"INTERRUPTED: {done} of {max(1, plan.permutations)} permutations finished")
    return "\n".join(lines)


def _features(stream: Stream) -> int:
    """Features that some event has; a file may leave out numbers in between."""
    return len(np.unique(stream.X.indices))


def _parameters(comparison: Comparison) -> str:
    plan = comparison.plan
    if plan.tuning is None:
        return "default parameters" if not plan.parameters else "parameters as given"
    cut = "" if plan.tuning_events is None else f" cut to {plan.tuning_events:,} events"
    if plan.search is not None:
        cut += _stages(plan.search)
    if plan.tuning == "prefix":
        return f"parameters chosen on the first fifth of the stream{cut}, reported on the rest"
    return f"parameters chosen on other permutations of the same events{cut}"


def _stages(search: Search) -> str:
    """How the search for parameters differs from the one over all events and the whole grid."""
    stages = (search.coarse, search.fine, search.final)
    events = dict.fromkeys("all" if each.events is None else f"{each.events:,}" for each in stages)
    return (
        f" (grid 10^{search.exponents[0]} to 10^{search.exponents[-1]}, on "
        f"{', then '.join(events)} events, finals in {search.final.orders} orders)"
    )


def as_csv(comparison: Comparison) -> str:
    """A line per method: mean and standard deviation of each column, and the parameters."""
    lines = []
    for method in comparison.runs:
        line: dict[str, typing.Any] = {"data": comparison.stream.title, "method": method}
        for key, values in figures(comparison, method).items():
            line[key], line[f"{key}_deviation"] = mean_and_deviation(values)
        line["permutations"] = len(comparison.runs[method])
        line["parameters"] = named_values(comparison.parameters[method])
        lines.append(line)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(lines[0]) if lines else ["data", "method"])
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def as_json(comparison: Comparison) -> dict[str, typing.Any]:
    """Everything: settings, versions, each run of each method, and the mean curves."""
    stream, plan = comparison.stream, comparison.plan
    return {
        "data": {
            "name": stream.name,
            "note": stream.note,
            "events": len(stream),
            "features": _features(stream),
            "positives": stream.positives,
        },
        "plan": dataclasses.asdict(plan),
        "setting": dataclasses.asdict(comparison.setting),
        "complete": comparison.is_complete,
        "versions": versions(),
        "methods": {
            method: {
                "parameters": comparison.parameters[method],
                "permutations": sorted(comparison.runs[method]),
                "runs": {
                    key: values.tolist() for key, values in figures(comparison, method).items()
                },
                "exhausted": [
                    comparison.runs[method][k].exhausted for k in sorted(comparison.runs[method])
                ],
                "curve": _curve(plan.goal, comparison.curves(method)),
            }
            for method in comparison.runs
        },
        "checkpoints": comparison.checkpoints.tolist(),
    }


def _curve(goal: Goal, counts: Counts) -> dict[str, list[float]]:
    return {
        **{
            name: metric.score(goal, counts).mean(axis=0).tolist()
            for name, metric in METRICS.items()
        },
        "labels": np.asarray(counts.labels).mean(axis=0).tolist(),
    }


def write(comparison: Comparison, folder: Path, name: str) -> list[Path]:
    """Write a comparison as CSV and JSON."""
    paths = [folder / f"{name}.csv", folder / f"{name}.json"]
    write_text(paths[0], as_csv(comparison))
    write_text(paths[1], json.dumps(as_json(comparison), indent=1) + "\n")
    return paths

"""What was compared in a few lines and as a table, and all of it as CSV and JSON to work with."""

from __future__ import annotations

import csv
import dataclasses
import importlib.metadata
import io
import json
import math
import platform
import typing
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.output.files import write_text
from river_oa3.experiments.output.text import (
    aligned,
    mean_and_deviation,
    named_values,
    plus_minus,
    visible,
)
from river_oa3.experiments.output.words import in_words
from river_oa3.experiments.scores import METRICS, SUM, Counts, Goal
from river_oa3.experiments.tuning import Search
from river_oa3.experiments.verdict import constant_answer

__all__ = [
    "ALL_LABELS",
    "CONSTANT",
    "as_csv",
    "as_json",
    "describe",
    "figures_of",
    "findings_as_json",
    "processor",
    "references",
    "table",
    "table_cells",
    "versions",
    "write",
]

CONSTANT = "constant answer"
ALL_LABELS = "all labels"


def describe(comparison: Comparison) -> str:
    """What was compared on what, in a few lines."""
    stream, plan, setting = comparison.as_it_came, comparison.plan, comparison.setting
    share = plan.budget / comparison.events
    runs = "one shuffle" if plan.permutations else "events in the order in which they came"
    if plan.runs > 1:
        kind = "shuffles" if plan.permutations else "runs in the order in which they came"
        runs = f"mean +- standard deviation over {plan.runs} {kind}"
    is_part = comparison.events < len(stream) and plan.runs > 1 and not plan.permutations
    each = ", a different window in each run" if is_part else ""
    source = plan.goal.measure.rho_source if plan.rho is None else "given"
    lines = [
        f"{visible(stream.title)}: {len(stream):,} events, {stream.positives:,} positive "
        f"(1 in {len(stream) / stream.positives:.1f}), {stream.n_features:,} features",
        f"budget {plan.budget:,} labels ({share:.2%} of {comparison.events:,} events{each}), "
        f"{runs}, seed {plan.seed}",
        f"rho = {setting.rho:.4g} ({source}), {_parameters(comparison)}",
    ]
    if plan.paper_accounting:
        lines.append(
            f"accounting of the paper: all {stream.n_empty:,} events without features count as "
            "mistakes"
        )
    if not comparison.is_complete:
        left = [method for method in plan.methods if method not in comparison.failed]
        done = min(len(comparison.runs.get(method, ())) for method in left)
        kind = "shuffles" if plan.permutations else "runs"
        lines.append(f"INTERRUPTED: {done} of {plan.runs} {kind} finished")
    lines += [f"{method} {reason}" for method, reason in comparison.failed.items()]
    return "\n".join(lines)


def _parameters(comparison: Comparison) -> str:
    plan = comparison.plan
    if plan.tuning is None:
        return "default parameters" if not plan.parameters else "parameters as given"
    cut = "" if plan.tuning_events is None else f" cut to {plan.tuning_events:,} events"
    if plan.search is not None:
        cut += _stages(plan.search)
    if plan.tuning == "prefix":
        return f"parameters chosen on the first fifth of the stream{cut}, reported on the rest"
    if not plan.permutations:
        return f"parameters chosen on the same events{cut}, with other random numbers"
    return f"parameters chosen on other shuffles of the same events{cut}"


def _stages(search: Search) -> str:
    """How the search for parameters differs from the one over all events and the whole grid."""
    stages = (search.coarse, search.fine, search.final)
    events = dict.fromkeys("all" if each.events is None else f"{each.events:,}" for each in stages)
    return (
        f" (grid 10^{search.exponents[0]} to 10^{search.exponents[-1]}, on "
        f"{', then '.join(events)} events, finals over {search.final.orders} shuffles)"
    )


def references(findings: Findings) -> dict[str, Counts]:
    """The last counts of the best constant answer and, where it was run, of all labels."""
    comparison, goal = findings.comparison, findings.comparison.plan.goal
    seen = comparison.curves(findings.verdict.best)
    constant = constant_answer(goal, goal.measure, seen)
    last = Counts(*(np.asarray(each)[:, -1] for each in constant))._replace(labels=None)
    ceiling = {} if findings.ceiling is None else {ALL_LABELS: findings.ceiling}
    return {CONSTANT: last, **ceiling}


class Column(typing.NamedTuple):
    """A column of the table: its head, the digits of its figures, and which of them is best."""

    key: str
    head: str
    digits: int
    # None where no figure is better than another.
    bigger_is_better: bool | None


def _columns(goal: Goal) -> list[Column]:
    return [
        Column("sum", goal.weighted(SUM.head), 2, True),
        Column("sensitivity", "sensitivity (%)", 2, True),
        Column("specificity", "specificity (%)", 2, True),
        Column("cost", "cost", 1, False),
        Column("labels", "labels", 0, None),
        Column("microseconds", "us/event", 2, False),
    ]


def figures(comparison: Comparison, method: str) -> dict[str, NDArray[np.float64]]:
    """The figures of each run of a method, by column."""
    return {
        **figures_of(comparison.plan.goal, comparison.counts(method)),
        "microseconds": comparison.microseconds(method),
    }


def figures_of(goal: Goal, counts: Counts) -> dict[str, NDArray[np.float64]]:
    """The figures of counts, by column."""
    found = {
        "sum": goal.sum(counts),
        "sensitivity": counts.sensitivity,
        "specificity": counts.specificity,
        "cost": goal.cost(counts),
    }
    # A constant answer asks for no label, and has no number of them.
    asked = {} if counts.labels is None else {"labels": np.asarray(counts.labels, dtype=float)}
    return found | asked


class Cells(typing.NamedTuple):
    """The table before it is text or HTML: heads and methods, which cells are best, the rest."""

    rows: list[list[str]]
    marked: set[tuple[int, int]]
    apart: list[list[str]]


def table(comparison: Comparison, bold: bool, apart: Mapping[str, Counts] | None = None) -> str:
    """The comparison as text; the best of a column is bold, or starred where `bold` is not set.

    What is within a column's last digit of the best is best too. Counts to compare the methods with
    stand `apart` and take no part in that.
    """
    cells = table_cells(comparison, apart)
    return aligned(cells.rows, cells.marked, bold, cells.apart)


def table_cells(comparison: Comparison, apart: Mapping[str, Counts] | None = None) -> Cells:
    """The cells of the table."""
    columns = _columns(comparison.plan.goal)
    found = {method: figures(comparison, method) for method in comparison.runs}
    rows = [["method", *(column.head for column in columns)]]
    rows += [_row(method, values, columns) for method, values in found.items()]
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
    beside = [
        _row_apart(comparison.plan.goal, name, counts, columns)
        for name, counts in (apart or {}).items()
    ]
    beside += [[name, "fails", *[""] * (len(columns) - 1)] for name in comparison.failed]
    return Cells(rows, marked, beside)


def _row(name: str, values: Mapping[str, NDArray[np.float64]], columns: list[Column]) -> list[str]:
    """A name and its figures."""
    figures = (mean_and_deviation(values[column.key]) for column in columns)
    return [
        name,
        *(plus_minus(*each, column.digits) for each, column in zip(figures, columns, strict=True)),
    ]


def _row_apart(goal: Goal, name: str, counts: Counts, columns: list[Column]) -> list[str]:
    """The same of counts that no clock has measured; what does not vary has no deviation."""
    values, row = figures_of(goal, counts), [name]
    for column in columns:
        if column.key not in values:
            row.append("")
            continue
        mean, deviation = mean_and_deviation(values[column.key])
        varies = np.ptp(values[column.key]) > 0.0
        alone = f"{mean:.{column.digits}f}"
        row.append(plus_minus(mean, deviation, column.digits) if varies else alone)
    return row


def versions() -> dict[str, str]:
    """The versions of the packages, and the kind of machine."""
    packages = ("river-oa3", "river", "numpy", "scipy")
    return {
        **{name: importlib.metadata.version(name) for name in packages},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def processor() -> str:
    """The name of the processor, where the system tells."""
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def as_csv(comparison: Comparison) -> str:
    """A line per method: mean and standard deviation of each column, and the parameters."""
    lines = []
    for method in comparison.runs:
        line: dict[str, typing.Any] = {"data": visible(comparison.stream.title), "method": method}
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
    stream, plan = comparison.as_it_came, comparison.plan
    return {
        "data": {
            "name": stream.name,
            "note": stream.note,
            "events": len(stream),
            "features": stream.n_features,
            "positives": stream.positives,
        },
        "plan": dataclasses.asdict(plan),
        "setting": dataclasses.asdict(comparison.setting),
        "complete": comparison.is_complete,
        "failed": comparison.failed,
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


def findings_as_json(findings: Findings) -> dict[str, typing.Any]:
    """What `as_json` does not have: the verdict, the ceiling, the curve, and all of it in words."""
    verdict, ceiling, curve = findings.verdict, findings.ceiling, findings.curve
    content = {
        "verdict": {
            **verdict._asdict(),
            "differences": [each._asdict() for each in verdict.differences],
        },
        "ceiling": ceiling
        and {
            key: values.tolist()
            for key, values in figures_of(findings.comparison.plan.goal, ceiling).items()
        },
        "curve": curve
        and {
            "method": curve.method,
            "metric": curve.goal.metric,
            "budgets": list(curve.budgets),
            "scores": curve.scores.tolist(),
            "gains": [each._asdict() for each in curve.gains],
            "gaps": [each._asdict() for each in curve.gaps],
            "enough": curve.enough,
        },
        "words": in_words(findings),
    }
    return typing.cast("dict[str, typing.Any]", finite(content))


def finite(content: typing.Any) -> typing.Any:
    """Content for JSON, which has no word for what is infinite or not a number: they are null."""
    if isinstance(content, Mapping):
        return {key: finite(each) for key, each in content.items()}
    if isinstance(content, list | tuple):
        return [finite(each) for each in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def write(
    comparison: Comparison,
    folder: Path,
    name: str,
    more: Mapping[str, typing.Any] | None = None,
) -> list[Path]:
    """Write a comparison as CSV and JSON, the JSON with `more` in it."""
    paths = [folder / f"{name}.csv", folder / f"{name}.json"]
    write_text(paths[0], as_csv(comparison))
    content = finite({**as_json(comparison), **(more or {})})
    write_text(paths[1], json.dumps(content, indent=1, allow_nan=False) + "\n")
    return paths

"""A comparison as a table to read, and as CSV and JSON to work with."""

from __future__ import annotations

import csv
import dataclasses
import importlib.metadata
import io
import json
import os
import platform
import tempfile
import typing
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import DataError, Stream
from river_oa3.experiments.comparison import Comparison, shown
from river_oa3.experiments.scores import Counts, Goal

__all__ = ["as_csv", "as_json", "describe", "results_folder", "table", "versions", "write_text"]

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


class Column(typing.NamedTuple):
    """A column of the table: its head, what its figures are, and which of them is best."""

    key: str
    head: str
    digits: int
    best: Callable[[Sequence[float]], float] | None


def _columns(goal: Goal) -> list[Column]:
    alpha = "" if goal.alpha_pos == 0.5 else f" {goal.alpha_pos:g}/{1 - goal.alpha_pos:g}"
    return [
        Column("sum", f"sum{alpha} (%)", 2, max),
        Column("sensitivity", "sensitivity (%)", 2, max),
        Column("specificity", "specificity (%)", 2, max),
        Column("cost", "cost", 1, min),
        Column("labels", "labels", 0, None),
        Column("microseconds", "us/event", 2, min),
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


def mean_and_deviation(values: NDArray[np.float64]) -> tuple[float, float]:
    """The mean and the standard deviation of a sample; 0 for a sample of one."""
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0


def table(comparison: Comparison, bold: bool) -> str:
    """The comparison as text; the best of a column is bold, or starred where bold is not to be had.

    What is within a column's last digit of the best is best too.
    """
    columns = _columns(comparison.plan.goal)
    found = {method: figures(comparison, method) for method in comparison.runs}
    rows = [["method", *(column.head for column in columns)]]
    marked: set[tuple[int, int]] = set()
    for i, (method, values) in enumerate(found.items(), start=1):
        row = [method]
        for j, column in enumerate(columns, start=1):
            mean, deviation = mean_and_deviation(values[column.key])
            row.append(f"{mean:.{column.digits}f} +- {deviation:.{column.digits}f}")
            if column.best is not None:
                best = column.best([float(each[column.key].mean()) for each in found.values()])
                if f"{mean:.{column.digits}f}" == f"{best:.{column.digits}f}":
                    marked.add((i, j))
        rows.append(row)
    return aligned(rows, marked, bold)


def aligned(rows: Sequence[Sequence[str]], marked: set[tuple[int, int]], bold: bool) -> str:
    """Rows of cells as lines: the first column to the left, the others to the right."""
    if not bold:
        rows = [
            [cell + ("*" if (i, j) in marked else " " if j else "") for j, cell in enumerate(row)]
            for i, row in enumerate(rows)
        ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for i, row in enumerate(rows):
        cells = []
        for j, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padded = cell.rjust(width) if j else cell.ljust(width)
            if bold and (i, j) in marked:
                padded = padded.replace(cell, f"{BOLD}{cell}{PLAIN}")
            cells.append(padded)
        lines.append("  ".join(cells).rstrip())
    return "\n".join([lines[0], "-" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]])


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
    source = (
        "given"
        if plan.rho is not None
        else "from the class counts of the whole stream, which a live stream does not know"
        if plan.goal.metric == "sum"
        else "the ratio of the costs"
    )
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
    if plan.tuning == "prefix":
        return f"parameters chosen on the first fifth of the stream{cut}, reported on the rest"
    return f"parameters chosen on other permutations of the same events{cut}"


def as_csv(comparison: Comparison) -> str:
    """A line a method: mean and standard deviation of each column, and the parameters."""
    lines = []
    for method in comparison.runs:
        line: dict[str, typing.Any] = {"data": comparison.stream.title, "method": method}
        for key, values in figures(comparison, method).items():
            line[key], line[f"{key}_deviation"] = mean_and_deviation(values)
        line["permutations"] = len(comparison.runs[method])
        line["parameters"] = shown(comparison.parameters[method])
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
        "ticks": comparison.ticks.tolist(),
    }


def _curve(goal: Goal, counts: Counts) -> dict[str, list[float]]:
    return {
        "sum": goal.sum(counts).mean(axis=0).tolist(),
        "cost": goal.cost(counts).mean(axis=0).tolist(),
        "labels": np.asarray(counts.labels).mean(axis=0).tolist(),
    }


def versions() -> dict[str, str]:
    """What made the numbers."""
    packages = ("river-oa3", "river", "numpy", "scipy")
    return {
        **{name: importlib.metadata.version(name) for name in packages},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def results_folder(path: str | os.PathLike[str]) -> Path:
    """The folder for results, made if need be; refused before any work if it cannot be one."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataError(
            f"{folder} cannot take results ({error.strerror}): choose another --output"
        ) from None
    return folder


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        raise DataError(
            f"cannot write {path} ({error.strerror}): choose another --output"
        ) from None
    finally:
        draft.unlink(missing_ok=True)


def write(comparison: Comparison, folder: Path, name: str) -> list[Path]:
    """Write a comparison as CSV and JSON."""
    paths = [folder / f"{name}.csv", folder / f"{name}.json"]
    write_text(paths[0], as_csv(comparison))
    write_text(paths[1], json.dumps(as_json(comparison), indent=1) + "\n")
    return paths

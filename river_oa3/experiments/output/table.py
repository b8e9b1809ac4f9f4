"""A comparison as a table: the methods, and apart from them what they are compared with."""

from __future__ import annotations

import typing
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.output.text import aligned, mean_and_deviation, plus_minus
from river_oa3.experiments.scores import SUM, Counts, Goal

__all__ = ["Cells", "figures", "figures_of", "table", "table_cells"]


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

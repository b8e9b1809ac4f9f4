"""Tables beside those of the paper: differences in standard deviations, and what it concludes."""

from __future__ import annotations

import typing

import numpy as np
from numpy.typing import NDArray

from river_oa3 import datasets
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.methods import Family, of_families
from river_oa3.experiments.output.text import (
    aligned,
    mean_and_deviation,
    named_values,
    plus_minus,
)
from river_oa3.experiments.output.text import as_csv as rows_as_csv
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.tasks import order_of

from .published import PUBLISHED, Figure, Row

__all__ = ["Line", "as_csv", "conclusions", "lines", "table"]


class Line(typing.NamedTuple):
    """A method beside the paper's row, which OA3-F and OA3-R do not have."""

    method: str
    score: Figure
    sensitivity: Figure
    specificity: Figure
    plain_score: Figure
    labels: float
    seconds: float
    paper: Row | None
    parameters: dict[str, float]

    is_whole: bool

    @property
    def difference(self) -> float | None:
        """How far above the paper's mean, in the paper's standard deviations.

        None for a part or a stand-in, which is not the same thing as the paper's set.
        """
        if self.paper is None or not self.is_whole:
            return None
        return (self.score.mean - self.paper.score.mean) / self.paper.score.deviation


def lines(name: str, comparison: Comparison) -> list[Line]:
    """A line for each method of a comparison on one of the paper's data sets."""
    goal = comparison.plan.goal
    rows = PUBLISHED[name][goal.metric]
    found = []
    for method in comparison.runs:
        counts = comparison.counts(method)
        found.append(
            Line(
                method,
                _figure(goal.score(counts)),
                _figure(counts.sensitivity),
                _figure(counts.specificity),
                _figure(goal.score(without_paper_accounting(comparison, method))),
                float(np.mean(counts.labels)),
                float(comparison.microseconds(method).mean()) * comparison.events / 1e6,
                rows.get(method),
                comparison.parameters[method],
                comparison.events == datasets.paper.SETS[name].rows,
            )
        )
    return found


def _figure(values: NDArray[np.float64]) -> Figure:
    return Figure(*mean_and_deviation(values))


def without_paper_accounting(comparison: Comparison, method: str) -> Counts:
    """The same runs with events without features accounted for as they are: predicted positive.

    They are neither asked about nor learned from either way, so that the runs are the same. Those
    that are negative are mistakes in both accounts.
    """
    counts = comparison.counts(method)
    if not comparison.plan.paper_accounting:
        return counts
    stream = comparison.stream
    assert isinstance(stream, datasets.Stream)  # the paper's sets are in memory
    is_missed = stream.y & (np.diff(stream.X.indptr) == 0)
    missed = np.array(
        [
            int(is_missed[order_of(stream, part, comparison.plan.seed)].sum())
            for part in comparison.parts(method)
        ]
    )
    return counts._replace(
        true_positives=counts.true_positives + missed,
        false_negatives=counts.false_negatives - missed,
    )


def table(name: str, comparison: Comparison, bold: bool) -> str:
    """Our figures beside the paper's."""
    metric = comparison.plan.goal.measure
    digits = metric.digits
    rows = [
        [
            "method",
            metric.name,
            "paper",
            "difference",
            "sensitivity",
            "paper",
            "specificity",
            "paper",
            f"plain {metric.name}",
            "labels",
            "s/run",
            "paper",
        ]
    ]
    found = lines(name, comparison)
    tabled = [line.score.mean for line in found if line.paper is not None]
    best = tabled[metric.best(tabled)] if tabled else None
    marked = set()
    for i, line in enumerate(found, start=1):
        if line.score.mean == best:
            marked.add((i, 1))
        paper = line.paper
        rows.append(
            [
                line.method,
                _cell(line.score, digits),
                _cell(paper and paper.score, digits),
                "-" if line.difference is None else f"{line.difference:+.1f} sd",
                _cell(line.sensitivity, 2),
                _cell(paper and paper.sensitivity, 2),
                _cell(line.specificity, 2),
                _cell(paper and paper.specificity, 2),
                _cell(line.plain_score, digits),
                f"{line.labels:.0f}",
                f"{line.seconds:.3f}",
                "-" if paper is None else f"{paper.seconds:.3f}",
            ]
        )
    return aligned(rows, marked, bold)


def _cell(figure: Figure | None, digits: int) -> str:
    if figure is None:
        return "-"
    return plus_minus(*figure, digits)


def conclusions(name: str, comparison: Comparison) -> list[str]:
    """The order of the methods and what the paper concludes from it, here and there."""
    metric = comparison.plan.goal.measure
    found = [line for line in lines(name, comparison) if line.paper is not None]
    if {line.method for line in found} != set(PUBLISHED[name][metric.name]):
        return []
    here = {line.method: metric.objective(line.score.mean) for line in found}
    there = {line.method: metric.objective(line.paper.score.mean) for line in found if line.paper}
    first = _tabled(here, "first-order rival")
    second = _tabled(here, "second-order rival")
    ours = _tabled(here, "OA3")

    def order(objectives: dict[str, float]) -> str:
        return " > ".join(sorted(objectives, key=lambda method: -objectives[method]))

    def pairs(objectives: dict[str, float], better: list[str], worse: list[str]) -> str:
        held = sum(objectives[a] > objectives[b] for a in better for b in worse)
        return f"{held} of {len(better) * len(worse)}"

    def gap(objectives: dict[str, float]) -> str:
        return ", ".join(
            f"{method} {metric.objective(objectives[method] - objectives['OA3']):+.2f} "
            f"{metric.unit}"
            for method in ("SOA3", "SSOA3")
        )

    return [
        f"order here:  {order(here)}",
        f"order there: {order(there)}",
        f"second order over first order: {pairs(here, second + ours, first)} pairs "
        f"(paper: {pairs(there, second + ours, first)})",
        f"OA3 and its versions over all rivals: {pairs(here, ours, first + second)} pairs "
        f"(paper: {pairs(there, ours, first + second)})",
        f"sketches against full OA3: {gap(here)} (paper: {gap(there)})",
    ]


def _tabled(objectives: dict[str, float], family: Family) -> list[str]:
    """The methods of a family that the paper has in its tables."""
    return [method for method in of_families(family) if method in objectives]


def as_csv(tables: dict[tuple[str, str], Comparison]) -> str:
    """A line for each data set, metric and method."""
    figures = ("score", "sensitivity", "specificity")
    rows: list[list[object]] = [
        [
            *("data", "metric", "method"),
            *(f"{each}{part}" for each in figures for part in ("", "_deviation")),
            *("plain_score", "plain_score_deviation", "labels", "seconds"),
            *(f"paper_{each}{part}" for each in figures for part in ("", "_deviation")),
            *("paper_seconds", "difference", "parameters"),
        ]
    ]
    for (name, metric), comparison in tables.items():
        for line in lines(name, comparison):
            paper = line.paper
            rows.append(
                [
                    *(comparison.stream.title, metric, line.method),
                    *(*line.score, *line.sensitivity, *line.specificity),
                    *(*line.plain_score, line.labels, line.seconds),
                    *(
                        [*paper.score, *paper.sensitivity, *paper.specificity, paper.seconds]
                        if paper
                        else [""] * 7
                    ),
                    *(line.difference, named_values(line.parameters)),
                ]
            )
    return rows_as_csv(rows)

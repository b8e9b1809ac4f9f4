"""Tables beside those of the paper: differences in standard deviations, and what it concludes."""

from __future__ import annotations

import csv
import io
import typing

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.comparison import Comparison, shown
from river_oa3.experiments.published import PUBLISHED, SETS, Figure, Row
from river_oa3.experiments.report import aligned, mean_and_deviation
from river_oa3.experiments.scores import Counts

__all__ = ["Line", "as_csv", "conclusions", "lines", "table"]

FIRST_ORDER = ("PAA", "OAAL", "CSOAL")
RIVALS = (*FIRST_ORDER, "SOAL", "SOAL-CS")
OURS = ("OA3", "OA3-diag", "SOA3", "SSOA3")


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
                _figure(goal.score(without_paper_accounting(comparison, counts))),
                float(np.mean(counts.labels)),
                float(comparison.microseconds(method).mean()) * comparison.events / 1e6,
                rows.get(method),
                comparison.parameters[method],
                len(comparison.stream) == SETS[name].examples,
            )
        )
    return found


def _figure(values: NDArray[np.float64]) -> Figure:
    return Figure(*mean_and_deviation(values))


def without_paper_accounting(comparison: Comparison, counts: Counts) -> Counts:
    """The same runs with events without features accounted for as they are: predicted positive.

    They are neither asked about nor learned from either way, so that the runs are the same. Those
    that are negative are mistakes in both accounts.
    """
    if not comparison.plan.paper_accounting:
        return counts
    stream = comparison.stream
    missed = int((stream.y & (np.diff(stream.X.indptr) == 0)).sum())
    return counts._replace(
        true_positives=counts.true_positives + missed,
        false_negatives=counts.false_negatives - missed,
    )


def table(name: str, comparison: Comparison, bold: bool) -> str:
    """Our figures beside the paper's."""
    goal = comparison.plan.goal
    digits = 3 if goal.metric == "sum" else 2
    rows = [
        [
            "method",
            goal.metric,
            "paper",
            "difference",
            "sensitivity",
            "paper",
            "specificity",
            "paper",
            f"plain {goal.metric}",
            "labels",
            "s/run",
            "paper",
        ]
    ]
    found = lines(name, comparison)
    merits = [line.score.mean for line in found if line.paper is not None]
    best = (max if goal.metric == "sum" else min)(merits) if merits else None
    marked = set()
    for i, line in enumerate(found, start=1):
        if line.score.mean == best:
            marked.add((i, 1))
        paper = line.paper
        rows.append(
            [
                line.method,
                _shown(line.score, digits),
                _shown(paper and paper.score, digits),
                "-" if line.difference is None else f"{line.difference:+.1f} sd",
                _shown(line.sensitivity, 2),
                _shown(paper and paper.sensitivity, 2),
                _shown(line.specificity, 2),
                _shown(paper and paper.specificity, 2),
                _shown(line.plain_score, digits),
                f"{line.labels:.0f}",
                f"{line.seconds:.3f}",
                "-" if paper is None else f"{paper.seconds:.3f}",
            ]
        )
    return aligned(rows, marked, bold)


def _shown(figure: Figure | None, digits: int) -> str:
    if figure is None:
        return "-"
    return f"{figure.mean:.{digits}f} +- {figure.deviation:.{digits}f}"


def conclusions(name: str, comparison: Comparison) -> list[str]:
    """The order of the methods and what the paper concludes from it, here and there."""
    sign = 1.0 if comparison.plan.goal.metric == "sum" else -1.0
    found = [line for line in lines(name, comparison) if line.paper is not None]
    ours = {line.method: sign * line.score.mean for line in found}
    paper = {line.method: sign * line.paper.score.mean for line in found if line.paper}

    def order(merits: dict[str, float]) -> str:
        return " > ".join(sorted(merits, key=lambda method: -merits[method]))

    def pairs(merits: dict[str, float], better: tuple[str, ...], worse: tuple[str, ...]) -> str:
        held = sum(merits[a] > merits[b] for a in better for b in worse)
        return f"{held} of {len(better) * len(worse)}"

    def gap(merits: dict[str, float]) -> str:
        unit = "points" if sign > 0 else "in cost"
        return ", ".join(
            f"{method} {sign * (merits[method] - merits['OA3']):+.2f} {unit}"
            for method in ("SOA3", "SSOA3")
        )

    if set(ours) != {*RIVALS, *OURS}:
        return []
    second = tuple(method for method in ours if method not in FIRST_ORDER)
    return [
        f"order here:  {order(ours)}",
        f"order there: {order(paper)}",
        f"second order over first order: {pairs(ours, second, FIRST_ORDER)} pairs "
        f"(paper: {pairs(paper, second, FIRST_ORDER)})",
        f"OA3 and its versions over all rivals: {pairs(ours, OURS, RIVALS)} pairs "
        f"(paper: {pairs(paper, OURS, RIVALS)})",
        f"sketches against full OA3: {gap(ours)} (paper: {gap(paper)})",
    ]


def as_csv(tables: dict[tuple[str, str], Comparison]) -> str:
    """A line for each data set, metric and method."""
    text = io.StringIO()
    writer = csv.writer(text)
    figures = ("score", "sensitivity", "specificity")
    writer.writerow(
        [
            *("data", "metric", "method"),
            *(f"{each}{part}" for each in figures for part in ("", "_deviation")),
            *("plain_score", "plain_score_deviation", "labels", "seconds"),
            *(f"paper_{each}{part}" for each in figures for part in ("", "_deviation")),
            *("paper_seconds", "difference", "parameters"),
        ]
    )
    for (name, metric), comparison in tables.items():
        for line in lines(name, comparison):
            paper = line.paper
            writer.writerow(
                [
                    *(comparison.stream.title, metric, line.method),
                    *(*line.score, *line.sensitivity, *line.specificity),
                    *(*line.plain_score, line.labels, line.seconds),
                    *(
                        [*paper.score, *paper.sensitivity, *paper.specificity, paper.seconds]
                        if paper
                        else [""] * 7
                    ),
                    *(line.difference, shown(line.parameters)),
                ]
            )
    return text.getvalue()

"""The experiments that follow a metric over the events: fixed budgets, and ways to ask."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path

from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.methods import of_families
from river_oa3.experiments.output.plots import add_legend, draw_development, styles_of, wrapped
from river_oa3.experiments.output.text import as_csv, mean_and_deviation
from river_oa3.experiments.scores import METRICS, Metric

from .experiment import Experiment, Say, draw, grid, write
from .published import PUBLISHED
from .study import Study

if typing.TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Developments", "Strategies"]

Panel = tuple[Comparison, Metric, str]


@dataclasses.dataclass(frozen=True)
class Developments(Experiment):
    """The methods of the paper's tables under a fixed budget: a panel per data set and metric."""

    metrics: Sequence[Metric] = ()

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """Its metrics on each data set."""
        for each in study.available(self.sets):
            for metric in self.metrics:
                yield each, metric

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Draw them and write them down."""
        panels = [
            (study.fixed(each, metric), metric, study.title(each, study.budget(each, "fixed")))
            for each, metric in self.comparisons(study)
        ]
        tabled = list(PUBLISHED[self.sets[0]][self.metrics[0].name])
        return _report(study, name, panels, tabled, say)


class Strategies(Experiment):
    """OA3 beside versions of it that ask in other ways."""

    @property
    def methods(self) -> tuple[str, ...]:
        """OA3 first."""
        return ("OA3", *of_families("OA3 that asks otherwise"))

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """Both metrics on each data set, for the parameters."""
        for metric in METRICS.values():
            for each in study.available(self.sets):
                yield each, metric

    def runs(self, study: Study) -> Iterator[tuple[str, str, int, int]]:
        """Each method again, under another budget."""
        for each, _ in self.comparisons(study):
            for method in self.methods:
                yield each, method, study.orders(each), study.events(each)

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Draw a figure per metric and write it down."""
        paths = []
        for metric in METRICS.values():
            panels: list[Panel] = []
            for each in study.available(self.sets):
                tuned = study.fixed(each, metric).parameters
                plan = study.plan(each, metric, self.methods, f"strategies {metric.name}")
                comparison = study.carry_out(each, plan, tuned)
                panels.append((comparison, metric, study.title(each, plan.budget)))
            paths += _report(study, f"{name}-{metric.name}", panels, self.methods, say)
        return paths


def _report(
    study: Study, name: str, panels: Sequence[Panel], methods: Sequence[str], say: Say
) -> list[Path]:
    """Panels of a metric against events, drawn and written down."""
    rows = [["data set", "method", "events", "metric", "mean", "deviation"]]
    for comparison, metric, title in panels:
        ends = []
        for method in methods:
            values = metric.score(comparison.plan.goal, comparison.curves(method))
            for events, column in zip(comparison.checkpoints.tolist(), values.T, strict=True):
                figures = [f"{figure:.6g}" for figure in mean_and_deviation(column)]
                rows.append([title, method, str(events), metric.name, *figures])
            ends.append(f"{method} {float(values[:, -1].mean()):.2f}")
        say(f"{title}, {metric.name} at the end: {', '.join(ends)}")
    paths = write(study, {f"{name}.csv": as_csv(rows)})
    return paths + draw(study, name, lambda: drawn(panels, methods))


def drawn(panels: Sequence[Panel], methods: Sequence[str]) -> Figure:
    """Panels of a metric against events, one per comparison, under their titles."""
    figure, axes = grid(len(panels))
    for panel, (comparison, metric, title) in zip(axes, panels, strict=False):
        draw_development(panel, comparison, metric, methods)
        panel.set_title(wrapped(title), fontsize=10, parse_math=False)
    add_legend(figure, styles_of(methods), "marker: budget spent")
    return figure

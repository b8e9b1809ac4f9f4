"""The experiments that end in a table: fixed budgets, and the speed-up of the sketches."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from river_oa3 import datasets
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.output import report
from river_oa3.experiments.output.text import aligned, as_csv
from river_oa3.experiments.scores import METRICS, SUM, Metric

from . import tables
from .experiment import Experiment, Say, write
from .published import SPEEDUPS
from .study import Interrupted, Study

__all__ = ["FixedBudgets", "Speedups"]


class FixedBudgets(Experiment):
    """All methods under a fixed budget, beside the paper's figures."""

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """Both metrics on each data set."""
        for each in study.available(self.sets):
            for metric in METRICS.values():
                yield each, metric

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Print and write a table for each data set and metric, also where it is interrupted."""
        found: dict[tuple[str, str], Comparison] = {}
        text: list[str] = []

        def add(each: str, comparison: Comparison) -> None:
            metric = comparison.plan.goal.metric
            found[each, metric] = comparison
            quick = "quick, not for comparison with the paper: " if study.quick else ""
            head = f'{quick}"{metric}" on {report.describe(comparison)}'
            remarks = "\n".join(tables.conclusions(each, comparison))
            for out, bold in ((say, sys.stdout.isatty()), (text.append, False)):
                out(f"{head}\n\n{tables.table(each, comparison, bold)}\n\n{remarks}\n")

        try:
            for each, metric in self.comparisons(study):
                add(each, study.fixed(each, metric))
        except Interrupted as interrupted:
            if interrupted.comparison.runs:
                add(interrupted.name, interrupted.comparison)
            raise
        finally:
            paths = self._write(study, name, text, found) if found else []
        return paths

    @staticmethod
    def _write(
        study: Study, name: str, text: list[str], found: dict[tuple[str, str], Comparison]
    ) -> list[Path]:
        content = {
            f"{each}/{metric}": report.as_json(comparison)
            for (each, metric), comparison in found.items()
        }
        return write(
            study,
            {
                f"{name}.txt": "\n".join(text),
                f"{name}.csv": tables.as_csv(found),
                f"{name}.json": json.dumps(content) + "\n",
            },
        )


class Speedups(Experiment):
    """How much faster than full OA3 the sketches are."""

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """The sum on each data set."""
        for each in study.available(self.sets):
            yield each, SUM

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Print and write one table, the data set with the fewest features first."""
        rows = [
            ["data set", "features", "method", "s/run", "speed-up", "paper s", "paper speed-up"]
        ]
        sets = sorted(self.sets, key=lambda each: datasets.paper.SETS[each].features)
        for each in study.available(sets):
            found = tables.lines(each, study.fixed(each, SUM))
            seconds = {line.method: line.seconds for line in found}
            for method, paper in SPEEDUPS[each].items():
                rows.append(
                    [
                        study.title(each),
                        str(len(study.stream(each).names)),
                        method,
                        f"{seconds[method]:.3f}",
                        f"{seconds['OA3'] / seconds[method]:.2f}",
                        f"{paper:.3f}",
                        f"{SPEEDUPS[each]['OA3'] / paper:.2f}",
                    ]
                )
        text = aligned(rows)
        say(text)
        return write(study, {f"{name}.txt": text + "\n", f"{name}.csv": as_csv(rows)})

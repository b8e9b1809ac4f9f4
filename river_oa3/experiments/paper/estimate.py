"""About how long experiments will take, before they start."""

from __future__ import annotations

import time
import typing
from collections.abc import Iterable, Iterator

from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.paper.experiment import Experiment
from river_oa3.experiments.paper.study import Study
from river_oa3.experiments.scores import Metric
from river_oa3.experiments.tasks import Part, Task, run_task

__all__ = ["Work", "estimate"]

# How long a trial of a method on a data set should take, in seconds.
TRIAL = 0.05


class Work(typing.NamedTuple):
    """How many runs there are, and how many seconds of one processor they take."""

    runs: int
    seconds: float

    def describe(self, jobs: int, kept: int) -> str:
        """The work as a line of text."""
        minutes = self.seconds / 60 / jobs
        time_needed = f"{minutes:.0f} minutes" if minutes >= 1.5 else "two minutes or less"
        text = f"about {self.runs:,} runs, {time_needed} on {jobs} job{'s' if jobs > 1 else ''}"
        if kept:
            text += (
                f"; of {kept:,} finished runs that are kept, those that it needs are not repeated"
            )
        return text


def estimate(study: Study, experiments: Iterable[Experiment]) -> Work:
    """What experiments take together, as if none of it were done but the tuning that is kept.

    A comparison that several of them need counts once. A short trial of each kind of method on each
    data set says how fast this machine is.
    """
    runs, seconds = 0, 0.0
    trials = _Trials(study)
    for name, method, number, events in _all_runs(study, experiments):
        runs += number
        seconds += number * trials.seconds(name, method, events)
    return Work(runs, seconds)


def _all_runs(
    study: Study, experiments: Iterable[Experiment]
) -> Iterator[tuple[str, str, int, int]]:
    experiments = list(experiments)
    comparisons = {
        (name, metric.name): metric
        for experiment in experiments
        for name, metric in experiment.comparisons(study)
    }
    for (name, _), metric in comparisons.items():
        yield from _comparison_runs(study, name, metric)
    for experiment in experiments:
        yield from experiment.runs(study)


def _comparison_runs(
    study: Study, name: str, metric: Metric
) -> Iterator[tuple[str, str, int, int]]:
    plan = study.fixed_plan(name, metric)
    stream = study.stream(name)
    is_tuned = study.tuned.find(study.tuned.key(stream, plan), plan.methods) is not None
    for method in plan.methods:
        yield name, method, study.permutations, study.events(name)
        if not is_tuned:
            for stage, number in study.search(name).runs(len(METHODS[method].tuned)):
                yield name, method, number, min(stage.events or len(stream), len(stream))


class _Trials:
    """How much longer or shorter than thought a method takes, by a short trial."""

    def __init__(self, study: Study):
        self._study = study
        self._ratios: dict[tuple[str, object], float] = {}

    def seconds(self, name: str, method: str, events: int) -> float:
        """How long a run of a method takes."""
        key = name, METHODS[method].cost
        if key not in self._ratios:
            self._ratios[key] = self._ratio(name, method)
        return self._ratios[key] * METHODS[method].seconds(self._study.stream(name), events)

    def _ratio(self, name: str, method: str) -> float:
        stream = self._study.stream(name)
        thought = METHODS[method].seconds(stream, 1)
        events = min(len(stream), max(10, round(TRIAL / thought)))
        parameters = tuple(METHODS[method].parameters.items())
        # A label for every second event, as under the paper's fixed budgets.
        setting = Setting(max(1, events // 2), 1.0, probability=0.5)
        task = Task(method, parameters, setting, Part(0, events, 0), (events,))
        start = time.perf_counter()
        run_task(stream, self._study.seed, task)
        return (time.perf_counter() - start) / (events * thought)

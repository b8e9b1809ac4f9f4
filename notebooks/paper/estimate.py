"""About how long experiments will take, before they start."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator

from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.scores import SUM, Goal, Metric
from river_oa3.experiments.tasks import Part, Run, Task

from .experiment import Experiment
from .study import Study

__all__ = ["Work", "estimate"]

# How long a trial of a method on a data set should take, in seconds.
TRIAL = 0.05
# What a run takes besides the replay: making the model, and the way to a process and back.
OVERHEAD = 0.0005

# Data set, method, number of runs, events of each.
Runs = tuple[str, str, int, int]


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

    A comparison that several of them need counts once. A short trial of each method on each data
    set says how fast this machine is.
    """
    wanted = list(_all_runs(study, experiments))
    speed = _speed(study, wanted)
    runs = sum(number for _, _, number, _ in wanted)
    seconds = sum(
        number * (OVERHEAD + speed[name, method] * _expected_seconds(study, name, method, n))
        for name, method, number, n in wanted
    )
    return Work(runs, seconds)


def _all_runs(study: Study, experiments: Iterable[Experiment]) -> Iterator[Runs]:
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


def _comparison_runs(study: Study, name: str, metric: Metric) -> Iterator[Runs]:
    plan = study.fixed_plan(name, metric)
    stream = study.stream(name)
    is_tuned = study.tuned.find(study.tuned.key(stream, plan), plan.methods) is not None
    for method in plan.methods:
        yield name, method, study.orders(name), study.events(name)
        if not is_tuned:
            for stage, number in study.search(name).runs(len(METHODS[method].tuned)):
                yield name, method, number, min(stage.events or len(stream), len(stream))


def _expected_seconds(study: Study, name: str, method: str, events: int) -> float:
    """How many seconds a run would take on the machine that the costs were written down on."""
    return METHODS[method].seconds(study.stream(name), events)


def _speed(study: Study, wanted: Iterable[Runs]) -> dict[tuple[str, str], float]:
    """How much longer a method takes here than was expected, by data set and method.

    The trials are made where the runs will be, for linear algebra may take longer elsewhere.
    """
    found = {}
    methods: dict[str, dict[str, None]] = {}
    for name, method, _, _ in wanted:
        methods.setdefault(name, {})[method] = None
    for name, each in methods.items():
        trials = [_trial(study, name, method) for method in each]
        for task, run in study.runner(name).run(trials, f"a trial on {name}"):
            expected = _expected_seconds(study, name, task.method, task.part.stop)
            # A method that overflows with its defaults says nothing of its speed.
            found[name, task.method] = run.seconds / expected if isinstance(run, Run) else 1.0
    return found


def _trial(study: Study, name: str, method: str) -> Task:
    stream = study.stream(name)
    events = min(len(stream), max(10, round(TRIAL / _expected_seconds(study, name, method, 1))))
    # A label for every second event, as under the paper's fixed budgets.
    share = 0.5
    rho = Goal(SUM.name).rho(stream.positives, stream.negatives)
    setting = Setting(max(1, round(share * events)), rho, probability=share)
    parameters = tuple(METHODS[method].parameters.items())
    return Task(method, parameters, setting, Part(0, events, 0), (events,))

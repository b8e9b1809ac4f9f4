"""All methods on one stream, under one budget, in many runs over its events."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import DataError, Stream
from river_oa3.datasets.chunked import AnyStream
from river_oa3.experiments import runner as runners
from river_oa3.experiments.methods import (
    METHODS,
    Setting,
    build,
    check_parameters,
    find,
    known,
)
from river_oa3.experiments.output.text import named_values
from river_oa3.experiments.runner import Runner
from river_oa3.experiments.scores import Counts, Goal, together
from river_oa3.experiments.tasks import OVERFLOW, TUNING, Failure, Part, Run, Task
from river_oa3.experiments.tuning import Search, tune

__all__ = [
    "PREFIX",
    "Comparison",
    "Plan",
    "carry_out",
    "check",
    "choose",
    "compare",
    "events_of",
    "parts_of",
    "setting_of",
]

# How many points a curve has, and the share of the stream that tuning on a prefix takes.
POINTS = 100
PREFIX = 0.2
# The share of the events that each run in their order has: runs start at different events.
WINDOW = 0.8


@dataclasses.dataclass(frozen=True)
class Plan:
    """What to compare, and how.

    Parameters
    ----------
    budget
        How many labels each method may ask for.
    goal
        What the methods should be good at.
    methods
        Which methods, by name.
    permutations
        Over how many shuffles of the events; 0 takes them as they come.
    parameters
        Parameters that differ from the defaults, by method.
    tuning
        Where parameters are chosen from the paper's grid: on other permutations of the events (as
        they come, with other random numbers), or on a prefix of the stream, which is then left out
        of what is reported. None chooses nothing.
    tuning_events
        Tune on so many events only.
    rho
        The weight of a positive; None takes what the goal and the class counts say, as the paper
        does.
    gamma
        The regularisation of the second-order methods.
    sketch_size
        The number of rows of the sketched methods.
    seed
        Makes everything repeatable.
    jobs
        How many processes to use. It does not change a number.
    paper_accounting
        Whether events without features are counted as mistakes, as in the paper's figures.
    events
        Report on so many events of each order only; None reports on all.
    search
        How thoroughly to look for parameters; None does as the paper's tables need it.
    windows
        How many runs there are over events as they come. Each asks by random numbers of its own.
        One goes through all events; of several each goes through 80 % of them, and their starts lie
        at even distances in the first 20 %.

    Examples
    --------

    >>> from river_oa3.experiments import Goal, Plan

    >>> plan = Plan(budget=100, goal=Goal("cost", cost_fn=50, cost_fp=1), methods=("OA3", "CSOAL"))
    >>> plan.permutations
    20

    """

    budget: int
    goal: Goal
    methods: tuple[str, ...] = dataclasses.field(default_factory=lambda: tuple(METHODS))
    permutations: int = 20
    parameters: Mapping[str, Mapping[str, float]] = dataclasses.field(default_factory=dict)
    tuning: typing.Literal["permutations", "prefix"] | None = None
    tuning_events: int | None = None
    rho: float | None = None
    gamma: float = 1.0
    sketch_size: int = 5
    seed: int = 0
    jobs: int = 1
    paper_accounting: bool = False
    events: int | None = None
    search: Search | None = None
    windows: int = 1

    @property
    def runs(self) -> int:
        """How many runs each method has."""
        return self.permutations or self.windows


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What came of a plan: for each method its parameters, and its runs by their numbers.

    A run that is not there was interrupted. A method that failed has none, and stands in `failed`
    with the reason.

    Examples
    --------

    >>> from river_oa3 import datasets
    >>> from river_oa3.experiments import Goal, Plan, compare

    >>> stream = datasets.open_stream("Phishing").unit_rows()
    >>> plan = Plan(budget=50, goal=Goal("sum"), methods=("OA3-diag",), permutations=3)
    >>> result = compare(stream, plan)
    >>> result.is_complete, result.counts("OA3-diag").labels.shape
    (True, (3,))

    """

    stream: AnyStream
    plan: Plan
    setting: Setting
    checkpoints: NDArray[np.int64]
    parameters: dict[str, dict[str, float]]
    runs: dict[str, dict[int, Run]]
    raw: AnyStream | None = None
    failed: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def as_it_came(self) -> AnyStream:
        """The events before anything was done to them, where there are such."""
        return self.stream if self.raw is None else self.raw

    @property
    def is_complete(self) -> bool:
        return all(
            len(self.runs.get(method, ())) == self.plan.runs
            for method in self.plan.methods
            if method not in self.failed
        )

    @property
    def events(self) -> int:
        """How many events a run has."""
        return int(self.checkpoints[-1])

    def counts(self, method: str, checkpoint: int = -1) -> Counts:
        """The counts of all runs of a method at a checkpoint, the last unless another is named."""
        runs = [run for _, run in sorted(self.runs[method].items())]
        return Counts(
            *(
                np.array([count[checkpoint] for count in each])
                for each in zip(*(run.counts for run in runs), strict=True)
            )
        )

    def curves(self, method: str) -> Counts:
        """The counts of all runs of a method: arrays of runs by checkpoints."""
        runs = [run for _, run in sorted(self.runs[method].items())]
        return together([run.counts for run in runs])

    def parts(self, method: str) -> list[Part]:
        """The events of each run of a method, in the order of their numbers.

        Those of runs over events as they come overlap.
        """
        every = parts_of(self.stream, self.plan)
        return [every[number] for number in sorted(self.runs[method])]

    def exhausted(self, method: str) -> float | None:
        """After how many events the budget was spent, on average; None if not in every run."""
        ends = [run.exhausted for run in self.runs[method].values()]
        return None if None in ends else float(np.mean([end for end in ends if end is not None]))

    def microseconds(self, method: str) -> NDArray[np.float64]:
        """Processor time per event, for each run."""
        runs = [run for _, run in sorted(self.runs[method].items())]
        return np.array([run.seconds for run in runs]) * 1e6 / self.events


def compare(stream: AnyStream, plan: Plan, raw: AnyStream | None = None) -> Comparison:
    """Run a plan on a stream, in worker processes.

    Ctrl-C ends it early, and what is finished is returned.

    Parameters
    ----------
    stream
        The events as the paper's methods take them, which want them scaled.
    plan
        What to do with them.
    raw
        The events as they came, for methods that scale them; the same stream unless one is given.

    Examples
    --------

    >>> from river_oa3 import datasets
    >>> from river_oa3.experiments import Goal, Plan, compare

    >>> stream = datasets.open_stream("Shuttle").unit_rows()
    >>> plan = Plan(budget=490, goal=Goal("sum"), methods=("CSOAL", "SSOA3"), permutations=2)
    >>> result = compare(stream, plan)
    >>> result.counts("CSOAL").labels
    array([490, 490])

    """
    check(stream, plan)
    with runners.ProcessRunner(
        stream, plan.jobs, plan.seed, plan.paper_accounting, raw=raw
    ) as runner:
        return carry_out(runner, plan)


def carry_out(
    runner: Runner, plan: Plan, tuned: Mapping[str, Mapping[str, float]] | None = None
) -> Comparison:
    """Run a plan on the stream of the runner; `tuned` spares the tuning if it is known."""
    stream = runner.stream
    parts = parts_of(stream, plan)
    events = events_of(stream, plan)
    setting = setting_of(stream, plan)
    points = min(POINTS, events)
    checkpoints = np.unique(np.linspace(events / points, events, points).round().astype(np.int64))
    parameters = {
        method: tuple({**find(method).parameters, **plan.parameters.get(method, {})}.items())
        for method in plan.methods
    }
    runs: dict[str, dict[int, Run]] = {method: {} for method in plan.methods}
    failed: dict[str, str] = {}
    try:
        if plan.tuning is not None:
            tuned = choose(runner, plan) if tuned is None else tuned
            parameters |= {method: tuple(chosen.items()) for method, chosen in tuned.items()}
        tasks = [
            Task(method, parameters[method], setting, part, tuple(checkpoints.tolist()))
            for part in parts
            for method in plan.methods
        ]
        for task, run in runner.run(tasks, f"replaying {stream.name}"):
            if isinstance(run, Run):
                runs[task.method][task.part.number] = run
            else:
                failed[task.method] = _reason(task, run)
    except KeyboardInterrupt:
        runner.stop()
    if len(failed) == len(plan.methods):
        each = "; ".join(f"{method} {reason}" for method, reason in failed.items())
        raise DataError(f"every method fails on {stream.name}: {each}")
    return Comparison(
        stream,
        plan,
        setting,
        checkpoints,
        {method: dict(chosen) for method, chosen in parameters.items()},
        {method: found for method, found in runs.items() if found and method not in failed},
        runner.streams.raw,
        {method: failed[method] for method in plan.methods if method in failed},
    )


def _reason(task: Task, failure: Failure) -> str:
    """Why a method has failed, as a sentence goes on after its name."""
    if failure != OVERFLOW:
        return f"fails: {failure.reason}"
    chosen = named_values(dict(task.parameters))
    with_what = f" with {chosen}" if chosen else ""
    return f"overflows{with_what}: scale the features, or choose other parameters"


def setting_of(stream: AnyStream, plan: Plan) -> Setting:
    """What all methods of a plan share."""
    rho = plan.goal.rho(stream.positives, stream.negatives) if plan.rho is None else plan.rho
    share = plan.budget / events_of(stream, plan)
    return Setting(plan.budget, rho, plan.gamma, plan.sketch_size, share, plan.goal)


def parts_of(stream: AnyStream, plan: Plan) -> list[Part]:
    """The events of each run of a plan, by its number."""
    start, stop = _start(stream, plan), _stop(stream, plan)
    if plan.permutations:
        return [Part(start, stop, number, start > 0) for number in range(plan.permutations)]
    events = events_of(stream, plan)
    starts = np.linspace(start, stop - events, plan.windows).round().astype(np.int64).tolist()
    return [Part(each, each + events, None, repeat=number) for number, each in enumerate(starts)]


def events_of(stream: AnyStream, plan: Plan) -> int:
    """How many events a run of a plan has."""
    events = _stop(stream, plan) - _start(stream, plan)
    is_whole = plan.permutations > 0 or plan.windows == 1
    return events if is_whole else max(1, round(WINDOW * events))


def _start(stream: AnyStream, plan: Plan) -> int:
    """The first event that is reported: tuning on a prefix takes what comes before."""
    return round(PREFIX * len(stream)) if plan.tuning == "prefix" else 0


def _stop(stream: AnyStream, plan: Plan) -> int:
    """Where the events that are reported end."""
    if plan.events is None:
        return len(stream)
    return min(len(stream), _start(stream, plan) + plan.events)


def choose(runner: Runner, plan: Plan) -> dict[str, dict[str, float]]:
    """Parameters chosen on the prefix, or on permutations that are not reported.

    Those that the plan gives are left alone.
    """
    start = _start(runner.stream, plan)
    events = start or len(runner.stream)
    if plan.tuning_events is not None:
        events = min(events, plan.tuning_events)
    part = Part(0, events, None)
    if plan.permutations:
        part = Part(0, events, TUNING, within=start > 0)
    chosen = tune(
        runner,
        [method for method in plan.methods if method not in plan.parameters and find(method).tuned],
        setting_of(runner.stream, plan),
        plan.goal,
        part,
        plan.search,
    )
    return {method: dict(parameters) for method, parameters in chosen.items()}


def check(stream: AnyStream, plan: Plan) -> None:
    """Refuse a plan that does not fit the stream."""
    events = events_of(stream, plan)
    if not 1 <= plan.budget <= events:
        raise DataError(
            f"a budget of {plan.budget} labels does not fit {stream.name}, of which a run has "
            f"{events} events to ask about: choose 1 to {events}, or a share such as 1%"
        )
    for method in (*plan.methods, *plan.parameters):
        if method not in known():
            raise DataError(f"there is no method {method!r}; choose from {', '.join(known())}")
    for method in plan.parameters:
        if method not in plan.methods:
            raise DataError(f"parameters are set for {method}, which is not among the methods")
    if plan.tuning == "prefix":
        _check_prefix(stream, plan)
    setting = setting_of(stream, plan)
    try:
        for method, parameters in plan.parameters.items():
            check_parameters(method, parameters)
        for method in plan.methods:
            build(method, setting, plan.parameters.get(method, {}), plan.seed)
    except ValueError as error:  # the learners' own words on a parameter
        raise DataError(str(error)) from error


def _check_prefix(stream: AnyStream, plan: Plan) -> None:
    if not isinstance(stream, Stream):
        raise DataError(
            f"{stream.name} is read in chunks, which have no first fifth: tune with --tune, or "
            "take a part of the events with --sample"
        )
    prefix = stream.y[: _start(stream, plan)]
    if prefix.all() | ~prefix.any():
        raise DataError(
            f"the first fifth of {stream.name} is of one class, and nothing can be tuned on it: "
            "tune with --tune, or shuffle the events"
        )

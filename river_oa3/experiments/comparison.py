"""All methods on one stream, under one budget, over many orders of its events."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import DataError, Stream
from river_oa3.datasets.pieced import AnyStream
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
from river_oa3.experiments.tasks import Part, Run, Task
from river_oa3.experiments.tuning import Search, tune

__all__ = [
    "PREFIX",
    "Comparison",
    "Plan",
    "carry_out",
    "check",
    "choose",
    "compare",
    "setting_of",
]

# How many points a curve has, and the share of the stream that tuning on a prefix takes.
POINTS = 100
PREFIX = 0.2


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
        Over how many orders of the events; 0 takes them as they come, once.
    parameters
        Parameters that differ from the defaults, by method.
    tuning
        Where parameters are chosen from the paper's grid: on other permutations of the events, or
        on a prefix of the stream, which is then left out of what is reported. None chooses nothing.
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


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What came of a plan: for each method its parameters and a run for each order.

    An order that is not there was interrupted.

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

    @property
    def as_it_came(self) -> AnyStream:
        """The events before anything was done to them, where there are such."""
        return self.stream if self.raw is None else self.raw

    @property
    def is_complete(self) -> bool:
        wanted = max(1, self.plan.permutations)
        return all(len(self.runs.get(method, ())) == wanted for method in self.plan.methods)

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
        """The events of each run of a method, in the order of the permutations."""
        start, stop = _start(self.stream, self.plan), _stop(self.stream, self.plan)
        return [
            Part(start, stop, number if self.plan.permutations else None, within=start > 0)
            for number in sorted(self.runs[method])
        ]

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
    start, stop = _start(stream, plan), _stop(stream, plan)
    events = stop - start
    setting = setting_of(stream, plan)
    points = min(POINTS, events)
    checkpoints = np.unique(np.linspace(events / points, events, points).round().astype(np.int64))
    parameters = {
        method: tuple({**find(method).parameters, **plan.parameters.get(method, {})}.items())
        for method in plan.methods
    }
    runs: dict[str, dict[int, Run]] = {method: {} for method in plan.methods}
    try:
        if plan.tuning is not None:
            tuned = choose(runner, plan) if tuned is None else tuned
            parameters |= {method: tuple(chosen.items()) for method, chosen in tuned.items()}
        orders: Sequence[int | None] = range(plan.permutations) if plan.permutations else [None]
        tasks = [
            Task(
                method,
                parameters[method],
                setting,
                Part(start, stop, order, within=start > 0),
                tuple(checkpoints.tolist()),
            )
            for order in orders
            for method in plan.methods
        ]
        for task, run in runner.run(tasks, f"replaying {stream.name}"):
            if run is None:
                chosen = named_values(dict(task.parameters))
                raise DataError(
                    f"{task.method} overflows on {stream.name} with {chosen}"
                    ": scale the features, or choose other parameters"
                )
            runs[task.method][task.part.permutation or 0] = run
    except KeyboardInterrupt:
        runner.stop()
    return Comparison(
        stream,
        plan,
        setting,
        checkpoints,
        {method: dict(chosen) for method, chosen in parameters.items()},
        {method: found for method, found in runs.items() if found},
        runner.streams.raw,
    )


def setting_of(stream: AnyStream, plan: Plan) -> Setting:
    """What all methods of a plan share."""
    rho = plan.goal.rho(stream.positives, stream.negatives) if plan.rho is None else plan.rho
    share = plan.budget / (_stop(stream, plan) - _start(stream, plan))
    return Setting(plan.budget, rho, plan.gamma, plan.sketch_size, share, plan.goal)


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
    chosen = tune(
        runner,
        [method for method in plan.methods if method not in plan.parameters and find(method).tuned],
        setting_of(runner.stream, plan),
        plan.goal,
        Part(0, events, None, within=start > 0),
        plan.search,
    )
    return {method: dict(parameters) for method, parameters in chosen.items()}


def check(stream: AnyStream, plan: Plan) -> None:
    """Refuse a plan that does not fit the stream."""
    events = _stop(stream, plan) - _start(stream, plan)
    if not 1 <= plan.budget <= events:
        raise DataError(
            f"a budget of {plan.budget} labels does not fit {stream.name}, which has {events} "
            f"events to ask about: choose 1 to {events}, or a share such as 1%"
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
            f"{stream.name} is read in pieces, which have no first fifth: tune on permutations, or "
            "take a part of the events with --sample"
        )
    prefix = stream.y[: _start(stream, plan)]
    if prefix.all() | ~prefix.any():
        raise DataError(
            f"the first fifth of {stream.name} is of one class, and nothing can be tuned on it: "
            "tune on permutations, or shuffle the events"
        )

"""The paper's experiments as one study: its data sets, its settings, and what was found so far."""

from __future__ import annotations

import contextlib
import dataclasses
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import DataError, Stream
from river_oa3.experiments import runner as runners
from river_oa3.experiments.comparison import Comparison, Plan, carry_out, choose
from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.runner import Runner
from river_oa3.experiments.scores import Goal, Metric
from river_oa3.experiments.store import RunStore
from river_oa3.experiments.tasks import OVERFLOW, Parameters, Part, Run, Task
from river_oa3.experiments.tuning import PAPER, QUICK, Search, Stage

from .published import PUBLISHED
from .sets import HIGH_DIMENSIONAL, PaperStreams
from .tuned import TunedParameters

__all__ = ["Interrupted", "Study", "Variation"]

# Where a run of full OA3 takes long, parameters are chosen on fewer events.
SEARCHES: dict[str, Search] = {
    "KDDCUP08": PAPER.on_events(20_000, 20_000, 20_000),
    "IAD": PAPER.on_events(1_000, 1_000, 1_000),
    # What is best on few events is not on all of them: only the coarse grid is tried on few.
    "CIFAR-10": Search(
        coarse=Stage(1, 2_000),
        fine=Stage(1),
        final=Stage(3),
        kept=0.1,
        climbers=2,
        finalists=5,
    ),
}

# The paper speaks of 20 permutations; its costs on these sets are multiples of a tenth: ten runs.
PAPER_ORDERS = dict.fromkeys(HIGH_DIMENSIONAL, 10)

# A quick study reports on as many events as the slowest method takes so many seconds for.
QUICK_ORDERS = 3
QUICK_SECONDS = 0.5
QUICK_EVENTS = 20_000


class Variation(typing.NamedTuple):
    """A method with one thing changed to a value."""

    method: str
    value: float
    parameters: Parameters
    setting: Setting
    goal: Goal


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with what was finished of a comparison by then."""

    def __init__(self, name: str, comparison: Comparison):
        super().__init__(f"interrupted on {name}")
        self.name = name
        self.comparison = comparison


@dataclasses.dataclass
class Study:
    """The paper's data sets as far as they are there, and what has been found out on them.

    Parameters
    ----------
    folder
        Where results go. Finished runs and tuned parameters are kept there too, and found there
        the next time.
    sets
        The data sets to use; None for all that are there.
    data_dir
        Where the data sets are.
    download
        Whether to fetch what is not there.
    permutations
        Orders of the events to average over; without it, as many as in the paper, or three where
        it is quick.
    seed
        Makes everything repeatable.
    jobs
        How many processes to use.
    paper_accounting
        Whether events without features are counted as mistakes, as the paper does.
    tuning_events
        On how many events the three stages of tuning take place, None for all of them; without it,
        on all, or on fewer where a run takes long.
    tuning_orders
        In how many orders the last stage of tuning takes place; without it, as many as in the
        paper, or fewer where a run takes long.
    quick
        Whether to be done in a minute or two: on fewer events, with a smaller grid.

    """

    folder: Path
    sets: Sequence[str] | None = None
    data_dir: str | None = None
    download: bool = False
    permutations: int | None = None
    seed: int = 0
    jobs: int = 1
    paper_accounting: bool = True
    tuning_events: tuple[int | None, int | None, int | None] | None = None
    tuning_orders: int | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        self.streams = PaperStreams(self.sets, self.data_dir, self.download)
        self.store = RunStore(self.folder / "runs.jsonl")
        self.tuned = TunedParameters(self.folder / "tuned.json")
        self._fixed: dict[tuple[str, str], Comparison] = {}
        self._runners: dict[str, Runner] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *exception: typing.Any) -> None:
        self._stack.__exit__(*exception)

    def available(self, names: Iterable[str]) -> list[str]:
        """Those of the data sets that are there and wanted."""
        return self.streams.available(names)

    def stream(self, name: str) -> Stream:
        """A data set with rows of unit length."""
        return self.streams[name]

    def events(self, name: str) -> int:
        """How many events of each order are reported on."""
        stream = self.streams[name]
        if not self.quick:
            return len(stream)
        slowest = max(method.seconds(stream, 1) for method in METHODS.values())
        return min(len(stream), QUICK_EVENTS, max(200, round(QUICK_SECONDS / slowest)))

    def orders(self, name: str) -> int:
        """How many orders of the events are averaged over."""
        if self.permutations is not None:
            return self.permutations
        return QUICK_ORDERS if self.quick else PAPER_ORDERS.get(name, 20)

    def budget(self, name: str, experiment: str) -> int:
        """The paper's budget; of a part or a stand-in, the same share of its events."""
        return self.streams.budget(name, experiment, self.events(name))

    def title(self, name: str, budget: int | None = None) -> str:
        """The data set as a title, with what it is not, and how it is accounted for."""
        title = self.streams[name].title
        if budget is not None:
            title += f", B={budget:,}"
        if self.quick:
            title += f", quick: {self.events(name):,} events, {self.orders(name)} permutations"
        if self.paper_accounting and self.streams.has_empty_events(name):
            title += ", empty events as mistakes"
        return title

    def file_name(self, name: str) -> str:
        """The name of an experiment's files: a quick one does not replace the real one."""
        return f"{name}-quick" if self.quick else name

    def runner(self, name: str) -> Runner:
        """What runs tasks on a data set, until the study is closed."""
        if name not in self._runners:
            runner = runners.ProcessRunner(
                self.streams[name], self.jobs, self.seed, self.paper_accounting, self.store
            )
            self._runners[name] = self._stack.enter_context(runner)
        return self._runners[name]

    def setting(self, name: str, goal: Goal, budget: int) -> Setting:
        """What all methods share on a data set."""
        stream = self.streams[name]
        rho = goal.rho(stream.positives, stream.negatives)
        return Setting(budget, rho, probability=budget / self.events(name))

    def search(self, name: str) -> Search:
        """How thoroughly to look for parameters on a data set."""
        search = QUICK if self.quick else SEARCHES.get(name, PAPER)
        if self.tuning_events is not None:
            search = search.on_events(*self.tuning_events)
        if self.tuning_orders is not None:
            final = dataclasses.replace(search.final, orders=self.tuning_orders)
            search = dataclasses.replace(search, final=final)
        return search

    def plan(self, name: str, metric: Metric, methods: Sequence[str], experiment: str) -> Plan:
        """A comparison of methods under the paper's budget for an experiment."""
        search = self.search(name)
        return Plan(
            budget=self.budget(name, experiment),
            goal=Goal(metric.name),
            methods=tuple(methods),
            permutations=self.orders(name),
            events=self.events(name) if self.quick else None,
            tuning="permutations",
            search=None if search == PAPER else search,
            seed=self.seed,
            jobs=self.jobs,
            paper_accounting=self.paper_accounting,
        )

    def fixed_plan(self, name: str, metric: Metric) -> Plan:
        """All methods under the paper's fixed budget."""
        methods = PUBLISHED[name][metric.name] if name in HIGH_DIMENSIONAL else METHODS
        return self.plan(name, metric, tuple(methods), "fixed")

    def fixed(self, name: str, metric: Metric) -> Comparison:
        """All methods with tuned parameters under the paper's fixed budget."""
        if (name, metric.name) not in self._fixed:
            plan = self.fixed_plan(name, metric)
            key = self.tuned.key(self.streams[name], plan)
            tuned = self.tuned.find(key, plan.methods)
            if tuned is None:
                tuned = choose(self.runner(name), plan)
                self.tuned.add(key, tuned)
            self._fixed[name, metric.name] = self.carry_out(name, plan, tuned)
        return self._fixed[name, metric.name]

    def carry_out(
        self, name: str, plan: Plan, tuned: typing.Mapping[str, typing.Mapping[str, float]]
    ) -> Comparison:
        """Run a plan with parameters that were tuned before."""
        found = carry_out(self.runner(name), plan, tuned)
        for method, reason in found.failed.items():
            raise DataError(f"{method} {reason} (on {name})")
        if not found.is_complete:
            raise Interrupted(name, found)
        return found

    def sweep(
        self,
        name: str,
        variations: Sequence[Variation],
        permutations: int,
        what: str,
        events: int | None = None,
    ) -> dict[tuple[str, float], NDArray[np.float64]]:
        """The scores of each variation, one per permutation; NaN where the method overflowed.

        With `events`, only so many of each permutation are used.
        """
        end = min(self.events(name), events or self.events(name))
        tasks: dict[Task, list[tuple[Variation, int]]] = {}
        for order in range(permutations):
            for each in variations:
                part = Part(0, end, order)
                task = Task(each.method, each.parameters, each.setting, part, (end,))
                tasks.setdefault(task, []).append((each, order))
        scores = {(each.method, each.value): np.full(permutations, np.nan) for each in variations}
        for task, run in self.runner(name).run(list(tasks), f"{what}, {name}"):
            if isinstance(run, Run):
                for each, order in tasks[task]:
                    scores[each.method, each.value][order] = float(each.goal.score(run.final))
            elif run != OVERFLOW:
                raise DataError(f"{task.method} fails on {name}: {run.reason}")
        return scores

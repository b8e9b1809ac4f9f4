"""Where the paper's experiments are run: its data sets, its budgets, and tuned parameters."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3 import datasets
from river_oa3.datasets import DataError, Stream
from river_oa3.experiments import report
from river_oa3.experiments.comparison import Comparison, Plan, carry_out, choose
from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.progress import downloading
from river_oa3.experiments.published import BUDGETS, PUBLISHED
from river_oa3.experiments.running import Parameters, Part, Run, Task, Workers
from river_oa3.experiments.scores import Counts, Goal

__all__ = ["HIGH_DIMENSIONAL", "METRICS", "STANDARD", "Lab", "Metric", "Variation"]

STANDARD = ("protein", "Sensorless", "w8a", "KDDCUP08")
HIGH_DIMENSIONAL = ("CIFAR-10", "IAD")
Metric = typing.Literal["sum", "cost"]
METRICS: tuple[Metric, ...] = ("sum", "cost")

# Where a run of full OA3 takes long, parameters are chosen on fewer events, to be done in minutes.
TUNING_EVENTS = {"KDDCUP08": 20_000, "IAD": 1_000, "CIFAR-10": 500}


class Variation(typing.NamedTuple):
    """A method with one thing changed to a value."""

    method: str
    value: float
    parameters: Parameters
    setting: Setting
    goal: Goal


@dataclasses.dataclass
class Lab:
    """The paper's data sets as far as they are there, and what has been found out on them.

    Parameters
    ----------
    folder
        Where results go. Tuned parameters are kept there too, and found there the next time.
    sets
        The data sets to use; None for all that are there.
    data_dir
        Where the data sets are.
    download
        Whether to fetch what is not there.
    permutations
        Orders of the events to average over.
    seed
        Makes everything repeatable.
    jobs
        How many processes to use.
    paper_accounting
        Whether events without features are counted as mistakes, as the paper does.

    """

    folder: Path
    sets: Sequence[str] | None = None
    data_dir: str | None = None
    download: bool = False
    permutations: int = 20
    seed: int = 0
    jobs: int = 1
    paper_accounting: bool = True

    def __post_init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._absent: dict[str, str] = {}
        self._fixed: dict[tuple[str, str], Comparison] = {}
        self._workers: dict[str, Workers] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *exception: typing.Any) -> None:
        self._stack.__exit__(*exception)

    def available(self, names: Iterable[str]) -> list[str]:
        """Those of the data sets that are there and wanted."""
        wanted = [name for name in names if self.sets is None or name in self.sets]
        return [name for name in wanted if self._load(name)]

    @property
    def absent(self) -> dict[str, str]:
        """Why data sets that were looked for are not there."""
        return self._absent

    def _load(self, name: str) -> bool:
        if name not in self._streams and name not in self._absent:
            try:
                with downloading(name) as progress:
                    stream = datasets.paper.load(name, self.data_dir, self.download, progress)
            except DataError as error:
                if self.sets is not None:
                    raise
                self._absent[name] = str(error)
            else:
                self._streams[name] = stream.unit_rows()
        return name in self._streams

    def stream(self, name: str) -> Stream:
        """A data set with rows of unit length."""
        self._load(name)
        return self._streams[name]

    def budget(self, name: str, experiment: str) -> int:
        """The paper's budget; of a part or a stand-in, the same share of its events."""
        share = BUDGETS[experiment][name] / datasets.paper.SETS[name].rows
        return min(len(self.stream(name)), max(1, round(share * len(self.stream(name)))))

    def title(self, name: str, budget: int | None = None) -> str:
        """The data set as a title, with what it is not, and how it is accounted for."""
        stream = self.stream(name)
        title = stream.title if budget is None else f"{stream.title}, B={budget:,}"
        has_empty = bool((np.diff(stream.X.indptr) == 0).any())
        return f"{title}, empty events as mistakes" if has_empty & self.paper_accounting else title

    def workers(self, name: str) -> Workers:
        """Processes that hold the data set, until the lab is closed."""
        if name not in self._workers:
            workers = Workers(self.stream(name), self.jobs, self.seed, self.paper_accounting)
            self._workers[name] = self._stack.enter_context(workers)
        return self._workers[name]

    def setting(self, name: str, goal: Goal, budget: int) -> Setting:
        """What all methods share on a data set."""
        stream = self.stream(name)
        rho = goal.rho(stream.positives, stream.negatives)
        return Setting(budget, rho, probability=budget / len(stream))

    def fixed(self, name: str, metric: Metric) -> Comparison:
        """All methods with tuned parameters under the paper's fixed budget."""
        if (name, metric) not in self._fixed:
            plan = Plan(
                budget=self.budget(name, "fixed"),
                goal=Goal(metric),
                methods=tuple(PUBLISHED[name][metric] if name in HIGH_DIMENSIONAL else METHODS),
                permutations=self.permutations,
                tuning="permutations",
                tuning_events=TUNING_EVENTS.get(name),
                seed=self.seed,
                jobs=self.jobs,
                paper_accounting=self.paper_accounting,
            )
            key = self._key(name, plan)
            tuned = self._remembered(plan.methods).get(key)
            if tuned is None:
                tuned = choose(self.workers(name), plan)
                self._remember(key, tuned)
            found = carry_out(self.workers(name), plan, tuned)
            if not found.is_complete:
                raise KeyboardInterrupt
            self._fixed[name, metric] = found
        return self._fixed[name, metric]

    def sweep(
        self,
        name: str,
        variations: Sequence[Variation],
        permutations: int,
        what: str,
        events: int | None = None,
    ) -> dict[tuple[str, float], NDArray[np.float64]]:
        """The scores of each variation, one a permutation; NaN where the method overflowed.

        With `events`, only so many of each permutation are used.
        """
        end = min(len(self.stream(name)), events or len(self.stream(name)))
        tasks: dict[Task, list[tuple[Variation, int]]] = {}
        for order in range(permutations):
            for each in variations:
                part = Part(0, end, order)
                task = Task(each.method, each.parameters, each.setting, part, (end,))
                tasks.setdefault(task, []).append((each, order))
        scores = {(each.method, each.value): np.full(permutations, np.nan) for each in variations}
        for task, run in self.workers(name).run(list(tasks), f"{what}, {name}"):
            if run is not None:
                for each, order in tasks[task]:
                    scores[each.method, each.value][order] = float(each.goal.score(final(run)))
        return scores

    # Tuned parameters are kept in the results' folder.

    def _key(self, name: str, plan: Plan) -> str:
        """Everything that tuning depends on."""
        stream = self.stream(name)
        return "/".join(
            map(
                str,
                (
                    stream.title,
                    len(stream),
                    plan.goal,
                    f"budget={plan.budget}",
                    f"events={plan.tuning_events}",
                    # The accounting of empty events adds the same to every setting.
                    f"seed={plan.seed}",
                ),
            )
        )

    @property
    def _memory(self) -> Path:
        return self.folder / "tuned.json"

    def _remembered(self, methods: Iterable[str] = ()) -> dict[str, dict[str, dict[str, float]]]:
        """What was tuned before, as far as it has these methods; a damaged memory is no memory."""
        try:
            stored = json.loads(self._memory.read_text())
            return {
                key: {
                    method: {name: float(each[name]) for name in METHODS[method].tuned}
                    for method, each in chosen.items()
                }
                for key, chosen in stored.items()
                if set(chosen) >= set(methods)
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}

    def _remember(self, key: str, parameters: dict[str, dict[str, float]]) -> None:
        stored = self._remembered() | {key: parameters}
        report.write_text(self._memory, json.dumps(stored, indent=1) + "\n")


def final(run: Run) -> Counts:
    """The counts at the end of a run."""
    return Counts(*(count[-1] for count in run.counts))

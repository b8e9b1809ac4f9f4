"""Each experiment of the paper, its settings built in."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from river_oa3.datasets import DataError
from river_oa3.experiments import beside, defaults, plots, report
from river_oa3.experiments.comparison import Comparison, Plan, carry_out
from river_oa3.experiments.lab import HIGH_DIMENSIONAL, METRICS, STANDARD, Lab, Metric
from river_oa3.experiments.outputs import Runner, as_csv, draw, write
from river_oa3.experiments.published import PUBLISHED, SETS, SPEEDUPS
from river_oa3.experiments.scores import Goal
from river_oa3.experiments.sweeps import (
    biases,
    both,
    budget_varied,
    eta_varied,
    gamma_varied,
    sweep,
    weight_varied,
)

__all__ = ["EXPERIMENTS", "EXTRAS", "reproduce"]

TABLED = tuple(PUBLISHED["w8a"]["sum"])
OURS = beside.OURS
POWERS = tuple(float(f"1e{exponent}") for exponent in range(-4, 5))
# Of all the events.
BUDGET_SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
WEIGHTS = tuple(tenth / 10 for tenth in range(1, 10))


def reproduce(lab: Lab, names: Iterable[str], say: Callable[[str], None] = print) -> list[Path]:
    """Run experiments by name, say what comes of them, and write it to the lab's folder."""
    paths = []
    chosen = {name: (EXPERIMENTS | EXTRAS)[name] for name in names}
    there = {name: lab.available(experiment.sets) for name, experiment in chosen.items()}
    if not any(there.values()):
        reasons = [*lab.absent.values(), "none of its data sets is among --sets"]
        raise DataError(f"{next(iter(chosen))} has nothing to run on: {reasons[0]}")
    report.results_folder(lab.folder)
    for name, experiment in chosen.items():
        if there[name]:
            say(f"== {name}: {experiment.title}")
            paths += experiment.run(lab, name, say)
        else:
            say(f"== {name} is left out: its data sets are {', '.join(experiment.sets)}")
        say("")
    for name, reason in lab.absent.items():
        say(f"left out {name}: {reason}")
    return paths


@dataclasses.dataclass(frozen=True)
class Experiment:
    """What is done, a function that does it, and the data sets it is done on."""

    title: str
    run: Runner
    sets: Sequence[str] = STANDARD


# Tables.


def _table(sets: Sequence[str]) -> Runner:
    def run(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
        found: dict[tuple[str, str], Comparison] = {}
        text: list[str] = []
        for each in lab.available(sets):
            for metric in METRICS:
                comparison = found[each, metric] = lab.fixed(each, metric)
                head = f'"{metric}" on {report.describe(comparison)}'
                remarks = "\n".join(beside.conclusions(each, comparison))
                for out, bold in ((say, sys.stdout.isatty()), (text.append, False)):
                    out(f"{head}\n\n{beside.table(each, comparison, bold)}\n\n{remarks}\n")
        content = {
            f"{each}/{metric}": report.as_json(comparison)
            for (each, metric), comparison in found.items()
        }
        return write(
            lab,
            {
                f"{name}.txt": "\n".join(text),
                f"{name}.csv": beside.as_csv(found),
                f"{name}.json": json.dumps(content) + "\n",
            },
        )

    return run


def _speedups(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
    rows = [["data set", "features", "method", "s/run", "speed-up", "paper s", "paper speed-up"]]
    sets = sorted(SPEEDUPS, key=lambda each: SETS[each].features)
    for each in lab.available(sets):
        seconds = {line.method: line.seconds for line in beside.lines(each, lab.fixed(each, "sum"))}
        for method, paper in SPEEDUPS[each].items():
            rows.append(
                [
                    lab.title(each),
                    str(len(lab.stream(each).names)),
                    method,
                    f"{seconds[method]:.3f}",
                    f"{seconds['OA3'] / seconds[method]:.2f}",
                    f"{paper:.3f}",
                    f"{SPEEDUPS[each]['OA3'] / paper:.2f}",
                ]
            )
    text = report.aligned(rows, set(), bold=False)
    say(text)
    return write(lab, {f"{name}.txt": text + "\n", f"{name}.csv": as_csv(rows)})


# Development over the events.


def _fixed(
    panels: Sequence[tuple[str, Metric]],
) -> Runner:
    def run(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
        there = set(lab.available([each for each, _ in panels]))
        found = [
            (lab.fixed(each, metric), metric, lab.title(each, lab.budget(each, "fixed")))
            for each, metric in panels
            if each in there
        ]
        return _developments(lab, name, found, TABLED, say)

    return run


def _strategies(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
    methods = ("OA3", "OA3-F", "OA3-R")
    paths = []
    for metric in METRICS:
        found: list[tuple[Comparison, Metric, str]] = []
        for each in lab.available(STANDARD):
            tuned = lab.fixed(each, metric).parameters
            plan = Plan(
                budget=lab.budget(each, f"strategies {metric}"),
                goal=Goal(metric),
                methods=methods,
                permutations=lab.permutations,
                tuning="permutations",
                seed=lab.seed,
                jobs=lab.jobs,
                paper_accounting=lab.paper_accounting,
            )
            comparison = carry_out(lab.workers(each), plan, tuned)
            if not comparison.is_complete:
                raise KeyboardInterrupt
            found.append((comparison, metric, lab.title(each, plan.budget)))
        paths += _developments(lab, f"{name}-{metric}", found, methods, say)
    return paths


def _developments(
    lab: Lab,
    name: str,
    found: Sequence[tuple[Comparison, Metric, str]],
    methods: Sequence[str],
    say: Callable[[str], None],
) -> list[Path]:
    """Panels of a metric against events, drawn and written down."""
    rows = [["data set", "method", "events", "metric", "mean", "deviation"]]
    for comparison, metric, title in found:
        ends = []
        for method in methods:
            counts = comparison.curves(method)
            goal = comparison.plan.goal
            values = goal.sum(counts) if metric == "sum" else goal.cost(counts)
            for tick, column in zip(comparison.ticks.tolist(), values.T, strict=True):
                mean, deviation = report.mean_and_deviation(column)
                rows.append([title, method, str(tick), metric, f"{mean:.6g}", f"{deviation:.6g}"])
            ends.append(f"{method} {float(values[:, -1].mean()):.2f}")
        say(f"{title}, {metric} at the end: {', '.join(ends)}")
    paths = write(lab, {f"{name}.csv": as_csv(rows)})
    return paths + draw(lab, name, lambda: plots.developments(found, methods))


# Defaults.


def _defaults(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
    sets = lab.available([*STANDARD, *HIGH_DIMENSIONAL])
    found = defaults.regrets(lab, sets)
    text = defaults.table(found)
    say(f"on {', '.join(map(lab.title, sets))}\n\n{text}")
    return write(lab, {f"{name}.txt": text + "\n"})


_PERCENTS = [100 * share for share in BUDGET_SHARES]
_BUDGETS = "budget (% of events)"

EXPERIMENTS: dict[str, Experiment] = {
    "table2": Experiment("evaluation on fixed budgets", _table(STANDARD)),
    "table3": Experiment(
        "evaluation on high-dimensional data sets", _table(HIGH_DIMENSIONAL), HIGH_DIMENSIONAL
    ),
    "fig1": Experiment("sum with a fixed budget", _fixed([(each, "sum") for each in STANDARD])),
    "fig2": Experiment("cost with a fixed budget", _fixed([(each, "cost") for each in STANDARD])),
    "fig3": Experiment(
        "sum with varying budgets",
        sweep("sum", "budgets", _BUDGETS, _PERCENTS, TABLED, budget_varied),
    ),
    "fig4": Experiment(
        "cost with varying budgets",
        sweep("cost", "budgets", _BUDGETS, _PERCENTS, TABLED, budget_varied),
    ),
    "fig5": Experiment("sum with varying query biases, OA3", biases("sum")),
    "fig6": Experiment(
        "sum with varying weights",
        sweep(
            "sum", "weights", "alpha_n, the weight of specificity", WEIGHTS, TABLED, weight_varied
        ),
    ),
    "fig7": Experiment(
        "sum with varying learning rates",
        sweep(
            "sum", "learning rates", "eta, the learning rate", POWERS, OURS, eta_varied, log=True
        ),
    ),
    "figC1": Experiment("cost with varying query biases, OA3", biases("cost")),
    "figC2": Experiment(
        "cost with varying weights",
        sweep("cost", "weights", "c_n, the cost of a false alarm", WEIGHTS, TABLED, weight_varied),
    ),
    "figC3": Experiment(
        "cost with varying learning rates",
        sweep(
            "cost", "learning rates", "eta, the learning rate", POWERS, OURS, eta_varied, log=True
        ),
    ),
    "figC4": Experiment(
        "sum and cost with varying regularisation",
        both(
            *(
                sweep(
                    metric,
                    "regularisation",
                    "gamma, the regularisation",
                    POWERS,
                    OURS,
                    gamma_varied,
                    log=True,
                )
                for metric in METRICS
            )
        ),
    ),
    "figC5": Experiment("query strategies", _strategies),
    "figC6": Experiment(
        "high-dimensional data sets with a fixed budget",
        _fixed([(each, metric) for each in reversed(HIGH_DIMENSIONAL) for metric in METRICS]),
        HIGH_DIMENSIONAL,
    ),
    "speedups": Experiment("speed-up of the sketches over full OA3", _speedups, tuple(SPEEDUPS)),
}

# What stands behind this package and not in the paper: run by name, not as a part of all.
EXTRAS: dict[str, Experiment] = {
    "defaults": Experiment(
        "how the default parameters were chosen", _defaults, (*STANDARD, *HIGH_DIMENSIONAL)
    ),
}

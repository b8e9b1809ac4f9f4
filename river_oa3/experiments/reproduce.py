"""Each experiment of the paper, its settings built in."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import sys
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets import DataError
from river_oa3.experiments import beside, defaults, plots, report
from river_oa3.experiments.comparison import Comparison, Plan, carry_out
from river_oa3.experiments.lab import HIGH_DIMENSIONAL, METRICS, STANDARD, Lab, Variation
from river_oa3.experiments.published import PUBLISHED, SETS, SPEEDUPS
from river_oa3.experiments.running import Parameters
from river_oa3.experiments.scores import Goal
from river_oa3.experiments.tuning import EXPONENTS

__all__ = ["EXPERIMENTS", "EXTRAS", "reproduce"]

Metric = typing.Literal["sum", "cost"]

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


Runner = Callable[[Lab, str, Callable[[str], None]], list[Path]]


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
        return _write(
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
    return _write(lab, {f"{name}.txt": text + "\n", f"{name}.csv": _csv(rows)})


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
    paths = _write(lab, {f"{name}.csv": _csv(rows)})
    return paths + _draw(lab, name, lambda: plots.developments(found, methods))


# One thing varied, all else fixed.


def _sweep(
    metric: Metric,
    label: str,
    values: Sequence[float],
    methods: Sequence[str],
    vary: Callable[[Lab, str, Metric, str, float, dict[str, float]], Variation],
    log: bool = False,
) -> Runner:
    def run(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
        panels: dict[str, dict[str, NDArray[np.float64]]] = {}
        rows = [["data set", "method", label, "metric", "mean", "deviation"]]
        for each in lab.available(STANDARD):
            tuned = lab.fixed(each, metric).parameters
            variations = [
                vary(lab, each, metric, method, value, tuned[method])
                for value in values
                for method in methods
            ]
            scores = lab.sweep(each, variations, lab.permutations, name)
            title = lab.title(each)
            panels[title] = {
                method: np.array([scores[method, value] for value in values]) for method in methods
            }
            for method in methods:
                for value in values:
                    mean, deviation = report.mean_and_deviation(scores[method, value])
                    figures = [f"{mean:.6g}", f"{deviation:.6g}"]
                    rows.append([title, method, f"{value:g}", metric, *figures])
            best = {
                method: int((np.nanargmax if metric == "sum" else np.nanargmin)(found.mean(axis=1)))
                for method, found in panels[title].items()
            }
            say(
                f"{title}: best {metric} at "
                + ", ".join(
                    f"{method} {panels[title][method][at].mean():.2f} ({values[at]:g})"
                    for method, at in best.items()
                )
            )
        paths = _write(lab, {f"{name}.csv": _csv(rows)})
        title = EXPERIMENTS[name.split("-")[0]].title
        draw = lambda: plots.sweeps(panels, values, metric, label, log, title)  # noqa: E731
        return paths + _draw(lab, name, draw)

    return run


def _budget_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    budget = max(1, round(value / 100.0 * len(lab.stream(name))))
    setting = lab.setting(name, Goal(metric), budget)
    return Variation(method, value, tuple(tuned.items()), setting, Goal(metric))


def _weight_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    goal = (
        Goal(metric, alpha_pos=1.0 - value)
        if metric == "sum"
        else Goal(metric, cost_fn=1.0 - value, cost_fp=value)
    )
    setting = lab.setting(name, goal, lab.budget(name, "cost weights"))
    return Variation(method, value, tuple(tuned.items()), setting, goal)


def _eta_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    setting = lab.setting(name, Goal(metric), lab.budget(name, "learning rates"))
    return Variation(method, value, tuple({**tuned, "eta": value}.items()), setting, Goal(metric))


def _gamma_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    setting = lab.setting(name, Goal(metric), lab.budget(name, "gamma"))
    setting = dataclasses.replace(setting, gamma=value)
    return Variation(method, value, tuple(tuned.items()), setting, Goal(metric))


def _both(
    *runs: Runner,
) -> Runner:
    def run(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
        return [
            path
            for metric, each in zip(METRICS, runs, strict=True)
            for path in each(lab, f"{name}-{metric}", say)
        ]

    return run


# Query biases.


def _biases(metric: Metric) -> Runner:
    grid = [float(f"1e{exponent}") for exponent in EXPONENTS]

    def run(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
        # 121 points a panel: a quarter of the permutations will do.
        permutations = max(1, lab.permutations // 4)
        maps: dict[str, NDArray[np.float64]] = {}
        rows = [["data set", "delta_pos", "delta_neg", metric]]
        for each in lab.available(STANDARD):
            tuned = lab.fixed(each, metric).parameters["OA3"]
            budget = lab.budget(each, f"biases {metric}")
            setting = lab.setting(each, Goal(metric), budget)
            points = [(pos, neg) for pos in grid for neg in grid]
            variations = [
                Variation("OA3", float(number), _biased(tuned, *point), setting, Goal(metric))
                for number, point in enumerate(points)
            ]
            scores = lab.sweep(each, variations, permutations, name)
            means = np.array([scores["OA3", float(k)].mean() for k in range(len(points))])
            title = lab.title(each, budget)
            maps[title] = means.reshape(len(grid), len(grid))
            at = int(np.nanargmax(means) if metric == "sum" else np.nanargmin(means))
            say(
                f"{title}: best {metric} {means[at]:.2f} at delta_pos = {points[at][0]:g}, "
                f"delta_neg = {points[at][1]:g} (eta = {tuned['eta']:g}, mean over {permutations} "
                "permutations)"
            )
            for (pos, neg), mean in zip(points, means.tolist(), strict=True):
                rows.append([title, f"{pos:g}", f"{neg:g}", f"{mean:.6g}"])
        paths = _write(lab, {f"{name}.csv": _csv(rows)})
        title = EXPERIMENTS[name].title
        return paths + _draw(
            lab, name, lambda: plots.heat_maps(maps, list(EXPONENTS), metric, title)
        )

    return run


def _biased(tuned: Mapping[str, float], delta_pos: float, delta_neg: float) -> Parameters:
    return tuple({**tuned, "delta_pos": delta_pos, "delta_neg": delta_neg}.items())


# Defaults.


def _defaults(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
    sets = lab.available([*STANDARD, *HIGH_DIMENSIONAL])
    found = defaults.regrets(lab, sets)
    text = defaults.table(found)
    say(f"on {', '.join(map(lab.title, sets))}\n\n{text}")
    return _write(lab, {f"{name}.txt": text + "\n"})


# Files.


def _write(lab: Lab, files: Mapping[str, str]) -> list[Path]:
    for name, text in files.items():
        report.write_text(lab.folder / name, text)
    return [lab.folder / name for name in files]


def _draw(lab: Lab, name: str, draw: Callable[[], typing.Any]) -> list[Path]:
    return plots.save(draw(), lab.folder, name) if plots.available() else []


def _csv(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


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
        "sum with varying budgets", _sweep("sum", _BUDGETS, _PERCENTS, TABLED, _budget_varied)
    ),
    "fig4": Experiment(
        "cost with varying budgets", _sweep("cost", _BUDGETS, _PERCENTS, TABLED, _budget_varied)
    ),
    "fig5": Experiment("sum with varying query biases, OA3", _biases("sum")),
    "fig6": Experiment(
        "sum with varying weights",
        _sweep("sum", "alpha_n, the weight of specificity", WEIGHTS, TABLED, _weight_varied),
    ),
    "fig7": Experiment(
        "sum with varying learning rates",
        _sweep("sum", "eta, the learning rate", POWERS, OURS, _eta_varied, log=True),
    ),
    "figC1": Experiment("cost with varying query biases, OA3", _biases("cost")),
    "figC2": Experiment(
        "cost with varying weights",
        _sweep("cost", "c_n, the cost of a false alarm", WEIGHTS, TABLED, _weight_varied),
    ),
    "figC3": Experiment(
        "cost with varying learning rates",
        _sweep("cost", "eta, the learning rate", POWERS, OURS, _eta_varied, log=True),
    ),
    "figC4": Experiment(
        "sum and cost with varying regularisation",
        _both(
            *(
                _sweep(metric, "gamma, the regularisation", POWERS, OURS, _gamma_varied, log=True)
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

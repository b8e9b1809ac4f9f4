"""One thing varied, all else fixed: lines over a parameter, and heat maps over two."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments import plots, report
from river_oa3.experiments.lab import METRICS, STANDARD, Lab, Metric, Variation
from river_oa3.experiments.outputs import Runner, as_csv, draw, write
from river_oa3.experiments.running import Parameters
from river_oa3.experiments.scores import Goal
from river_oa3.experiments.tuning import EXPONENTS

__all__ = [
    "biases",
    "both",
    "budget_varied",
    "eta_varied",
    "gamma_varied",
    "sweep",
    "weight_varied",
]


def sweep(
    metric: Metric,
    thing: str,
    label: str,
    values: Sequence[float],
    methods: Sequence[str],
    vary: Callable[[Lab, str, Metric, str, float, dict[str, float]], Variation],
    log: bool = False,
) -> Runner:
    """A line a method over the values of one thing, a panel a data set."""

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
        paths = write(lab, {f"{name}.csv": as_csv(rows)})
        heading = f"{metric} with varying {thing}"
        return paths + draw(
            lab, name, lambda: plots.sweeps(panels, values, metric, label, log, heading)
        )

    return run


def budget_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    budget = max(1, round(value / 100.0 * len(lab.stream(name))))
    setting = lab.setting(name, Goal(metric), budget)
    return Variation(method, value, tuple(tuned.items()), setting, Goal(metric))


def weight_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    goal = (
        Goal(metric, alpha_pos=1.0 - value)
        if metric == "sum"
        else Goal(metric, cost_fn=1.0 - value, cost_fp=value)
    )
    setting = lab.setting(name, goal, lab.budget(name, "cost weights"))
    return Variation(method, value, tuple(tuned.items()), setting, goal)


def eta_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    setting = lab.setting(name, Goal(metric), lab.budget(name, "learning rates"))
    return Variation(method, value, tuple({**tuned, "eta": value}.items()), setting, Goal(metric))


def gamma_varied(
    lab: Lab, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    setting = lab.setting(name, Goal(metric), lab.budget(name, "gamma"))
    setting = dataclasses.replace(setting, gamma=value)
    return Variation(method, value, tuple(tuned.items()), setting, Goal(metric))


def both(
    *runs: Runner,
) -> Runner:
    def run(lab: Lab, name: str, say: Callable[[str], None]) -> list[Path]:
        return [
            path
            for metric, each in zip(METRICS, runs, strict=True)
            for path in each(lab, f"{name}-{metric}", say)
        ]

    return run


def biases(metric: Metric) -> Runner:
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
        paths = write(lab, {f"{name}.csv": as_csv(rows)})
        heading = f"{metric} with varying query biases, OA3"
        return paths + draw(
            lab, name, lambda: plots.heat_maps(maps, list(EXPONENTS), metric, heading)
        )

    return run


def _biased(tuned: Mapping[str, float], delta_pos: float, delta_neg: float) -> Parameters:
    return tuple({**tuned, "delta_pos": delta_pos, "delta_neg": delta_neg}.items())

"""The experiments that vary one thing or two: lines over a parameter, heat maps over the biases."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3.experiments.output.plots import add_legend, styles_of, wrapped
from river_oa3.experiments.output.text import as_csv, mean_and_deviation
from river_oa3.experiments.scores import METRICS, SUM, Goal, Metric
from river_oa3.experiments.tasks import Parameters
from river_oa3.experiments.tuning import PAPER

from .experiment import Experiment, Say, draw, grid, write
from .study import Study, Variation

if typing.TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Biases",
    "Sweep",
    "SweepOfBoth",
    "budget_varied",
    "eta_varied",
    "gamma_varied",
    "weight_varied",
]

# Of a study, a data set, a metric, a method and its tuned parameters: the method at a value.
Vary = Callable[[Study, str, Metric, str, float, dict[str, float]], Variation]


@dataclasses.dataclass(frozen=True)
class Sweep(Experiment):
    """A line per method over the values of one thing, a panel per data set.

    Parameters
    ----------
    metric
        What is drawn.
    thing
        What is varied.
    label
        What it is called beside an axis.
    values
        Its values.
    methods
        The methods.
    vary
        How a method is given a value.
    log
        Whether the axis of the values is logarithmic.

    """

    metric: Metric = SUM
    thing: str = ""
    label: str = ""
    values: Sequence[float] = ()
    methods: Sequence[str] = ()
    vary: Vary = dataclasses.field(kw_only=True)
    log: bool = False

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """The metric on each data set, for the parameters."""
        for each in study.available(self.sets):
            yield each, self.metric

    def runs(self, study: Study) -> Iterator[tuple[str, str, int, int]]:
        """Each method at each value."""
        for each in study.available(self.sets):
            for method in self.methods:
                yield each, method, len(self.values) * study.orders(each), study.events(each)

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Draw the lines and write them down."""
        panels: dict[str, dict[str, NDArray[np.float64]]] = {}
        rows = [["data set", "method", self.label, "metric", "mean", "deviation"]]
        for each in study.available(self.sets):
            title = study.title(each)
            lines = panels[title] = self._lines(study, each, name)
            for method, scores in lines.items():
                for value, found in zip(self.values, scores, strict=True):
                    figures = [f"{figure:.6g}" for figure in mean_and_deviation(found)]
                    rows.append([title, method, f"{value:g}", self.metric.name, *figures])
            say(f"{title}: best {self.metric.name} at {', '.join(map(self._best, lines.items()))}")
        paths = write(study, {f"{name}.csv": as_csv(rows)})
        heading = f"{self.metric.name} with varying {self.thing}"
        return paths + draw(
            study,
            name,
            lambda: sweeps(panels, self.values, self.metric, self.label, self.log, heading),
        )

    def _lines(self, study: Study, each: str, name: str) -> dict[str, NDArray[np.float64]]:
        """The scores of each method: an array of values by permutations."""
        tuned = study.fixed(each, self.metric).parameters
        variations = [
            self.vary(study, each, self.metric, method, value, tuned[method])
            for value in self.values
            for method in self.methods
        ]
        scores = study.sweep(each, variations, study.orders(each), name)
        return {
            method: np.array([scores[method, value] for value in self.values])
            for method in self.methods
        }

    def _best(self, line: tuple[str, NDArray[np.float64]]) -> str:
        method, scores = line
        means = scores.mean(axis=1)
        at = self.metric.best(means)
        return f"{method} {means[at]:.2f} ({self.values[at]:g})"


@dataclasses.dataclass(frozen=True)
class SweepOfBoth(Sweep):
    """A sweep for each metric."""

    def _each(self) -> Iterator[Sweep]:
        names = [field.name for field in dataclasses.fields(Sweep)]
        for metric in METRICS.values():
            yield Sweep(**{name: getattr(self, name) for name in names} | {"metric": metric})

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """Those of both sweeps."""
        for sweep in self._each():
            yield from sweep.comparisons(study)

    def runs(self, study: Study) -> Iterator[tuple[str, str, int, int]]:
        """Those of both sweeps."""
        for sweep in self._each():
            yield from sweep.runs(study)

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Run both sweeps."""
        return [
            path
            for sweep in self._each()
            for path in sweep.run(study, f"{name}-{sweep.metric.name}", say)
        ]


def budget_varied(
    study: Study, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    """A budget of so many percent of the events."""
    budget = max(1, round(value / 100.0 * study.events(name)))
    goal = Goal(metric.name)
    return Variation(method, value, tuple(tuned.items()), study.setting(name, goal, budget), goal)


def weight_varied(
    study: Study, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    """So much weight on the negative class."""
    goal = metric.weigh(value)
    setting = study.setting(name, goal, study.budget(name, "cost weights"))
    return Variation(method, value, tuple(tuned.items()), setting, goal)


def eta_varied(
    study: Study, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    """Such a learning rate."""
    goal = Goal(metric.name)
    setting = study.setting(name, goal, study.budget(name, "learning rates"))
    return Variation(method, value, tuple({**tuned, "eta": value}.items()), setting, goal)


def gamma_varied(
    study: Study, name: str, metric: Metric, method: str, value: float, tuned: dict[str, float]
) -> Variation:
    """Such a regularisation."""
    goal = Goal(metric.name)
    setting = study.setting(name, goal, study.budget(name, "gamma"))
    setting = dataclasses.replace(setting, gamma=value)
    return Variation(method, value, tuple(tuned.items()), setting, goal)


@dataclasses.dataclass(frozen=True)
class Biases(Experiment):
    """OA3 over both biases of its query, a heat map per data set."""

    metric: Metric = SUM
    exponents: Sequence[int] = PAPER.exponents

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """The metric on each data set, for the learning rate."""
        for each in study.available(self.sets):
            yield each, self.metric

    def runs(self, study: Study) -> Iterator[tuple[str, str, int, int]]:
        """OA3 at each point."""
        for each in study.available(self.sets):
            points = len(self.exponents) ** 2
            yield each, "OA3", points * _quarter(study.orders(each)), study.events(each)

    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Draw the maps and write them down."""
        grid = [float(f"1e{exponent}") for exponent in self.exponents]
        points = [(pos, neg) for pos in grid for neg in grid]
        maps: dict[str, NDArray[np.float64]] = {}
        rows = [["data set", "delta_pos", "delta_neg", self.metric.name]]
        for each in study.available(self.sets):
            tuned = study.fixed(each, self.metric).parameters["OA3"]
            budget = study.budget(each, f"biases {self.metric.name}")
            title = study.title(each, budget)
            means = self._means(study, each, budget, tuned, points, name)
            maps[title] = means.reshape(len(grid), len(grid))
            at = self.metric.best(means)
            say(
                f"{title}: best {self.metric.name} {means[at]:.2f} at delta_pos = "
                f"{points[at][0]:g}, delta_neg = {points[at][1]:g} (eta = {tuned['eta']:g}, mean "
                f"over {_quarter(study.orders(each))} permutations)"
            )
            for (pos, neg), mean in zip(points, means.tolist(), strict=True):
                rows.append([title, f"{pos:g}", f"{neg:g}", f"{mean:.6g}"])
        paths = write(study, {f"{name}.csv": as_csv(rows)})
        heading = f"{self.metric.name} with varying query biases, OA3"
        return paths + draw(
            study, name, lambda: heat_maps(maps, self.exponents, self.metric, heading)
        )

    def _means(
        self,
        study: Study,
        each: str,
        budget: int,
        tuned: Mapping[str, float],
        points: Sequence[tuple[float, float]],
        name: str,
    ) -> NDArray[np.float64]:
        """The mean score at each point."""
        goal = Goal(self.metric.name)
        setting = study.setting(each, goal, budget)
        variations = [
            Variation("OA3", float(number), _biased(tuned, *point), setting, goal)
            for number, point in enumerate(points)
        ]
        scores = study.sweep(each, variations, _quarter(study.orders(each)), name)
        return np.array([scores["OA3", float(k)].mean() for k in range(len(points))])


def _quarter(permutations: int) -> int:
    """With 121 points per panel, a quarter of the permutations will do."""
    return max(1, permutations // 4)


def _biased(tuned: Mapping[str, float], delta_pos: float, delta_neg: float) -> Parameters:
    return tuple({**tuned, "delta_pos": delta_pos, "delta_neg": delta_neg}.items())


def sweeps(
    panels: Mapping[str, Mapping[str, NDArray[np.float64]]],
    values: Sequence[float],
    metric: Metric,
    label: str,
    log: bool,
    title: str,
) -> Figure:
    """A metric against what was varied: mean and standard deviation, a panel per data set."""
    figure, axes = grid(len(panels))
    for panel, (name, methods) in zip(axes, panels.items(), strict=False):
        for method, style in styles_of(methods).items():
            scores = methods[method]
            panel.errorbar(
                values,
                scores.mean(axis=1),
                scores.std(axis=1, ddof=1) if scores.shape[1] > 1 else None,
                color=style.color,
                linestyle=style.dashes,
                marker=style.marker,
                markersize=4,
                linewidth=min(style.width, 2.6),
                elinewidth=0.8,
                capsize=2,
                zorder=style.height,
            )
        if log:
            panel.set_xscale("log")
        panel.set_title(wrapped(name), fontsize=10, parse_math=False)
        panel.set_xlabel(label)
        panel.set_ylabel(metric.axis)
        panel.grid(alpha=0.3)
    figure.suptitle(title, parse_math=False)
    add_legend(figure, styles_of(next(iter(panels.values()))), "bar: one deviation")
    return figure


def heat_maps(
    maps: Mapping[str, NDArray[np.float64]], exponents: Sequence[int], metric: Metric, title: str
) -> Figure:
    """A metric over both query biases, a panel per data set, the best value marked."""
    figure, axes = grid(len(maps))
    for panel, (name, values) in zip(axes, maps.items(), strict=False):
        shades = "cividis" if metric.bigger_is_better else "cividis_r"
        image = panel.imshow(values, origin="lower", cmap=shades, aspect="auto")
        row, column = np.unravel_index(metric.best(values), values.shape)
        panel.plot(column, row, "*", color="#D55E00", markersize=14, markeredgecolor="white")
        ticks = range(0, len(exponents), 2)
        labels = [f"$10^{{{exponents[tick]}}}$" for tick in ticks]
        panel.set_xticks(ticks, labels)
        panel.set_yticks(ticks, labels)
        panel.set_xlabel("delta_neg, the bias for predicted negatives")
        panel.set_ylabel("delta_pos, for predicted positives")
        panel.set_title(wrapped(name), fontsize=10, parse_math=False)
        figure.colorbar(image, ax=panel, label=metric.head)
    figure.suptitle(f"{title}: lighter is better, the star is the best", parse_math=False)
    return figure

"""Each experiment of the paper, its settings built in."""

from __future__ import annotations

from river_oa3.experiments.methods import of_families
from river_oa3.experiments.scores import COST, METRICS, SUM, Metric

from .defaults import Defaults
from .developments import Developments, Strategies
from .experiment import Experiment
from .figures import (
    Biases,
    Sweep,
    SweepOfBoth,
    budget_varied,
    eta_varied,
    gamma_varied,
    weight_varied,
)
from .published import PUBLISHED, SPEEDUPS
from .sets import HIGH_DIMENSIONAL, STANDARD
from .tabled import FixedBudgets, Speedups

__all__ = ["EXPERIMENTS", "EXTRAS"]

TABLED = tuple(PUBLISHED["w8a"]["sum"])
OURS = of_families("OA3")
POWERS = tuple(float(f"1e{exponent}") for exponent in range(-4, 5))
PERCENTS = (2, 5, 10, 20, 30, 40, 50)
WEIGHTS = tuple(tenth / 10 for tenth in range(1, 10))


def _budgets(metric: Metric) -> Sweep:
    return Sweep(
        f"{metric.name} with varying budgets",
        metric=metric,
        thing="budgets",
        label="budget (% of events)",
        values=PERCENTS,
        methods=TABLED,
        vary=budget_varied,
    )


def _weights(metric: Metric, label: str) -> Sweep:
    return Sweep(
        f"{metric.name} with varying weights",
        metric=metric,
        thing="weights",
        label=label,
        values=WEIGHTS,
        methods=TABLED,
        vary=weight_varied,
    )


def _learning_rates(metric: Metric) -> Sweep:
    return Sweep(
        f"{metric.name} with varying learning rates",
        metric=metric,
        thing="learning rates",
        label="eta, the learning rate",
        values=POWERS,
        methods=OURS,
        vary=eta_varied,
        log=True,
    )


EXPERIMENTS: dict[str, Experiment] = {
    "table2": FixedBudgets("evaluation on fixed budgets"),
    "table3": FixedBudgets("evaluation on high-dimensional data sets", HIGH_DIMENSIONAL),
    "fig1": Developments("sum with a fixed budget", metrics=[SUM]),
    "fig2": Developments("cost with a fixed budget", metrics=[COST]),
    "fig3": _budgets(SUM),
    "fig4": _budgets(COST),
    "fig5": Biases("sum with varying query biases, OA3", metric=SUM),
    "fig6": _weights(SUM, "alpha_n, the weight of specificity"),
    "fig7": _learning_rates(SUM),
    "figC1": Biases("cost with varying query biases, OA3", metric=COST),
    "figC2": _weights(COST, "c_n, the cost of a false alarm"),
    "figC3": _learning_rates(COST),
    "figC4": SweepOfBoth(
        "sum and cost with varying regularisation",
        thing="regularisation",
        label="gamma, the regularisation",
        values=POWERS,
        methods=OURS,
        vary=gamma_varied,
        log=True,
    ),
    "figC5": Strategies("query strategies"),
    "figC6": Developments(
        "high-dimensional data sets with a fixed budget",
        tuple(reversed(HIGH_DIMENSIONAL)),
        metrics=list(METRICS.values()),
    ),
    "speedups": Speedups("speed-up of the sketches over full OA3", tuple(SPEEDUPS)),
}

# What stands behind this package and not in the paper: run by name, not as a part of all.
EXTRAS: dict[str, Experiment] = {
    "defaults": Defaults("how the default parameters were chosen", (*STANDARD, *HIGH_DIMENSIONAL)),
}

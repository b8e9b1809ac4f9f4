"""scikit-activeml's strategies for streams, with scikit-learn's linear model."""

from __future__ import annotations

import math
import typing
from collections.abc import Iterator, Sequence

import numpy as np

from river_oa3.experiments.scores import Counts

from ..quality.asking import predict_and_ask
from ..quality.contest import Case, Cell, Contender, grid, weight_of
from ..quality.logistic import scaled_rows

__all__ = ["SCIKIT_ACTIVEML"]


def _play(case: Case, cells: Sequence[Cell]) -> Iterator[Counts]:
    """A strategy paced by its own budget manager, with the hard budget as its share."""
    features = len(case.stream.names)
    table = case.prepared("complete", lambda: scaled_rows(case, "complete")).data
    rows = table.reshape(len(case.rows), features)
    for cell in cells:
        chosen = dict(cell.setting)
        weight = weight_of(chosen["weight"], case.ratio)
        yield _go(case, cell.budget, rows, str(chosen["strategy"]), weight)


def _go(case: Case, budget: int, rows: typing.Any, strategy: str, weight: float) -> Counts:
    from skactiveml.stream import budgetmanager
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss", random_state=case.seed)
    # What decides in a strategy. The strategies themselves check their arguments on every call,
    # which takes milliseconds.
    manager = getattr(budgetmanager, f"{strategy}BudgetManager")(budget=budget / len(case.rows))
    if hasattr(manager, "random_state"):
        manager.random_state = case.seed
    # Until it has learned something: no opinion.
    coefficients, intercept = np.zeros(rows.shape[1]), 0.0

    def predict(i: int) -> float:
        return 1.0 / (1.0 + math.exp(-min(700.0, max(-700.0, rows[i] @ coefficients + intercept))))

    def wants(i: int, p: float) -> bool:
        asked = manager.query_by_utility(np.array([1.0 - max(p, 1.0 - p)]))
        manager.update(rows[i : i + 1], asked)
        return len(asked) > 0

    def learn(i: int) -> None:
        nonlocal coefficients, intercept
        y = int(case.y[i])
        weights = [weight if y else 1.0]
        model.partial_fit(rows[i : i + 1], [y], classes=[0, 1], sample_weight=weights)
        coefficients, intercept = model.coef_[0], float(model.intercept_[0])

    return predict_and_ask(case, budget, predict, wants, learn)


SCIKIT_ACTIVEML = Contender(
    title="scikit-activeml",
    side="peer",
    settings=grid(strategy=("VariableUncertainty", "Split"), weight=("one", "ratio")),
    play=_play,
    cost=lambda nonzeros, features: 150.0 + 0.1 * features,
    needs="skactiveml",
    is_slow=True,
    most_features=2_000,
)

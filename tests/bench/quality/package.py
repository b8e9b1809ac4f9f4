"""This package's own: what it gives a user who sets nothing, and the learners of the paper."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from river_oa3 import metrics
from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.datasets import Stream
from river_oa3.experiments import methods
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.stream_replay import replay

from ..quality.contest import (
    GOALS,
    Case,
    Cell,
    Contender,
    Play,
    grid,
    weight_of,
)

__all__ = ["LEARNERS", "OURS"]

OBJECTIVES: dict[str, metrics.WeightedSum | metrics.WeightedCost] = {
    "sum": metrics.WeightedSum(GOALS["sum"].alpha_pos),
    "cost": metrics.WeightedCost(GOALS["cost"].cost_fn, GOALS["cost"].cost_fp),
}


def _play_ours(case: Case, cells: Sequence[Cell]) -> Iterator[Counts]:
    """`ActiveLearner()` on raw events; which metric counts is all that it is told."""
    for cell in cells:
        classifier = AutoOA3Classifier(OBJECTIVES[str(dict(cell.setting)["objective"])])
        model = ActiveLearner(classifier, budget=cell.budget, seed=case.seed)
        yield _last(replay(model, case.stream, case.rows, case.numbers).counts)


def _play_learner(method: str) -> Play:
    """A method of the paper on rows of unit length."""

    def play(case: Case, cells: Sequence[Cell]) -> Iterator[Counts]:
        stream = _unit_rows(case.stream)
        for cell in cells:
            chosen = dict(cell.setting)
            rho = weight_of(chosen.pop("rho"), case.ratio)
            parameters = {name: float(value) for name, value in chosen.items()}
            shared = methods.Setting(cell.budget, rho)
            model = methods.build(method, shared, parameters, case.seed)
            try:
                yield _last(replay(model, stream, case.rows, case.numbers).counts)
            except OverflowError:
                # As one that says no to everything and has asked about nothing.
                positives = int(case.y.sum())
                yield Counts(0, 0, len(case.y) - positives, positives, 0)

    return play


@functools.lru_cache(maxsize=1)
def _unit_rows(stream: Stream) -> Stream:
    return stream.unit_rows()


def _last(counts: Counts) -> Counts:
    return Counts(*(int(count[-1]) for count in counts))


def _learner(method: str, most_features: int = 10**9) -> Contender:
    """A method with its defaults, and around them."""
    entry = methods.METHODS[method]
    defaults = entry.parameters
    biases = {name: (value, 10 * value) for name, value in defaults.items() if "delta" in name}
    # Both biases go up together, for a grid of both would be large.
    choices: list[dict[str, float]] = [
        {name: values[step] for name, values in biases.items()} for step in (0, 1)
    ]
    settings = tuple(
        (*bias.items(), *rest)
        for bias in choices
        for rest in grid(
            eta=[factor * defaults["eta"] for factor in (1.0, 0.1, 10.0)],
            rho=("one", "root", "ratio", "costs"),
        )
    )
    return Contender(
        title=method,
        side="paper",
        settings=settings,
        play=_play_learner(method),
        cost=lambda nonzeros, features: (
            0.1 + 0.005 * nonzeros + 1e-3 * entry.cost(nonzeros, features, 1.0)
        ),
        most_features=most_features,
    )


OURS = Contender(
    title="ActiveLearner()",
    side="ours",
    settings=grid(objective=tuple(OBJECTIVES)),
    play=_play_ours,
    cost=lambda nonzeros, features: 0.3 + 0.05 * nonzeros,
    # While it is worked on, one version follows another under the same number.
    is_kept=False,
)

LEARNERS: dict[str, Contender] = {
    # A matrix of the square of the features: minutes per run where there are thousands.
    "OA3": _learner("OA3", most_features=1_600),
    "OA3-diag": _learner("OA3-diag"),
    "SSOA3": _learner("SSOA3"),
    "CSOAL": _learner("CSOAL"),
}

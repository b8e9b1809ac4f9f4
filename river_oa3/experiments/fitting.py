"""A model to deploy: taught every label of the stream that methods were compared on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from river_oa3 import budget
from river_oa3.active import ActiveLearner
from river_oa3.datasets import Stream
from river_oa3.datasets.pieced import AnyStream
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.methods import build
from river_oa3.experiments.output.progress import Progress
from river_oa3.experiments.stream_replay import Replay, Uniforms
from river_oa3.query import FirstComeQuery

__all__ = ["fit"]


def fit(comparison: Comparison, method: str, stream: AnyStream) -> ActiveLearner:
    """A method of this package that has learned every label, and asks for a share of those to come.

    Parameters
    ----------
    comparison
        What was compared, which has the setting and the parameters.
    method
        Which method.
    stream
        The events as it takes them. Those in memory are learned in the order in which they came.

    """
    plan = comparison.plan
    made = build(method, comparison.setting, comparison.parameters[method], plan.seed)
    teacher = ActiveLearner(made.classifier, FirstComeQuery(), seed=plan.seed)
    run = Replay(teacher, Uniforms(plan.seed), [len(stream)])
    with Progress(f"fitting {method}", len(stream)) as progress:
        for piece, order in _pieces(stream, plan.seed):
            run.go_on(piece, order)
            progress.add(len(order), len(order))
    rate = budget.RateBudget(plan.budget / comparison.events)
    return ActiveLearner(made.classifier, made.query, rate, plan.seed)


def _pieces(stream: AnyStream, seed: int) -> Iterable[tuple[Stream, NDArray[np.int64]]]:
    if isinstance(stream, Stream):
        return [(stream, np.arange(len(stream)))]
    return stream.walk(len(stream), np.random.default_rng(seed) if stream.shuffled else None)

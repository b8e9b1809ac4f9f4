"""What raw events cost: AutoOA3 beside the learners and the pipeline that it replaces."""

from __future__ import annotations

import functools
import typing
from collections.abc import Iterator

import numpy as np
from river import compose, linear_model, preprocessing

from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.ssoa3 import SSOA3Classifier

from .contenders import BASELINE
from .events import Case, Events, dense_events, random_events
from .figures import Figure
from .timing import Effort, fastest

__all__ = ["raw_events"]

NUMBERS, CATEGORIES = 12, 4


def raw_events(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """AutoOA3 to OA3's diagonal form, ActiveLearner() to river's learner and to a pipeline."""
    names = [f"f{j}" for j in range(300)]
    streams = {
        "12 of 300 features": (list(random_events(Case(300, 12), names, effort.stream)), 2.5),
        "dense events of 48 features": (dense_events(effort.stream // 2), 3.0),
    }
    for title, (events, most) in streams.items():
        best = fastest(
            {
                "OA3Diag": (OA3DiagClassifier, events),
                "AutoOA3": (AutoOA3Classifier, events),
                "ActiveLearner": (functools.partial(_active, len(events)), events),
                BASELINE: (linear_model.LogisticRegression, events),
            },
            2 * effort.rounds,
        )
        diagonal, auto, active, theirs = best.values()
        yield Figure(f"{title}: OA3DiagClassifier", diagonal)
        yield Figure("AutoOA3Classifier, to it", auto, auto / diagonal, f"at most {most}")
        yield Figure("ActiveLearner(), 1 % of the labels", active)
        yield Figure("LogisticRegression, to it", theirs, theirs / active, "at least 1.5")
    mixed = _mixed_events(effort.stream // 10)
    best = fastest(
        {
            "ActiveLearner": (functools.partial(_active, len(mixed)), mixed),
            "pipeline": (lambda: _active(len(mixed), _pipeline()), mixed),
        },
        effort.rounds,
    )
    ours, pipeline = best.values()
    yield Figure(f"{NUMBERS} numbers and {CATEGORIES} categories: ActiveLearner()", ours)
    yield Figure("the same by river's steps and SSOA3", pipeline, pipeline / ours, "at least 20.0")


def _active(events: int, classifier: typing.Any = None) -> ActiveLearner:
    return ActiveLearner(classifier, budget=max(1, events // 100), seed=1)


def _pipeline() -> typing.Any:
    numbers = compose.SelectType(float) | preprocessing.StandardScaler()
    categories = compose.SelectType(str) | preprocessing.OneHotEncoder()
    return (numbers + categories) | preprocessing.Normalizer() | SSOA3Classifier()


def _mixed_events(n: int) -> Events:
    rng = np.random.default_rng(0)
    numbers = rng.normal(100.0, 30.0, size=(n, NUMBERS))
    categories = rng.integers(0, 10, size=(n, CATEGORIES))
    labels = (numbers[:, 0] > 140.0) | (categories[:, 0] == 7)
    return [
        (
            {f"n{j}": value for j, value in enumerate(values)}
            | {f"c{j}": f"kind {kind}" for j, kind in enumerate(kinds)},
            bool(label),
        )
        for values, kinds, label in zip(numbers.tolist(), categories.tolist(), labels, strict=True)
    ]

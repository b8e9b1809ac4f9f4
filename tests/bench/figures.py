"""Single figures of speed, each beside the bar that it has to reach."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Iterator

import numpy as np
from river import active, linear_model

from river_oa3 import datasets, query
from river_oa3.active import ActiveLearner
from river_oa3.experiments.output.text import aligned
from river_oa3.experiments.stream_replay import replay
from river_oa3.oa3 import OA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

from .contenders import BASELINE
from .events import (
    Case,
    Events,
    dense_events,
    random_events,
    vocabulary_events,
    w8a_events,
)
from .timing import (
    Effort,
    fastest,
    learn_rows,
    predict_and_learn,
    timed,
)

__all__ = ["Figure", "active_learning", "batches", "learners", "replays", "table", "wide", "words"]

LEARNERS = (OA3DiagClassifier, SSOA3Classifier, SOA3Classifier, OA3Classifier)
# How much faster than river's learner each should be: on events of w8a, and on dense ones.
BARS = {
    "OA3DiagClassifier": (6.0, 4.0),
    "SSOA3Classifier": (2.5, 1.5),
    "SOA3Classifier": (0.8, 0.8),
    "OA3Classifier": (0.5, 1.0),
}
REPLAY_BARS = {"OA3DiagClassifier": 50.0, "SSOA3Classifier": 8.0, "OA3Classifier": 1.5}


class Figure(typing.NamedTuple):
    """What was measured, microseconds per event, a ratio, and the least or most it should be."""

    what: str
    microseconds: float
    ratio: float | None = None
    bar: str = ""


def table(title: str, figures: list[Figure]) -> str:
    """Figures as lines under a title."""
    rows = [["", "us per event", "ratio", "bar"]]
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        rows.append([figure.what, f"{figure.microseconds:.3f}", ratio, figure.bar])
    return f"{title}\n\n{aligned(rows)}"


def learners(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """Predict and learn: how much faster than river's LogisticRegression."""
    streams = [
        w8a_events(data_dir, effort.stream),
        ("dense events of 48 features", dense_events(effort.stream // 2)),
    ]
    for index, (title, events) in enumerate(streams):
        models = (linear_model.LogisticRegression, *LEARNERS)
        best = fastest({each.__name__: (each, events) for each in models}, effort.rounds)
        for name, microseconds in best.items():
            bar = f"at least {BARS[name][index]}" if name in BARS else ""
            yield Figure(f"{title}: {name}", microseconds, best[BASELINE] / microseconds, bar)


def active_learning(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """Predict, and learn where asked: against the bare learner and river's sampler."""
    title, events = w8a_events(data_dir, effort.stream)
    best = fastest(
        {
            "SSOA3Classifier": (SSOA3Classifier, events),
            "ActiveLearner": (lambda: ActiveLearner(SSOA3Classifier(), seed=1), events),
            "EntropySampler": (
                lambda: active.EntropySampler(linear_model.LogisticRegression(), seed=1),
                events,
            ),
        },
        effort.rounds,
    )
    bare, ours, theirs = best.values()
    yield Figure(f"{title}: SSOA3Classifier", bare)
    yield Figure("ActiveLearner(SSOA3Classifier), to it", ours, ours / bare, "at most 1.5")
    yield Figure("river's EntropySampler, to ActiveLearner", theirs, theirs / ours, "at least 3.0")


def replays(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """Replay with half of the labels: how much faster than river's LogisticRegression."""
    title, events = w8a_events(data_dir, effort.stream)
    stream = datasets.open_stream(events, name=title)
    numbers = np.random.default_rng(0).random(len(stream))
    best = dict.fromkeys([BASELINE, *(each.__name__ for each in LEARNERS)], math.inf)
    for _ in range(2 * effort.rounds):
        seconds = timed(predict_and_learn, linear_model.LogisticRegression(), events)
        best[BASELINE] = min(best[BASELINE], seconds / len(stream) * 1e6)
        for learner in LEARNERS:
            rule = query.AsymmetricQuery(10.0, 1.0)
            model = ActiveLearner(learner(rho=32.5), rule, len(stream) // 2)
            seconds = timed(replay, model, stream, None, numbers)
            name = learner.__name__
            best[name] = min(best[name], seconds / len(stream) * 1e6)
    for name, microseconds in best.items():
        bar = f"at least {REPLAY_BARS[name]}" if name in REPLAY_BARS else ""
        yield Figure(f"{title}: {name}", microseconds, best[BASELINE] / microseconds, bar)


def words(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """SSOA3 on twenty words out of a vocabulary: a large one against a small one."""
    sizes = (1_000, effort.largest)
    few, many = (vocabulary_events(size, 5 * effort.stream // 2) for size in sizes)
    for title, make in (("names met as they come", _new), ("names met before", _trained)):
        best = fastest({"few": (make(few), few), "many": (make(many), many)}, effort.rounds)
        yield Figure(f"{title}, vocabulary of {sizes[0]:,}", best["few"])
        ratio = best["many"] / best["few"]
        yield Figure(f"{title}, vocabulary of {sizes[1]:,}", best["many"], ratio, "at most 3.0")


def _new(events: Events) -> Callable[[], SSOA3Classifier]:
    return SSOA3Classifier


def _trained(events: Events) -> Callable[[], SSOA3Classifier]:
    model = SSOA3Classifier()
    learn_rows(model, events)
    return lambda: model


def batches(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """`learn_many` on a frame of 48 columns: how much faster per row than `learn_one`."""
    import pandas as pd  # type: ignore[import-untyped]  # stubs are apart

    rng = np.random.default_rng(0)
    n = 5 * effort.stream
    X = pd.DataFrame(rng.normal(size=(n, 48)), columns=[f"f{j}" for j in range(48)])
    y = pd.Series(X.to_numpy() @ rng.normal(size=48) > 0)
    rows = list(zip(X.to_dict("records"), y.tolist(), strict=True))
    for learner in LEARNERS:
        one = many = math.inf
        for _ in range(min(3, effort.rounds)):
            one = min(one, timed(learn_rows, learner(), rows) / n * 1e6)
            many = min(many, timed(learner().learn_many, X, y) / n * 1e6)
        yield Figure(f"{learner.__name__}.learn_one", one)
        yield Figure(f"{learner.__name__}.learn_many", many, one / many, "at least 3.0")


def wide(effort: Effort, data_dir: str | None) -> Iterator[Figure]:
    """Dense events of 3,072 features, as those of CIFAR-10: against river's LogisticRegression."""
    case = Case(3_072, 3_072)
    names = [f"f{j}" for j in range(case.features)]
    events = list(random_events(case, names, max(20, effort.stream // 100)))
    models = (linear_model.LogisticRegression, *LEARNERS)
    best = fastest({each.__name__: (each, events) for each in models}, min(3, effort.rounds))
    for name, microseconds in best.items():
        yield Figure(name, microseconds, best[BASELINE] / microseconds)

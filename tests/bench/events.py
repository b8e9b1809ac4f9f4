"""Events for the benchmark: made up from a fixed seed, or those of the paper's w8a."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence

import numpy as np

from river_oa3 import datasets
from river_oa3.datasets import DataError

__all__ = ["Case", "Events", "dense_events", "random_events", "vocabulary_events", "w8a_events"]

Events = Sequence[tuple[dict[str, typing.Any], bool]]


class Case(typing.NamedTuple):
    """A kind of events: each has `nonzeros` of the `features` of the stream."""

    features: int
    nonzeros: int


def random_events(case: Case, names: list[str], n: int) -> Iterator[tuple[dict[str, float], bool]]:
    """Events of unit length with a linear boundary, a tenth of the labels wrong."""
    rng = np.random.default_rng(0)
    truth = rng.standard_normal(case.features)
    for _ in range(n):
        if case.nonzeros == case.features:
            columns = np.arange(case.features)
        else:
            columns = np.unique(rng.integers(0, case.features, size=case.nonzeros))
        values = rng.standard_normal(len(columns))
        values /= np.linalg.norm(values)
        y = bool((values @ truth[columns] > 0) != (rng.random() < 0.1))
        features = [names[j] for j in columns.tolist()]
        yield dict(zip(features, values.tolist(), strict=True)), y


def w8a_events(data_dir: str | None, n: int) -> tuple[str, Events]:
    """The first events of the paper's w8a, or events of the same shape where it is not there."""
    names = [f"f{j}" for j in range(300)]
    try:
        stream = datasets.paper.load("w8a", data_dir)
    except DataError:
        rng = np.random.default_rng(0)
        labels = rng.random(n) < 0.03
        found = [rng.choice(300, size=size, replace=False) for size in rng.poisson(11.7, size=n)]
        title = "events made up in the shape of w8a"
    else:
        order = np.arange(len(stream)) if stream.permutations is None else stream.permutations[0]
        rows = order[:n].astype(int)
        start, indices = stream.X.indptr, stream.X.indices
        found = [indices[start[row] : start[row + 1]] for row in rows]
        labels = stream.y[rows]
        title = "w8a"
    return title, [
        ({names[j]: len(row) ** -0.5 for j in row}, bool(y))
        for row, y in zip(found, labels, strict=True)
    ]


def dense_events(n: int, features: int = 48) -> Events:
    """Events that have all features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, features))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = X @ rng.normal(size=features) + 0.3 * rng.normal(size=n) > 1
    names = [f"f{j}" for j in range(features)]
    return [
        (dict(zip(names, row, strict=True)), label)
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]


def vocabulary_events(size: int, n: int) -> Events:
    """Events of twenty words out of a vocabulary."""
    rng = np.random.default_rng(0)
    names = [f"w{j}" for j in range(size)]
    found = rng.integers(size, size=(n, 20))
    values = rng.normal(size=(n, 20))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return [
        ({names[j]: v for j, v in zip(row, x, strict=True)}, sum(x) > 0)
        for row, x in zip(found.tolist(), values.tolist(), strict=True)
    ]

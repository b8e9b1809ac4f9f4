"""A replay that works ahead in blocks, and the published code."""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from golden_traces import LEARNERS as GOLDEN_LEARNERS
from golden_traces import RUNS, TRACES
from replays import FULL, METHODS, names_of_all_kinds, one_by_one, replayed, scene_of

from river_oa3 import (
    ActiveLearner,
    datasets,
    query,
)
from river_oa3.experiments import replay

# Many dense features: the full learner works ahead in blocks, which rounds otherwise

D = 600


@functools.cache
def dense_stream(scale=1.0, late=None, sparse=(), huge=(), n=300, kinds=D):
    """Rows that are dense but for a few zeros.

    From the row `late` on the last fifty columns appear one after another. The rows `sparse` have
    few features. The rows `huge` are of a size that the full update cannot resolve; they come
    twice, with either label, so that one of them has a loss.
    """
    rng = np.random.default_rng(7)
    truth = rng.normal(size=kinds)
    X = rng.normal(size=(n, kinds)) / np.sqrt(kinds)
    X[rng.random(X.shape) < 0.02] = 0.0
    X[0] = rng.normal(size=kinds) / np.sqrt(kinds)
    y = X @ truth > 0.2
    y[0] = False
    if late is not None:
        X[:, kinds - 50 :] *= np.arange(n)[:, None] >= late + 3 * np.arange(50)
    for row in sparse:
        X[row, rng.permutation(kinds)[: kinds - 20]] = 0.0
    X *= scale
    for row in huge:
        X[row] *= 1e9
        X[row + 1] = X[row]
        y[row : row + 2] = True, False
    return datasets.stream("dense", X, y, positive=True, names=names_of_all_kinds(kinds))


DENSE = {
    "plain": {},
    "long": {"scale": 100.0},
    "late": {"late": 100},
    "late-and-long": {"late": 100, "scale": 100.0},
    "sparse-between": {"sparse": (40, 41, 90, 133, 134, 200, 299)},
    "huge": {"huge": (150,)},
    "huge-and-all": {"huge": (75, 150), "late": 100, "sparse": (40, 149, 151, 200)},
    "just-511": {"kinds": 511},
    "just-512": {"kinds": 512},
}
CASES = [
    *(("OA3", kind, None) for kind in DENSE),
    *(("OA3", kind, 90) for kind in ("late", "sparse-between", "huge-and-all")),
    *((method, "sparse-between", 120) for method in FULL if method != "OA3"),
    *((method, "huge-and-all", None) for method in ("OA3-F", "OA3-R")),
    *(("OA3", "plain", labels) for labels in (1, 33, 64, 100)),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def dense(request):
    """A dense stream replayed, and one event at a time."""
    method, kind, labels = request.param
    stream = dense_stream(**DENSE[kind])
    scene = scene_of(stream, range(len(stream)), seed=1, checkpoints=[1, 64, 65, 150, 300])

    def run(way):
        model = METHODS[method](labels)
        trace = way(model, scene.stream, scene.order, scene.numbers, scene.checkpoints)
        trace.mu = np.array(list(model.classifier.weights.values()))
        trace.names = list(model.classifier.weights)
        trace.covariance = model.classifier._core.covariance()
        return trace

    return SimpleNamespace(blocks=run(replayed), loop=run(one_by_one), labels=labels)


def test_decisions_on_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.asked == dense.loop.asked


def test_counts_on_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.counts == dense.loop.counts


def test_uniforms_on_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.used == dense.loop.used


def test_features_of_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.names == dense.loop.names


def test_weights_on_dense_rows_are_those_of_the_loop(dense):
    one, other = dense.blocks.mu, dense.loop.mu
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.abs(other).max())


def test_covariance_on_dense_rows_is_that_of_the_loop(dense):
    one, other = dense.blocks.covariance, dense.loop.covariance
    deviation = np.sqrt(other.diagonal())
    scale = np.outer(deviation, deviation)
    np.testing.assert_allclose(one / scale, other / scale, rtol=0, atol=1e-9)


def test_dense_rows_are_asked_about_often(dense):
    assert sum(dense.loop.asked) >= (150 if dense.labels is None else dense.labels)


def test_huge_rows_take_the_step_for_large_events():
    model = METHODS["OA3-F"]()
    replay(model, dense_stream(**DENSE["huge"]))
    assert model.classifier._core.covariance().diagonal().min() < 1e-9


# The published code


@pytest.fixture(scope="module", params=RUNS)
def golden(request):
    kind, number = request.param
    trace = TRACES[kind]
    run = trace["runs"][number]
    parameters = dict(run["params"])
    rule = query.AsymmetricQuery(parameters.pop("delta_pos"), parameters.pop("delta_neg"))
    labels = parameters.pop("budget")
    model = ActiveLearner(GOLDEN_LEARNERS[run["learner"]](**parameters), rule, labels)
    stream = datasets.open_stream(trace["events"])
    outcome = replay(model, stream, numbers=np.array(trace["uniforms"]))
    return SimpleNamespace(run=run, model=model, outcome=outcome)


def test_published_decisions_are_repeated(golden):
    assert golden.outcome.asked.tolist() == [bool(asked) for asked in golden.run["asked"]]


def test_as_many_uniforms_are_used_as_by_the_published_code(golden):
    assert golden.outcome.uniforms_used == golden.run["uniforms_used"]


def test_as_many_labels_are_asked_for_as_by_the_published_code(golden):
    assert golden.outcome.labels.tolist() == [golden.run["labels_used"]]


def test_published_weights_are_repeated(golden):
    assert golden.model.classifier.weights == pytest.approx(golden.run["weights"], rel=0, abs=1e-12)


def test_published_sensitivity_is_repeated(golden):
    hits, misses = golden.outcome.true_positives[-1], golden.outcome.false_negatives[-1]
    assert hits / (hits + misses) == pytest.approx(golden.run["sensitivity"], abs=1e-12)


def test_published_specificity_is_repeated(golden):
    hits, misses = golden.outcome.true_negatives[-1], golden.outcome.false_positives[-1]
    assert hits / (hits + misses) == pytest.approx(golden.run["specificity"], abs=1e-12)

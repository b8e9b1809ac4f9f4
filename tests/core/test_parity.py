"""The compiled learners do what the plain ones do, to rounding."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import reference
import streams
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier
from river_oa3._core import gaussian

TWINS = {
    OA3Classifier: reference.OA3,
    OA3DiagClassifier: reference.OA3Diagonal,
    SOA3Classifier: reference.SOA3,
    SSOA3Classifier: reference.SSOA3,
}
SKETCHES = [SOA3Classifier, SSOA3Classifier]

every_learner = pytest.mark.parametrize("classifier", TWINS)
every_sketch = pytest.mark.parametrize("classifier", SKETCHES)


def column(seed, sketch_size):
    return lambda name: gaussian.column(seed, name, sketch_size)


def make_pair(classifier, parameters, sketch_size, seed):
    twin = TWINS[classifier]
    if classifier in SKETCHES:
        sketch = {"sketch_size": sketch_size, "seed": seed}
        return (
            classifier(**parameters, **sketch),
            twin(**parameters, sketch_size=sketch_size, column=column(seed, sketch_size)),
        )
    return classifier(**parameters), twin(**parameters)


@st.composite
def runs(draw):
    """A function that lets a classifier and its twin learn the same stream."""
    stream = draw(streams.labelled)
    parameters = draw(streams.parameters)
    sketch_size = draw(streams.sketch_sizes)
    seed = draw(st.integers(0, 2**32 - 1))

    def run(classifier):
        model, twin = make_pair(classifier, parameters, sketch_size, seed)
        trace = SimpleNamespace(model=model, twin=twin, steps=[], margins=[], variances=[])
        for x, y, w in stream:
            margin = twin.margin(x)
            if streams.at_the_hinge(margin, y):
                continue
            lengths = {name: abs(value) for name, value in x.items()}
            sizes = {name: abs(weight) for name, weight in twin.weights.items()}
            trace.margins.append(
                (model.margin_one(x), margin, sum(sizes.get(n, 0) * v for n, v in lengths.items()))
            )
            trace.variances.append(
                (model.variance_one(x), twin.variance(x), sum(v**2 for v in lengths.values()))
            )
            model.learn_one(x, y, w=w)
            twin.learn(x, y, w)
            rho_t = parameters["rho"] if y else 1.0
            trace.steps.append(parameters["eta"] * w * rho_t * max(lengths.values(), default=0.0))
            trace.steps.extend(abs(weight) for weight in twin.weights.values())
        return trace

    return run


def assert_equal_to_rounding(triples):
    """Of (compiled, plain, magnitude): equal to 1e-9 of the largest magnitude in play."""
    if triples:
        compiled, plain, magnitudes = np.transpose(triples)
        np.testing.assert_allclose(compiled, plain, rtol=0, atol=1e-9 * magnitudes.max())


@every_learner
@given(run=runs())
def test_margins_are_the_twins(classifier, run):
    assert_equal_to_rounding(run(classifier).margins)


@every_learner
@given(run=runs())
def test_variances_are_the_twins(classifier, run):
    assert_equal_to_rounding(run(classifier).variances)


@every_learner
@given(run=runs())
def test_weights_are_the_twins(classifier, run):
    trace = run(classifier)
    tolerance = 1e-9 * max(trace.steps, default=0.0)
    assert trace.model.weights == pytest.approx(trace.twin.weights, rel=0, abs=tolerance)


@every_learner
@given(run=runs())
def test_covariance_is_the_twins(classifier, run):
    trace = run(classifier)
    order = [trace.twin.names.index(name) for name in trace.model.weights]
    np.testing.assert_allclose(
        trace.model._core.covariance(),
        trace.twin.covariance()[np.ix_(order, order)],
        rtol=0,
        atol=1e-9,
    )


@every_sketch
@given(run=runs())
def test_basis_is_the_twins(classifier, run):
    trace = run(classifier)
    order = [trace.twin.names.index(name) for name in trace.model.weights]
    np.testing.assert_allclose(trace.model._core.basis(), trace.twin.V[:, order], rtol=0, atol=1e-9)


@every_learner
def test_confidence_is_the_twins(classifier):
    model, twin = make_pair(classifier, {"eta": 0.3, "gamma": 0.5, "rho": 4.0}, 5, seed=0)
    for x, y in streams.emerging(100, last=30):
        assert model.confidence_one(x) == pytest.approx(twin.confidence(x), rel=1e-9)
        model.learn_one(x, y)
        twin.learn(x, y)


@pytest.fixture(scope="module", params=[0.01, 1.0, 10.0, 100.0])
def sketched_margins(request):
    """Margins of SOA3 and SSOA3 over the same labels, and how often the second re-anchored."""
    models = [
        classifier(eta=0.1, gamma=1.0, rho=3.0, sketch_size=5, seed=0) for classifier in SKETCHES
    ]
    margins = []
    for x, y in streams.emerging(5000, scale=request.param):
        margins.append([model.margin_one(x) for model in models])
        for model in models:
            model.learn_one(x, y)
    soa3, ssoa3 = np.transpose(margins)
    return SimpleNamespace(
        scale=request.param, soa3=soa3, ssoa3=ssoa3, anchors=models[1]._core.anchors
    )


def test_ssoa3_is_soa3_in_other_coordinates(sketched_margins):
    difference = np.abs(sketched_margins.ssoa3 - sketched_margins.soa3).max()
    assert difference < 1e-9 * np.abs(sketched_margins.soa3).max()


@pytest.mark.parametrize("sketched_margins", [100.0], indirect=True)
def test_ssoa3_re_anchors_on_long_inputs(sketched_margins):
    assert sketched_margins.anchors > 0


@every_sketch
@pytest.mark.parametrize("sketch_size", [1, 3, 6])
def test_features_met_late_give_the_sketch_that_knew_them_all(classifier, sketch_size):
    gamma, seed = 0.7, 11
    model = classifier(gamma=gamma, sketch_size=sketch_size, seed=seed)
    stream = streams.emerging(20, first=1, last=9)
    for x, y in stream:
        model.learn_one(x, y)
    names = list(model.weights)
    U = np.column_stack([gaussian.column(seed, name, sketch_size) for name in names])
    for t, (x, _) in enumerate(stream, start=1):
        xh = np.array([x.get(name, 0.0) for name in names]) / np.sqrt(gamma)
        U = U @ (np.eye(len(names)) + np.outer(xh, xh) / t)
    Q, R = np.linalg.qr(U.T)
    np.testing.assert_allclose(
        model._core.basis(), (Q * np.sign(R.diagonal())).T, rtol=0, atol=1e-10
    )


@every_sketch
def test_sketch_rows_beyond_the_features_are_zero(classifier):
    model = classifier(sketch_size=5)
    for x, y in streams.emerging(20, first=2, last=2):
        model.learn_one(x, y)
    assert not model._core.basis()[2:].any()

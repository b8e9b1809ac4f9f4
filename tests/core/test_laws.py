"""Laws that hold whatever the stream."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import streams
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier

EXACT = [OA3Classifier, OA3DiagClassifier]
SKETCHES = [SOA3Classifier, SSOA3Classifier]

every_learner = pytest.mark.parametrize("classifier", EXACT + SKETCHES)
every_exact_learner = pytest.mark.parametrize("classifier", EXACT)
every_sketch = pytest.mark.parametrize("classifier", SKETCHES)
every_question = pytest.mark.parametrize(
    "question", ["predict_one", "predict_proba_one", "margin_one", "variance_one", "confidence_one"]
)

PARAMETERS = {"eta": 0.5, "gamma": 0.5, "rho": 2.0}


def learn(model, labelled, **kwargs):
    for x, y in labelled:
        model.learn_one(x, y, **kwargs)
    return model


def trained(classifier, **parameters):
    return learn(classifier(**(PARAMETERS | parameters)), streams.emerging(200, last=40))


def without_loss(model, margin=2.0):
    """An event and a label for it that have no loss."""
    x = max((x for x, _ in streams.emerging(50, seed=1, last=40)), key=model.margin_one)
    stretch = margin / model.margin_one(x)
    return {name: stretch * value for name, value in x.items()}, True


def unchanged(weights):
    """The same weights, to rounding."""
    return pytest.approx(weights, rel=0, abs=1e-12 * max(map(abs, weights.values())))


@every_exact_learner
def test_label_without_loss_changes_nothing(classifier):
    model = trained(classifier)
    before = pickle.dumps(model)
    model.learn_one(*without_loss(model))
    assert pickle.dumps(model) == before


@every_sketch
def test_mu_does_not_move_on_a_label_without_loss(classifier):
    model = trained(classifier)
    before = model.weights
    model.learn_one(*without_loss(model))
    assert model.weights == unchanged(before)


@every_sketch
def test_sketch_moves_on_a_label_without_loss(classifier):
    model = trained(classifier)
    x, y = without_loss(model)
    before = model.variance_one(x)
    model.learn_one(x, y)
    assert model.variance_one(x) < before


@every_learner
def test_mu_does_not_move_when_a_feature_first_appears(classifier):
    model = trained(classifier)
    before = model.weights
    x, y = without_loss(model)
    model.learn_one({**x, "new": 1.0}, y)
    after = model.weights
    assert {name: after[name] for name in before} == unchanged(before)


@every_sketch
def test_weight_of_a_new_feature_starts_at_zero(classifier):
    model = trained(classifier)
    before = model.weights
    x, y = without_loss(model)
    model.learn_one({**x, "new": 1.0}, y)
    assert model.weights == unchanged({**before, "new": 0.0})


@every_exact_learner
def test_feature_of_a_label_without_loss_is_not_registered(classifier):
    model = trained(classifier)
    x, y = without_loss(model)
    model.learn_one({**x, "new": 1.0}, y)
    assert "new" not in model.weights


def test_mu_does_not_move_when_the_sketch_re_anchors():
    model = trained(SSOA3Classifier)
    before, anchors = model.weights, model._core.anchors
    x, y = without_loss(model, margin=1000.0)
    for _ in range(20):
        model.learn_one(x, y)
    assert model._core.anchors > anchors
    assert model.weights == unchanged(before)


@every_learner
@given(stream=streams.labelled, parameters=streams.parameters)
def test_covariance_is_symmetric(classifier, stream, parameters):
    model = learn(classifier(**parameters), [(x, y) for x, y, _ in stream])
    covariance = model._core.covariance()
    np.testing.assert_allclose(covariance, covariance.T, rtol=0, atol=1e-14)


@every_learner
@given(stream=streams.labelled, parameters=streams.parameters)
def test_covariance_is_positive_definite(classifier, stream, parameters):
    model = learn(classifier(**parameters), [(x, y) for x, y, _ in stream])
    assert (np.linalg.eigvalsh(model._core.covariance()) > 0).all()


@every_exact_learner
@given(stream=streams.labelled, parameters=streams.parameters, probe=streams.events)
def test_variance_never_grows(classifier, stream, parameters, probe):
    model = classifier(**parameters)
    variance = length = model.variance_one(probe)
    for x, y, w in stream:
        model.learn_one(x, y, w=w)
        variance, previous = model.variance_one(probe), variance
        assert variance <= previous + 1e-12 * length


@every_sketch
def test_variance_is_not_negative_where_rounding_would_make_it(classifier):
    model = classifier(gamma=0.001)
    for x, y in streams.emerging(300, seed=3, scale=1e6, last=6):
        model.learn_one(x, y)
        assert model.variance_one(x) >= 0


@given(
    stream=st.lists(
        st.tuples(streams.names, streams.magnitudes, st.booleans()), min_size=1, max_size=40
    ),
    parameters=streams.parameters,
)
def test_diagonal_is_full_where_features_come_one_at_a_time(stream, parameters):
    full, diagonal = (learner(**parameters) for learner in EXACT)
    for name, value, y in stream:
        x = {name: value}
        if streams.at_the_hinge(full.margin_one(x), y):
            continue
        full.learn_one(x, y)
        diagonal.learn_one(x, y)
    assert diagonal.weights == pytest.approx(full.weights, rel=1e-9, abs=1e-12)


@every_learner
def test_feature_never_seen_counts_as_zero_in_the_margin(classifier):
    model = trained(classifier)
    x, _ = without_loss(model)
    assert model.margin_one({**x, "unseen": 5.0}) == model.margin_one(x)


@every_learner
def test_feature_never_seen_has_unit_variance(classifier):
    model = trained(classifier)
    x, _ = without_loss(model)
    together = model.variance_one({**x, "unseen": 5.0})
    assert together == pytest.approx(model.variance_one(x) + 25.0, rel=1e-12)


@every_learner
def test_zero_is_an_absent_feature(classifier):
    stream = streams.emerging(100, last=20)
    padded = [({"zero": 0.0, **x, "nought": 0}, y) for x, y in stream]
    assert learn(classifier(), padded).weights == learn(classifier(), stream).weights


@every_learner
@pytest.mark.parametrize("nothing", [{}, {"a": 0.0}, {"a": 0, "f1": -0.0}])
def test_event_without_a_value_leaves_no_trace(classifier, nothing):
    model = trained(classifier)
    before = pickle.dumps(model)
    model.learn_one(nothing, False)
    assert pickle.dumps(model) == before


@every_learner
def test_key_order_changes_no_weight(classifier):
    stream = streams.emerging(300, last=60)
    shuffled = streams.with_other_key_order(stream)
    assert [list(x) for x, _ in shuffled] != [list(x) for x, _ in stream]
    assert learn(classifier(), shuffled).weights == learn(classifier(), stream).weights


@every_learner
@pytest.mark.parametrize("question", ["margin_one", "variance_one"])
def test_key_order_changes_no_answer(classifier, question):
    stream = streams.emerging(300, last=60)
    shuffled = streams.with_other_key_order(stream)
    one, other = classifier(), classifier()
    for (x, y), (z, _) in zip(stream, shuffled, strict=True):
        assert getattr(one, question)(x) == getattr(other, question)(z)
        one.learn_one(x, y)
        other.learn_one(z, y)


@every_sketch
def test_order_in_which_features_arrive_does_not_change_the_sketch(classifier):
    # Events without a common feature commute, and a length that grows with sqrt(t) makes up for
    # the step 1/t: the raw sketch is the same product in any order of the blocks.
    blocks = [{f"{block}{i}": 1.0 + 0.3 * i for i in range(4)} for block in "abcde"]

    def basis(blocks):
        model = classifier(sketch_size=3)
        for t, block in enumerate(blocks, start=1):
            model.learn_one({name: math.sqrt(t) * value for name, value in block.items()}, True)
        columns = dict(zip(model.weights, model._core.basis().T, strict=True))
        return np.array([columns[name] for name in sorted(columns)])

    np.testing.assert_allclose(basis(blocks), basis(blocks[::-1]), rtol=0, atol=1e-10)


NUMBERS = """
import json, river_oa3, streams
numbers = []
for name in ("OA3Classifier", "OA3DiagClassifier", "SOA3Classifier", "SSOA3Classifier"):
    model = getattr(river_oa3, name)()
    for x, y in streams.emerging(200, last=40):
        numbers += [model.margin_one(x), model.variance_one(x)]
        model.learn_one(x, y)
print(json.dumps(numbers))
"""


def numbers_of_another_process(hash_seed):
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
    }
    output = subprocess.run(
        [sys.executable, "-c", NUMBERS],
        env=environment,
        cwd=Path(__file__).parent.parent,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return json.loads(output)


def test_same_seed_gives_the_same_numbers_in_any_process():
    assert numbers_of_another_process("1") == numbers_of_another_process("2")


@every_sketch
def test_another_seed_gives_another_sketch(classifier):
    x, _ = without_loss(trained(classifier))
    variances = {trained(classifier, seed=seed).variance_one(x) for seed in range(5)}
    assert len(variances) == 5


@every_learner
@every_question
def test_question_leaves_the_state_as_it_was(classifier, question):
    model = trained(classifier)
    before = pickle.dumps(model)
    getattr(model, question)({"f1": 1.0, "new": 1.0})
    assert pickle.dumps(model) == before


@every_learner
@every_question
def test_question_registers_no_feature(classifier, question):
    model = trained(classifier)
    getattr(model, question)({"f1": 1.0, "new": 1.0})
    assert "new" not in model.weights


@every_learner
@pytest.mark.parametrize("x", [{}, {"a": 1.0}])
def test_prediction_at_margin_zero_is_positive(classifier, x):
    assert classifier().predict_one(x) is True


@every_learner
def test_prediction_is_the_sign_of_the_margin(classifier):
    model = trained(classifier)
    probes = [x for x, _ in streams.emerging(50, seed=1, last=40)]
    predictions = [model.predict_one(x) for x in probes]
    assert set(predictions) == {False, True}
    assert predictions == [model.margin_one(x) >= 0 for x in probes]


@every_learner
def test_probability_is_that_of_the_gaussian_over_weights(classifier):
    model = trained(classifier)
    for x, _ in streams.emerging(50, seed=1, last=40):
        deviations = model.margin_one(x) / math.sqrt(PARAMETERS["gamma"] + model.variance_one(x))
        positive = 0.5 * math.erfc(-deviations / math.sqrt(2))
        negative = 0.5 * math.erfc(deviations / math.sqrt(2))
        expected = {False: negative, True: positive}
        assert model.predict_proba_one(x) == pytest.approx(expected, rel=1e-12)


@every_learner
@pytest.mark.parametrize("rho", [0.3, 5.0])
def test_confidence_is_half_the_step_that_the_variance_allows(classifier, rho):
    model = trained(classifier, rho=rho)
    eta, gamma = PARAMETERS["eta"], PARAMETERS["gamma"]
    for x, _ in streams.emerging(50, seed=1, last=40):
        v = model.variance_one(x)
        expected = -0.5 * eta * max(1.0, rho) * v * gamma / (v + gamma)
        assert model.confidence_one(x) == pytest.approx(expected, rel=1e-12)


@every_learner
def test_event_without_a_value_has_confidence_zero(classifier):
    assert trained(classifier).confidence_one({}) == 0


@every_learner
def test_loss_weight_multiplies_the_step(classifier):
    stream = streams.emerging(200, last=40)
    weighted = learn(classifier(**PARAMETERS | {"eta": 0.25}), stream, w=2.0)
    stepped = learn(classifier(**PARAMETERS | {"eta": 0.5}), stream)
    assert weighted.weights == stepped.weights


@every_learner
def test_loss_weight_zero_changes_nothing(classifier):
    model = trained(classifier)
    before = pickle.dumps(model)
    model.learn_one({"f1": -1.0, "new": 1.0}, True, w=0.0)
    assert pickle.dumps(model) == before


@pytest.mark.slow
def test_basis_is_orthonormal_after_a_million_updates():
    model = SSOA3Classifier(sketch_size=5)
    stream = streams.emerging(2000)
    for _ in range(500):
        learn(model, stream)
    basis = model._core.basis()
    np.testing.assert_allclose(basis @ basis.T, np.eye(5), rtol=0, atol=1e-8)

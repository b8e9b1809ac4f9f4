"""Numbers too large, too small or too mixed for the arithmetic leave a finite model."""

import contextlib
import math
import pickle

import numpy as np
import pytest
from bad_values import EVENTS, HUGE, PROBES, assert_refused
from hypothesis import given
from hypothesis import strategies as st
from learners import (
    DOCUMENTED_ERRORS,
    QUESTIONS,
    SKETCHES,
    assert_answers_finitely,
    each_learner,
    learned,
    sparse_events,
    state,
    trained,
)

from river_oa3 import OA3Classifier

# Numbers too large for the arithmetic


@each_learner
@pytest.mark.parametrize("value", HUGE, ids=lambda v: str(v)[:12])
def test_learning_a_huge_value_overflows_or_leaves_a_finite_model(learner, value):
    model = trained(learner)
    before = state(model)
    try:
        model.learn_one({"f0": 1.0, "f1": value, "fresh": value}, False)
    except (OverflowError, ValueError):
        assert state(model) == before
    assert_answers_finitely(model, PROBES)


@each_learner
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("value", HUGE, ids=lambda v: str(v)[:12])
def test_asking_about_a_huge_value_overflows_or_gives_a_number(learner, question, value):
    model = trained(learner)
    try:
        answer = getattr(model, question)({"f0": value, "f1": value, "fresh": value})
    except (OverflowError, ValueError):
        return
    assert all(math.isfinite(n) for n in (answer.values() if type(answer) is dict else [answer]))


@each_learner
def test_value_whose_square_overflows_is_refused_as_an_overflow(learner):
    model = trained(learner)
    x = {"f0": 1e200, "f1": 1.0}
    assert_refused(model, OverflowError, None, model.variance_one, x)


@each_learner
@pytest.mark.parametrize("w", [1e200, 1e308])
def test_huge_weight_overflows_or_leaves_a_finite_model(learner, w):
    model = trained(learner)
    for x, y in sparse_events(20, seed=2):
        before = state(model)
        try:
            model.learn_one(x, y, w=w)
        except OverflowError:
            assert state(model) == before
    assert all(math.isfinite(weight) for weight in model.weights.values())


@each_learner
def test_overflow_leaves_a_model_that_goes_on_learning(learner):
    bruised, spared, n_overflows = learner(eta=1e10), learner(eta=1e10), 0
    for x, y in sparse_events(80):
        try:
            bruised.learn_one(x | {"fresh": 1.0}, y, w=1e308)
        except OverflowError:
            n_overflows += 1
        else:
            spared.learn_one(x | {"fresh": 1.0}, y, w=1e308)
        bruised.learn_one(x, y)
        spared.learn_one(x, y)
    assert n_overflows
    assert state(bruised) == state(spared)


MAGNITUDES = [1e6, 1e9, 1e15]


def unscaled_events(magnitude, n=300):
    """Values of one magnitude next to values near one, as raw logs have them."""
    for i, (x, y) in enumerate(sparse_events(n, seed=3)):
        yield x | {"large": magnitude * (1 + (i % 17) / 17), "sign": magnitude * (y - 0.5)}, y


def unscaled_timestamps(n=300):
    for i, (x, y) in enumerate(sparse_events(n, seed=4)):
        yield x | {"timestamp": 1.7e9 + 3600 * i}, y


@each_learner
@pytest.mark.parametrize("magnitude", MAGNITUDES, ids=lambda m: f"{m:g}")
def test_unscaled_values_leave_a_finite_model(learner, magnitude):
    model = learned(learner(), unscaled_events(magnitude))
    assert_answers_finitely(model, [*PROBES, *(x for x, _ in unscaled_events(magnitude, n=20))])


@each_learner
def test_unscaled_timestamps_leave_a_finite_model(learner):
    model = learned(learner(), unscaled_timestamps())
    assert_answers_finitely(model, [*PROBES, *(x for x, _ in unscaled_timestamps(n=20))])


@each_learner
@pytest.mark.parametrize("magnitude", [1e50, 1e100, 1e150], ids=lambda m: f"{m:g}")
def test_astronomical_values_leave_a_finite_model(learner, magnitude):
    model = learner()
    for x, y in unscaled_events(magnitude):
        before = state(model)
        try:
            model.learn_one(x, y)
        except OverflowError:
            assert state(model) == before
    assert_answers_finitely(model, PROBES)


@each_learner
@pytest.mark.parametrize("magnitude", [1e-300, 1e-160, 5e-324], ids=lambda m: f"{m:g}")
def test_subnormal_values_leave_a_finite_model(learner, magnitude):
    events = [({n: v * magnitude for n, v in x.items()}, y) for x, y in sparse_events(60)]
    assert_answers_finitely(learned(learner(), events), PROBES)


@each_learner
@pytest.mark.parametrize("gamma", [1e-300, 1e-12, 1e12, 1e300])
@pytest.mark.parametrize("eta", [1e-300, 1e-12, 1e12, 1e150])
def test_extreme_parameters_leave_a_finite_model(learner, gamma, eta):
    model = learner(eta=eta, gamma=gamma)
    for x, y in sparse_events(40):
        before = state(model)
        try:
            model.learn_one(x, y)
        except OverflowError:
            assert state(model) == before
    assert_answers_finitely(model, PROBES)


# Anything at all


names = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
numbers = (
    st.floats()
    | st.integers()
    | st.integers(-(10**400), 10**400)
    | st.decimals()
    | st.fractions()
    | st.booleans()
)
things = st.recursive(
    numbers
    | st.none()
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.complex_numbers()
    | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
# Mostly numbers, or nearly every event would be refused before it meets the arithmetic.
any_events = st.dictionaries(names, numbers, max_size=5) | st.dictionaries(
    names, things, max_size=5
)
any_labels = st.booleans() | st.booleans() | things
any_streams = st.lists(st.tuples(any_events, any_labels), max_size=8)


@each_learner
@given(stream=any_streams)
def test_anything_is_refused_untouched_or_learned_finitely(learner, stream):
    model = trained(learner, n=5)
    for x, y in stream:
        before = state(model)
        try:
            model.learn_one(x, y)
        except DOCUMENTED_ERRORS:
            assert state(model) == before
    assert_answers_finitely(model, PROBES)


@each_learner
@given(x=any_events)
def test_asking_about_anything_is_refused_or_answered_and_changes_nothing(learner, x):
    model = trained(learner, n=5)
    before = state(model)
    for question in QUESTIONS:
        try:
            answer = getattr(model, question)(x)
        except DOCUMENTED_ERRORS:
            continue
        numbers = answer.values() if isinstance(answer, dict) else [answer]
        assert all(math.isfinite(number) for number in numbers)
    assert state(model) == before


ordinary_values = st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-6) | st.integers(
    -(10**6), 10**6
)


@each_learner
@given(
    stream=st.lists(
        st.tuples(st.dictionaries(names, ordinary_values, max_size=5), st.booleans()), max_size=8
    )
)
def test_ordinary_numbers_under_any_names_are_never_refused(learner, stream):
    model = learned(learner(), stream)
    assert_answers_finitely(model, [x for x, _ in stream])


@pytest.mark.parametrize("learner", SKETCHES, ids=lambda c: c.__name__)
@given(
    size=st.integers(1, 12),
    stream=st.lists(
        st.tuples(st.dictionaries(names, ordinary_values, max_size=5), st.booleans()), max_size=8
    ),
)
def test_sketch_of_any_size_takes_ordinary_numbers(learner, size, stream):
    model = learned(learner(sketch_size=size), stream)
    assert_answers_finitely(model, [x for x, _ in stream])


SCALES = [(1e3, 1e9, 1e3), (100, 1e8, 100), (1, 1, 3e8), (1e20, 1, 1e20), (1e6, 1e6, 1e6)]


@pytest.mark.parametrize("scales", SCALES, ids=str)
def test_full_covariance_stays_positive_at_any_mix_of_scales(scales):
    rng, model = np.random.default_rng(8), OA3Classifier()
    for t in range(2000):
        x = dict(zip("abc", (rng.normal(size=3) * scales).tolist(), strict=True))
        model.learn_one(x, not model.predict_one(x))
        if t % 100 == 0:
            sigma = model._core.covariance()
            deviation = np.sqrt(np.diag(sigma))
            assert np.linalg.eigvalsh(sigma / np.outer(deviation, deviation)).min() > -1e-9
    assert all(math.isfinite(weight) for weight in model.weights.values())


def test_features_of_mixed_scales_are_learned_as_scaled_ones():
    """An event too large for the full update must not cost the small features their variance."""
    rng, model = np.random.default_rng(0), OA3Classifier()
    for _ in range(300):
        small, large = rng.normal(), 1e9 * rng.normal()
        model.learn_one({"small": small, "large": large}, small > 0)
    hits = sum(model.predict_one({"small": s}) == (s > 0) for s in rng.normal(size=200))
    assert hits > 190


@each_learner
def test_event_whose_square_underflows_cannot_smuggle_in_a_weight(learner):
    model = learner(gamma=4.0, eta=1.0)
    learned(model, [({"a": 1.0, "b": 0.5}, bool(i % 2)) for i in range(5)])
    for w in (1.7e308, 1e300, 1e160, 1e100):
        try:
            model.learn_one({"a": 1e-170, "b": 1e-163}, True, w=w)
        except OverflowError:
            continue
    assert_answers_finitely(model, [x for x, _ in EVENTS])


@each_learner
def test_confidence_is_finite_for_the_largest_parameters(learner):
    model = learner(eta=1e300, rho=1e300)
    assert all(math.isfinite(model.confidence_one(x)) for x in PROBES)


@each_learner
@pytest.mark.parametrize("eta", [1.0, 1e120, 1e149])
@pytest.mark.parametrize("value", [1.0, 1e60, 1e74])
def test_model_that_has_learned_what_it_takes_can_be_stored(learner, eta, value):
    model = learner(eta=eta)
    for x, y in [({"a": value, "b": 1.0}, True), ({"a": 1.0, "c": -value}, False)]:
        with contextlib.suppress(OverflowError):
            model.learn_one(x, y)
    assert pickle.loads(pickle.dumps(model)).weights == model.weights

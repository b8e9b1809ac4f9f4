"""Each rival asks and learns by its own rules, and shares everything else with OA3."""

from __future__ import annotations

import functools
import inspect
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
import reference
import streams
from golden_traces import Uniforms
from hypothesis import example, given, settings
from hypothesis import strategies as st
from river import datasets, evaluate

from river_oa3 import ActiveLearner, OA3Classifier, metrics, query, rivals

SECOND_ORDER = {"eta": 0.3, "gamma": 0.5}
ASYMMETRIC = {"delta_pos": 0.4, "delta_neg": 0.2}


def asks(delta_pos, delta_neg):
    return functools.partial(reference.active_loop, delta_pos=delta_pos, delta_neg=delta_neg)


def asks_anyway(probability):
    return functools.partial(reference.fixed_loop, probability=probability)


# Name: the rival, its parameters, its plain classifier, and the loop with its rule for asking.
RIVALS = {
    "paa-0": (
        rivals.paa,
        {"delta": 0.2, "C": 0.7, "mode": 0},
        lambda: reference.PassiveAggressive(0.7, 0),
        asks(0.2, 0.2),
    ),
    "paa-1": (
        rivals.paa,
        {"delta": 0.2, "C": 0.7, "mode": 1},
        lambda: reference.PassiveAggressive(0.7, 1),
        asks(0.2, 0.2),
    ),
    "paa-2": (
        rivals.paa,
        {"delta": 0.2, "C": 0.7, "mode": 2},
        lambda: reference.PassiveAggressive(0.7, 2),
        asks(0.2, 0.2),
    ),
    "oaal": (
        rivals.oaal,
        {**ASYMMETRIC, "eta": 0.6},
        lambda: reference.Perceptron(0.6),
        asks(0.4, 0.2),
    ),
    "csoal-slope": (
        rivals.csoal,
        {"delta": 0.2, "eta": 0.3, "rho": 4.0, "loss": "slope"},
        lambda: reference.CostSensitive(0.3, 4.0, "slope"),
        asks(0.2, 0.2),
    ),
    "csoal-margin": (
        rivals.csoal,
        {"delta": 0.2, "eta": 0.3, "rho": 4.0, "loss": "margin"},
        lambda: reference.CostSensitive(0.3, 4.0, "margin"),
        asks(0.2, 0.2),
    ),
    "soal": (
        rivals.soal,
        {"delta": 0.2, **SECOND_ORDER},
        lambda: reference.OA3(0.3, 0.5, 1.0),
        asks(0.2, 0.2),
    ),
    "soal_cs": (
        rivals.soal_cs,
        {"delta": 0.2, **SECOND_ORDER, "rho": 4.0},
        lambda: reference.OA3(0.3, 0.5, 4.0),
        asks(0.2, 0.2),
    ),
    "oa3_first_come": (
        rivals.oa3_first_come,
        {**SECOND_ORDER, "rho": 4.0},
        lambda: reference.OA3(0.3, 0.5, 4.0),
        asks_anyway(1),
    ),
    "oa3_random": (
        rivals.oa3_random,
        {"probability": 0.3, **SECOND_ORDER, "rho": 4.0},
        lambda: reference.OA3(0.3, 0.5, 4.0),
        asks_anyway(0.3),
    ),
}

each_rival = pytest.mark.parametrize("rival", RIVALS)
each_function = pytest.mark.parametrize("name", rivals.__all__)


def make(rival, **kwargs):
    function, parameters, _, _ = RIVALS[rival]
    return function(**parameters, **kwargs)


@functools.cache
def stream(n=250, seed=0, scale=1.0):
    """A stream with an event without features now and then."""
    events = streams.emerging(n, seed=seed, scale=scale, last=40)
    return [({}, y) if i % 19 == 3 else (x, y) for i, (x, y) in enumerate(events)]


def played(model, events):
    """Every margin, label and decision, where a label that is asked for comes at once."""
    trace = SimpleNamespace(margins=[], labels=[], asked=[])
    for x, y in events:
        trace.margins.append(model.classifier.margin_one(x))
        label, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)
        trace.labels.append(label)
        trace.asked.append(ask)
    return trace


@functools.cache
def both(rival, seed, scale, labels):
    """The rival and its twin on the same stream with the same uniforms."""
    events, numbers = stream(seed=seed, scale=scale), np.random.default_rng(seed + 1).random(250)
    model = make(rival, budget=labels)
    model._rng = Uniforms(numbers.tolist())
    _, _, twin, loop = RIVALS[rival]
    margins, asked, used = loop(twin(), events, numbers, budget=250 if labels is None else labels)
    return SimpleNamespace(
        model=model, trace=played(model, events), margins=margins, asked=asked, used=used
    )


runs = given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.1, 1.0, 5.0]),
    labels=st.none() | st.integers(0, 120),
)
a_few = settings(max_examples=6)
without_a_budget = example(seed=0, scale=1.0, labels=None)


# The twin


@each_rival
@runs
@without_a_budget
@a_few
def test_decisions_are_the_twins(rival, seed, scale, labels):
    run = both(rival, seed, scale, labels)
    assert run.trace.asked == run.asked


@each_rival
@runs
@without_a_budget
@a_few
def test_labels_are_the_twins(rival, seed, scale, labels):
    run = both(rival, seed, scale, labels)
    assert run.trace.labels == [margin >= 0 for margin in run.margins]


@each_rival
@runs
@without_a_budget
@a_few
def test_margins_are_the_twins(rival, seed, scale, labels):
    run = both(rival, seed, scale, labels)
    tolerance = 1e-12 * np.abs(run.margins).max()
    np.testing.assert_allclose(run.trace.margins, run.margins, rtol=0, atol=tolerance)


@each_rival
@runs
@without_a_budget
@a_few
def test_as_many_uniforms_are_used_as_by_the_twin(rival, seed, scale, labels):
    run = both(rival, seed, scale, labels)
    assert run.model._rng.used == run.used


@each_rival
def test_twin_asks_and_refrains(rival):
    run = both(rival, 0, 1.0, 120)
    assert 10 < sum(run.asked) < 240


@pytest.mark.parametrize("rival", [name for name in RIVALS if name != "oa3_first_come"])
def test_twin_leaves_much_to_chance(rival):
    assert both(rival, 0, 1.0, None).used > 50


# What each is


@each_function
def test_is_an_active_learner_ready_for_use(name):
    model = getattr(rivals, name)()
    assert isinstance(model, ActiveLearner)
    assert model.predict_one({"a": 1.0})[0] is True


@each_function
def test_budget_is_passed_on(name):
    assert getattr(rivals, name)(budget=7)._budget.left == 7


@each_function
def test_no_budget_sets_no_limit(name):
    assert getattr(rivals, name)()._budget is None


@each_function
def test_seed_is_passed_on(name):
    assert getattr(rivals, name)(seed=5).seed == 5


@each_rival
def test_same_seed_decides_alike(rival):
    one, other = (played(make(rival, seed=3), stream()) for _ in range(2))
    assert one.asked == other.asked


@pytest.mark.parametrize("rival", [name for name in RIVALS if name != "oa3_first_come"])
def test_other_seed_decides_otherwise(rival):
    one, other = (played(make(rival, seed=seed), stream()) for seed in (3, 4))
    assert one.asked != other.asked


@each_rival
def test_clone_decides_as_the_model_did(rival):
    model = make(rival, budget=60, seed=3)
    asked = played(model, stream()).asked
    assert played(model.clone(), stream()).asked == asked


@each_rival
def test_stream_cut_in_two_by_a_pickle_is_the_uncut_one(rival):
    uncut = played(make(rival, budget=60, seed=3), stream()).asked
    model = make(rival, budget=60, seed=3)
    asked = played(model, stream()[:80]).asked
    asked += played(pickle.loads(pickle.dumps(model)), stream()[80:]).asked
    assert asked == uncut


@pytest.mark.parametrize("rival", ["paa-0", "paa-1", "paa-2", "csoal-slope", "csoal-margin"])
def test_symmetric_first_order_rival_asks_by_the_size_of_the_margin(rival):
    model = make(rival)
    played(model, stream())
    for x, _ in stream(seed=1):
        if x:
            size = abs(model.classifier.margin_one(x))
            assert model.query_probability(x) == pytest.approx(0.2 / (0.2 + size), rel=1e-15)


def test_oaal_has_a_bias_for_each_side():
    model = make("oaal")
    played(model, stream())
    for x, _ in stream(seed=1):
        if x:
            margin = model.classifier.margin_one(x)
            delta = 0.4 if margin >= 0 else 0.2
            assert model.query_probability(x) == pytest.approx(delta / (delta + abs(margin)))


@runs
@a_few
def test_soal_is_soal_cs_where_positives_weigh_no_more(seed, scale, labels):
    shared = {"delta": 0.2, **SECOND_ORDER, "budget": labels, "seed": seed}
    one = played(rivals.soal(**shared), stream(scale=scale))
    other = played(rivals.soal_cs(rho=1.0, **shared), stream(scale=scale))
    assert one == other


@runs
@a_few
def test_soal_cs_is_oa3_with_equal_biases(seed, scale, labels):
    one = played(make("soal_cs", budget=labels, seed=seed), stream(scale=scale))
    oa3 = ActiveLearner(
        OA3Classifier(**SECOND_ORDER, rho=4.0), query.AsymmetricQuery(0.2, 0.2), labels, seed
    )
    assert one == played(oa3, stream(scale=scale))


def test_soal_cs_is_not_oa3_with_other_biases():
    one = played(make("soal_cs", seed=1), stream())
    oa3 = ActiveLearner(
        OA3Classifier(**SECOND_ORDER, rho=4.0), query.AsymmetricQuery(0.2, 0.002), seed=1
    )
    assert one.asked != played(oa3, stream()).asked


def test_soal_cs_is_not_soal_where_positives_weigh_more():
    one, other = make("soal", seed=1), make("soal_cs", seed=1)
    assert played(one, stream()).margins != played(other, stream()).margins


@pytest.mark.parametrize("rival", ["oa3_first_come", "oa3_random"])
def test_rule_for_asking_is_all_that_parts_it_from_oa3(rival):
    model = make(rival, seed=1)
    trace = played(model, stream())
    plain = OA3Classifier(**SECOND_ORDER, rho=4.0)
    for (x, y), ask in zip(stream(), trace.asked, strict=True):
        if ask:
            plain.learn_one(x, y)
    assert model.classifier.weights == plain.weights


# The two that ask whatever the margin


@pytest.mark.parametrize("labels", [0, 1, 7, 100])
def test_first_come_spends_the_budget_on_the_first_teachable_events(labels):
    asked = played(make("oa3_first_come", budget=labels), stream()).asked
    teachable = [i for i, (x, _) in enumerate(stream()) if x]
    assert [i for i, ask in enumerate(asked) if ask] == teachable[:labels]


def test_first_come_draws_nothing():
    model = make("oa3_first_come", budget=100)
    model._rng = Uniforms([])
    played(model, stream())
    assert model._rng.used == 0


@pytest.mark.parametrize("probability", [0.03, 0.1, 0.5, 0.9])
def test_random_asks_about_a_share_of_events_near_its_probability(probability):
    model = rivals.oa3_random(probability=probability, seed=11)
    n = 4000
    asked = sum(model.predict_one({"a": 1.0})[1] for _ in range(n))
    deviation = math.sqrt(n * probability * (1 - probability))
    assert abs(asked - n * probability) < 3 * deviation


def test_random_asks_about_every_teachable_event_at_probability_one():
    asked = played(rivals.oa3_random(probability=1.0), stream()).asked
    assert asked == [bool(x) for x, _ in stream()]


# The budget


@each_rival
@given(labels=st.integers(0, 60), seed=st.integers(0, 9))
@a_few
def test_budget_is_never_exceeded(rival, labels, seed):
    asked = played(make(rival, budget=labels, seed=seed), stream()).asked
    assert sum(asked) <= labels


@each_rival
def test_budget_is_spent_where_the_stream_is_long(rival):
    assert sum(played(make(rival, budget=30, seed=1), stream()).asked) == 30


@each_rival
def test_event_without_features_is_never_asked_about(rival):
    asked = played(make(rival, seed=1), stream()).asked
    assert not any(ask for ask, (x, _) in zip(asked, stream(), strict=True) if not x)


# The evaluator


@each_rival
def test_evaluator_gives_the_value_of_a_loop_by_hand(rival):
    events = list(datasets.Phishing().take(400))
    score = evaluate.progressive_val_score(
        events, make(rival, budget=100, seed=2), metrics.WeightedSum()
    )
    by_hand = metrics.WeightedSum()
    labels = played(make(rival, budget=100, seed=2), events).labels
    for (_, y), label in zip(events, labels, strict=True):
        by_hand.update(y, label)
    assert score.get() == by_hand.get()


@each_rival
def test_evaluator_does_not_exceed_the_budget(rival):
    model = make(rival, budget=50, seed=2)
    evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.WeightedSum())
    assert 0 < model.n_asked <= 50


@each_rival
def test_evaluator_teaches_every_label_that_is_asked_for(rival):
    model = make(rival, budget=50, seed=2)
    evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.WeightedSum())
    assert model.n_learned == model.n_asked


@each_function
def test_rival_learns_by_default(name):
    model = getattr(rivals, name)(budget=200, seed=2)
    score = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.WeightedSum())
    assert score.get() > 0.6  # 0.5 is chance


# Parameters out of range

NUMBERS = [
    (name, parameter)
    for name in rivals.__all__
    for parameter in inspect.signature(getattr(rivals, name)).parameters
    if parameter not in ("mode", "loss", "budget", "seed")
]
each_number = pytest.mark.parametrize(("name", "parameter"), NUMBERS)


@each_number
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_parameter_out_of_range_is_refused_by_name(name, parameter, value):
    with pytest.raises(ValueError, match=rf"\b{parameter}"):
        getattr(rivals, name)(**{parameter: value})


@each_number
@pytest.mark.parametrize("value", ["0.1", None, [0.1]], ids=repr)
def test_parameter_that_is_no_number_is_refused_by_name(name, parameter, value):
    with pytest.raises((TypeError, ValueError), match=rf"\b{parameter}"):
        getattr(rivals, name)(**{parameter: value})


def test_probability_above_one_is_refused():
    with pytest.raises(ValueError, match="probability"):
        rivals.oa3_random(probability=1.01)


@pytest.mark.parametrize("mode", [-1, 3, "PA"])
def test_mode_that_is_none_is_refused(mode):
    with pytest.raises((TypeError, ValueError), match="mode"):
        rivals.paa(mode=mode)


def test_loss_that_is_none_is_refused():
    with pytest.raises(ValueError, match="loss"):
        rivals.csoal(loss="hinge")


@each_function
def test_negative_budget_is_refused(name):
    with pytest.raises(ValueError, match="labels"):
        getattr(rivals, name)(budget=-1)

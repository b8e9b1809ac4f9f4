"""The first-order classifiers: what the plain ones do, and the laws they obey."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import streams
from first_order_kinds import (
    DRAWN,
    KINDS,
    drawn_parameters,
    each_kind,
    each_mode,
    hinge_loss,
    length,
    make,
    make_trained,
    moved,
    rounding,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from learners import (
    event_streams,
    learned,
    margins_while_learning,
    sparse_events,
    state,
)
from streams import with_other_key_order

from river_oa3.first_order import (
    CostSensitiveClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)

# The twin


def jump(kind, twin, y):
    """The margin at which a step starts from nothing: no two ways of computing agree there."""
    rho_t, sign = (twin.rho, 1) if y else (1.0, -1)
    return {"perceptron": 0.0, "slope": sign, "margin": sign * rho_t}.get(kind)


@st.composite
def runs(draw, kind):
    """A classifier and its twin let loose on the same stream, and (compiled, plain, size)."""
    parameters = draw(drawn_parameters(kind))
    _, twin_class, fixed = KINDS[kind]
    model, twin = make(kind, **parameters), twin_class(**(fixed | parameters))
    trace = SimpleNamespace(model=model, twin=twin, margins=[], sizes=[0.0])
    for x, y, w in draw(streams.labelled):
        margin = twin.margin(x)
        size = sum(abs(twin.weights.get(name, 0.0) * value) for name, value in x.items())
        edge = jump(kind, twin, y)
        if size and edge is not None and abs(margin - edge) < 1e-6:
            continue
        trace.margins.append((model.margin_one(x), margin, size))
        model.learn_one(x, y, w=w)
        twin.learn(x, y, w)
        trace.sizes += [abs(weight) for weight in twin.weights.values()]
    return trace


@each_kind
@given(data=st.data())
@settings(max_examples=30)
def test_margins_are_the_twins(kind, data):
    margins = data.draw(runs(kind)).margins
    if margins:
        compiled, plain, sizes = np.transpose(margins)
        np.testing.assert_allclose(compiled, plain, rtol=0, atol=1e-12 * sizes.max())


@each_kind
@given(data=st.data())
@settings(max_examples=20)
def test_weights_are_the_twins(kind, data):
    trace = data.draw(runs(kind))
    tolerance = 1e-12 * max(trace.sizes)
    assert trace.model.weights == pytest.approx(trace.twin.weights, rel=0, abs=tolerance)


@each_kind
def test_margins_of_a_long_stream_are_the_twins(kind):
    classifier, twin_class, parameters = KINDS[kind]
    model, twin = classifier(**parameters), twin_class(**parameters)
    margins = []
    for x, y in streams.emerging(1500, seed=2, last=40):
        margins.append((model.margin_one(x), twin.margin(x)))
        model.learn_one(x, y)
        twin.learn(x, y)
    compiled, plain = np.transpose(margins)
    np.testing.assert_allclose(compiled, plain, rtol=0, atol=1e-12 * np.abs(plain).max())


# The laws


@given(stream=streams.labelled)
@settings(max_examples=20)
def test_plain_pa_leaves_no_loss_on_what_it_has_learned(stream):
    model = PassiveAggressiveClassifier(mode=0)
    for x, y, w in stream:
        model.learn_one(x, y, w=w)
        if any(x.values()) and w:
            assert hinge_loss(model, x, y) <= rounding(model, x)


@given(stream=streams.labelled, C=DRAWN["C"])
@settings(max_examples=20)
def test_no_step_of_pa_1_is_longer_than_c_times_the_event(stream, C):
    model = PassiveAggressiveClassifier(C=C, mode=1)
    for x, y, _ in stream:
        before = model.weights
        model.learn_one(x, y)
        longest = max(map(abs, model.weights.values()), default=0.0)
        assert moved(before, model.weights) <= C * length(x) + 1e-12 * longest


@given(stream=streams.labelled, C=DRAWN["C"])
@settings(max_examples=20)
def test_pa_2_leaves_the_share_of_the_loss_that_its_ridge_has_in_the_whole(stream, C):
    model, ridge = PassiveAggressiveClassifier(C=C, mode=2), 1 / (2 * C)
    for x, y, _ in stream:
        loss = hinge_loss(model, x, y)
        before = rounding(model, x)
        model.learn_one(x, y)
        left = loss * ridge / (ridge + length(x) ** 2)
        tolerance = before + rounding(model, x)
        assert hinge_loss(model, x, y) == pytest.approx(left, rel=1e-9, abs=tolerance)


@each_mode
def test_pa_moves_along_the_event(mode):
    model = PassiveAggressiveClassifier(mode=mode)
    model.learn_one({"a": 3.0, "b": -4.0}, True)
    weights = model.weights
    assert weights["b"] / weights["a"] == pytest.approx(-4 / 3)


@each_kind
@given(data=st.data(), stream=streams.labelled)
@settings(max_examples=20)
def test_label_without_loss_changes_nothing(kind, data, stream):
    model = make(kind, **data.draw(drawn_parameters(kind)))
    wanted = model.rho if kind == "margin" else 1.0
    for x, y, w in stream:
        before = state(model)
        margin = model.margin_one(x) if y else -model.margin_one(x)
        has_loss = (
            model.predict_one(x) != y if kind == "perceptron" else margin < (wanted if y else 1.0)
        )
        model.learn_one(x, y, w=w)
        if not has_loss:
            assert state(model) == before


@each_kind
def test_label_of_no_weight_changes_nothing(kind):
    model = make_trained(kind)
    before = state(model)
    for x, y in sparse_events(60, seed=4):
        model.learn_one({**x, "new": 1.0}, not y, w=0.0)
    assert state(model) == before


@pytest.mark.parametrize("w", [1e-6, 0.5, 7.0])
def test_weight_above_zero_means_nothing_to_plain_pa(w):
    events = sparse_events(60)
    weighted, plain = make("PA"), learned(make("PA"), events)
    for x, y in events:
        weighted.learn_one(x, y, w=w)
    assert weighted.weights == plain.weights


@pytest.mark.parametrize(
    ("kind", "parameter"),
    [("PA-I", "C"), ("PA-II", "C"), ("perceptron", "eta"), ("slope", "eta"), ("margin", "eta")],
)
def test_weight_multiplies_the_price_of_a_loss(kind, parameter):
    weighted, dearer = make(kind, **{parameter: 0.25}), make(kind, **{parameter: 0.5})
    for x, y in sparse_events(60):
        weighted.learn_one(x, y, w=2.0)
        dearer.learn_one(x, y)
    assert weighted.weights == dearer.weights


def test_perceptron_takes_a_margin_of_zero_for_positive():
    model = PerceptronClassifier()
    model.learn_one({"a": 1.0}, True)
    assert not any(model.weights.values())


def test_perceptron_learns_a_negative_at_a_margin_of_zero():
    model = PerceptronClassifier(eta=0.5)
    model.learn_one({"a": 2.0}, False)
    assert model.weights == {"a": -1.0}


def test_perceptron_does_not_learn_what_is_right_by_little():
    model = PerceptronClassifier(eta=0.5)
    model.learn_one({"a": 0.01}, False)
    before = state(model)
    model.learn_one({"a": 0.01}, False)
    assert state(model) == before


def test_slope_gives_positives_steps_as_long_as_their_weight():
    model = CostSensitiveClassifier(eta=0.1, rho=9, loss="slope")
    model.learn_one({"a": 1.0}, True)
    model.learn_one({"b": 1.0}, False)
    assert model.weights == pytest.approx({"a": 0.9, "b": -0.1})


def test_margin_gives_positives_steps_as_long_as_negatives():
    model = CostSensitiveClassifier(eta=0.1, rho=9, loss="margin")
    model.learn_one({"a": 1.0}, True)
    model.learn_one({"b": 1.0}, False)
    assert model.weights == pytest.approx({"a": 0.1, "b": -0.1})


@pytest.mark.parametrize(("loss", "steps"), [("slope", 1), ("margin", 9)])
def test_positive_is_learned_until_it_has_the_margin_that_its_loss_asks_for(loss, steps):
    model = CostSensitiveClassifier(eta=1.0, rho=8.5, loss=loss)
    for _ in range(20):
        model.learn_one({"a": 1.0}, True)
    assert model.weights["a"] == steps * (8.5 if loss == "slope" else 1.0)


@given(stream=streams.labelled, eta=DRAWN["eta"])
@settings(max_examples=20)
def test_losses_are_the_same_where_positives_weigh_no_more(stream, eta):
    slope, margin = (CostSensitiveClassifier(eta, 1.0, loss) for loss in ("slope", "margin"))
    for x, y, w in stream:
        slope.learn_one(x, y, w=w)
        margin.learn_one(x, y, w=w)
    assert slope.weights == margin.weights


@each_kind
def test_key_order_changes_no_bit(kind):
    stream = streams.emerging(300, last=60)
    shuffled = with_other_key_order(stream)
    assert [list(x) for x, _ in shuffled] != [list(x) for x, _ in stream]
    assert margins_while_learning(make(kind), shuffled) == margins_while_learning(
        make(kind), stream
    )


@each_kind
@given(stream=event_streams, data=st.data())
@settings(max_examples=8)
def test_key_order_changes_no_weight(kind, stream, data):
    shuffled = [({n: x[n] for n in data.draw(st.permutations(list(x)))}, y) for x, y in stream]
    assert learned(make(kind), shuffled).weights == learned(make(kind), stream).weights


@each_kind
@given(stream=event_streams)
@settings(max_examples=8)
def test_label_is_positive_at_margin_zero_and_above(kind, stream):
    model = learned(make(kind), stream)
    assert [model.predict_one(x) for x, _ in stream] == [
        model.margin_one(x) >= 0 for x, _ in stream
    ]


@each_kind
@given(stream=event_streams)
@settings(max_examples=8)
def test_odds_add_up_to_one(kind, stream):
    model = learned(make(kind), stream)
    for x, _ in stream:
        odds = model.predict_proba_one(x)
        assert set(odds) == {False, True}
        assert sum(odds.values()) == pytest.approx(1.0)


@each_kind
@given(stream=event_streams)
@settings(max_examples=8)
def test_odds_favour_the_label(kind, stream):
    model = learned(make(kind), stream)
    for x, _ in stream:
        odds = model.predict_proba_one(x)
        assert odds[model.predict_one(x)] >= 0.5


@each_kind
def test_nearly_separable_stream_is_learned(kind):
    events = sparse_events(1200)
    model = learned(make(kind), events[:1000])
    hits = sum(model.predict_one(x) == y for x, y in events[1000:])
    assert hits > 160

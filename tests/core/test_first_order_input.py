"""What the first-order classifiers refuse, and how they are stored."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from axes import one_at_a_time
from bad_values import (
    EMPTY_EVENTS,
    HUGE,
    NOT_FINITE,
    NOT_LABELS,
    NOT_MAPPINGS,
    NOT_NUMBERS,
    assert_refused,
    bad_parameters,
    enter,
    not_parameters,
)
from copies import each_copy
from first_order_kinds import KINDS, each_kind, each_way_in, make, make_trained
from hypothesis import given, settings
from hypothesis import strategies as st
from learners import (
    event_streams,
    learned,
    margins_while_learning,
    sparse_events,
    state,
    trained,
)

from river_oa3.first_order import (
    CostSensitiveClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)

# Bad input


@one_at_a_time
@each_way_in
@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda v: f"{type(v).__name__}-{v}")
def test_value_that_is_not_finite_is_refused_by_name(kind, door, value):
    model = make_trained(kind)
    x = {"f0": 1.0, "culprit": value, "fresh": 2.0}
    assert_refused(model, ValueError, "'culprit'", enter, model, door, x)


@one_at_a_time
@each_way_in
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_value_that_is_no_number_is_refused_by_name(kind, door, value):
    model = make_trained(kind)
    x = {"f0": 1.0, "culprit": value, "fresh": 2.0}
    assert_refused(model, TypeError, "'culprit'", enter, model, door, x)


@one_at_a_time
@each_kind
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_value_that_is_no_number_is_met_with_a_transformer_that_would_help(kind, value):
    with pytest.raises(TypeError, match=r"preprocessing|feature_extraction|compose"):
        make(kind).learn_one({"culprit": value}, False)


@one_at_a_time
@each_kind
@pytest.mark.parametrize("label", NOT_LABELS.values(), ids=NOT_LABELS)
def test_label_that_is_no_label_is_refused(kind, label):
    model = make_trained(kind)
    x = {"f0": 1.0, "fresh": 2.0}
    assert_refused(model, ValueError, r"True|bool|0 or 1", model.learn_one, x, label)


@one_at_a_time
@each_way_in
@pytest.mark.parametrize("x", NOT_MAPPINGS.values(), ids=NOT_MAPPINGS)
def test_event_that_is_no_mapping_is_refused(kind, door, x):
    model = make_trained(kind)
    assert_refused(model, TypeError, None, enter, model, door, x)


@one_at_a_time
@each_kind
@pytest.mark.parametrize("label_type", [int, np.bool_, np.int64], ids=lambda k: k.__name__)
def test_labels_of_every_documented_kind_are_equivalent(kind, label_type):
    events = sparse_events(60)
    same = learned(make(kind), [(x, label_type(y)) for x, y in events])
    assert state(same) == state(learned(make(kind), events))


@one_at_a_time
@each_kind
@pytest.mark.parametrize("x", EMPTY_EVENTS.values(), ids=EMPTY_EVENTS)
@pytest.mark.parametrize("y", [False, True])
def test_learning_nothing_changes_nothing(kind, x, y):
    model = make_trained(kind)
    before = state(model)
    model.learn_one(x, y)
    assert state(model) == before


@one_at_a_time
@each_kind
@pytest.mark.parametrize("w", [-1.0, -1e-9, math.nan, math.inf, -math.inf])
def test_weight_that_is_negative_or_not_finite_is_refused(kind, w):
    model = make_trained(kind)
    assert_refused(model, ValueError, None, model.learn_one, {"f0": 1.0, "fresh": 2.0}, True, w=w)


@one_at_a_time
@each_kind
@pytest.mark.parametrize("w", ["heavy", None, [1.0], 1j], ids=repr)
def test_weight_that_is_no_number_is_refused(kind, w):
    model = make_trained(kind)
    x = {"f0": 1.0, "fresh": 2.0}
    assert_refused(model, (TypeError, ValueError), None, model.learn_one, x, True, w=w)


PROBES = [{"f0": 1.0, "f1": -0.5}, {"f2": 2.0, "new": 1.0}, {}]


def assert_weighs_finitely(model):
    assert all(math.isfinite(weight) for weight in model.weights.values())
    assert all(math.isfinite(model.margin_one(x)) for x in PROBES)


@each_kind
@pytest.mark.parametrize("y", [False, True])
@pytest.mark.parametrize("value", HUGE, ids=lambda v: str(v)[:12])
def test_learning_a_huge_value_overflows_or_leaves_a_finite_model(kind, y, value):
    model = make_trained(kind)
    before = state(model)
    try:
        model.learn_one({"f0": 1.0, "f1": value, "fresh": value}, y)
    except (OverflowError, ValueError):
        assert state(model) == before
    assert_weighs_finitely(model)


@each_kind
@pytest.mark.parametrize("w", [1e200, 1e308])
def test_huge_weight_overflows_or_leaves_a_finite_model(kind, w):
    model = make_trained(kind)
    for x, y in sparse_events(20, seed=2):
        before = state(model)
        try:
            model.learn_one(x, y, w=w)
        except OverflowError:
            assert state(model) == before
    assert_weighs_finitely(model)


@each_kind
@pytest.mark.parametrize("magnitude", [1e-300, 1e-160, 5e-324], ids=lambda m: f"{m:g}")
def test_subnormal_values_leave_a_finite_model(kind, magnitude):
    model = make(kind)
    for x, y in sparse_events(60):
        before = state(model)
        try:
            model.learn_one({n: v * magnitude for n, v in x.items()}, y)
        except OverflowError:
            assert state(model) == before
    assert_weighs_finitely(model)


EACH_PARAMETER = [
    (PassiveAggressiveClassifier, "C"),
    (PerceptronClassifier, "eta"),
    (CostSensitiveClassifier, "eta"),
    (CostSensitiveClassifier, "rho"),
]
each_parameter = pytest.mark.parametrize(
    ("classifier", "parameter"), EACH_PARAMETER, ids=lambda case: getattr(case, "__name__", case)
)


@one_at_a_time
@each_parameter
@bad_parameters
def test_parameter_out_of_range_is_refused_at_construction(classifier, parameter, value):
    with pytest.raises(ValueError, match=rf"\b{parameter}\b"):
        classifier(**{parameter: value})


@one_at_a_time
@each_parameter
@not_parameters
def test_parameter_that_is_no_number_is_refused_at_construction(classifier, parameter, value):
    with pytest.raises((TypeError, ValueError), match=rf"\b{parameter}\b"):
        classifier(**{parameter: value})


@pytest.mark.parametrize("mode", [-1, 3, 1.0, 1.5, "1", None, math.nan, [1]], ids=repr)
def test_mode_that_is_none_is_refused(mode):
    with pytest.raises((TypeError, ValueError), match="mode"):
        PassiveAggressiveClassifier(mode=mode)


@pytest.mark.parametrize("loss", ["hinge", "", "Slope", None, 1, ["slope"]], ids=repr)
def test_loss_that_is_none_is_refused(loss):
    with pytest.raises((TypeError, ValueError), match="loss"):
        CostSensitiveClassifier(loss=loss)


@each_kind
def test_parameters_can_be_read_back(kind):
    parameters = KINDS[kind][2]
    assert {name: getattr(make(kind), name) for name in parameters} == parameters


# Persistence


@each_kind
@each_copy
@given(stream=event_streams, data=st.data())
@settings(max_examples=8)
def test_stream_cut_in_two_by_a_copy_is_the_uncut_one(kind, duplicate, stream, data):
    cut = data.draw(st.integers(0, len(stream)), label="cut")
    uncut = margins_while_learning(make(kind), stream)
    head = make(kind)
    margins = margins_while_learning(head, stream[:cut])
    margins += margins_while_learning(duplicate(head), stream[cut:])
    assert margins == uncut


@each_kind
@each_copy
def test_copy_has_the_parameters_of_the_model(kind, duplicate):
    parameters = KINDS[kind][2]
    twin = duplicate(make_trained(kind))
    assert {name: getattr(twin, name) for name in parameters} == parameters


@each_kind
@each_copy
def test_copy_has_the_weights_of_the_model(kind, duplicate):
    model = make_trained(kind)
    assert duplicate(model).weights == model.weights


@each_kind
@each_copy
def test_learning_in_the_copy_leaves_the_model_alone(kind, duplicate):
    model = make_trained(kind)
    before = state(model)
    learned(duplicate(model), sparse_events(100, seed=6))
    assert state(model) == before


@one_at_a_time
@each_kind
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_model_of_any_pickle_protocol_goes_on_learning(kind, protocol):
    model = make_trained(kind)
    twin = pickle.loads(pickle.dumps(model, protocol))
    events = sparse_events(60, seed=7)
    assert margins_while_learning(twin, events) == margins_while_learning(model, events)


@each_kind
def test_clone_has_learned_nothing(kind):
    assert state(make_trained(kind).clone()) == state(make(kind))


@each_kind
def test_clone_learns_as_the_model_did(kind):
    model, events = make(kind), sparse_events(60)
    margins = margins_while_learning(model, events)
    assert margins_while_learning(model.clone(), events) == margins


@each_parameter
def test_clone_takes_new_parameters(classifier, parameter):
    clone = classifier().clone({parameter: 0.375})
    assert state(clone) == state(classifier(**{parameter: 0.375}))


@each_parameter
def test_clone_that_keeps_what_was_learned_takes_new_parameters(classifier, parameter):
    clone = trained(classifier).clone({parameter: 0.375}, include_attributes=True)
    assert getattr(clone, parameter) == 0.375

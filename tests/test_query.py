"""The rules for asking: pure functions of a margin and a confidence."""

from __future__ import annotations

import inspect
import math
import pickle

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import query

RULES = {
    "asymmetric": query.AsymmetricQuery(delta_pos=2.0, delta_neg=0.5),
    "first-order": query.AsymmetricQuery(delta_pos=2.0, delta_neg=0.5, use_confidence=False),
    "random": query.RandomQuery(0.3),
    "first-come": query.FirstComeQuery(),
}
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)

SITUATIONS = [(0.0, 0.0), (0.0, -1.0), (0.7, -0.2), (-0.7, -0.2), (5.0, -1.0), (-5.0, 0.0)]

margins = st.floats(-1e6, 1e6)
confidences = st.floats(-1e3, 0.0)
deltas = st.floats(1e-6, 1e6)


def probabilities(rule):
    return [rule.probability(margin, confidence) for margin, confidence in SITUATIONS]


# Section 3 of the method: q = |p| + c; certain where q <= 0, else delta / (delta + q).


@pytest.mark.parametrize(
    ("margin", "confidence", "probability"),
    [
        (0.0, 0.0, 1.0),
        (0.5, -0.5, 1.0),
        (-0.5, -0.5, 1.0),
        (-0.5, -3.0, 1.0),
        (3.0, 0.0, 2.0 / 5.0),
        (3.0, -1.0, 2.0 / 4.0),
        (-3.0, 0.0, 0.5 / 3.5),
        (-3.0, -1.0, 0.5 / 2.5),
    ],
)
def test_asymmetric_rule_gives_the_hand_computed_value(margin, confidence, probability):
    assert RULES["asymmetric"].probability(margin, confidence) == pytest.approx(probability)


@given(margins, confidences, deltas, deltas)
def test_asymmetric_rule_is_the_papers(margin, confidence, delta_pos, delta_neg):
    rule = query.AsymmetricQuery(delta_pos, delta_neg)
    expected = reference.ask_probability(margin, confidence, delta_pos, delta_neg)
    assert rule.probability(margin, confidence) == pytest.approx(expected, rel=1e-12)


@given(margins, confidences, deltas)
def test_equal_biases_make_the_rule_symmetric(margin, confidence, delta):
    rule = query.AsymmetricQuery(delta, delta)
    assert rule.probability(margin, confidence) == rule.probability(-margin, confidence)


@given(margins, confidences, deltas, deltas)
def test_rule_without_confidence_does_not_look_at_it(margin, confidence, delta_pos, delta_neg):
    rule = query.AsymmetricQuery(delta_pos, delta_neg, use_confidence=False)
    assert rule.probability(margin, confidence) == rule.probability(margin, 0.0)


@given(margins, margins, confidences)
def test_event_nearer_the_boundary_is_never_less_likely_to_be_asked(one, other, confidence):
    near, far = sorted((abs(one), abs(other)))
    rule = RULES["asymmetric"]
    assert rule.probability(near, confidence) >= rule.probability(far, confidence)


@given(margins, confidences, confidences)
def test_less_sure_event_is_never_less_likely_to_be_asked(margin, one, other):
    unsure, sure = sorted((one, other))
    rule = RULES["asymmetric"]
    assert rule.probability(margin, unsure) >= rule.probability(margin, sure)


def test_larger_positive_bias_asks_more_about_events_predicted_positive():
    rule = query.AsymmetricQuery(delta_pos=2.0, delta_neg=0.5)
    assert rule.probability(1.0, 0.0) > rule.probability(-1.0, 0.0)


def test_asymmetric_rule_has_defaults():
    assert 0.0 < query.AsymmetricQuery().probability(3.0, 0.0) < 1.0


@given(margins, confidences)
def test_random_rule_gives_its_probability_whatever_the_event(margin, confidence):
    assert query.RandomQuery(0.3).probability(margin, confidence) == 0.3


@given(margins, confidences)
def test_first_come_rule_is_always_certain(margin, confidence):
    assert query.FirstComeQuery().probability(margin, confidence) == 1.0


@each_rule
@given(margin=st.floats(-1e300, 1e300), confidence=st.floats(-1e300, 0.0))
def test_probability_lies_between_0_and_1(rule, margin, confidence):
    assert 0.0 <= rule.probability(margin, confidence) <= 1.0


# As river's own objects


@each_rule
def test_arguments_may_be_named(rule):
    named = rule.probability(margin=-0.7, confidence=-0.2)
    assert named == rule.probability(-0.7, -0.2)


@each_rule
def test_rule_survives_pickling(rule):
    assert probabilities(pickle.loads(pickle.dumps(rule))) == probabilities(rule)


@each_rule
def test_clone_is_the_same_rule(rule):
    assert probabilities(rule.clone()) == probabilities(rule)


@each_rule
def test_clone_is_another_object(rule):
    assert rule.clone() is not rule


@each_rule
def test_parameters_are_those_of_the_constructor(rule):
    assert set(rule._get_params()) == set(inspect.signature(type(rule)).parameters)


def test_clone_takes_new_parameters():
    assert query.RandomQuery(0.3).clone({"probability": 0.6}).probability(1.0, 0.0) == 0.6


@each_rule
def test_repr_names_the_rule(rule):
    assert type(rule).__name__ in repr(rule)


def test_repr_of_the_random_rule_shows_its_probability():
    assert "0.3" in repr(query.RandomQuery(0.3))


# Parameters out of range


@pytest.mark.parametrize("bias", [0, 0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["delta_pos", "delta_neg"])
def test_bias_that_is_not_above_zero_and_finite_is_refused(name, bias):
    with pytest.raises(ValueError, match=name):
        query.AsymmetricQuery(**({"delta_pos": 1.0, "delta_neg": 1.0} | {name: bias}))


@pytest.mark.parametrize("bias", ["1", None, [1.0]])
@pytest.mark.parametrize("name", ["delta_pos", "delta_neg"])
def test_bias_that_is_no_number_is_refused(name, bias):
    with pytest.raises(TypeError, match=name):
        query.AsymmetricQuery(**({"delta_pos": 1.0, "delta_neg": 1.0} | {name: bias}))


@pytest.mark.parametrize("probability", [0.0, -0.1, 1.1, math.nan, math.inf])
def test_probability_outside_its_range_is_refused(probability):
    with pytest.raises(ValueError, match="probability"):
        query.RandomQuery(probability)


@pytest.mark.parametrize("probability", ["0.5", None, [0.5]])
def test_probability_that_is_no_number_is_refused(probability):
    with pytest.raises(TypeError, match="probability"):
        query.RandomQuery(probability)


def test_probability_of_one_is_taken():
    assert query.RandomQuery(1).probability(3.0, 0.0) == 1.0

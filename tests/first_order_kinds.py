"""The first-order classifiers, each with its twin."""

from __future__ import annotations

import math

import pytest
import reference
from hypothesis import strategies as st
from learners import (
    trained,
)

from river_oa3.first_order import (
    CostSensitiveClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)

# Not one parameter a default, and the same names for the classifier and its twin.
KINDS = {
    "PA": (PassiveAggressiveClassifier, reference.PassiveAggressive, {"C": 0.3, "mode": 0}),
    "PA-I": (PassiveAggressiveClassifier, reference.PassiveAggressive, {"C": 0.3, "mode": 1}),
    "PA-II": (PassiveAggressiveClassifier, reference.PassiveAggressive, {"C": 0.3, "mode": 2}),
    "perceptron": (PerceptronClassifier, reference.Perceptron, {"eta": 0.5}),
    "slope": (
        CostSensitiveClassifier,
        reference.CostSensitive,
        {"eta": 0.3, "rho": 4.0, "loss": "slope"},
    ),
    "margin": (
        CostSensitiveClassifier,
        reference.CostSensitive,
        {"eta": 0.3, "rho": 4.0, "loss": "margin"},
    ),
}
DRAWN = {"C": st.floats(0.01, 10.0), "eta": st.floats(0.01, 2.0), "rho": st.floats(0.2, 20.0)}

each_kind = pytest.mark.parametrize("kind", KINDS)
each_mode = pytest.mark.parametrize("mode", [0, 1, 2])
# The doors that only look are the same for all kinds.
each_way_in = pytest.mark.parametrize(
    ("kind", "door"),
    [(kind, "learn_one") for kind in KINDS]
    + [("slope", door) for door in ("margin_one", "predict_one", "predict_proba_one")],
)


def make(kind, **parameters):
    classifier, _, fixed = KINDS[kind]
    return classifier(**(fixed | parameters))


def make_trained(kind):
    return trained(lambda: make(kind))


def drawn_parameters(kind):
    fixed = KINDS[kind][2]
    return st.fixed_dictionaries({name: DRAWN[name] for name in fixed if name in DRAWN})


def length(x):
    return math.sqrt(sum(value * value for value in x.values()))


def hinge_loss(model, x, y):
    return max(0.0, 1 - (1 if y else -1) * model.margin_one(x))


def rounding(model, x):
    """What rounding may do to the margin of `x`."""
    return 1e-12 * (1 + sum(abs(model.weights.get(n, 0) * value) for n, value in x.items()))


def moved(before, after):
    """How far the weights have moved."""
    return math.dist([before.get(name, 0.0) for name in after], list(after.values()))

"""The methods: how they are built, tuned, grouped, drawn and estimated."""

from __future__ import annotations

import pytest

from river_oa3.experiments.methods import METHODS, Setting, build, check_parameters

each_method = pytest.mark.parametrize("method", METHODS)


@each_method
def test_a_method_is_built_with_the_setting_that_it_knows(method):
    setting = Setting(budget=7, rho=3.0, gamma=0.5, sketch_size=2, probability=0.25)
    model = build(method, setting, METHODS[method].parameters, seed=5)
    for name in ("rho", "gamma", "sketch_size"):
        # SOAL is the symmetric one: it has no rho of its own.
        if hasattr(model.classifier, name) and not (method == "SOAL" and name == "rho"):
            assert getattr(model.classifier, name) == getattr(setting, name)
    assert (model.budget, model.seed) == (7, 5)


@each_method
def test_every_parameter_of_a_method_can_be_set(method):
    for name in METHODS[method].parameters:
        check_parameters(method, {name: 0.5})
        build(method, Setting(5, 2.0), {name: 0.5}, seed=1)


@each_method
def test_an_unknown_parameter_is_refused_with_those_that_there_are(method):
    with pytest.raises(ValueError, match=f"{method} has no parameter 'depth'") as caught:
        check_parameters(method, {"depth": 3.0})
    assert ", ".join(METHODS[method].parameters) in str(caught.value)


@each_method
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_parameter_that_is_not_above_zero_is_refused(method, value):
    name = METHODS[method].tuned[0]
    with pytest.raises(ValueError, match=name):
        check_parameters(method, {name: value})


def test_random_asking_asks_for_the_share_that_the_budget_pays_for():
    model = build("OA3-R", Setting(10, 2.0, probability=0.125), {}, seed=1)
    assert model._query.probability(0.0, 0.0) == 0.125

"""River's grids of parameters and mutations, on active learners."""

from __future__ import annotations

import datetime as dt

import pytest
from asking import ALWAYS, Clock, X, answered, readings
from learners import state
from river import linear_model, multiclass, optim, preprocessing, utils

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3Classifier,
    SSOA3Classifier,
    budget,
    query,
)


def scaled(classifier):
    return preprocessing.StandardScaler() | classifier


# Grids


def test_grid_reaches_into_the_classifier():
    model = ActiveLearner(OA3Classifier())
    models = utils.expand_param_grid(model, {"classifier": {"eta": [0.1, 0.2]}, "budget": [10, 20]})
    assert [(m.classifier.eta, m.budget) for m in models] == [
        (0.1, 10),
        (0.1, 20),
        (0.2, 10),
        (0.2, 20),
    ]


def test_grid_keeps_the_parameters_that_it_does_not_name():
    model = ActiveLearner(OA3Classifier(rho=5.0), budget=7, seed=3)
    (clone,) = utils.expand_param_grid(model, {"classifier": {"eta": [0.1]}})
    assert (clone.classifier.rho, clone.budget, clone.seed) == (5.0, 7, 3)


def test_grid_reaches_into_a_pipeline():
    model = ActiveLearner(scaled(SSOA3Classifier()))
    grid = {
        "classifier": {
            "StandardScaler": {"with_std": [False, True]},
            "SSOA3Classifier": {"eta": [0.1, 0.2]},
        }
    }
    found = [
        (m.classifier["StandardScaler"].with_std, m.classifier["SSOA3Classifier"].eta)
        for m in utils.expand_param_grid(model, grid)
    ]
    assert found == [(False, 0.1), (False, 0.2), (True, 0.1), (True, 0.2)]


def test_grid_reaches_into_a_union():
    union = preprocessing.StandardScaler() + preprocessing.MinMaxScaler()
    model = ActiveLearner(union | OA3Classifier())
    grid = {"classifier": {"TransformerUnion": {"StandardScaler": {"with_std": [False]}}}}
    (clone,) = utils.expand_param_grid(model, grid)
    assert not clone.classifier["TransformerUnion"]["StandardScaler"].with_std


def test_grid_reaches_through_a_wrapper():
    model = ActiveLearner(scaled(multiclass.OneVsRestClassifier(OA3Classifier())))
    grid = {"classifier": {"OneVsRestClassifier": {"classifier": {"eta": [0.1, 0.2]}}}}
    found = [
        m.classifier["OneVsRestClassifier"].classifier.eta
        for m in utils.expand_param_grid(model, grid)
    ]
    assert found == [0.1, 0.2]


def test_grid_reaches_through_a_pipeline_that_ends_in_an_active_learner():
    model = scaled(ActiveLearner(OA3Classifier()))
    grid = {"ActiveLearner": {"classifier": {"eta": [0.1, 0.2]}}}
    found = [m["ActiveLearner"].classifier.eta for m in utils.expand_param_grid(model, grid)]
    assert found == [0.1, 0.2]


def test_grid_may_hold_whole_parts():
    grid = {
        "classifier": [OA3Classifier(), (linear_model.LogisticRegression, {"l2": [0.1, 0.2]})],
        "query": [query.FirstComeQuery()],
        "budget": [budget.TotalBudget(3)],
    }
    models = utils.expand_param_grid(ActiveLearner(), grid)
    assert [type(m.classifier).__name__ for m in models] == [
        "OA3Classifier",
        "LogisticRegression",
        "LogisticRegression",
    ]
    assert [sum(answered(m, readings(20))) for m in models] == [3, 3, 3]


@pytest.mark.parametrize("rule", [None, query.AsymmetricQuery()])
def test_grid_reaches_into_the_query_also_the_default_one(rule):
    model = ActiveLearner(OA3Classifier(), rule)
    models = utils.expand_param_grid(model, {"query": {"delta_pos": [0.3, 0.4]}})
    assert [m.query.delta_pos for m in models] == [0.3, 0.4]
    assert {m.query.delta_neg for m in models} == {0.01}


def test_grid_reaches_into_the_budget():
    model = ActiveLearner(OA3Classifier(), budget=budget.RateBudget(0.1, window=50))
    models = utils.expand_param_grid(model, {"budget": {"rate": [0.2, 0.4]}})
    assert [(m.budget.rate, m.budget.window) for m in models] == [(0.2, 50), (0.4, 50)]


def test_grid_makes_fresh_models():
    model = ActiveLearner(OA3Classifier(), ALWAYS, budget.TotalBudget(5), seed=1)
    answered(model, readings(20))
    for clone in utils.expand_param_grid(model, {"classifier": {"eta": [0.1, 0.2]}}):
        assert (clone.n_seen, clone.n_asked, clone.classifier.weights) == (0, 0, {})
        assert sum(answered(clone, readings(20))) == 5


@pytest.mark.parametrize("labels", [5, budget.TotalBudget(5)])
def test_models_of_a_grid_share_nothing(labels):
    model = ActiveLearner(AutoOA3Classifier(), query.AdaptiveQuery(), labels, seed=1)
    first, second = utils.expand_param_grid(model, {"classifier": {"max_features": [50, 60]}})
    before = state(second), state(model)
    answered(first, readings(50))
    assert first.n_asked == 5
    assert (state(second), state(model)) == before


def test_models_of_a_grid_decide_as_if_they_were_made_by_hand():
    model = ActiveLearner(scaled(OA3Classifier()), seed=1)
    (clone,) = utils.expand_param_grid(model, {"classifier": {"OA3Classifier": {"eta": [0.7]}}})
    expected = ActiveLearner(scaled(OA3Classifier(eta=0.7)), seed=1)
    assert answered(clone, readings(200)) == answered(expected, readings(200))


def test_step_that_the_pipeline_does_not_have_is_refused():
    model = ActiveLearner(scaled(OA3Classifier()))
    with pytest.raises(ValueError, match=r"'OA3' is not a step .* StandardScaler, OA3Classifier"):
        utils.expand_param_grid(model, {"classifier": {"OA3": {"eta": [0.1]}}})


def test_parameter_that_the_classifier_does_not_have_is_refused():
    with pytest.raises(TypeError, match="nonsense"):
        utils.expand_param_grid(ActiveLearner(OA3Classifier()), {"classifier": {"nonsense": [1]}})


def test_bad_value_in_a_grid_is_refused():
    with pytest.raises(ValueError, match="eta"):
        utils.expand_param_grid(ActiveLearner(OA3Classifier()), {"classifier": {"eta": [-1]}})


# Mutations of the classifier


def test_mutation_reaches_the_classifier_and_forgets_nothing():
    model = ActiveLearner(OA3Classifier(), seed=1)
    answered(model, readings(50))
    weights = model.classifier.weights
    model.mutate({"classifier": {"eta": 0.3}})
    assert (model.classifier.eta, model.classifier.weights) == (0.3, weights)


def test_mutation_reaches_into_a_pipeline():
    model = ActiveLearner(scaled(OA3Classifier()))
    model.mutate({"classifier": {"OA3Classifier": {"eta": 0.3}}})
    assert model.classifier["OA3Classifier"].eta == 0.3


def test_mutation_reaches_through_a_pipeline_that_ends_in_an_active_learner():
    model = scaled(ActiveLearner(OA3Classifier()))
    model.mutate({"ActiveLearner": {"classifier": {"eta": 0.3}}})
    assert model["ActiveLearner"].classifier.eta == 0.3


def test_mutation_reaches_a_classifier_of_rivers():
    model = ActiveLearner(linear_model.LogisticRegression(optim.SGD(0.1)))
    model.mutate({"classifier": {"l2": 0.5}})
    assert model.classifier.l2 == 0.5


def test_mutated_classifier_learns_as_mutated():
    model = ActiveLearner(OA3Classifier(), ALWAYS)
    model.mutate({"classifier": {"eta": 0.3}})
    expected = OA3Classifier(eta=0.3)
    model.learn_one(X, True)
    expected.learn_one(X, True)
    assert model.classifier.weights == expected.weights != {}


# Mutations of the query


@pytest.mark.parametrize("rule", [None, query.AsymmetricQuery()])
def test_mutation_reaches_the_query_also_the_default_one(rule):
    model = ActiveLearner(OA3Classifier(), rule, seed=1)
    for x, y in readings(50):
        model.learn_one(x, y)
    model.mutate({"query": {"delta_pos": 0.4, "delta_neg": 0.3, "use_confidence": False}})
    margin = model.classifier.margin_one(X)
    expected = query.AsymmetricQuery(0.4, 0.3, use_confidence=False).probability(margin, 0.0)
    assert model.query_probability(X) == pytest.approx(expected)
    assert expected < 1.0


def test_clone_of_a_learner_with_a_mutated_default_query_has_it_too():
    model = ActiveLearner(OA3Classifier())
    model.mutate({"query": {"delta_pos": 0.4}})
    assert model.clone().query.delta_pos == 0.4


def test_mutation_of_the_default_query_touches_no_other_learner():
    model, other = ActiveLearner(OA3Classifier()), ActiveLearner(OA3Classifier())
    before = state(other)
    model.mutate({"query": {"delta_pos": 0.4}})
    assert state(other) == before


def test_probability_of_a_random_query_may_be_mutated():
    model = ActiveLearner(OA3Classifier(), query.RandomQuery(0.1))
    model.mutate({"query": {"probability": 0.5}})
    assert model.query_probability(X) == 0.5
    assert model.clone().query_probability(X) == 0.5


# Mutations of the budget


@pytest.mark.parametrize("labels", [5, budget.TotalBudget(5)])
@pytest.mark.parametrize("new", [0, 3, 5, 8])
def test_labels_that_were_spent_stay_spent(labels, new):
    labels = labels if isinstance(labels, int) else labels.clone()
    model = ActiveLearner(OA3Classifier(), ALWAYS, labels)
    for _ in range(4):
        model.predict_one(X)
    model.mutate({"budget": {"labels": new}})
    assert model._budget.left == max(0, new - 4)
    assert sum(model.predict_one(X)[1] for _ in range(10)) == max(0, new - 4)


def test_budget_that_is_a_number_is_mutated_to_a_number():
    model = ActiveLearner(OA3Classifier(), ALWAYS, budget=1)
    model.predict_one(X)
    model.mutate({"budget": 3})
    assert (model.budget, model._budget.left, model.clone().budget) == (3, 2, 3)


def test_labels_of_a_window_may_be_mutated():
    limit = budget.WindowBudget(2, every=dt.timedelta(days=1), clock=Clock())
    model = ActiveLearner(OA3Classifier(), ALWAYS, limit)
    model.predict_one(X)
    model.mutate({"budget": {"labels": 3}})
    assert [model.predict_one(X)[1] for _ in range(3)] == [True, True, False]
    model.mutate({"budget": {"labels": 1}})
    assert limit.left == 0


def test_rate_may_be_mutated():
    limit = budget.RateBudget(0.01)
    model = ActiveLearner(OA3Classifier(), ALWAYS, limit)
    model.predict_one(X)
    model.mutate({"budget": {"rate": 0.5}})
    assert sum(model.predict_one(X)[1] for _ in range(100)) == 50


def test_smaller_window_of_a_rate_keeps_less():
    limit = budget.RateBudget(0.5, window=1000)
    for _ in range(1000):
        limit.tick()
    limit.mutate({"window": 20})
    assert limit.left == 10


def test_refund_after_a_mutation_gives_back_one_label():
    model = ActiveLearner(OA3Classifier(), ALWAYS, budget=3)
    for _ in range(3):
        model.predict_one(X)
    model.mutate({"budget": 2})
    model.refund()
    assert not model.predict_one(X)[1]
    model.refund()
    assert model.predict_one(X)[1]


# Mutations that are refused

REFUSED = {
    "seed": ({"seed": 3}, "'seed' is not a mutable attribute of ActiveLearner"),
    "unknown": ({"nonsense": 3}, "'nonsense' is not an attribute of ActiveLearner"),
    "counter": ({"n_asked": 0}, "'n_asked' is not a mutable attribute of ActiveLearner"),
    "exchanged-classifier": ({"classifier": SSOA3Classifier()}, "mutated, not replaced"),
    "exchanged-query": ({"query": query.FirstComeQuery()}, "mutated, not replaced"),
    "exchanged-budget": ({"budget": budget.RateBudget(0.5)}, "mutated, not replaced"),
    "no-budget": ({"budget": None}, "mutated, not replaced"),
    "bad-eta": ({"classifier": {"eta": -1.0}}, "eta"),
    "bad-delta": ({"query": {"delta_neg": 0.3, "delta_pos": 0.0}}, "delta_pos"),
    "bad-labels": ({"budget": -1}, "labels"),
    "spent": ({"budget": {"_spent": 0}}, "'_spent' is not a mutable attribute of TotalBudget"),
    "not-the-rule's": (
        {"query": {"delta_neg": 0.3, "probability": 0.3}},
        "'probability' is not a mutable attribute of AsymmetricQuery",
    ),
}


@pytest.mark.parametrize(("new", "message"), REFUSED.values(), ids=REFUSED)
def test_mutation_that_is_refused_changes_nothing(new, message):
    model = ActiveLearner(OA3Classifier(), budget=10, seed=1)
    answered(model, readings(20))
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.mutate(new)
    assert state(model) == before


def test_budget_cannot_be_added_by_mutation():
    with pytest.raises(ValueError, match="'budget' is not a mutable attribute of ActiveLearner"):
        ActiveLearner(OA3Classifier()).mutate({"budget": 5})


@pytest.mark.parametrize("rule", [query.AdaptiveQuery(), query.FirstComeQuery()])
def test_rule_without_parameters_has_none_to_mutate(rule):
    with pytest.raises(ValueError, match="'delta_pos' is not an attribute of"):
        ActiveLearner(OA3Classifier(), rule).mutate({"query": {"delta_pos": 0.4}})


@pytest.mark.parametrize("value", [0.0, 1.5, -1])
def test_random_query_that_is_refused_a_probability_keeps_its_own(value):
    rule = query.RandomQuery(0.1)
    with pytest.raises(ValueError, match="probability"):
        rule.mutate({"probability": value})
    assert rule.probability(0.0, 0.0) == 0.1


@pytest.mark.parametrize("new", [{"rate": 0.0}, {"window": 0}, {"rate": 0.5, "window": -1}])
def test_rate_budget_that_is_refused_a_parameter_stays_as_it_was(new):
    limit = budget.RateBudget(0.1, window=50)
    before = state(limit)
    with pytest.raises(ValueError, match=r"rate|window"):
        limit.mutate(new)
    assert state(limit) == before

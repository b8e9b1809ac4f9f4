"""The boundary follows the objective, the scale of columns does not matter, probabilities hold."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from asking import answered
from learners import state
from river import datasets, utils
from river import metrics as river_metrics

from river_oa3 import ActiveLearner, AutoOA3Classifier, metrics


def overlapping(n, seed=0, share=0.2, d=4, distance=1.2):
    """Two Gaussians that overlap, `share` of the events from the positive one."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    X = rng.normal(size=(n, d)) + distance * np.outer(y, np.ones(d)) / np.sqrt(d)
    return X, y


def as_events(X):
    return [dict(zip("abcdefghij", row, strict=False)) for row in X.tolist()]


def rates(objective, n=3000, seed=0):
    """Sensitivity and specificity of the second half of a stream."""
    X, y = overlapping(n, seed)
    model = AutoOA3Classifier(objective)
    hits, passed = [], []
    for i, (x, label) in enumerate(zip(as_events(X), y.tolist(), strict=True)):
        if i >= n // 2:
            (hits if label else passed).append(model.predict_one(x) is label)
        model.learn_one(x, label)
    return np.mean(hits), np.mean(passed)


# The objective


def test_sensitivity_rises_with_its_weight_in_the_sum():
    found = [rates(metrics.WeightedSum(alpha))[0] for alpha in (0.1, 0.5, 0.9)]
    assert found[0] + 0.1 < found[1] < found[2] - 0.1


def test_specificity_falls_with_the_weight_of_sensitivity():
    passed = [rates(metrics.WeightedSum(alpha))[1] for alpha in (0.1, 0.5, 0.9)]
    assert passed[0] - 0.1 > passed[1] > passed[2] + 0.1


def test_sum_without_sensitivity_lets_all_pass_and_one_of_sensitivity_alone_finds_all():
    assert rates(metrics.WeightedSum(0.0)) == (0.0, 1.0)
    assert rates(metrics.WeightedSum(1.0)) == (1.0, 0.0)


def test_sensitivity_rises_with_the_cost_of_a_miss():
    found = [rates(metrics.WeightedCost(cost_fn, 1))[0] for cost_fn in (0.2, 4, 50)]
    assert found[0] + 0.1 < found[1] < found[2] - 0.1


def test_cost_of_one_mistake_alone_is_avoided_altogether():
    assert rates(metrics.WeightedCost(0, 1)) == (0.0, 1.0)
    assert rates(metrics.WeightedCost(1, 0)) == (1.0, 0.0)


def test_costs_count_by_their_ratio():
    models = [AutoOA3Classifier(metrics.WeightedCost(3 * k, 2 * k)) for k in (1e-6, 1, 1e6)]
    X, y = overlapping(300)
    margins = []
    for model in models:
        for x, label in zip(as_events(X), y.tolist(), strict=True):
            model.learn_one(x, label)
        margins.append([model.margin_one(x) for x in as_events(X)])
    np.testing.assert_allclose(margins[1:], [margins[0]] * 2, rtol=0, atol=1e-12)


@pytest.mark.parametrize("objective", [metrics.WeightedSum(0.9), metrics.WeightedCost(9, 1)])
def test_answers_for_an_objective_are_better_by_it_than_those_for_another(objective):
    X, y = overlapping(3000, seed=3)
    scores = []
    for aim in (objective, metrics.WeightedSum(0.2)):
        model, metric = AutoOA3Classifier(aim), objective.clone()
        for x, label in zip(as_events(X), y.tolist(), strict=True):
            metric.update(label, model.predict_one(x))
            model.learn_one(x, label)
        scores.append(metric.get())
    assert scores[0] != scores[1]
    assert (scores[0] > scores[1]) == objective.bigger_is_better


NO_OBJECTIVES = {
    "text": "sum",
    "number": 0.5,
    "class": metrics.WeightedSum,
    "of-river": river_metrics.BalancedAccuracy(),
    "of-ours": metrics.Sensitivity(),
}


@pytest.mark.parametrize("objective", NO_OBJECTIVES.values(), ids=NO_OBJECTIVES)
def test_objective_that_is_none_is_refused(objective):
    with pytest.raises(TypeError, match=r"WeightedSum or metrics\.WeightedCost"):
        AutoOA3Classifier(objective)


def test_objective_without_any_cost_is_refused():
    with pytest.raises(ValueError, match="cost"):
        AutoOA3Classifier(metrics.WeightedCost(0, 0))


def test_default_objective_is_the_balanced_sum():
    X, y = overlapping(200)
    one, other = AutoOA3Classifier(), AutoOA3Classifier(metrics.WeightedSum(0.5))
    for x, label in zip(as_events(X), y.tolist(), strict=True):
        assert one.margin_one(x) == other.margin_one(x)
        one.learn_one(x, label)
        other.learn_one(x, label)


KEPT = {
    "clone": lambda model: model.clone(),
    "clone-with-attributes": lambda model: model.clone(include_attributes=True),
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_copy_aims_at_the_same(kept):
    model = AutoOA3Classifier(metrics.WeightedCost(20, 1), max_features=77)
    twin = kept(model)
    assert (twin.objective.cost_fn, twin.objective.cost_fp, twin.max_features) == (20, 1, 77)
    X, y = overlapping(100)
    for x, label in zip(as_events(X), y.tolist(), strict=True):
        assert twin.margin_one(x) == model.margin_one(x)
        model.learn_one(x, label)
        twin.learn_one(x, label)


def test_clone_takes_another_objective():
    model = AutoOA3Classifier(metrics.WeightedCost(20, 1))
    model.learn_one({"a": 1.0}, True)
    clone = model.clone({"objective": metrics.WeightedSum(0.3)})
    fresh = AutoOA3Classifier(metrics.WeightedSum(0.3))
    assert state(clone._core) == state(fresh._core)


def test_objective_is_shown():
    shown = repr(AutoOA3Classifier(metrics.WeightedCost(20, 1)))
    assert "objective=WeightedCost(cost_fn=20.0, cost_fp=1.0)\n" in shown


def test_grid_of_objectives_is_expanded():
    grid = {"objective": [metrics.WeightedSum(0.2), metrics.WeightedCost(3, 1)]}
    models = utils.expand_param_grid(AutoOA3Classifier(), grid)
    assert [type(model.objective) for model in models] == [
        metrics.WeightedSum,
        metrics.WeightedCost,
    ]


# Scales


def rescaled(X, seed):
    rng = np.random.default_rng(seed)
    factors = 10.0 ** rng.uniform(-3, 3, X.shape[1])
    return X * factors + rng.normal(size=X.shape[1]) * factors


def gaussian_mixture(n=2000):
    X, y = overlapping(n, seed=5, share=0.3, d=6, distance=2.0)
    return X + np.arange(6), y.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_scale_and_origin_of_dense_columns_do_not_matter(seed):
    X, y = gaussian_mixture()
    models = AutoOA3Classifier(), AutoOA3Classifier()
    pair = zip(as_events(X), as_events(rescaled(X, seed)), y, strict=True)
    differ = 0
    for one, other, label in pair:
        differ += models[0].predict_one(one) is not models[1].predict_one(other)
        models[0].learn_one(one, label)
        models[1].learn_one(other, label)
    assert differ == 0
    one, other = (list(model.weights.values()) for model in models)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_same_events_are_asked_about_at_any_scale(seed):
    X, y = gaussian_mixture()
    models = [ActiveLearner(budget=150, seed=2) for _ in range(2)]
    events = as_events(X), as_events(rescaled(X, seed))
    one, other = (
        answered(model, zip(xs, y, strict=True)) for model, xs in zip(models, events, strict=True)
    )
    assert one == other
    assert sum(one) == 150


@pytest.mark.parametrize("factor", [1e-3, 0.5, 1e3])
def test_scale_of_columns_full_of_zeros_does_not_matter_either(factor):
    """Their origin does: 0 is the same as nothing."""
    models, differ = (AutoOA3Classifier(), AutoOA3Classifier()), 0
    for x, y in datasets.Shuttle().take(5000):
        scaled = {name: factor ** (1 + i % 2) * value for i, (name, value) in enumerate(x.items())}
        differ += models[0].predict_one(x) is not models[1].predict_one(scaled)
        models[0].learn_one(x, y)
        models[1].learn_one(scaled, y)
    assert differ == 0


# Probabilities


def curved(n, seed):
    """Overlapping classes whose odds are no straight line, one column among noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1] = np.exp(X[:, 1])
    p = 1 / (1 + np.exp(-(1.5 * X[:, 0] - 0.7 + 0.8 * (X[:, 1] > 1))))
    return X, rng.random(n) < p


STREAMS = {"gaussian": lambda: overlapping(12_000, seed=8), "curved": lambda: curved(12_000, 9)}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_probabilities_are_as_frequent_as_they_say(stream):
    X, y = stream()
    model, told = AutoOA3Classifier(), []
    for x, label in zip(as_events(X), y.tolist(), strict=True):
        told.append(model.predict_proba_one(x)[True])
        model.learn_one(x, label)
    told, tenth = np.array(told), np.minimum((10 * np.array(told)).astype(int), 9)
    filled = [k for k in range(10) if (tenth == k).mean() >= 0.01]
    assert len(filled) >= 5
    gaps = [abs(told[tenth == k].mean() - y[tenth == k].mean()) for k in filled]
    assert max(gaps) <= 0.05

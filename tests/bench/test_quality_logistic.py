"""The compiled twin of river's sampler decides what river decides."""

from __future__ import annotations

import numpy as np
import pytest
from river import active, linear_model, optim, preprocessing

from bench import entropy_logistic
from bench.quality.contest import Case, Cell, weight_of
from bench.quality.logistic import LOGISTIC_REGRESSION, scaled_rows
from river_oa3 import datasets
from river_oa3.experiments.scores import says_positive


def sparse_stream(n=600, features=40):
    rng = np.random.default_rng(5)
    X = rng.poisson(0.15, size=(n, features)) * rng.normal(1.0, 0.3, size=(n, features))
    y = X[:, :5].sum(axis=1) + 0.3 * rng.normal(size=n) > 1.2
    return datasets.stream("sparse", X, y)


STREAMS = {
    "Phishing": lambda: datasets.open_stream("river:Phishing"),
    "ImageSegments": lambda: datasets.open_stream("river:ImageSegments", positive="sky"),
    "sparse": sparse_stream,
}


@pytest.fixture(scope="module", params=STREAMS)
def case(request):
    return Case(STREAMS[request.param](), number=3, events=500, seed=7)


def events(case, scaling):
    """The events as a user of river has them."""
    for x, y in case.stream.events(case.rows.tolist()):
        yield (dict.fromkeys(case.stream.names, 0.0) | x if scaling == "complete" else x), y


def by_river(case, scaling, rate, weight, discount, budget):
    """Probabilities and decisions of river's own code, and what it scales the events to."""
    scaler = preprocessing.Normalizer() if scaling == "unit" else preprocessing.StandardScaler()
    model = linear_model.LogisticRegression(optim.SGD(rate), optim.losses.Log(weight_pos=weight))
    sampler = active.EntropySampler(model, discount_factor=discount, seed=case.seed)
    probabilities, decisions, answers, left = [], [], [], budget
    for x, y in events(case, scaling):
        scaler.learn_one(x)
        z = scaler.transform_one(x)
        answers.append(says_positive(model.predict_proba_one(z)[True]))
        found, asks = sampler.predict_proba_one(z)
        asks = asks and left > 0
        probabilities.append(found[True])
        decisions.append(asks)
        if asks:
            left -= 1
            sampler.learn_one(z, y)
    return np.array(probabilities), np.array(decisions), np.array(answers)


def by_twin(case, scaling, rate, weight, discount, budget):
    n = len(case.rows)
    probabilities, asked = np.empty(n), np.empty(n, dtype=np.uint8)
    counts = entropy_logistic.play(
        *scaled_rows(case, scaling),
        case.y,
        case.own_numbers,
        len(case.stream.names),
        budget,
        rate,
        0.01,
        weight,
        discount,
        probabilities,
        asked,
    )
    return probabilities, asked.astype(bool), counts


SETTINGS = [
    ("complete", 0.01, 1.0, 3.0),
    ("complete", 1.0, 6.5, 10.0),
    ("present", 0.1, 9.0, 1.0),
    ("present", 1.0, 1.0, 3.0),
    ("unit", 0.3, 2.5, 3.0),
]


@pytest.mark.parametrize("budget", [25, 500])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_twin_is_river(case, setting, budget):
    probabilities, decisions, answers = by_river(case, *setting, budget)
    found, asked, counts = by_twin(case, *setting, budget)
    np.testing.assert_array_equal(asked, decisions)
    np.testing.assert_allclose(found, probabilities, rtol=1e-9, atol=1e-9)
    y = case.y.astype(bool)
    assert counts == (
        np.sum(answers & y),
        np.sum(answers & ~y),
        np.sum(~answers & ~y),
        np.sum(~answers & y),
        decisions.sum(),
    )
    assert 10 < decisions.sum() <= budget


def test_a_probability_that_is_0_or_1_asks_nothing():
    """Margins beyond 30, where river's probability is 0 or 1: no entropy, and no label."""
    case = Case(datasets.stream("far", [[1.0]] * 40, [1, 0] * 20), 0, 40, 0)
    setting = ("unit", 1000.0, 1.0, 1.0)
    _, decisions, _ = by_river(case, *setting, 40)
    found, asked, _ = by_twin(case, *setting, 40)
    assert set(found[1:]) == {1.0} or set(found[1:]) == {0.0}
    np.testing.assert_array_equal(asked, decisions)
    assert asked.sum() == 1


def test_events_without_features_are_decided_by_the_intercept():
    X = np.zeros((30, 2))
    X[::3] = [[1.0, -1.0]]
    case = Case(datasets.stream("empty", X, [1, 0, 0] * 10), 1, 30, 0)
    for scaling in ("present", "unit"):
        probabilities, decisions, _ = by_river(case, scaling, 0.1, 2.0, 1.0, 30)
        found, asked, _ = by_twin(case, scaling, 0.1, 2.0, 1.0, 30)
        np.testing.assert_array_equal(asked, decisions)
        np.testing.assert_allclose(found, probabilities, atol=1e-12)


def test_the_contender_plays_each_cell_as_the_twin_does_alone(case):
    cells = [Cell(setting, 20) for setting in LOGISTIC_REGRESSION.settings[::37]]
    for cell, counts in zip(cells, LOGISTIC_REGRESSION.play(case, cells), strict=True):
        chosen = dict(cell.setting)
        weight = weight_of(chosen["weight"], case.ratio)
        _, _, alone = by_twin(
            case, chosen["scaling"], chosen["rate"], weight, chosen["discount"], 20
        )
        assert tuple(counts) == alone


def test_the_default_is_rivers(case):
    assert dict(LOGISTIC_REGRESSION.settings[0]) == {
        "scaling": "complete",
        "rate": 0.01,
        "weight": "one",
        "discount": active.EntropySampler(None).discount_factor,
    }

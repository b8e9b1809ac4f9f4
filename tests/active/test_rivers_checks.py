"""River's own checks of an estimator, on active learners."""

from __future__ import annotations

import math

import numpy as np
import pytest
from asking import X
from learners import LEARNERS
from river import (
    checks,
    datasets,
    linear_model,
    multiclass,
    naive_bayes,
    preprocessing,
)

from river_oa3 import (
    ActiveLearner,
    OA3DiagClassifier,
    SSOA3Classifier,
    budget,
    query,
)

# River's own checks

SKIPPED = "check_predict_proba_one_binary"
MODELS = {
    **{learner.__name__: ActiveLearner(learner(), seed=1) for learner in LEARNERS},
    "auto": ActiveLearner(seed=1),
    "auto-rate": ActiveLearner(budget=budget.RateBudget(0.3), seed=1),
    "budget": ActiveLearner(SSOA3Classifier(), budget=100, seed=1),
    "no-seed": ActiveLearner(OA3DiagClassifier(), budget=100),
    "pipeline": ActiveLearner(
        preprocessing.StandardScaler() | SSOA3Classifier(), budget=100, seed=1
    ),
    "pipeline-as-river": ActiveLearner(
        preprocessing.StandardScaler() | OA3DiagClassifier(), seed=1, learn_transformers=False
    ),
    "logistic": ActiveLearner(
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        query=query.AsymmetricQuery(2.0, 0.5),
        budget=budget.RateBudget(0.2, window=50),
        seed=1,
    ),
    "naive-bayes": ActiveLearner(
        naive_bayes.GaussianNB(),
        query=query.RandomQuery(0.3),
        budget=budget.WindowBudget(5, every=20),
        seed=1,
    ),
    "one-vs-rest": ActiveLearner(
        multiclass.OneVsRestClassifier(OA3DiagClassifier()),
        query=query.FirstComeQuery(),
        budget=50,
        seed=1,
    ),
}


def cases():
    for name, model in MODELS.items():
        for number, check in enumerate(checks.yield_checks(model)):
            if check.__name__ != SKIPPED:
                yield pytest.param(model, check, id=f"{name}-{check.__name__}-{number}")


@pytest.mark.parametrize(("model", "check"), list(cases()))
def test_passes_river_check(model, check):
    check(model.clone())


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_asks_to_be_let_off_the_check_that_no_active_learner_passes_and_no_other(model):
    assert set(model._unit_test_skips()) == {SKIPPED}


BINARY = {
    name: model for name, model in MODELS.items() if name not in ("naive-bayes", "one-vs-rest")
}


@pytest.mark.parametrize("model", BINARY.values(), ids=BINARY)
@pytest.mark.parametrize("kind", [bool, np.bool_])
def test_odds_of_a_binary_classifier_have_both_classes_at_any_time(model, kind):
    model = model.clone()
    for x, y in datasets.Phishing().take(200):
        odds, ask = model.predict_proba_one(x)
        model.learn_one(x, kind(y))
        assert set(odds) == {False, True}
        assert math.isclose(sum(odds.values()), 1.0)
        assert isinstance(ask, bool)


@pytest.mark.parametrize("params", list(ActiveLearner._unit_test_params()))
def test_parameters_for_tests_make_a_learner(params):
    assert ActiveLearner(**params).predict_one(X)[0] in (False, True)

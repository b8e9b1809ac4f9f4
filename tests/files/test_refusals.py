"""What no file can hold is refused by its name, with what to do instead."""

from __future__ import annotations

import datetime as dt
import json
import random
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from asking import Clock
from river import compose, linear_model, preprocessing, stats

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3Classifier,
    OA3DiagClassifier,
    PendingLabels,
    budget,
    files,
    query,
)
from river_oa3.files import parts


def refused(model, match, **limits):
    with pytest.raises(files.FileError, match=match):
        files.to_bytes(model, **limits)


class Mine(OA3DiagClassifier):
    """A learner of somebody's own."""


class MyBudget(budget.TotalBudget):
    """A budget of somebody's own."""


class MyQuery(query.Query):
    def probability(self, margin, confidence):
        return 1.0


class MyScaler(preprocessing.StandardScaler):
    """A step of somebody's own."""


def with_intercept(x):
    return {**x, "intercept": 1.0}


def on(step):
    return compose.Pipeline(step, OA3DiagClassifier())


def window(step):
    return on(step(window_size=3))


REFUSED = {
    "subclass": (Mine(), r"test_refusals.Mine .* class of its own, made from OA3DiagClassifier"),
    "budget": (ActiveLearner(budget=MyBudget(3)), r"MyBudget .* made from TotalBudget"),
    "query": (ActiveLearner(OA3DiagClassifier(), MyQuery()), r"MyQuery cannot be stored"),
    "step": (on(MyScaler()), r"MyScaler .* made from StandardScaler"),
    "river's classifier": (
        ActiveLearner(linear_model.LogisticRegression()),
        r"LogisticRegression cannot be stored in a file: leave it out .* or pickle",
    ),
    "function": (
        ActiveLearner(with_intercept | OA3DiagClassifier()),
        r"FuncTransformer .* it is code. Take the function out of the pipeline and call it on",
    ),
    "bare function": (with_intercept, r"test_refusals.with_intercept is code"),
    "class": (OA3DiagClassifier, r"OA3DiagClassifier is code"),
    "clock": (
        ActiveLearner(budget=budget.WindowBudget(3, dt.timedelta(days=1), Clock())),
        r"clock is code: store it with budget.clock = None",
    ),
    "many labels": (budget.TotalBudget(10**30), r"a budget of 10{30} cannot be stored"),
    "rolling": (window(preprocessing.StandardScaler), r"StandardScaler with a window_size"),
    "rolling extremes": (window(preprocessing.MinMaxScaler), r"MinMaxScaler with a window_size"),
    "statistic": (
        on(preprocessing.StatImputer(("a", stats.Quantile(0.5)))),
        r"Quantile cannot be stored in a file: fill with",
    ),
    "categories": (on(preprocessing.OneHotEncoder({"a": ["b"]})), r"'a' are a list .* give a set"),
    "nothing": (None, r"NoneType cannot be stored"),
    "dict": ({"model": OA3DiagClassifier()}, r"builtins.dict cannot be stored"),
}


@pytest.mark.parametrize(("model", "said"), REFUSED.values(), ids=REFUSED)
def test_what_no_file_holds_is_refused_by_name(model, said):
    refused(model, said)


def test_method_that_was_put_on_a_model_is_refused_by_name():
    model = OA3DiagClassifier()
    model.predict_one = lambda x: True
    refused(model, r"OA3DiagClassifier with 'predict_one' beside what it comes with .* take it off")


@pytest.mark.parametrize("name", [b"raw", frozenset({1}), Fraction(1, 3), dt.date(2026, 1, 1)])
def test_feature_name_that_json_has_no_place_for_is_refused_by_name(name):
    model = OA3DiagClassifier()
    model.learn_one({name: 1.0}, True)
    refused(model, type(name).__name__)


def test_feature_name_that_equals_nothing_is_refused():
    model = OA3DiagClassifier()
    model.learn_one({float("nan"): 1.0}, True)
    refused(model, "equals nothing, not even itself: rename it")


def test_generator_of_somebodys_own_is_refused_by_name():
    model = ActiveLearner(OA3DiagClassifier())
    model._rng = random.SystemRandom()
    refused(model, r"random.SystemRandom cannot be stored in a file: use random.Random")


def test_step_that_is_used_twice_is_refused():
    scaler = preprocessing.StandardScaler()
    refused(compose.Pipeline(scaler, ("again", scaler)), "used in two places")


def test_scaler_of_another_precision_is_refused():
    model = on(preprocessing.StandardScaler())
    model["StandardScaler"].learn_one({"a": np.float32(1.5)})
    refused(model, r"numpy.float32, cannot be stored .* Python's own numbers")


def test_event_that_waits_with_what_json_lacks_is_refused_by_name():
    service = PendingLabels(ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery()))
    service.predict_one(1, {"a": Fraction(1, 3)})
    refused(service, "Fraction")


def test_service_with_a_store_is_refused_with_what_to_do(tmp_path):
    pytest.importorskip("sqlalchemy")
    with PendingLabels(ActiveLearner(seed=1), store=f"sqlite:///{tmp_path}/asks.db") as service:
        refused(service, "make it again with the same store")
        refused(service.model, "store its classifier")
        files.to_bytes(service.model.classifier)


def test_service_in_the_middle_of_a_batch_is_refused():
    service = PendingLabels(ActiveLearner())
    with service.together():
        refused(service, "inside of together")


def test_refused_model_is_left_as_it_was():
    model = ActiveLearner(with_intercept | OA3DiagClassifier(), seed=1)
    twin = ActiveLearner(with_intercept | OA3DiagClassifier(), seed=1)
    refused(model, "code")
    for i in range(20):
        assert model.predict_one({"a": float(i)}) == twin.predict_one({"a": float(i)})


# What is too large


@pytest.mark.parametrize(
    "x",
    [
        {f"{i}{'x' * 90}": 1.0 for i in range(1000)},
        {f"{i}{'é' * 15}": 1.0 for i in range(1000)},
        {str(i): f"{i}{'x' * 90}" for i in range(1000)},
    ],
    ids=["names", "letters-that-are-escaped", "texts"],
)
def test_model_of_too_many_bytes_is_refused_before_they_are_there(x):
    model = AutoOA3Classifier()
    model.observe_one(x)
    assert len(files.to_bytes(model)) > 200_000
    with mock.patch.object(json, "dumps", side_effect=AssertionError):
        refused(model, "takes more than 90,000 bytes.*max_features", most=90_000)


def test_covariance_of_too_many_bytes_is_refused_before_they_are_there():
    model = OA3Classifier()
    model.learn_one({f"x{i}": 1.0 for i in range(300)}, True)
    with mock.patch.object(parts, "array_bytes", wraps=parts.array_bytes) as written:
        refused(model, "takes more than 90,000 bytes", most=90_000)
    assert max(call.args[0].nbytes for call in written.mock_calls) < 90_000

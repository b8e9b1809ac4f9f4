"""What an attack on AutoOA3 found, and must not come back."""

from __future__ import annotations

import enum
import functools
import math
import pickle
import random
import threading

import numpy as np
import pytest
from threads import in_threads, switching_eagerly

from river_oa3 import ActiveLearner, AutoOA3Classifier, budget, datasets
from river_oa3._core.auto_batch import judge_rows
from river_oa3.auto import _importance as importance_of
from river_oa3.experiments import replay


def dense_event(rng, leave_out=()):
    return {f"d{j}": rng.normal(j, 1.0) for j in range(6) if j not in leave_out}


def trained(n=60):
    rng, model = np.random.default_rng(0), AutoOA3Classifier()
    for i in range(n):
        model.learn_one(dense_event(rng), i % 2 == 0)
    return model, rng


def with_state(model, **changes):
    """A copy whose stored state has been changed."""
    restore, (kind, arguments, state) = model._core.__reduce__()
    model._core = restore(kind, arguments, {**state, **changes})
    return model


def test_dense_features_without_bins_leave_the_prior_alone():
    model, rng = trained()
    state = model._core.__getstate__()
    d = len(state["names"])
    model = with_state(
        model,
        bins=np.empty((0, state["bins"].shape[1])),
        bins_of=np.full(d, -1),
        recalled=np.empty((0, 4)),
        recalled_parts=np.empty((0, 2)),
        recall_next=0,
    )
    for i in range(60):
        model.learn_one(dense_event(rng, leave_out={i % 6}), i % 3 == 0)
    assert math.isfinite(model.margin_one(dense_event(rng)))
    parts = model._core.__getstate__()["recalled_parts"]
    assert parts[:, 0].min() >= -9 * len(model._core.__getstate__()["bins"])


@pytest.mark.parametrize("tiny", [1e-160, 1e-155])
def test_squares_that_vanish_scale_nothing(tiny):
    model = AutoOA3Classifier()
    model.learn_one({"a": 1.0}, True)
    model.learn_one({}, False)
    model.observe_one({})
    model.learn_one({"a": tiny}, False)
    assert math.isfinite(model.margin_one({"a": 1.0}))
    assert math.isfinite(model.variance_one({"a": tiny}))


def test_feature_that_comes_back_with_another_size_has_a_variance():
    model = AutoOA3Classifier()
    model.observe_one({"a": 1e17, "b": 1.0})
    names = model._core.__getstate__()["names"]
    model = with_state(model, n=np.array([1e-17 if name == "a" else 1.0 for name in names]))
    model.observe_one({"a": 0.1, "b": 1.0})
    assert (model._core.__getstate__()["var"] >= 0).all()
    pickle.loads(pickle.dumps(model))


def test_count_of_a_feature_never_vanishes():
    model = AutoOA3Classifier()
    model.observe_one({"rare": 1.0, "b": 1.0})
    state = model._core.__getstate__()
    n = np.array([1e-300 if name == "rare" else 7999.0 for name in state["names"]])
    model = with_state(model, n=n, t=7999.0, clock=7999.0)
    model.observe_one({"b": 2.0})  # the window of the scaling turns
    assert model._core.__getstate__()["n"].min() >= 1e-6


def test_batch_looks_its_columns_up_again_when_features_have_been_forgotten():
    rng, model = np.random.default_rng(0), AutoOA3Classifier(max_features=4)
    for i in range(40):
        model.learn_one({name: rng.normal() for name in "abcd"}, i % 2 == 0)

    class Meddler(str):
        """Makes the model forget features once, after the column before it was looked up."""

        __slots__ = ()
        calls = 0

        def __hash__(self):
            Meddler.calls += 1
            if Meddler.calls == 1:
                model.observe_one({"d": 1.0, "e": 2.0, "f": 3.0})
            return str.__hash__(self)

    row = np.array([5.0, 2.0]), np.array([0, 1], dtype=np.int32), np.array([0, 2])
    (margin,), _ = judge_rows(model._core, *row, ["d", Meddler("zz")])
    assert Meddler.calls >= 2
    assert margin == model.margin_one({"d": 5.0, "zz": 2.0})


def test_budget_with_a_pace_of_its_own_is_not_replayed_as_another():
    class Slow(budget.TotalBudget):
        def pace(self):
            return budget.Pace(0.01, 0.1)

    stream = datasets.stream("toy", [[1.0], [2.0], [3.0]], [1, 0, 1], names=["a"])
    with pytest.raises(TypeError, match="as it is"):
        replay(ActiveLearner(budget=Slow(2), seed=1), stream)


def test_member_of_a_text_enum_is_the_category_of_its_text():
    class Colour(str, enum.Enum):  # noqa: UP042 - whose str() is not its text
        RED = "red"

    model = AutoOA3Classifier()
    model.learn_one({"colour": "red"}, True)
    model.learn_one({"colour": Colour.RED}, False)
    assert list(model.weights) == [("colour", "red")]


def test_subclass_that_learns_in_its_own_way_observes_each_event_once():
    class Logged(AutoOA3Classifier):
        def learn_one(self, x, y):  # without a weight
            super().learn_one(x, y)

    model = ActiveLearner(Logged(), seed=1)
    for i in range(10):
        model.predict_one({"a": float(i)})
        model.learn_one({"a": float(i)}, i % 2 == 0)
    assert model.classifier._core.counts == (10, 5, 5)


def test_threads_that_share_a_classifier_learn_each_label_with_its_own_importance():
    """Each has an `ActiveLearner` of its own around it, as README says."""
    found, mine = [], threading.local()

    class Watched(AutoOA3Classifier):
        def _learn_observed(self, x, y, w, importance):
            mine.of = importance
            super()._learn_observed(x, y, w, importance)

        def learn_one(self, x, y, w=1.0):
            super().learn_one(x, y, w)
            found.append(importance_of.of(self) == mine.of)

    def learn(classifier, seed):
        rng, model = random.Random(seed), ActiveLearner(classifier, seed=seed)
        for _ in range(1500):
            x = {"a": rng.gauss(0, 1), "b": rng.random(), "c": rng.choice("abc")}
            if model.predict_one(x)[1]:
                model.learn_one(x, x["a"] > 1)
        done.append(model.n_learned)

    for classifier in (AutoOA3Classifier(), Watched()):
        done = []
        with switching_eagerly():
            in_threads(*(functools.partial(learn, classifier, seed) for seed in range(4)))
        assert len(done) == 4
        assert sum(classifier._core.counts[1:]) == sum(done) > 500
    assert all(found)

"""Active learners and the budgets that they spend from."""

from __future__ import annotations

import numpy as np
import pytest
from asking import ALWAYS, X, answered
from learners import sparse_events

from river_oa3 import (
    ActiveLearner,
    OA3Classifier,
    OA3DiagClassifier,
    budget,
    query,
)

# Budgets


def test_learners_that_share_a_budget_spend_from_it_together():
    limit = budget.TotalBudget(10)
    one, other = (ActiveLearner(OA3Classifier(), query=ALWAYS, budget=limit) for _ in range(2))
    for _ in range(20):
        one.predict_one(X)
        other.predict_one(X)
    assert one.n_asked + other.n_asked == 10


def test_label_that_one_learner_asks_for_is_gone_for_the_other():
    limit = budget.TotalBudget(1)
    one, other = (ActiveLearner(OA3Classifier(), query=ALWAYS, budget=limit) for _ in range(2))
    one.predict_one(X)
    assert not other.predict_one(X)[1]


def test_learners_that_are_given_a_number_do_not_share_it():
    one, other = (ActiveLearner(OA3Classifier(), query=ALWAYS, budget=1) for _ in range(2))
    one.predict_one(X)
    assert other.predict_one(X)[1]


def test_number_is_a_budget_of_so_many_labels_in_all():
    events = sparse_events(200)
    one = ActiveLearner(OA3Classifier(), budget=30, seed=1)
    other = ActiveLearner(OA3Classifier(), budget=budget.TotalBudget(30), seed=1)
    assert answered(one, events) == answered(other, events)


def test_number_of_labels_may_be_numpys():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=np.int64(2))
    assert [model.predict_one(X)[1] for _ in range(3)] == [True, True, False]


def test_no_budget_sets_no_limit():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS)
    assert all(model.predict_one(X)[1] for _ in range(1000))


def test_default_query_is_the_asymmetric_one():
    events = sparse_events(200)
    default = ActiveLearner(OA3Classifier(), seed=1)
    spelled_out = ActiveLearner(OA3Classifier(), query=query.AsymmetricQuery(), seed=1)
    assert answered(default, events) == answered(spelled_out, events)


class Diary(budget.TotalBudget):
    """A budget that keeps a list of its events."""

    def __init__(self, labels):
        super().__init__(labels)
        self.events = []

    def tick(self):
        self.events.append(1)


def test_question_about_the_probability_leaves_a_users_budget_alone():
    model = ActiveLearner(OA3DiagClassifier(), budget=Diary(3))
    model.query_probability(X)
    assert model.budget.events == []


# Clones

BUDGETS = {
    "number": lambda: 20,
    "total": lambda: budget.TotalBudget(20),
    "rate": lambda: budget.RateBudget(0.1, window=50),
    "window": lambda: budget.WindowBudget(3, every=40),
}
each_budget = pytest.mark.parametrize("limit", BUDGETS.values(), ids=BUDGETS)


@each_budget
def test_clone_decides_as_the_original_did_when_it_was_new(limit):
    model = ActiveLearner(OA3Classifier(), budget=limit(), seed=1)
    decisions = answered(model, sparse_events(150))
    assert answered(model.clone(), sparse_events(150)) == decisions


@each_budget
def test_clone_has_seen_nothing(limit):
    model = ActiveLearner(OA3Classifier(), budget=limit(), seed=1)
    answered(model, sparse_events(50))
    clone = model.clone()
    assert (clone.n_seen, clone.n_asked, clone.n_learned, clone.last_query) == (0, 0, 0, None)


@each_budget
def test_clone_spends_nothing_of_the_original(limit):
    model, twin = (ActiveLearner(OA3Classifier(), budget=limit(), seed=1) for _ in range(2))
    answered(model.clone(), sparse_events(150))
    assert answered(model, sparse_events(150)) == answered(twin, sparse_events(150))


def test_clone_takes_a_new_budget():
    model = ActiveLearner(OA3Classifier(), query=ALWAYS, budget=5).clone({"budget": 2})
    assert sum(model.predict_one(X)[1] for _ in range(10)) == 2


def test_budget_that_labels_are_paid_from_has_a_name_however_it_was_given():
    limit = budget.RateBudget(0.5)
    assert ActiveLearner(budget=limit).spending is limit
    assert ActiveLearner().spending is None
    model = ActiveLearner(query=ALWAYS, budget=5)
    model.predict_one(X)
    assert (model.spending.left, model.budget) == (4, 5)

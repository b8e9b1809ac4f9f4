"""A subclass of a rule, a budget or a classifier is used as itself, not as what it comes from."""

from __future__ import annotations

import math

import pytest
from asking import X
from learners import sparse_events
from river import preprocessing

from river_oa3 import ActiveLearner, OA3Classifier, SSOA3Classifier, budget, query
from river_oa3.first_order import PerceptronClassifier


class Never(query.AsymmetricQuery):
    def probability(self, margin, confidence):
        return 0.0


class EveryOther(budget.TotalBudget):
    """Allows a label with every second event."""

    def __init__(self, labels):
        super().__init__(labels)
        self.events = 0

    def tick(self):
        self.events += 1

    def can_ask(self):
        return super().can_ask() and self.events % 2 == 0


class Biased(SSOA3Classifier):
    """Leans to the negative side."""

    def margin_one(self, x):
        return super().margin_one(x) - 5.0

    def predict_one(self, x):
        return self.margin_one(x) >= 0


class Sure(OA3Classifier):
    def confidence_one(self, x):
        return 0.0


class BiasedPerceptron(PerceptronClassifier):
    def margin_one(self, x):
        return super().margin_one(x) - 5.0


class Contrary(OA3Classifier):
    def predict_one(self, x):
        return not super().predict_one(x)


def test_rule_of_a_subclass_decides():
    assert not ActiveLearner(OA3Classifier(), Never()).predict_one(X)[1]


def test_budget_of_a_subclass_decides():
    model = ActiveLearner(OA3Classifier(), query.FirstComeQuery(), EveryOther(2))
    asked = [model.predict_one(X)[1] for _ in range(6)]
    assert asked == [False, True, False, True, False, False]


each_way = pytest.mark.parametrize(
    "wrap", [lambda c: c, lambda c: preprocessing.Normalizer() | c], ids=["bare", "pipeline"]
)
RULE = query.AsymmetricQuery(1.0, 0.5)


@each_way
@pytest.mark.parametrize("kind", [Biased, BiasedPerceptron])
def test_margin_of_a_subclass_goes_into_the_query(wrap, kind):
    model = ActiveLearner(wrap(kind()), query.AsymmetricQuery(1.0, 0.5, use_confidence=False))
    assert model.query_probability(X) == pytest.approx(0.5 / 5.5)


@each_way
def test_confidence_of_a_subclass_goes_into_the_query(wrap):
    classifier = Sure()
    model = ActiveLearner(wrap(classifier), RULE)
    for x, y in sparse_events(20):
        model.learn_one(x, y)
    length = math.sqrt(sum(value * value for value in X.values()))
    x = {name: value / length for name, value in X.items()}
    expected = RULE.probability(classifier.margin_one(x), 0.0)
    assert model.query_probability(x) == pytest.approx(expected)


@each_way
@pytest.mark.parametrize(("kind", "label"), [(Biased, False), (Contrary, False)])
def test_label_of_a_subclass_is_its_own(wrap, kind, label):
    assert ActiveLearner(wrap(kind())).predict_one(X)[0] is label


@each_way
@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one"])
def test_decision_of_a_subclass_is_that_of_its_own_margin(wrap, method):
    model = ActiveLearner(wrap(Biased()), RULE, seed=1)
    getattr(model, method)(X)
    confidence = Biased().confidence_one(preprocessing.Normalizer().transform_one(X))
    bare = Biased().confidence_one(X)
    expected = {RULE.probability(-5.0, c) for c in (confidence, bare)}
    assert model.last_query.probability in expected

"""What becomes of an event, shown without asking, spending, learning or counting."""

from __future__ import annotations

import textwrap

import pytest
from asking import ALWAYS, OFTEN, X, answered, readings
from learners import state
from river import compose, ensemble, linear_model, preprocessing, tree

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3Classifier,
    SSOA3Classifier,
    budget,
    pipelines,
    query,
)

EVENT = {"a": 103.0, "b": 0.004}


def union():
    return (compose.Select("a") | preprocessing.StandardScaler()) + (
        compose.Select("b") | compose.Prefixer("raw_")
    )


def outer(classifier, **kwargs):
    return preprocessing.StandardScaler() | ActiveLearner(classifier, seed=1, **kwargs)


MODELS = {
    "auto": lambda: ActiveLearner(budget=50, seed=1),
    "bare": lambda: ActiveLearner(OA3Classifier(), budget=50, seed=1),
    "pipeline": lambda: ActiveLearner(
        preprocessing.StandardScaler() | preprocessing.Normalizer() | SSOA3Classifier(),
        budget=budget.RateBudget(0.2),
        seed=1,
    ),
    "pipeline-to-auto": lambda: ActiveLearner(union() | AutoOA3Classifier(), budget=50, seed=1),
    "logistic": lambda: ActiveLearner(
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        OFTEN,
        budget.WindowBudget(5, every=20),
        seed=1,
    ),
    "tree": lambda: ActiveLearner(tree.HoeffdingTreeClassifier(grace_period=5), ALWAYS),
    "outer-auto": lambda: outer(AutoOA3Classifier(), budget=50),
    "outer-learner": lambda: outer(OA3Classifier(), budget=50),
    "outer-logistic": lambda: outer(linear_model.LogisticRegression(), query=OFTEN, budget=50),
}
each_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def learner_of(model):
    return model["ActiveLearner"] if isinstance(model, compose.Pipeline) else model


@each_model
def test_report_changes_nothing(make):
    model = make()
    answered(model, readings(40))
    before = state(model)
    for x, _ in list(readings(60))[40:]:
        model.debug_one(x)
    assert state(model) == before


@each_model
def test_report_on_a_new_model_asks_and_counts_nothing(make):
    model = make()
    learner, new = learner_of(model), learner_of(make())
    model.debug_one(EVENT)
    assert (learner.n_seen, learner.n_asked, learner.n_learned, learner.last_query) == (
        0,
        0,
        0,
        None,
    )
    assert state(learner._budget) == state(new._budget)
    assert state(pipelines.last_step(learner.classifier)) == state(
        pipelines.last_step(new.classifier)
    )


@each_model
def test_stream_goes_on_as_if_nobody_had_looked(make):
    model, expected = make(), make()
    decisions = []
    for x, y in readings(100):
        model.debug_one(x)
        decisions += answered(model, [(x, y)])
    assert decisions == answered(expected, readings(100))


@each_model
def test_report_shows_the_answer_that_comes_next(make):
    model = make()
    answered(model, readings(40))
    report = model.debug_one(EVENT).splitlines()
    left = learner_of(model)._budget.left if learner_of(model)._budget else "no limit"
    label, _ = model.predict_one(EVENT)
    assert f"Prediction: {label}" in report
    assert f"Budget left: {left}" in report


@each_model
def test_report_shows_the_probability_of_each_label(make):
    model = make()
    answered(model, readings(40))
    report = model.debug_one(EVENT).splitlines()
    odds, _ = model.predict_proba_one(EVENT)
    assert set(odds) == {False, True}
    for label, probability in odds.items():
        assert f"Probability of {label}: {probability:.5f}" in report


def test_report_on_a_bare_classifier():
    model = ActiveLearner(OA3Classifier(), query.AsymmetricQuery(0.1, 0.01, False), budget=50)
    model.learn_one({"a": 1.0}, True)
    margin = model.classifier.margin_one(X)
    odds = model.classifier.predict_proba_one(X)
    assert margin > 0
    assert model.debug_one(X, n_decimals=3) == "\n".join(
        [
            "Prediction: True",
            f"Probability of False: {odds[False]:.3f}",
            f"Probability of True: {odds[True]:.3f}",
            f"Margin: {margin:.3f}",
            f"Query probability: {0.1 / (0.1 + margin):.3f}",
            "Budget left: 50",
        ]
    )


def test_report_shows_each_step_of_a_pipeline():
    model = ActiveLearner(union() | preprocessing.Normalizer() | OA3Classifier(), ALWAYS)
    for a in (1.0, 3.0):
        model.predict_one({"a": a, "b": 1})
    assert model.debug_one({"a": 4.0, "b": 4}) == textwrap.dedent(
        """\
        0. Input
        --------
        a: 4.00000 (float)
        b: 4 (int)

        1. Transformer union
        --------------------
            1.0 ['a'] | StandardScaler
            --------------------------
            a: 2.00000 (float)

            1.1 ['b'] | Prefixer
            --------------------
            raw_b: 4 (int)

        a: 2.00000 (float)
        raw_b: 4 (int)

        2. Normalizer
        -------------
        a: 0.44721 (float)
        raw_b: 0.89443 (float)

        3. OA3Classifier
        ----------------
        Prediction: True
        Probability of False: 0.50000
        Probability of True: 0.50000
        Margin: 0.00000
        Query probability: 1.00000
        Budget left: no limit"""
    )


def test_report_of_a_pipeline_that_ends_in_an_active_learner():
    model = preprocessing.StandardScaler() | ActiveLearner(OA3Classifier(), budget=50)
    for a in (1.0, 3.0):
        model.learn_one({"a": a}, True)
    report = model.debug_one({"a": 4.0})
    assert report.startswith("0. Input\n--------\na: 4.00000 (float)\n\n1. StandardScaler\n")
    assert (
        "2. ActiveLearner(OA3Classifier)\n-------------------------------\nPrediction: " in report
    )
    assert "Budget left: 50\n\nFalse: 0." in report


def test_report_shows_what_a_tree_says_of_itself():
    model = MODELS["tree"]()
    answered(model, readings(60))
    assert model.debug_one(EVENT).startswith(model.classifier.debug_one(EVENT).rstrip())


@pytest.mark.parametrize("outside", [False, True])
def test_classifier_without_probabilities_is_shown_without(outside):
    without = ensemble.VotingClassifier([linear_model.Perceptron(), linear_model.ALMAClassifier()])
    model = ActiveLearner(without, ALWAYS, budget=3)
    report = (preprocessing.StandardScaler() | model if outside else model).debug_one(X)
    assert "Budget left: 3" in report
    assert "Probability of" not in report


def test_names_of_different_types_are_shown():
    model = ActiveLearner(preprocessing.StandardScaler() | OA3Classifier())
    report = model.debug_one({"a": 1.0, 3: 2.0, ("pair", 1): 3.0}).splitlines()
    assert "('pair', 1): 3.00000 (float)" in report


def test_event_that_would_be_refused_is_refused():
    with pytest.raises(ValueError, match="'a'"):
        ActiveLearner(OA3Classifier()).debug_one({"a": float("nan")})

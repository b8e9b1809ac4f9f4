"""An active learner inside a model of river's that expects a plain classifier."""

from __future__ import annotations

import pytest
from asking import answered
from river import (
    active,
    bandit,
    datasets,
    drift,
    ensemble,
    evaluate,
    imblearn,
    linear_model,
    metrics,
    model_selection,
    multiclass,
    multioutput,
)

from river_oa3 import ActiveLearner, AutoOA3Classifier, query

ADVICE = r"ActiveLearner\(OneVsRestClassifier\(AutoOA3Classifier\(\)\), budget=100\)"
HALVES = {False: 0.5, True: 0.5}


def halving(make):
    return model_selection.SuccessiveHalvingClassifier(
        [make(), make()], metrics.Accuracy(), budget=100
    )


def a_bandit(make):
    policy = bandit.EpsilonGreedy(epsilon=0.1, seed=1)
    return model_selection.BanditClassifier([make(), make()], metrics.Accuracy(), policy)


def stacking(make):
    return ensemble.StackingClassifier([make(), make()], linear_model.LogisticRegression())


def on_top_of_a_stack(make):
    return ensemble.StackingClassifier(
        [linear_model.LogisticRegression(), linear_model.Perceptron()], make()
    )


MANY_CLASSES = {
    "one-vs-rest": lambda make: multiclass.OneVsRestClassifier(make()),
    "one-vs-one": lambda make: multiclass.OneVsOneClassifier(make()),
    "output-code": lambda make: multiclass.OutputCodeClassifier(make(), code_size=5, seed=1),
}
TWO_CLASSES = {
    "drift-retraining": lambda make: drift.DriftRetrainingClassifier(make()),
    "bagging": lambda make: ensemble.BaggingClassifier(make(), 2, seed=1),
    "adwin-bagging": lambda make: ensemble.ADWINBaggingClassifier(make(), 2, seed=1),
    "leveraging-bagging": lambda make: ensemble.LeveragingBaggingClassifier(make(), 2, seed=1),
    "ada-boost": lambda make: ensemble.AdaBoostClassifier(make(), 2, seed=1),
    "adwin-boosting": lambda make: ensemble.ADWINBoostingClassifier(make(), 2, seed=1),
    "bole": lambda make: ensemble.BOLEClassifier(make(), 2, seed=1),
    "random-patches": lambda make: ensemble.SRPClassifier(make(), 2, seed=1),
    "voting": lambda make: ensemble.VotingClassifier([make(), make()]),
    "voting-by-label": lambda make: ensemble.VotingClassifier([make(), make()], False),
    "stacking": stacking,
    "on-top-of-a-stack": on_top_of_a_stack,
    "under-sampler": lambda make: imblearn.RandomUnderSampler(make(), HALVES, seed=1),
    "over-sampler": lambda make: imblearn.RandomOverSampler(make(), HALVES, seed=1),
    "sampler": lambda make: imblearn.RandomSampler(make(), HALVES, seed=1),
    "hard-sampling": lambda make: imblearn.HardSamplingClassifier(make(), 10, 0.5, seed=1),
    "bandit": a_bandit,
    "successive-halving": halving,
}
MANY_OUTPUTS = {
    "per-output": lambda make: multioutput.PerOutputClassifier(make()),
    "chain": lambda make: multioutput.ClassifierChain(make()),
    "probabilistic-chain": lambda make: multioutput.ProbabilisticClassifierChain(make()),
    "monte-carlo-chain": lambda make: multioutput.MonteCarloClassifierChain(make(), 3, seed=1),
}
WRAPPERS = MANY_CLASSES | TWO_CLASSES | MANY_OUTPUTS
# These only hand on what they are answered: by hand, it is still a pair that can be taken apart.
HAND_ON = {"under-sampler", "over-sampler", "sampler", "per-output"}
NO_PROBABILITIES = {"one-vs-one", "output-code", "voting", "voting-by-label"}


def each(wrappers):
    return pytest.mark.parametrize("name", sorted(wrappers))


def stream_for(name, n):
    if name in MANY_CLASSES:
        return list(datasets.ImageSegments().take(n))
    events = datasets.Phishing().take(n)
    if name in MANY_OUTPUTS:
        return [(x, {"bad": y, "good": not y}) for x, y in events]
    return list(events)


def score(name, model, n):
    metric = metrics.Accuracy()
    if name in MANY_OUTPUTS:
        metric = metrics.multioutput.MicroAverage(metric)
    return evaluate.progressive_val_score(stream_for(name, n), model, metric).get()


def used_as_a_classifier(model, stream):
    for x, y in stream:
        model.predict_one(x)
        model.learn_one(x, y)


def an_active_learner():
    return ActiveLearner(AutoOA3Classifier(), budget=100, seed=1)


@each(WRAPPERS)
def test_active_learner_inside_is_refused_with_advice_by_the_evaluator(name):
    with pytest.raises(TypeError, match=ADVICE):
        score(name, WRAPPERS[name](an_active_learner), 50)


@each(WRAPPERS.keys() - HAND_ON)
def test_active_learner_inside_is_refused_with_advice_by_hand(name):
    with pytest.raises(TypeError, match=ADVICE):
        used_as_a_classifier(WRAPPERS[name](an_active_learner), stream_for(name, 50))


@each(["under-sampler", "over-sampler", "sampler"])
def test_sampler_hands_on_the_label_and_the_wish_to_ask(name):
    model = TWO_CLASSES[name](an_active_learner)
    asked = answered(model, stream_for(name, 300))
    assert sum(asked) == model.classifier.n_asked > 0


def test_rivers_active_learner_around_ours_is_refused_with_advice():
    with pytest.raises(TypeError, match=ADVICE):
        active.EntropySampler(an_active_learner()).predict_one({"a": 1.0})


@each(WRAPPERS)
def test_auto_oa3_works_as_the_plain_classifier_that_it_is(name):
    assert score(name, WRAPPERS[name](AutoOA3Classifier), 400) > 0.5


@each((MANY_CLASSES | TWO_CLASSES).keys() - NO_PROBABILITIES)
def test_advice_works(name):
    model = ActiveLearner(WRAPPERS[name](AutoOA3Classifier), budget=100, seed=1)
    assert score(name, model, 400) > 0.5
    assert 0 < model.n_asked <= 100


@each(NO_PROBABILITIES)
def test_advice_for_models_without_probabilities_works(name):
    wrapped = WRAPPERS[name](AutoOA3Classifier)
    model = ActiveLearner(wrapped, query.RandomQuery(0.1), budget=100, seed=1)
    # By chance one class of seven is right in 14 % of the cases.
    assert score(name, model, 400) > 0.3
    assert 0 < model.n_asked <= 100

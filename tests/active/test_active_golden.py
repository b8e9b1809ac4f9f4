"""`ActiveLearner` repeats the authors' published code, decision by decision.

The traces in `golden` hold every margin before the update and every decision of that code. Here
its uniform random numbers stand in for the learner's own generator.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from golden_traces import LEARNERS, RUNS, TRACES, Uniforms

from river_oa3 import ActiveLearner, metrics, query

METRICS = {"sum": metrics.WeightedSum, "cost": metrics.WeightedCost}
METRIC_PARAMETERS = {"sum": {"alpha_pos": 0.5}, "cost": {"cost_fn": 0.9, "cost_fp": 0.1}}


@pytest.fixture(scope="module", params=RUNS)
def replay(request):
    stream, number = request.param
    trace = TRACES[stream]
    golden = trace["runs"][number]
    parameters = dict(golden["params"])
    rule = query.AsymmetricQuery(parameters.pop("delta_pos"), parameters.pop("delta_neg"))
    labels = parameters.pop("budget")
    classifier = LEARNERS[golden["learner"]](**parameters)
    model = ActiveLearner(classifier, query=rule, budget=labels)
    model._rng = Uniforms(trace["uniforms"])
    kind = golden["metric"]
    scores = SimpleNamespace(
        value=METRICS[kind](**METRIC_PARAMETERS[kind]),
        sensitivity=metrics.Sensitivity(),
        specificity=metrics.Specificity(),
    )

    margins, asked = [], []
    for x, y in trace["events"]:
        margins.append(classifier.margin_one(x))
        label, ask = model.predict_one(x)
        for score in vars(scores).values():
            score.update(y, label)
        if ask:
            model.learn_one(x, y)
        asked.append(ask)
    return SimpleNamespace(golden=golden, model=model, margins=margins, asked=asked, scores=scores)


def test_every_margin_is_repeated(replay):
    assert replay.margins == pytest.approx(replay.golden["margins"], rel=0, abs=1e-12)


def test_every_decision_is_repeated(replay):
    assert replay.asked == [bool(asked) for asked in replay.golden["asked"]]


def test_as_many_uniforms_are_consumed(replay):
    assert replay.model._rng.used == replay.golden["uniforms_used"]


def test_as_many_labels_are_asked_for(replay):
    assert replay.model.n_asked == replay.golden["labels_used"]


def test_as_many_labels_are_learned(replay):
    assert replay.model.n_learned == replay.golden["labels_used"]


def test_weights_end_the_same(replay):
    weights = replay.model.classifier.weights
    assert weights == pytest.approx(replay.golden["weights"], rel=0, abs=1e-12)


def test_sum_or_cost_is_the_same(replay):
    assert replay.scores.value.get() == pytest.approx(replay.golden["metric_value"], abs=1e-12)


def test_sensitivity_is_the_same(replay):
    value = replay.scores.sensitivity.get()
    assert value == pytest.approx(replay.golden["sensitivity"], abs=1e-12)


def test_specificity_is_the_same(replay):
    value = replay.scores.specificity.get()
    assert value == pytest.approx(replay.golden["specificity"], abs=1e-12)


def test_traces_hold_runs_for_both_learners_and_both_metrics():
    runs = [run for trace in TRACES.values() for run in trace["runs"]]
    kinds = {(run["learner"], run["metric"]) for run in runs}
    assert kinds == {(learner, metric) for learner in LEARNERS for metric in METRICS}

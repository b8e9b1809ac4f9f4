"""Active learners in river's evaluator, and metrics over the labels they asked for."""

from __future__ import annotations

import re
import statistics

import pytest
from asking import Opinionated, X, score
from river import (
    datasets,
    evaluate,
    preprocessing,
)
from river import metrics as river_metrics

from river_oa3 import (
    ActiveLearner,
    SSOA3Classifier,
    metrics,
    query,
)

# The evaluator


def scaled(labels=100, seed=1):
    return ActiveLearner(
        preprocessing.StandardScaler() | SSOA3Classifier(), budget=labels, seed=seed
    )


def lines(capsys):
    return capsys.readouterr().out.splitlines()


def test_evaluator_prints_the_metric_and_the_samples_used(capsys):
    score(scaled(), datasets.Phishing(), print_every=500)
    number = r"\[[\d,]+\] WeightedSum: \d+\.\d+% – \d+ samples used"
    assert all(re.fullmatch(number, line) for line in lines(capsys))


def test_evaluator_prints_as_often_as_it_is_told(capsys):
    score(scaled(), datasets.Phishing(), print_every=500)
    steps = [line.split("]")[0] for line in lines(capsys)]
    assert steps == ["[500", "[1,000", "[1,250"]


def test_evaluator_prints_the_number_of_labels_that_were_learned(capsys):
    model = scaled()
    score(model, datasets.Phishing(), print_every=1250)
    assert lines(capsys)[-1].endswith(f"{model.n_learned} samples used")


def test_evaluator_prints_costs_in_full(capsys):
    model = ActiveLearner(Opinionated({True: 1.0}, label=True))
    stream = [(X, False)] * 10
    score(model, stream, metrics.WeightedCost(cost_fp=10.0), print_every=10)
    assert "WeightedCost: 100 –" in lines(capsys)[-1]


def test_evaluator_shows_time_and_memory(capsys):
    score(scaled(), datasets.Phishing(), print_every=1250, show_time=True, show_memory=True)
    end = r".* samples used – \d\d:\d\d:\d\d – [\d.,]+ ?[KMG]?i?B"
    assert re.fullmatch(end, lines(capsys)[-1])


@pytest.mark.parametrize("labels", [0, 7, 100])
@pytest.mark.parametrize("delay", [None, 1, 100, 5000, lambda x, y: 3 if y else 200])
def test_asked_is_learned_at_the_end_of_the_stream(labels, delay):
    model = scaled(labels)
    score(model, datasets.Phishing(), delay=delay)
    assert (model.n_asked, model.n_learned) == (labels, labels)


@pytest.mark.parametrize("delay", [None, 50])
def test_asked_is_learned_at_the_end_of_the_stream_without_a_budget(delay):
    model = scaled(None)
    score(model, datasets.Phishing(), delay=delay)
    assert 0 < model.n_asked == model.n_learned < 1250


@pytest.mark.parametrize("delay", [None, 50])
def test_samples_used_never_exceed_the_budget(delay):
    steps = evaluate.iter_progressive_val_score(
        datasets.Phishing(), scaled(60), metrics.WeightedSum(), step=10, delay=delay
    )
    used = [step["Samples used"] for step in steps]
    assert (used == sorted(used), max(used)) == (True, 60)


def test_steps_of_the_evaluator_hold_time_memory_and_prediction():
    steps = evaluate.iter_progressive_val_score(
        datasets.Phishing().take(50),
        scaled(),
        metrics.WeightedSum(),
        step=50,
        measure_time=True,
        measure_memory=True,
        yield_predictions=True,
    )
    assert {"Samples used", "Time", "Memory", "Prediction"} <= set(next(steps))


def test_evaluator_gives_the_value_of_a_loop_by_hand():
    model, metric = scaled(), metrics.WeightedSum()
    for x, y in datasets.Phishing():
        label, ask = model.predict_one(x)
        metric.update(y, label)
        if ask:
            model.learn_one(x, y)
    assert score(scaled(), datasets.Phishing()) == metric.get()


def test_evaluator_takes_several_metrics_at_once():
    metric = metrics.WeightedSum() + metrics.WeightedCost() + river_metrics.Accuracy()
    total, cost, accuracy = score(scaled(), datasets.Phishing(), metric)
    assert (total > 0.6, cost < 300, accuracy > 0.6) == (True, True, True)


def test_evaluator_takes_a_metric_of_odds():
    assert score(scaled(), datasets.Phishing(), river_metrics.ROCAUC()) > 0.7


def test_decisions_do_not_depend_on_the_metric():
    by_label, by_odds = scaled(None), scaled(None)
    score(by_label, datasets.Phishing(), metrics.WeightedSum())
    score(by_odds, datasets.Phishing(), river_metrics.LogLoss())
    assert by_label.n_asked == by_odds.n_asked


# Importance weights


@pytest.fixture(scope="module")
def estimates():
    """The true sum, and its estimates from asked labels, for each of twenty seeds."""
    normalize = preprocessing.Normalizer().transform_one
    events = [(normalize(x), y == 1) for x, y in datasets.Shuttle().take(6000)]
    sums = []
    for seed in range(20):
        model = ActiveLearner(
            SSOA3Classifier(eta=0.5, rho=10.0), query=query.AsymmetricQuery(1.0, 0.2), seed=seed
        )
        true, weighted, unweighted = (metrics.WeightedSum() for _ in range(3))
        for x, y in events:
            label, ask = model.predict_one(x)
            true.update(y, label)
            if ask:
                weighted.update(y, label, w=1 / model.last_query.probability)
                unweighted.update(y, label)
                model.learn_one(x, y)
        sums.append([metric.get() for metric in (true, weighted, unweighted)])
    true, weighted, unweighted = (statistics.mean(column) for column in zip(*sums, strict=True))
    return {"true": true, "weighted": weighted, "unweighted": unweighted}


def test_sum_estimated_from_asked_labels_is_unbiased_with_importance_weights(estimates):
    assert abs(estimates["weighted"] - estimates["true"]) < 0.01


def test_sum_estimated_from_asked_labels_is_biased_without_weights(estimates):
    assert abs(estimates["unweighted"] - estimates["true"]) > 0.01

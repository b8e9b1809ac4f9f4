"""A model that went through a file is the model."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import ASKING, KINDS, LEARNERS, NUMERIC, PENDING, examples, told, trained
from river import metrics as river_metrics

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3DiagClassifier,
    PendingLabels,
    budget,
    files,
    metrics,
    query,
)
from river_oa3.monitor import AskedQuality

each_kind = pytest.mark.parametrize("name", KINDS)


def through_file(model):
    return files.from_bytes(files.to_bytes(model))


@each_kind
@settings(max_examples=30)
@given(data=st.data())
def test_stream_cut_in_two_by_a_file_is_the_uncut_one(name, data):
    make, streams = KINDS[name]
    stream = data.draw(streams, label="stream")
    cut = data.draw(st.integers(0, len(stream)), label="cut")
    uncut, head = make(), make()
    if name == "without limit":  # without a seed too
        head._rng.setstate(uncut._rng.getstate())
    said = told(head, stream[:cut])
    said += told(through_file(head), stream[cut:])
    assert said == told(uncut, stream)


@each_kind
@settings(max_examples=30)
@given(data=st.data())
def test_file_of_a_loaded_model_is_the_same_file(name, data):
    make, streams = KINDS[name]
    model = make()
    told(model, data.draw(streams))
    content = files.to_bytes(model)
    assert files.to_bytes(files.from_bytes(content)) == content


@each_kind
def test_model_stored_every_few_events_is_the_one_that_never_was(name):
    stream = examples(name, 120)
    stored, uncut = KINDS[name][0](), KINDS[name][0]()
    if name == "without limit":
        stored._rng.setstate(uncut._rng.getstate())
    said = []
    for start in range(0, len(stream), 7):
        stored = through_file(stored)
        said += told(stored, stream[start : start + 7])
    assert said == told(uncut, stream)


@each_kind
def test_learning_in_the_loaded_model_leaves_the_stored_one_alone(name):
    model = trained(name)
    before = files.to_bytes(model)
    told(through_file(model), examples(name, 60))
    assert files.to_bytes(model) == before


@pytest.mark.parametrize("name", {**LEARNERS, **ASKING, **NUMERIC})
def test_loaded_model_has_the_parameters_of_the_stored_one(name):
    model = trained(name)
    assert repr(through_file(model)) == repr(model)


@pytest.mark.parametrize("name", PENDING)
def test_loaded_service_has_the_parameters_and_the_asks_of_the_stored_one(name):
    service = trained(name)
    twin = through_file(service)
    for parameter in ("time_to_live", "capacity", "refund", "strict", "snapshot_every"):
        assert getattr(twin, parameter) == getattr(service, parameter)
    for state in ("open", "answered", "expired"):
        assert twin.asks(state) == service.asks(state)
        assert twin.count(state) == service.count(state)


def test_quality_goes_on_as_it_would_have():
    rng, uncut, stored = random.Random(3), AskedQuality(), AskedQuality()
    for i in range(3000):
        label = rng.random() < 0.3
        event = label, label == (rng.random() < 0.9 - 0.3 * (i > 1500)), rng.uniform(0.05, 1.0)
        uncut.update(*event)
        stored.update(*event)
        if i % 100 == 0:
            stored = through_file(stored)
    assert stored.n_drifts > 0
    assert stored.to_dict() == uncut.to_dict()


@pytest.mark.parametrize(
    "metric",
    [
        river_metrics.Precision(),
        metrics.Sensitivity(),
        metrics.Specificity(),
        metrics.WeightedCost(9.0, 1.0),
        metrics.WeightedSum(0.7),
    ],
)
def test_quality_is_stored_with_every_metric_that_it_takes(metric):
    rng, quality = random.Random(3), AskedQuality(metric)
    for _ in range(200):
        quality.update(rng.random() < 0.5, rng.random() < 0.5, rng.uniform(0.1, 1.0))
    loaded = through_file(quality)
    assert type(loaded.metric) is type(metric)
    assert loaded.get() == quality.get() is not None
    assert loaded.to_dict() == quality.to_dict()


def test_metric_may_be_the_objective_too():
    objective = metrics.WeightedCost(9.0, 2.0)
    service = PendingLabels(ActiveLearner(AutoOA3Classifier(objective)), metric=objective)
    assert through_file(service).quality.metric.cost_fn == 9.0


def test_lease_and_skip_of_an_ask_are_kept():
    service = PendingLabels(ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery()))
    for event_id in ("skipped", "leased", "free"):
        service.predict_one(event_id, {"a": 1.0})
    service.lease("one", 1e6)
    service.lease("two", 1e6)
    service.release("skipped", "one", skip=True)
    twin = through_file(service)
    assert [twin.lease(who).event_id for who in ("two", "three", "four")] == [
        *("leased", "free", "skipped")
    ]


def test_parameter_assigned_in_mid_stream_is_kept():
    model = trained("OA3Diag")
    model.eta = 0.125
    assert through_file(model).eta == 0.125


@pytest.mark.parametrize(
    ("given_as", "kind"),
    [(7, int), (budget.TotalBudget(7), budget.TotalBudget), (None, type(None))],
)
def test_budget_comes_back_as_it_was_given(given_as, kind):
    twin = through_file(ActiveLearner(OA3DiagClassifier(), budget=given_as))
    assert type(twin.budget) is kind


def test_query_comes_back_as_it_was_given():
    assert through_file(ActiveLearner(OA3DiagClassifier())).query is None


def test_budget_that_two_learners_shared_is_each_ones_own():
    shared = budget.TotalBudget(2)
    twins = [through_file(ActiveLearner(budget=shared)) for _ in range(2)]
    twins[0].budget.spend()
    assert [twin.budget.left for twin in twins] == [1, 2]


def test_model_predicts_batches_under_the_same_name_after_loading():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"f0": [1.0, -1.0]})
    model = OA3DiagClassifier()
    model.learn_many(X, pd.Series([True, False], name="target"))
    assert through_file(model).predict_many(X).name == "target"

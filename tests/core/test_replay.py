"""A replay is the loop over single events: the same decisions, counts and weights, bit by bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replays import (
    AUTO,
    CHANCY,
    FULL,
    METHODS,
    WAYS,
    a_scene,
    bits,
    both_ways,
    each_auto,
    each_full_method,
    each_light_method,
    each_method,
    each_way,
    make_stream,
    one_by_one,
    replayed,
    rival,
    scene_of,
    small_scenes,
    summary,
    weights,
    wide_scenes,
)

from river_oa3 import (
    ActiveLearner,
    OA3Classifier,
    SSOA3Classifier,
    budget,
    query,
    rivals,
)
from river_oa3.experiments import replay
from river_oa3.first_order import PerceptronClassifier

# Bit by bit


@each_way
@given(scene=small_scenes(), labels=st.none() | st.integers(0, 30))
@settings(max_examples=25)
def test_replay_is_the_loop_over_single_events(method, scene, labels):
    replay_, loop = both_ways(WAYS[method], scene, labels)
    assert replay_ == loop


@each_light_method
@given(scene=wide_scenes(4, 1100), labels=st.none() | st.integers(0, 30))
@settings(max_examples=6)
def test_replay_is_the_loop_over_single_events_of_thousands_of_features(method, scene, labels):
    replay_, loop = both_ways(METHODS[method], scene, labels)
    assert replay_ == loop


@each_full_method
@given(scene=wide_scenes(3, 220), labels=st.none() | st.integers(0, 30))
@settings(max_examples=6)
def test_replay_is_the_loop_over_single_events_of_hundreds_of_sparse_features(
    method, scene, labels
):
    replay_, loop = both_ways(METHODS[method], scene, labels)
    assert replay_ == loop


@each_way
@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_longer_replay_is_the_loop_over_single_events(method, scale):
    replay_, loop = both_ways(WAYS[method], a_scene(seed=4, n=600, scale=scale), 400)
    assert replay_ == loop


@pytest.mark.parametrize("method", [*CHANCY, *AUTO])
def test_scenes_leave_much_to_chance(method):
    _, loop = both_ways(WAYS[method], a_scene())
    assert loop.used > 30
    assert 30 < loop.counts[-1][-1] < 170


def test_long_rows_at_the_start_teach_more_than_4096_features():
    counts = set()

    @given(scene=wide_scenes(4, 1100))
    @settings(max_examples=3)
    def count(scene):
        for method in METHODS:
            if method not in FULL:
                model = METHODS[method]()
                replay(model, scene.stream, scene.order, scene.numbers)
                counts.add(len(model.classifier.weights) > 4096)

    count()
    assert counts == {True}


@each_method
@given(scene=small_scenes(), labels=st.none() | st.integers(0, 30))
@settings(max_examples=6)
def test_replay_with_the_papers_accounting_is_the_loop_over_single_events(method, scene, labels):
    replay_, loop = both_ways(METHODS[method], scene, labels, paper_accounting=True)
    assert replay_ == loop


@pytest.mark.parametrize("method", ["OA3-diagonal", "SOA3", "SSOA3", *FULL])
def test_covariance_after_a_replay_is_that_of_the_loop(method):
    scene, models = a_scene(), (METHODS[method](), METHODS[method]())
    replayed(models[0], scene.stream, scene.order, scene.numbers, scene.checkpoints)
    one_by_one(models[1], scene.stream, scene.order, scene.numbers, scene.checkpoints)
    one, other = (model.classifier._core.covariance() for model in models)
    assert bits(one) == bits(other)


def assert_auto_oa3_knows_the_same(method, labels, scene):
    models = AUTO[method](labels), AUTO[method](labels)
    args = scene.stream, scene.order, scene.numbers, scene.checkpoints
    assert replayed(models[0], *args) == one_by_one(models[1], *args)
    one, other = (model.classifier._core.__getstate__() for model in models)
    assert one.pop("names") == other.pop("names")
    assert {name: bits(part) for name, part in one.items()} == {
        name: bits(part) for name, part in other.items()
    }
    return models


@each_auto
@pytest.mark.parametrize("labels", [None, 120])
@pytest.mark.parametrize("n", [300, 8500])
def test_all_that_auto_oa3_knows_after_a_replay_is_what_it_knows_after_the_loop(method, labels, n):
    assert_auto_oa3_knows_the_same(method, labels, a_scene(n=n))


@each_auto
@pytest.mark.parametrize("n", [300, 8500])
def test_nan_in_a_row_is_none_in_an_event(method, n):
    """Missing numbers, of features that are known and of those that are not yet."""
    scene, rng = a_scene(n=n), np.random.default_rng(2)
    data = scene.stream.X.data
    data[rng.random(len(data)) < 0.2] = np.nan
    assert scene.stream.has_missing
    model, twin = assert_auto_oa3_knows_the_same(method, 120, scene)
    for x, _ in scene.stream.events(range(100)):
        given_none = {name: None if math.isnan(value) else value for name, value in x.items()}
        assert model.classifier.margin_one(x) == twin.classifier.margin_one(given_none)


@each_method
def test_model_learns_on_after_a_replay_as_after_the_loop(method):
    scene, later = a_scene(), a_scene(seed=1)
    models = METHODS[method](), METHODS[method]()
    replayed(models[0], scene.stream, scene.order, scene.numbers, scene.checkpoints)
    one_by_one(models[1], scene.stream, scene.order, scene.numbers, scene.checkpoints)
    one, other = (
        one_by_one(model, later.stream, later.order, later.numbers, later.checkpoints)
        for model in models
    )
    assert one == other


@each_way
@pytest.mark.parametrize("labels", [None, 50])
def test_replay_of_a_model_with_a_past_goes_on_like_the_loop(method, labels):
    first, later = a_scene(), a_scene(seed=1, n_columns=40)
    models = WAYS[method](labels), WAYS[method](labels)
    for model in models:
        one_by_one(model, first.stream, first.order[:90], first.numbers, [90])
    args = later.stream, later.order, later.numbers, later.checkpoints
    assert replayed(models[0], *args) == one_by_one(models[1], *args)


@each_method
def test_replay_in_two_halves_is_one_replay(method):
    scene = a_scene()
    whole, halves = METHODS[method](), METHODS[method]()
    replay(whole, scene.stream, scene.order, scene.numbers)
    first = replay(halves, scene.stream, scene.order[:77], scene.numbers)
    replay(
        halves,
        scene.stream,
        scene.order[77:],
        np.append(scene.numbers[first.uniforms_used :], [0.5] * first.uniforms_used),
    )
    assert weights(halves) == weights(whole)


@pytest.mark.parametrize("method", [*CHANCY, *AUTO])
def test_numbers_are_those_of_the_seed_by_default(method):
    scene = a_scene()
    outcome = replay(WAYS[method](60, seed=9), scene.stream)
    model = WAYS[method](60, seed=9)
    asked = []
    for x, y in scene.stream.events():
        _, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)
        asked.append(ask)
    assert outcome.asked.tolist() == asked


@each_way
def test_counters_of_the_model_are_left_alone(method):
    scene, model = a_scene(), WAYS[method](60)
    replay(model, scene.stream, scene.order, scene.numbers)
    assert (model.n_seen, model.n_asked, model.n_learned) == (0, 0, 0)


@each_way
def test_budget_of_the_model_is_left_alone(method):
    scene, model = a_scene(), WAYS[method](60)
    replay(model, scene.stream, scene.order, scene.numbers)
    assert model._budget.left == 60


@each_way
@pytest.mark.parametrize("labels", [0, 1, 17])
def test_budget_is_never_exceeded(method, labels):
    scene = a_scene()
    outcome = replay(WAYS[method](labels), scene.stream, scene.order, scene.numbers)
    assert outcome.asked.sum() == outcome.labels[-1] <= labels


def test_budget_of_a_model_that_has_spent_is_what_is_left():
    scene, model = a_scene(), METHODS["OA3-F"](30)
    for _ in range(10):
        model.predict_one({"somewhere": 1.0})
    outcome = replay(model, scene.stream, scene.order, scene.numbers)
    assert outcome.labels[-1] == 20


def test_counts_add_up_to_the_events_at_every_checkpoint():
    scene = a_scene()
    outcome = replay(METHODS["OA3"](), scene.stream, scene.order, scene.numbers, [1, 5, 90, 200])
    sums = sum(outcome[1:5])
    assert sums.tolist() == outcome.checkpoints.tolist() == [1, 5, 90, 200]


def test_no_checkpoints_give_no_counts():
    scene = a_scene()
    outcome = replay(METHODS["OA3"](), scene.stream, scene.order, scene.numbers, [])
    assert outcome.labels.tolist() == []


def test_order_of_no_rows_asks_about_nothing():
    outcome = replay(METHODS["OA3"](), a_scene().stream, np.arange(0))
    assert outcome.asked.tolist() == []


def test_numbers_to_spare_are_ignored():
    scene = a_scene()
    spare = np.append(scene.numbers, [0.0, 1.0])
    outcomes = [
        replay(METHODS["OA3"](), scene.stream, scene.order, n) for n in (scene.numbers, spare)
    ]
    assert outcomes[0].asked.tolist() == outcomes[1].asked.tolist()


def test_time_is_measured():
    scene = a_scene(n=2000)
    assert replay(METHODS["OA3"](), scene.stream).seconds > 0


# Where rounding makes chance certain. One feature, so that both ways compute the same margin.


@pytest.mark.parametrize("eta", [1e-300, 1e-20, 1e20, 1e100], ids=lambda eta: f"{eta:g}")
@pytest.mark.parametrize("delta", [1e-300, 1e-20, 1e20, 1e300], ids=lambda delta: f"{delta:g}")
def test_uniforms_are_used_alike_where_the_odds_round_to_zero_or_one(eta, delta):
    stream = make_stream([([0], [1.0])] * 20, [False, True] * 10, ["a"])
    scene = scene_of(stream, range(20), seed=0)
    replay_, loop = both_ways(rival(rivals.oaal, delta_pos=delta, delta_neg=delta, eta=eta), scene)
    assert replay_ == loop


def test_first_order_classifier_under_the_second_order_query_is_replayed():
    def make(labels=None):
        return ActiveLearner(PerceptronClassifier(), query.AsymmetricQuery(0.4, 0.2), labels)

    replay_, loop = both_ways(make, a_scene())
    assert replay_ == loop


def test_second_order_classifier_under_the_first_order_query_is_replayed():
    def make(labels=None):
        rule = query.AsymmetricQuery(0.4, 0.2, use_confidence=False)
        return ActiveLearner(OA3Classifier(), rule, labels)

    replay_, loop = both_ways(make, a_scene())
    assert replay_ == loop


def test_any_classifier_under_the_default_query_is_replayed():
    def make(labels=None):
        return ActiveLearner(SSOA3Classifier(), budget=labels)

    replay_, loop = both_ways(make, a_scene(), 70)
    assert replay_ == loop


def test_total_budget_object_is_replayed_as_the_number():
    scene = a_scene()
    outcome = replay(METHODS["OA3-F"](budget.TotalBudget(23)), scene.stream)
    assert outcome.labels[-1] == 23


# Rows without features


def with_empty_rows(n=6):
    """A stream that starts with empty rows of both labels, and goes on with others between them."""
    rows, labels = [([], [])] * n, [True, False] * (n // 2)
    rows = [*rows, *([([0, 1], [1.0, -1.0]), ([], []), ([1], [2.0]), ([], [])] * n)]
    labels = [*labels, *([True, True, False, False] * n)]
    return make_stream(rows, labels, ["a", "b"])


@each_method
@pytest.mark.parametrize("paper_accounting", [False, True])
def test_an_empty_row_is_never_asked_about(method, paper_accounting):
    stream = with_empty_rows()
    outcome = replay(METHODS[method](seed=1), stream, paper_accounting=paper_accounting)
    assert not outcome.asked[np.diff(stream.X.indptr) == 0].any()


@each_method
def test_an_empty_row_is_predicted_positive(method):
    outcome = replay(METHODS[method](seed=1), with_empty_rows(), np.arange(6))
    counts = [outcome.true_positives, outcome.false_positives]
    counts += [outcome.true_negatives, outcome.false_negatives]
    assert [count.tolist() for count in counts] == [[3], [3], [0], [0]]


@each_method
def test_an_empty_row_is_always_a_mistake_in_the_papers_accounting(method):
    outcome = replay(METHODS[method](seed=1), with_empty_rows(), np.arange(6), None, None, True)
    counts = [outcome.true_positives, outcome.false_positives]
    counts += [outcome.true_negatives, outcome.false_negatives]
    assert [count.tolist() for count in counts] == [[0], [3], [0], [3]]


@each_method
def test_papers_accounting_changes_no_decision(method):
    scene = a_scene()
    one, other = (
        replay(METHODS[method](60), scene.stream, scene.order, scene.numbers, None, accounting)
        for accounting in (False, True)
    )
    assert one.asked.tolist() == other.asked.tolist()


def test_papers_accounting_changes_the_counts_of_empty_rows_alone():
    stream = with_empty_rows()
    filled = np.flatnonzero(np.diff(stream.X.indptr))
    one, other = (
        summary(model, replay(model, stream, filled, None, None, accounting)).counts
        for model, accounting in ((METHODS["OA3"](seed=1), False), (METHODS["OA3"](seed=1), True))
    )
    assert one == other


@each_way
def test_stream_of_empty_rows_alone_is_replayed(method):
    stream = make_stream([([], [])] * 4, [True, False, False, True], ["a"])
    replay_, loop = both_ways(WAYS[method], scene_of(stream, range(4), seed=0, checkpoints=[1, 4]))
    assert replay_ == loop

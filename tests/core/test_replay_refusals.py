"""What a replay refuses, where it overflows, and what it does to threads."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from replays import (
    METHODS,
    a_scene,
    each_method,
    make_stream,
    one_by_one,
    replayed,
    scene_of,
    weights,
)
from river import linear_model, preprocessing

from river_oa3 import (
    ActiveLearner,
    OA3Classifier,
    OA3DiagClassifier,
    budget,
    datasets,
    query,
)
from river_oa3.experiments import replay

# What is refused


def assert_refused(model, error, match, *args, **kwargs):
    """The replay is refused, and the model has learned nothing of it."""
    with pytest.raises(error, match=match):
        replay(model, *args, **kwargs)
    assert model.classifier.weights == {}


@pytest.mark.parametrize("order", [[-1], [200], [0, 1, 200], [5, -200]], ids=str)
def test_order_of_rows_that_are_not_there_is_refused(order):
    match = "order must hold rows from 0 to 199"
    assert_refused(METHODS["OA3"](), ValueError, match, a_scene().stream, np.array(order))


@pytest.mark.parametrize("order", [[0.5, 1.7], [True, False], [[0, 1], [2, 3]]], ids=str)
def test_order_that_holds_no_rows_is_refused(order):
    with pytest.raises((TypeError, ValueError), match="order"):
        replay(METHODS["OA3"](), a_scene().stream, np.array(order))


def test_too_few_uniforms_are_refused():
    stream = a_scene().stream
    match = "200 events may need as many uniforms, not 199"
    assert_refused(METHODS["OA3"](), ValueError, match, stream, numbers=np.zeros(199))


@pytest.mark.parametrize("checkpoints", [[0], [201], [1, 0], [5, 5], [7, 3], [-1, 4]], ids=str)
def test_checkpoints_that_do_not_rise_through_the_events_are_refused(checkpoints):
    match = "checkpoints must be rising numbers from 1 to 200"
    assert_refused(METHODS["OA3"](), ValueError, match, a_scene().stream, checkpoints=checkpoints)


@each_method
def test_missing_number_is_refused_but_by_auto_oa3(method):
    rows = [[1.0, 2.0], [1.0, np.nan]]
    stream = datasets.stream("toy", rows, [1, 0], names=["a", "b"], missing=True)
    assert_refused(METHODS[method](), ValueError, "event 2: feature 'b' is missing", stream)


@pytest.mark.parametrize(
    "classifier",
    [
        linear_model.LogisticRegression(),
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        preprocessing.StandardScaler() | OA3Classifier(),
    ],
    ids=["LogisticRegression", "pipeline", "pipeline-of-ours"],
)
def test_classifier_from_elsewhere_is_refused(classifier):
    with pytest.raises(TypeError, match="replay takes the classifiers of river_oa3"):
        replay(ActiveLearner(classifier), a_scene().stream)


@pytest.mark.parametrize(
    "limit", [budget.RateBudget(0.1), budget.WindowBudget(3, every=10)], ids=lambda b: repr(type(b))
)
def test_budget_that_is_not_of_labels_in_all_is_refused(limit):
    match = "replay takes a budget of labels in all"
    assert_refused(METHODS["OA3"](limit), TypeError, match, a_scene().stream)


class Never(query.Query):
    def probability(self, margin, confidence):
        return 0.0


def test_rule_from_elsewhere_is_refused():
    model = ActiveLearner(OA3Classifier(), Never())
    assert_refused(model, TypeError, "replay takes the rules of river_oa3.query", a_scene().stream)


class Doubled(query.AsymmetricQuery):
    """The rule of the base, with a probability of its own."""

    def probability(self, margin, confidence):
        return min(1.0, 2.0 * super().probability(margin, confidence))


class Renamed(query.AsymmetricQuery):
    """The rule of the base under another name."""


class Generous(budget.TotalBudget):
    """A budget that never says no."""

    def can_ask(self):
        return True


@pytest.mark.parametrize("rule", [Doubled(), Doubled(0.3, 0.3)], ids=["defaults", "biases"])
def test_rule_with_a_probability_of_its_own_is_refused_by_name(rule):
    stream = a_scene().stream
    with pytest.raises(TypeError, match="Doubled"):
        replay(ActiveLearner(OA3DiagClassifier(), rule), stream)


def test_probability_that_was_put_on_a_rule_is_refused():
    stream = a_scene().stream
    rule = query.AsymmetricQuery()
    rule.probability = lambda margin, confidence: 0.5
    with pytest.raises(TypeError, match="AsymmetricQuery"):
        replay(ActiveLearner(OA3DiagClassifier(), rule), stream)


def test_subclass_that_changes_no_decision_is_replayed_as_its_base():
    stream = a_scene().stream
    outcomes = [
        replay(ActiveLearner(OA3DiagClassifier(), rule, seed=1), stream)
        for rule in (Renamed(0.4, 0.2), query.AsymmetricQuery(0.4, 0.2))
    ]
    assert outcomes[0].asked.tolist() == outcomes[1].asked.tolist()


class Silent(ActiveLearner):
    """An active learner that never asks."""

    def _decide(self, probability):
        return False


class Moody(query.AsymmetricQuery):
    """A rule whose bias is not a number that stays."""

    @property
    def delta_pos(self):
        return 0.1

    @delta_pos.setter
    def delta_pos(self, value):
        pass


def test_active_learner_that_decides_in_its_own_way_is_refused_by_name():
    with pytest.raises(TypeError, match="Silent"):
        replay(Silent(OA3DiagClassifier()), a_scene().stream)


def test_rule_with_a_bias_of_its_own_is_refused_by_name():
    with pytest.raises(TypeError, match="Moody"):
        replay(ActiveLearner(OA3DiagClassifier(), Moody()), a_scene().stream)


class Contrary(OA3DiagClassifier):
    """A classifier that learns the opposite."""

    def learn_one(self, x, y, w=1.0):
        super().learn_one(x, not y, w)


def test_classifier_that_learns_in_its_own_way_is_refused_by_name():
    with pytest.raises(TypeError, match="Contrary"):
        replay(ActiveLearner(Contrary()), a_scene().stream)


def test_budget_with_a_mind_of_its_own_is_refused_by_name():
    stream = a_scene().stream
    with pytest.raises(TypeError, match="Generous"):
        replay(ActiveLearner(OA3DiagClassifier(), budget=Generous(3)), stream)


# An event that overflows

N_SOUND = 12


def overflowing_stream(value=1e200, column=0, n_after=3):
    """Sound events of both labels, then one with a huge value, then sound ones again."""
    rows = [([0, 1], [1.0, (-1.0) ** i]) for i in range(N_SOUND + n_after)]
    rows[N_SOUND] = ([1, column] if column != 1 else [0, 1], [1.0, value])
    labels = [i % 3 == 0 for i in range(len(rows))]
    labels[N_SOUND] = False
    return make_stream(rows, labels, ["a", "b", "new"])


def certain(method):
    """The method, asking about every event."""
    classifier = METHODS[method]().classifier
    return ActiveLearner(classifier, query.AsymmetricQuery(1e300, 1e300))


each_overflow = pytest.mark.parametrize("column", [0, 2], ids=["known", "new"])


@each_method
@each_overflow
def test_event_that_overflows_is_named_by_its_number(method, column):
    model, stream = certain(method), overflowing_stream(column=column)
    with pytest.raises(OverflowError, match=rf"\bevent {N_SOUND + 1}\b"):
        replay(model, stream)


@each_method
@each_overflow
def test_event_that_overflows_is_numbered_by_the_order_in_which_it_comes(method, column):
    model, stream = certain(method), overflowing_stream(column=column)
    with pytest.raises(OverflowError, match=r"\bevent 4\b"):
        replay(model, stream, np.array([0, 5, 0, N_SOUND, 1, 2]))


@each_method
@each_overflow
def test_model_has_learned_what_came_before_an_event_that_overflows(method, column):
    stream, models = overflowing_stream(column=column), (certain(method), certain(method))
    with pytest.raises(OverflowError):
        replay(models[0], stream)
    replay(models[1], stream, np.arange(N_SOUND))
    assert weights(models[0]) == weights(models[1])


@each_method
@each_overflow
def test_model_goes_on_learning_after_an_event_that_overflows(method, column):
    stream, models = overflowing_stream(column=column), (certain(method), certain(method))
    with pytest.raises(OverflowError):
        replay(models[0], stream)
    replay(models[1], stream, np.arange(N_SOUND))
    for model in models:
        replay(model, stream, np.arange(N_SOUND + 1, len(stream)))
    assert weights(models[0]) == weights(models[1])


def overflow_of(run, *args):
    """Whether an event stops the run."""
    try:
        run(*args)
    except OverflowError:
        return True
    return False


@each_method
@each_overflow
@pytest.mark.parametrize("value", [1e100, 1e200])
@pytest.mark.parametrize("labels", [None, 5], ids=["unlimited", "spent"])
def test_replay_overflows_where_the_loop_does(method, column, value, labels):
    scene = scene_of(overflowing_stream(value, column), range(N_SOUND + 1), seed=0)
    args = scene.stream, scene.order, scene.numbers, scene.checkpoints
    one, other = METHODS[method](labels), METHODS[method](labels)
    assert overflow_of(replayed, one, *args) == overflow_of(one_by_one, other, *args)


# Threads


def test_replays_in_two_threads_end_as_each_alone():
    scenes = [a_scene(seed=seed, n=4000, n_columns=60) for seed in (1, 2)]
    methods = [("OA3", "SSOA3"), ("CSOAL", "OA3-diagonal"), ("SOA3", "PAA")]
    for pair in methods:
        alone = [
            replayed(METHODS[m](1000), s.stream, s.order, s.numbers, s.checkpoints)
            for m, s in zip(pair, scenes, strict=True)
        ]
        together = [None, None]

        def work(place, m, s, results=together):
            results[place] = replayed(METHODS[m](1000), s.stream, s.order, s.numbers, s.checkpoints)

        threads = [
            threading.Thread(target=work, args=(place, m, s))
            for place, (m, s) in enumerate(zip(pair, scenes, strict=True))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert together == alone


def test_another_thread_works_during_a_replay():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 300)), rng.random(3000) < 0.5
    stream, numbers = datasets.stream("dense", X, y).unit_rows(), np.zeros(3000)
    model, outcomes = METHODS["OA3-F"](), []
    replay(model, stream, np.arange(1), numbers)  # makes the features known, which takes the lock
    thread = threading.Thread(
        target=lambda: outcomes.append(replay(model, stream, numbers=numbers))
    )
    start = time.thread_time()
    thread.start()
    while thread.is_alive():
        pass
    assert time.thread_time() - start > outcomes[0].seconds / 10

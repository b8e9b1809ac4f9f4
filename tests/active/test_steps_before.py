"""A pipeline in an active learner, and an active learner in a pipeline."""

from __future__ import annotations

import pytest
from asking import ALWAYS, CountsEvents, CountsLabels, X, answered, readings, score
from learners import sparse_events
from river import (
    compose,
    datasets,
    feature_extraction,
    linear_model,
    preprocessing,
    stats,
)

from river_oa3 import (
    ActiveLearner,
    OA3Classifier,
    OA3DiagClassifier,
    SSOA3Classifier,
    query,
)

# A pipeline inside

INSIDE = {
    "ours": OA3DiagClassifier,
    "rivers": linear_model.LogisticRegression,
}
each_inside = pytest.mark.parametrize("classifier", INSIDE.values(), ids=INSIDE)


def test_query_is_computed_on_the_transformed_event():
    scaler, learner = preprocessing.StandardScaler(), OA3Classifier()
    rule = query.AsymmetricQuery(0.5, 0.2)
    model = ActiveLearner(scaler | learner, query=rule, seed=1)
    for x, y in readings():
        scaled = scaler.transform_one(x)
        if any(scaled.values()):
            expected = rule.probability(learner.margin_one(scaled), learner.confidence_one(scaled))
            assert model.query_probability(x) == expected
        answered(model, [(x, y)])


def test_query_of_another_classifier_is_computed_on_the_transformed_event():
    scaler, classifier = preprocessing.StandardScaler(), linear_model.LogisticRegression()
    rule = query.AsymmetricQuery(0.5, 0.2)
    model = ActiveLearner(scaler | classifier, query=rule, seed=1)
    for x, y in readings():
        margin = 2.0 * classifier.predict_proba_one(scaler.transform_one(x))[True] - 1.0
        assert model.query_probability(x) == pytest.approx(rule.probability(margin, 0.0))
        answered(model, [(x, y)])


@each_inside
@pytest.mark.parametrize("labels", [0, 1, 10, None])
def test_scaler_counts_each_predicted_event_once(classifier, labels):
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | classifier(), budget=labels, seed=1)
    answered(model, readings(200))
    assert scaler.counts == {"a": 200, "b": 200}


@pytest.mark.parametrize("labels", [0, 1, 10, None])
def test_scaler_knows_all_predicted_events(labels):
    scaler, expected = preprocessing.StandardScaler(), preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), budget=labels, seed=1)
    answered(model, readings(200))
    for x, _ in readings(200):
        expected.learn_one(x)
    assert (scaler.means, scaler.vars) == (expected.means, expected.vars)


@each_inside
@pytest.mark.parametrize("labels", [5, 60])
@pytest.mark.parametrize("delay", [None, 1, 30, 1000])
def test_scaler_counts_each_event_once_in_the_evaluator(classifier, labels, delay):
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | classifier(), budget=labels, seed=1)
    score(model, readings(200), delay=delay)
    assert scaler.counts == {"a": 200, "b": 200}


def test_scaler_counts_each_event_once_while_river_learns_during_predictions():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), seed=1)
    with compose.learn_during_predict():
        answered(model, readings(100))
    assert scaler.counts == {"a": 100, "b": 100}


@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one"])
def test_prediction_uses_the_scaler_as_it_was_before_the_event(method):
    scaler, learner = preprocessing.StandardScaler(), OA3Classifier()
    model = ActiveLearner(scaler | learner, budget=0)
    for x, y in readings(50):
        model.learn_one(x, y)
    for x, _ in readings(100):
        expected = getattr(learner, method)(scaler.transform_one(x))
        assert getattr(model, method)(x)[0] == expected


def test_each_step_is_taught_what_reaches_it():
    first, second = preprocessing.StandardScaler(), preprocessing.StandardScaler()
    model = ActiveLearner(first | compose.Prefixer("scaled_") | second | OA3Classifier(), budget=0)
    for x, _ in readings(30):
        model.predict_one(x)
    assert (set(first.counts), set(second.counts)) == ({"a", "b"}, {"scaled_a", "scaled_b"})


def test_late_labels_teach_the_scaler_nothing():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), query=ALWAYS)
    events = list(readings(60))
    asked = [(x, y) for x, y in events if model.predict_one(x)[1]]
    for x, y in reversed(asked):
        model.learn_one(x, y)
    assert (len(asked) > 50, scaler.counts["a"]) == (True, 60)


def test_scaler_is_not_taught_by_looking():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier())
    for x, _ in readings(20):
        model.query_probability(x)
    assert not scaler.counts


def parts(model):
    """The parts of the union that a pipeline starts with; river makes copies of them."""
    return list(model.classifier["TransformerUnion"].transformers.values())


def test_parts_of_a_union_are_taught_once():
    union = (compose.Select("a") | preprocessing.StandardScaler()) + (
        compose.Select("b") | preprocessing.StandardScaler()
    )
    model = ActiveLearner(union | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert [part["StandardScaler"].counts for part in parts(model)] == [{"a": 100}, {"b": 100}]


def test_step_that_needs_labels_learns_from_labels_alone():
    counter = CountsLabels()
    model = ActiveLearner(counter | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert counter.n == 10


def test_union_of_steps_with_and_without_labels_teaches_each_its_own():
    union = CountsLabels() + CountsEvents()
    model = ActiveLearner(union | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert [part.n for part in parts(model)] == [10, 100]


def test_steps_with_and_without_labels_in_a_row_are_taught_each_its_own():
    with_labels, without = CountsLabels(), CountsEvents()
    model = ActiveLearner(without | with_labels | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, readings(100))
    assert (with_labels.n, without.n) == (10, 100)


def test_target_means_learn_from_asked_labels_alone():
    aggregate = feature_extraction.TargetAgg(by="shop", how=stats.Count())
    scale = compose.Select("a") | preprocessing.StandardScaler()
    model = ActiveLearner((aggregate + scale) | OA3DiagClassifier(), budget=10, seed=1)
    answered(model, [({"shop": "x", "a": x["a"]}, y) for x, y in readings(100)])
    assert parts(model)[0].transform_one({"shop": "x"}) == {"y_count_by_shop": 10}


@each_inside
def test_labels_before_any_prediction_teach_the_whole_pipeline(classifier):
    scaler, events = preprocessing.StandardScaler(), CountsEvents()
    model = ActiveLearner(scaler | events | classifier())
    for x, y in readings(30):
        model.learn_one(x, y)
    assert (scaler.counts["a"], events.n) == (30, 30)


def test_labels_before_any_prediction_make_rivers_own_pipeline():
    model = ActiveLearner(preprocessing.StandardScaler() | OA3Classifier())
    expected = preprocessing.StandardScaler() | OA3Classifier()
    for x, y in readings(30):
        model.learn_one(x, y)
        expected.learn_one(x, y)
    weights = expected["OA3Classifier"].weights
    assert model.classifier["OA3Classifier"].weights == weights


def test_predictions_after_a_training_go_on_counting():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(scaler | OA3DiagClassifier(), budget=10, seed=1)
    for x, y in readings(30):
        model.learn_one(x, y)
    answered(model, readings(50))
    assert scaler.counts["a"] == 80


def test_transformers_learn_with_the_labels_alone_where_that_is_wanted():
    scaler = preprocessing.StandardScaler()
    model = ActiveLearner(
        scaler | linear_model.LogisticRegression(), budget=20, seed=1, learn_transformers=False
    )
    answered(model, readings(100))
    assert scaler.counts == {"a": 20, "b": 20}


def test_pipeline_whose_transformers_do_not_learn_by_themselves_is_rivers_own():
    model = ActiveLearner(
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        query=ALWAYS,
        learn_transformers=False,
    )
    expected = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    for x, y in readings(100):
        assert model.predict_proba_one(x)[0] == expected.predict_proba_one(x)
        model.learn_one(x, y)
        expected.learn_one(x, y)


@each_inside
def test_min_max_scaler_in_front_works_from_the_first_event(classifier):
    model = ActiveLearner(preprocessing.MinMaxScaler() | classifier(), seed=1)
    answered(model, readings(100))
    assert model.n_seen == 100


@each_inside
def test_probability_behind_a_min_max_scaler_is_a_number_from_the_first_event(classifier):
    model = ActiveLearner(preprocessing.MinMaxScaler() | classifier(), seed=1)
    model.predict_one(X)
    assert 0.0 <= model.last_query.probability <= 1.0


def test_probability_can_be_looked_at_before_a_min_max_scaler_has_learned():
    model = ActiveLearner(preprocessing.MinMaxScaler() | OA3Classifier())
    assert 0.0 <= model.query_probability(X) <= 1.0


def test_min_max_scaler_in_front_takes_features_that_turn_up_later():
    model = ActiveLearner(preprocessing.MinMaxScaler() | OA3DiagClassifier(), seed=1)
    answered(model, sparse_events(200))
    assert model.n_seen == 200


def test_learner_behind_a_min_max_scaler_learns():
    model = ActiveLearner(preprocessing.MinMaxScaler() | SSOA3Classifier(), budget=100, seed=1)
    assert score(model, datasets.Phishing()) > 0.6


def test_learner_behind_a_scaler_learns_from_few_labels():
    model = ActiveLearner(preprocessing.StandardScaler() | SSOA3Classifier(), budget=100, seed=1)
    assert score(model, datasets.Phishing()) > 0.7


def test_pipeline_in_a_pipeline_works():
    inner = compose.Pipeline(preprocessing.Normalizer(), OA3DiagClassifier())
    model = ActiveLearner(compose.Pipeline(preprocessing.StandardScaler(), inner), budget=10)
    answered(model, readings(50))
    assert (model.n_seen, model.n_learned) == (50, 10)


def test_text_goes_through_a_bag_of_words():
    model = ActiveLearner(feature_extraction.BagOfWords() | OA3DiagClassifier(), query=ALWAYS)
    for _ in range(5):
        answered(model, [("win cash now", True), ("lunch tomorrow", False)])
    assert (model.predict_one("win cash")[0], model.predict_one("lunch")[0]) == (True, False)


def test_scalers_one_after_the_other_work_from_the_first_event():
    model = ActiveLearner(
        preprocessing.MinMaxScaler() | preprocessing.StandardScaler() | OA3DiagClassifier(), ALWAYS
    )
    for x, y in sparse_events(30, n_features=4, n_nonzero=4):
        model.predict_one(x)
        model.learn_one(x, y)
    assert model.n_seen == 30


def test_transformers_learn_what_rivers_would():
    def scalers():
        return preprocessing.StandardScaler() | preprocessing.MinMaxScaler()

    ours = ActiveLearner(scalers() | OA3DiagClassifier(), budget=0)
    rivers = scalers() | OA3DiagClassifier()
    for x, _ in sparse_events(50, n_features=4, n_nonzero=4):
        ours.predict_one(x)
        with compose.learn_during_predict():
            rivers.predict_one(x)
    least, rivers_least = (
        {name: low.get() for name, low in model["MinMaxScaler"].min.items()}
        for model in (ours.classifier, rivers)
    )
    assert least == rivers_least


# A pipeline outside


def outside(scaler, classifier, **kwargs):
    learner = ActiveLearner(classifier, **kwargs)
    return scaler | learner, learner


@pytest.mark.parametrize("classifier", [SSOA3Classifier, linear_model.LogisticRegression])
@pytest.mark.parametrize("scaler", [preprocessing.StandardScaler, preprocessing.Normalizer])
class TestBehindAScalerOfItsOwn:
    def test_learns_in_the_evaluator(self, scaler, classifier):
        model, _ = outside(scaler(), classifier(), budget=100, seed=1)
        assert score(model, datasets.Phishing()) > 0.6

    @pytest.mark.parametrize("delay", [None, 20])
    def test_spends_its_budget_and_no_more_in_the_evaluator(self, scaler, classifier, delay):
        model, learner = outside(scaler(), classifier(), budget=100, seed=1)
        score(model, datasets.Phishing(), delay=delay)
        assert (learner.n_asked, learner.n_learned) == (100, 100)

    def test_prints_the_samples_used(self, scaler, classifier, capsys):
        model, _ = outside(scaler(), classifier(), budget=100, seed=1)
        score(model, datasets.Phishing(), print_every=1250)
        assert "100 samples used" in capsys.readouterr().out


def test_learner_behind_a_scaler_of_its_own_answers_as_by_itself():
    model, learner = outside(preprocessing.Normalizer(), OA3Classifier(), query=ALWAYS)
    label, ask = model.predict_one(X)
    assert (label, ask, learner.n_asked) == (True, True, 1)

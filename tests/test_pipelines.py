"""The learners do their work wherever river would put a classifier.

Floors leave room below what the learners reach, and lie well above what guessing reaches: 0.5 for
the area under the curve, ln 2 for the log loss, the larger class (56% of Phishing) for accuracy.
"""

import datetime as dt
import random

import pandas as pd
import pytest
from learners import each_learner, each_sketch, learned, sparse_events, state, trained
from river import (
    bandit,
    compose,
    datasets,
    drift,
    ensemble,
    evaluate,
    feature_extraction,
    metrics,
    model_selection,
    multiclass,
    preprocessing,
    stats,
    utils,
)

from river_oa3 import SSOA3Classifier

# What the floors below measure.
accuracy, auc, log_loss = metrics.Accuracy, metrics.ROCAUC, metrics.LogLoss


def score(model, dataset, metric=auc, **kwargs):
    return evaluate.progressive_val_score(dataset, model, metric(), **kwargs).get()


def scaled(learner):
    return preprocessing.StandardScaler() | learner()


def messages(n=500, seed=3):
    """Short texts, spam or not, of which one word in five misleads."""
    rng = random.Random(seed)
    words = {
        True: ["win", "free", "prize", "cash", "offer", "click", "now", "urgent"],
        False: ["meeting", "lunch", "report", "tomorrow", "thanks", "family", "project", "call"],
    }
    filler = ["the", "a", "to", "you", "we", "is", "for", "on"]
    for _ in range(n):
        spam = rng.random() < 0.4
        text = rng.choices(filler, k=6)
        text += [rng.choice(words[spam if rng.random() < 0.8 else not spam]) for _ in range(4)]
        rng.shuffle(text)
        yield " ".join(text), spam


def purchases(n=800, seed=4):
    """Events of numbers and categories, side by side."""
    rng = random.Random(seed)
    for _ in range(n):
        x = {
            "colour": rng.choice(["red", "green", "blue"]),
            "shop": rng.choice(["a", "b", "c", "d"]),
            "price": rng.gauss(100, 20),
            "age": rng.gauss(40, 10),
        }
        taste = 1.5 * (x["colour"] == "red") - (x["shop"] == "a")
        yield x, taste + (x["price"] - 100) / 20 - (x["age"] - 40) / 20 + rng.gauss(0, 0.3) > 0.3


# Behind river's transformers


@each_learner
def test_learns_behind_a_standard_scaler(learner):
    assert score(scaled(learner), datasets.Phishing()) > 0.78


@each_learner
def test_learns_behind_a_normalizer(learner):
    assert score(preprocessing.Normalizer() | learner(), datasets.Phishing()) > 0.75


def test_ssoa3_behind_a_normalizer_finds_the_rare_events_of_shuttle():
    model = preprocessing.Normalizer() | SSOA3Classifier()
    assert score(model, datasets.Shuttle().take(5000)) > 0.93


@each_learner
def test_learns_unbalanced_numeric_labels(learner):
    """Shuttle's labels are the integers 0 and 1, one event in eleven an anomaly."""
    assert score(scaled(learner), datasets.Shuttle().take(5000)) > 0.9


@each_learner
def test_learns_behind_a_one_hot_encoder(learner):
    assert score(preprocessing.OneHotEncoder() | learner(), datasets.Phishing()) > 0.9


@each_learner
def test_learns_behind_a_feature_hasher(learner):
    categories = [({n: str(v) for n, v in x.items()}, y) for x, y in datasets.Phishing()]
    model = preprocessing.FeatureHasher(n_features=40, seed=1) | learner()
    assert score(model, categories) > 0.88


@each_learner
@pytest.mark.parametrize(
    "reader", [feature_extraction.BagOfWords, feature_extraction.TFIDF], ids=lambda r: r.__name__
)
def test_learns_from_text(learner, reader):
    assert score(reader() | learner(), messages()) > 0.8


@each_learner
def test_learns_from_pairs_of_words(learner):
    """Names are tuples here."""
    pairs = feature_extraction.BagOfWords(ngram_range=(1, 2))
    assert score(pairs | preprocessing.Normalizer() | learner(), messages(), accuracy) > 0.75


@each_learner
def test_learns_from_numbers_and_categories_in_union(learner):
    numbers = compose.SelectType(float) | preprocessing.StandardScaler()
    categories = compose.SelectType(str) | preprocessing.OneHotEncoder()
    model = compose.TransformerUnion(numbers, categories) | learner()
    assert score(model, purchases()) > 0.78


@each_learner
def test_learns_from_what_an_imputer_fills_in(learner):
    """The help that a missing value's error message offers does help."""
    rng = random.Random(1)
    holed = [
        ({n: None if rng.random() < 0.1 else v for n, v in x.items()}, y)
        for x, y in datasets.Phishing()
    ]
    names = next(iter(datasets.Phishing()))[0]
    imputer = preprocessing.StatImputer(*((name, stats.Mean()) for name in names))
    assert score(imputer | preprocessing.StandardScaler() | learner(), holed) > 0.72


@each_learner
def test_learns_while_its_scaler_learns_during_predict(learner):
    with compose.learn_during_predict():
        assert score(scaled(learner), datasets.Phishing()) > 0.78


@each_learner
def test_pipeline_explains_an_event(learner):
    model = scaled(learner)
    model.learn_one({"f0": 1.0}, True)
    assert learner.__name__ in model.debug_one({"f0": 1.0})


@each_learner
def test_pipeline_passes_the_weight_of_an_event_on(learner):
    light, heavy = compose.Pipeline(learner()), compose.Pipeline(learner())
    light.learn_one({"f0": 1.0, "f1": 2.0}, True, w=1.0)
    heavy.learn_one({"f0": 1.0, "f1": 2.0}, True, w=4.0)
    expected = {name: 4 * weight for name, weight in light[learner.__name__].weights.items()}
    assert heavy[learner.__name__].weights == pytest.approx(expected)


# Inside river's ensembles and selectors


@each_learner
def test_tells_seven_classes_apart_one_versus_rest(learner):
    model = preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(learner())
    assert score(model, datasets.ImageSegments(), accuracy) > 0.5


@each_learner
def test_tells_seven_classes_apart_one_versus_one(learner):
    model = preprocessing.StandardScaler() | multiclass.OneVsOneClassifier(learner())
    assert score(model, datasets.ImageSegments(), accuracy) > 0.5


@each_learner
def test_tells_seven_classes_apart_in_batches(learner):
    model = preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(learner())
    metric = accuracy()
    for X in pd.read_csv(datasets.ImageSegments().path, chunksize=50):
        y = X.pop("category")
        predicted = model.predict_many(X)
        model.learn_many(X, y)
        for truth, guess in zip(y, predicted, strict=True):
            metric.update(truth, guess)
    assert metric.get() > 0.45


@each_learner
@pytest.mark.parametrize(
    "many",
    [
        ensemble.BaggingClassifier,
        ensemble.ADWINBaggingClassifier,
        ensemble.LeveragingBaggingClassifier,
        ensemble.AdaBoostClassifier,
    ],
    ids=lambda many: many.__name__,
)
def test_learns_in_an_ensemble(learner, many):
    model = preprocessing.StandardScaler() | many(learner(), n_models=3, seed=42)
    assert score(model, datasets.Phishing(), accuracy) > 0.7


def changing_events(n=1500):
    """What was true in the first half is false in the second."""
    for i, (x, y) in enumerate(sparse_events(n)):
        yield x, y if i < n // 2 else not y


@each_learner
@pytest.mark.parametrize("detector", [drift.binary.DDM, drift.ADWIN], ids=lambda d: d.__name__)
def test_retraining_on_drift_recovers(learner, detector):
    model = drift.DriftRetrainingClassifier(learner(), detector(), train_in_background=False)
    metric = accuracy()
    for i, (x, y) in enumerate(changing_events()):
        if i >= 1000:
            metric.update(y, model.predict_one(x))
        model.learn_one(x, y)
    assert metric.get() > 0.65


@each_learner
def test_retraining_on_drift_beats_holding_on(learner):
    model = drift.DriftRetrainingClassifier(learner(), drift_detector=drift.binary.DDM())
    assert score(model, changing_events(), accuracy) > score(learner(), changing_events(), accuracy)


# Learners whose covariance stiffens at once, and two that may keep learning.
GAMMAS = [1e-8, 1e-2, 1.0, 10.0]


@each_learner
def test_learns_under_a_bandit(learner):
    model = preprocessing.StandardScaler() | model_selection.BanditClassifier(
        utils.expand_param_grid(learner(), {"gamma": GAMMAS}),
        metric=accuracy(),
        policy=bandit.EpsilonGreedy(epsilon=0.1, decay=0.001, burn_in=20, seed=42),
    )
    assert score(model, datasets.Phishing(), accuracy) > 0.68


@each_learner
def test_learns_under_successive_halving(learner):
    model = model_selection.SuccessiveHalvingClassifier(
        utils.expand_param_grid(scaled(learner), {learner.__name__: {"gamma": GAMMAS}}),
        metric=accuracy(),
        budget=2000,
    )
    assert score(model, datasets.Phishing(), accuracy) > 0.68


@each_learner
def test_is_one_voice_among_others(learner):
    others = [scaled(learner), preprocessing.OneHotEncoder() | learner(eta=0.5)]
    model = ensemble.VotingClassifier([*others, preprocessing.MaxAbsScaler() | learner()])
    assert score(model, datasets.Phishing(), accuracy) > 0.7


# Under river's evaluation


DELAYS = {"at-once": {}, "delayed": {"delay": 50}}
each_delay = pytest.mark.parametrize("delay", DELAYS.values(), ids=DELAYS)


@each_learner
@each_delay
def test_accuracy_on_phishing(learner, delay):
    assert score(scaled(learner), datasets.Phishing(), accuracy, **delay) > 0.7


@each_learner
@each_delay
def test_area_under_the_curve_on_phishing(learner, delay):
    assert score(scaled(learner), datasets.Phishing(), auc, **delay) > 0.78


@each_learner
@each_delay
def test_log_loss_on_phishing(learner, delay):
    assert score(scaled(learner), datasets.Phishing(), log_loss, **delay) < 0.6


@each_learner
def test_labels_may_come_days_later(learner):
    start = dt.datetime(2020, 1, 1)
    dated = [
        (x | {"when": start + dt.timedelta(hours=i)}, y)
        for i, (x, y) in enumerate(datasets.Phishing())
    ]
    model = compose.Discard("when") | scaled(learner)
    assert score(model, dated, moment="when", delay=dt.timedelta(days=2)) > 0.78


@each_learner
def test_labels_that_come_after_the_last_event_are_learned_in_order(learner):
    model, events = learner(), sparse_events(50)
    evaluate.progressive_val_score(events, model, accuracy(), delay=100)
    assert state(model) == state(learned(learner(), events))


@each_learner
def test_metrics_evaluated_together_agree_with_each_alone(learner):
    together = accuracy() + auc() + log_loss()
    evaluate.progressive_val_score(datasets.Phishing(), scaled(learner), together)
    alone = [score(scaled(learner), datasets.Phishing(), m) for m in (accuracy, auc, log_loss)]
    # A few events apart: at even odds river reads probabilities as False, and margins as True.
    assert [metric.get() for metric in together] == pytest.approx(alone, abs=5 / 1250)


@each_learner
def test_evaluation_passes_weights_on(learner):
    events = sparse_events(50)
    weighed, model = learner(), learner()
    evaluate.progressive_val_score([(x, y, {"w": 3.0}) for x, y in events], weighed, accuracy())
    for x, y in events:
        model.learn_one(x, y, w=3.0)
    assert weighed.weights == model.weights


@each_learner
def test_evaluation_measures_memory(learner):
    steps = list(
        evaluate.iter_progressive_val_score(
            sparse_events(20), learner(), accuracy(), step=10, measure_memory=True
        )
    )
    assert [type(step["Memory"]) for step in steps] == [int, int]


# Parameters, the river way


@each_learner
def test_parameter_grid_makes_one_model_of_each(learner):
    models = utils.expand_param_grid(learner(), {"eta": [0.1, 0.2], "rho": [1.0, 5.0]})
    assert [(m.eta, m.rho) for m in models] == [(0.1, 1.0), (0.1, 5.0), (0.2, 1.0), (0.2, 5.0)]


@each_sketch
def test_parameter_grid_spans_sketch_sizes(learner):
    models = utils.expand_param_grid(learner(), {"sketch_size": [1, 5, 20]})
    assert [model.sketch_size for model in models] == [1, 5, 20]


@each_learner
def test_pipeline_is_cloned_with_new_parameters(learner):
    clone = scaled(learner).clone({learner.__name__: {"eta": 0.25}})
    assert clone[learner.__name__].eta == 0.25


@each_learner
def test_eta_gamma_and_rho_may_be_mutated(learner):
    model = trained(learner)
    model.mutate({"eta": 0.25, "gamma": 2.0, "rho": 4.0})
    assert (model.eta, model.gamma, model.rho) == (0.25, 2.0, 4.0)


@each_learner
def test_mutation_forgets_nothing(learner):
    model = trained(learner)
    before = model.weights
    model.mutate({"eta": 0.25, "gamma": 2.0, "rho": 4.0})
    assert model.weights == before


@each_learner
def test_mutation_reaches_into_a_pipeline(learner):
    model = scaled(learner)
    model.mutate({learner.__name__: {"eta": 0.25}})
    assert model[learner.__name__].eta == 0.25


@each_learner
def test_mutation_to_a_bad_value_is_refused(learner):
    model = trained(learner)
    before = state(model)
    with pytest.raises(ValueError, match="gamma"):
        model.mutate({"gamma": -1.0})
    assert state(model) == before


@each_sketch
@pytest.mark.parametrize("attribute", ["sketch_size", "seed"])
def test_shape_of_a_sketch_may_not_be_mutated(learner, attribute):
    with pytest.raises(ValueError, match=attribute):
        learner().mutate({attribute: 3})


@each_learner
def test_representation_shows_the_parameters(learner):
    assert "eta=0.375" in repr(learner(eta=0.375))

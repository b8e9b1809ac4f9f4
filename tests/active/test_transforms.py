"""How often the steps of a pipeline transform an event, and whose errors they may hide."""

from __future__ import annotations

import pytest
from asking import ALWAYS, CountsEvents, CountsLabels, X, answered, readings
from river import anomaly, base, compose, linear_model, preprocessing

from river_oa3 import ActiveLearner, OA3DiagClassifier


class Transforms(base.Transformer):
    """Counts how often it transforms, and learns nothing."""

    def __init__(self):
        self.n = 0

    def transform_one(self, x):
        self.n += 1
        return x


class LearnsAndTransforms(Transforms):
    def learn_one(self, x):
        pass


class LearnsLabelsAndTransforms(base.SupervisedTransformer):
    def __init__(self):
        self.n = 0

    def learn_one(self, x, y):
        pass

    def transform_one(self, x):
        self.n += 1
        return x


INSIDE = {"ours": OA3DiagClassifier, "rivers": linear_model.LogisticRegression}
each_inside = pytest.mark.parametrize("classifier", INSIDE.values(), ids=INSIDE)
each_step = pytest.mark.parametrize(
    "step", [Transforms, LearnsAndTransforms, LearnsLabelsAndTransforms]
)


@each_inside
@each_step
@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one", "query_probability"])
def test_predicted_event_is_transformed_once(classifier, step, method):
    counter = step()
    model = ActiveLearner(counter | preprocessing.Normalizer() | classifier())
    for x, _ in readings(10):
        getattr(model, method)(x)
    assert counter.n == 10


@each_inside
@each_step
def test_label_of_a_predicted_event_takes_one_more_transform(classifier, step):
    counter = step()
    model = ActiveLearner(counter | classifier(), ALWAYS)
    answered(model, readings(10))
    assert (model.n_learned, counter.n) == (10, 20)


def test_step_before_one_that_learns_is_transformed_again_as_river_would():
    """What the second step learns is what the first one makes of the event after learning it."""
    first, second = LearnsAndTransforms(), LearnsAndTransforms()
    model = ActiveLearner(first | second | OA3DiagClassifier(), budget=0)
    for x, _ in readings(10):
        model.predict_one(x)
    assert (first.n, second.n) == (20, 10)


@pytest.mark.parametrize(("classifier", "n"), [(OA3DiagClassifier, 20), (INSIDE["rivers"], 10)])
def test_label_without_a_prediction_is_looked_at_before_it_is_learned(classifier, n):
    counter = LearnsAndTransforms()
    model = ActiveLearner(counter | classifier())
    for x, y in readings(10):
        model.learn_one(x, y)
    assert counter.n == n


# Division by zero


def ratio(x):
    return {"ratio": x["a"] / x["b"]}


class Ratio(base.Transformer):
    def transform_one(self, x):
        return ratio(x)


class OwnNormalizer(preprocessing.Normalizer):
    def transform_one(self, x):
        return ratio(x)


BROKEN = {
    "function": lambda: compose.FuncTransformer(ratio),
    "transformer": Ratio,
    "subclass": OwnNormalizer,
    "union": lambda: compose.Select("a") + compose.FuncTransformer(ratio),
    "pipeline in a union": lambda: (
        (compose.Select("a", "b") | compose.FuncTransformer(ratio)) + compose.Select("a")
    ),
}
each_broken = pytest.mark.parametrize("step", BROKEN.values(), ids=BROKEN)


@each_broken
@pytest.mark.parametrize("method", ["predict_one", "predict_proba_one", "query_probability"])
def test_division_by_zero_in_a_users_step_is_raised(step, method):
    model = ActiveLearner(compose.Pipeline(step(), OA3DiagClassifier()))
    with pytest.raises(ZeroDivisionError):
        getattr(model, method)({"a": 1.0, "b": 0.0})


@each_broken
def test_division_by_zero_in_a_users_step_is_raised_when_the_label_comes(step):
    model = ActiveLearner(compose.Pipeline(step(), OA3DiagClassifier()))
    with pytest.raises(ZeroDivisionError):
        model.learn_one({"a": 1.0, "b": 0.0}, True)


def test_division_by_zero_in_a_users_step_costs_nothing_and_teaches_nothing():
    events, labels = CountsEvents(), CountsLabels()
    pipeline = events | labels | compose.FuncTransformer(ratio) | OA3DiagClassifier()
    model = ActiveLearner(pipeline, ALWAYS, budget=5)
    with pytest.raises(ZeroDivisionError):
        model.predict_one({"a": 1.0, "b": 0.0})
    assert (events.n, labels.n, model.n_seen, model._budget.left) == (0, 0, 0, 5)


NORMALIZERS = {
    "step": preprocessing.Normalizer,
    "in a union": lambda: preprocessing.Normalizer() + compose.Discard("a", "b"),
    "in a pipeline in a union": lambda: (
        (compose.Select("a", "b") | preprocessing.Normalizer()) + compose.Discard("a", "b")
    ),
}


@pytest.mark.parametrize("step", NORMALIZERS.values(), ids=NORMALIZERS)
@pytest.mark.parametrize("x", [{"a": 0.0, "b": 0}, {"a": 1e-300}, {}])
def test_event_without_a_length_behind_rivers_normalizer_is_empty(step, x):
    model = ActiveLearner(compose.Pipeline(step(), OA3DiagClassifier()), ALWAYS)
    x = {"a": 0.0, "b": 0.0, **x}
    assert model.predict_one(x) == (True, False)
    model.learn_one(x, True)
    assert model.n_learned == 1


def test_what_others_of_a_union_give_is_kept_where_a_normalizer_has_nothing_to_divide():
    union = preprocessing.Normalizer() + compose.FuncTransformer(lambda x: {"constant": 1.0})
    model = ActiveLearner(union | OA3DiagClassifier(), ALWAYS)
    assert model.predict_one({"a": 0.0}) == (True, True)


@pytest.mark.parametrize("learned", [False, True])
def test_union_transforms_as_rivers_own(learned):
    def union():
        return (
            (compose.Select("a") | preprocessing.StandardScaler())
            + preprocessing.MaxAbsScaler()
            + compose.Prefixer("raw_")
        )

    ours = ActiveLearner(union() | linear_model.LogisticRegression(), learn_transformers=False)
    rivers = union() | linear_model.LogisticRegression()
    for x, y in readings(20):
        assert ours.predict_proba_one(x)[0] == rivers.predict_proba_one(x)
        if learned:
            ours.learn_one(x, y)
            rivers.learn_one(x, y)
    assert ours.predict_one(X)[0] == rivers.predict_one(X)


def test_steps_of_a_pipeline_in_a_union_learn_what_rivers_would():
    def union():
        scalers = preprocessing.StandardScaler() | preprocessing.MinMaxScaler()
        return scalers + compose.Select("a")

    ours = ActiveLearner(union() | OA3DiagClassifier(), budget=0)
    rivers = union()
    for x, _ in readings(30):
        ours.predict_one(x)
        rivers.learn_one(x)
    scalers = [model["Pipeline"] for model in (ours.classifier["TransformerUnion"], rivers)]
    mine, theirs = (
        [
            pipeline["StandardScaler"].means,
            {name: low.get() for name, low in pipeline["MinMaxScaler"].min.items()},
        ]
        for pipeline in scalers
    )
    assert mine == theirs


def test_filter_of_a_pipeline_in_a_union_learns_as_in_river():
    events = CountsEvents()
    detector = anomaly.QuantileFilter(anomaly.HalfSpaceTrees(seed=1), q=0.9)
    union = compose.Pipeline(detector, events) + compose.Select("a")
    model = ActiveLearner(union | OA3DiagClassifier(), budget=0)
    for x, _ in readings(10):
        model.predict_one(x)
    taught = model.classifier["TransformerUnion"]["Pipeline"]
    assert taught["QuantileFilter"].anomaly_detector.counter > 0
    assert taught["CountsEvents"].n == 10

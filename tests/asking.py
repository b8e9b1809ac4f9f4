"""Clocks, classifiers, transformers and streams for the tests of active learners."""

from __future__ import annotations

from river import base, evaluate

from river_oa3 import metrics, query

ALWAYS = query.FirstComeQuery()
# Probabilities of other classifiers lie close to 0 or 1: biases that leave chance a chance.
OFTEN = query.AsymmetricQuery(delta_pos=1.0, delta_neg=0.2)
X = {"a": 1.0, "b": -0.5}


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


class Opinionated(base.Classifier):
    """Says what it is told to say, and remembers how it was taught."""

    def __init__(self, odds, label=None):
        self.odds = odds
        self.label = label
        self.lessons = []

    @property
    def _multiclass(self):
        return True

    def predict_proba_one(self, x):
        return self.odds

    def predict_one(self, x):
        return self.label

    def learn_one(self, x, y):
        self.lessons.append({})


class OpinionatedWithWeight(Opinionated):
    def learn_one(self, x, y, w=1.0):
        self.lessons.append({"w": w})


class OpinionatedWithAnything(Opinionated):
    def learn_one(self, x, y, **kwargs):
        self.lessons.append(kwargs)


class CountsEvents(base.Transformer):
    """Counts what it learns, and lets everything through."""

    def __init__(self):
        self.n = 0

    def learn_one(self, x):
        self.n += 1

    def transform_one(self, x):
        return x


class CountsLabels(base.SupervisedTransformer):
    """Counts the labels that it learns, and lets everything through."""

    def __init__(self):
        self.n = 0

    def learn_one(self, x, y):
        self.n += 1

    def transform_one(self, x):
        return x


def readings(n=200):
    """Events that always have the same features, none of them on a common scale."""
    for i in range(n):
        x = {"a": 100.0 + i % 7, "b": (i * 5 % 11) / 1000}
        yield x, (i % 7 > 3) != (i % 5 == 0)


def answered(model, events):
    """The decisions on a stream whose labels come at once."""
    decisions = []
    for x, y in events:
        _, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)
        decisions.append(ask)
    return decisions


def labels_asked(model, events):
    events = list(events)
    return [y for (_, y), ask in zip(events, answered(model, events), strict=True) if ask]


def score(model, dataset, metric=None, **kwargs):
    metric = metrics.WeightedSum() if metric is None else metric
    return evaluate.progressive_val_score(dataset, model, metric, **kwargs).get()

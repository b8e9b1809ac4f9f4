"""The four learners, and what the tests do to them."""

from __future__ import annotations

import math
import pickle
import random

import pytest
from hypothesis import strategies as st

from river_oa3 import OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier

LEARNERS = [OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier]
SKETCHES = [SOA3Classifier, SSOA3Classifier]

each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda c: c.__name__)
each_sketch = pytest.mark.parametrize("learner", SKETCHES, ids=lambda c: c.__name__)

DOCUMENTED_ERRORS = (ValueError, TypeError, OverflowError, MemoryError)

# How a learner may be asked about an event; none of these may change the model.
QUESTIONS = [
    "margin_one",
    "variance_one",
    "confidence_one",
    "predict_one",
    "predict_proba_one",
]


def sparse_events(n=200, n_features=30, n_nonzero=6, seed=1):
    """A nearly separable stream whose features turn up one after another."""
    rng = random.Random(seed)
    direction = [rng.gauss(0, 1) for _ in range(n_features)]
    events = []
    for i in range(n):
        known = min(n_features, n_nonzero + i // 3)
        chosen = rng.sample(range(known), n_nonzero)
        x = {f"f{j}": rng.gauss(0, 1) for j in chosen}
        margin = sum(direction[j] * x[f"f{j}"] for j in chosen)
        events.append((x, margin + rng.gauss(0, 0.3) > 0))
    return events


def learned(model, events):
    for x, y in events:
        model.learn_one(x, y)
    return model


def trained(learner, n=40, **params):
    """A model with a past: a state worth protecting."""
    return learned(learner(**params), sparse_events(n))


def state(model) -> bytes:
    return pickle.dumps(model)


def margins_while_learning(model, events):
    margins = []
    for x, y in events:
        margins.append(model.margin_one(x))
        model.learn_one(x, y)
    return margins


def assert_answers_finitely(model, events):
    """The model is finite inside, and answers these events with finite numbers."""
    bad = {name: weight for name, weight in model.weights.items() if not math.isfinite(weight)}
    assert not bad
    for x in events:
        assert math.isfinite(model.margin_one(x))
        assert 0 <= model.variance_one(x) < math.inf
        assert 0 <= model.predict_proba_one(x)[True] <= 1


_events = st.dictionaries(
    st.sampled_from([f"f{i}" for i in range(12)]),
    st.floats(-10, 10).map(lambda value: round(value, 3)),
    max_size=6,
)
event_streams = st.lists(st.tuples(_events, st.booleans()), max_size=25)


def arithmetic_events(n):
    """Events from whole numbers alone: the same on any machine, in any year."""
    for i in range(n):
        known = 4 + i // 4
        chosen = sorted({(i * k) % known for k in (1, 3, 5, 7)})
        kinds = ("f{}".format, int, lambda j: ("pair", j))
        x = {kinds[j % 3](j): ((i * 7 + j * 5) % 11 - 5) / 4 for j in chosen}
        yield x, sum(x.values()) > ((i * 3) % 7 - 3) / 8

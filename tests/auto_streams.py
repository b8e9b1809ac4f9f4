"""Raw events for the tests of AutoOA3, and what the tests ask about them."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from river_oa3 import AutoOA3Classifier

# How an AutoOA3Classifier may be asked about an event; none of these may change it.
AUTO_QUESTIONS = [
    "margin_one",
    "variance_one",
    "confidence_one",
    "predict_one",
    "predict_proba_one",
]


def raw_events(n, seed=0):
    """(x, y, w): numbers on scales far apart, years, flags, texts, gaps, rare features."""
    rng = random.Random(seed)
    for i in range(n):
        x = {
            "a": rng.gauss(3, 1),
            "b": rng.gauss(0, 1e-5) if rng.random() < 0.5 else 0.0,
            "year": rng.choice([2000 + rng.gauss(0, 5), 2000 + rng.gauss(0, 5), None]),
            "flag": rng.random() < 0.7,
            "colour": rng.choice(["red", "green", "blue", None]),
            7: rng.choice([0, 0, 1, 2, 5]),
            f"f{min(rng.randrange(30), i)}": rng.expovariate(1e-4),
        }
        y = x["a"] + (x["colour"] == "red") + rng.gauss(0, 0.5) > 3.5
        yield x, y, rng.choice([0.5, 1.0, 1.0, 4.0])


def auto_trained(n=60, **params):
    """A model with a past."""
    model = AutoOA3Classifier(**params)
    for x, y, w in raw_events(n, seed=1):
        model.learn_one(x, y, w)
    return model


def answers(model, x):
    return [getattr(model, question)(x) for question in AUTO_QUESTIONS]


def told_while_learning(model, stream):
    """All answers along a stream of (x, y, w); where y is None the event is only observed."""
    told = []
    for x, y, w in stream:
        told.append(answers(model, x))
        if y is None:
            model.observe_one(x)
        else:
            model.learn_one(x, y, w)
    return told


_numbers = st.floats(-10, 10).map(lambda value: round(value, 3))
_texts = st.sampled_from(["red", "green", "né"])
_events = st.dictionaries(
    st.sampled_from(["a", "b", "c", "colour", 7, ("pair", 1), *(f"f{i}" for i in range(6))]),
    _numbers | _numbers.map(lambda value: 1e6 + value) | _texts | st.booleans(),
    max_size=7,
)
_weights = st.sampled_from([0.0, 0.1, 1.0, 1.0, 30.0])
raw_streams = st.lists(
    st.tuples(_events, st.none() | st.booleans(), _weights), min_size=1, max_size=25
)

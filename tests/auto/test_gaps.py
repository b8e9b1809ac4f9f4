"""Numbers that are missing where they are usually there: None and NaN say so, and it may matter."""

from __future__ import annotations

import math
import random

import numpy as np
import pandas as pd
import pytest
from auto_streams import told_while_learning

from river_oa3 import ActiveLearner, AutoOA3Classifier


def balanced_sum(events, budget, seed=1):
    """In the second half, of an active learner with so many labels."""
    model = ActiveLearner(budget=budget, seed=seed)
    counts = np.zeros((2, 2))
    for i, (x, y) in enumerate(events):
        said, ask = model.predict_one(x)
        counts[int(y), int(said)] += i >= len(events) / 2
        if ask:
            model.learn_one(x, y)
    return (counts[1, 1] / counts[1].sum() + counts[0, 0] / counts[0].sum()) / 2


def scale_of(model, name):
    state = model._core.__getstate__()
    place = state["names"].index(name)
    return [state[part][place] for part in ("n", "mean", "var")]


def telling_gaps(n=4000, seed=0):
    """The income is a number around 0 that says nothing, and is missing where it matters."""
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.random() < 0.2
        is_gap = rng.random() < (0.7 if y else 0.1)
        yield {"income": None if is_gap else rng.gauss(0, 1), "age": rng.gauss(40, 10)}, y


def test_a_gap_tells_what_a_zero_does_not():
    events = list(telling_gaps())
    zeros = [({name: value or 0.0 for name, value in x.items()}, y) for x, y in events]
    with_gaps, with_zeros = balanced_sum(events, 100), balanced_sum(zeros, 100)
    assert with_gaps > 0.78  # 0.8 is all there is to know
    assert with_zeros < with_gaps - 0.03


def test_gaps_do_not_move_the_scale_of_what_is_there():
    rng = random.Random(0)
    values = [rng.gauss(3, 1) for _ in range(3000)]
    full, half = AutoOA3Classifier(), AutoOA3Classifier()
    for i, value in enumerate(values):
        full.observe_one({"a": value, "b": 1.0})
        half.observe_one({"a": value, "b": 1.0})
        if i % 2:
            half.observe_one({"a": None, "b": 1.0})
    assert scale_of(half, "a") == scale_of(full, "a")


def test_a_gap_of_a_feature_that_is_rare_or_unknown_is_an_absent_one():
    events = [
        ({"a": 1.0 + i % 7, **({"rare": 2.0} if i % 5 == 0 else {})}, i % 3 == 0, 1.0)
        for i in range(200)
    ]
    gaps = [({"rare": None, "never": math.nan} | x, y, w) for x, y, w in events]
    one, other = AutoOA3Classifier(), AutoOA3Classifier()
    assert told_while_learning(one, events) == told_while_learning(other, gaps)
    assert "never" not in other.weights


def test_an_explanation_says_what_the_gap_adds_and_sums_to_the_margin():
    model = AutoOA3Classifier()
    for x, y in telling_gaps(500):
        model.learn_one(x, y)
    x = {"income": None, "age": 41.0}
    parts = {name: share for name, _, share in model.explain_one(x)}
    assert parts["income"] > 0.1
    assert math.fsum(parts.values()) == pytest.approx(model.margin_one(x), rel=1e-9)


def test_a_frame_with_gaps_is_learned_as_its_rows():
    events = list(telling_gaps(600))
    frame = pd.DataFrame([x for x, _ in events]).astype(float)
    labels = pd.Series([y for _, y in events])
    rows, batch = AutoOA3Classifier(), AutoOA3Classifier()
    for x, y in events:
        rows.learn_one(x, y)
    batch.learn_many(frame, labels)
    assert batch._core.margin_one({"income": None}) == rows._core.margin_one({"income": None})
    assert batch.predict_many(frame).tolist() == [rows.predict_one(x) for x, _ in events]


def test_old_gaps_fade_with_the_events_they_were_in():
    model = AutoOA3Classifier()
    for i in range(30_000):
        model.observe_one({"a": None if i < 6000 and i % 3 else 5.0 + i % 2, "b": 1.0})
    state = model._core.__getstate__()
    gaps = dict(zip(state["names"], state["gaps"], strict=True))["a"]
    assert 0 < gaps < 4000 / 8

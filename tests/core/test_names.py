"""The name table: no names are slow, and none depend on the process they are learned in."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import AutoOA3Classifier, OA3DiagClassifier, SSOA3Classifier
from river_oa3._core import gaussian

FACTOR = 0x9E3779B97F4A7C15  # of Fibonacci hashing, which anybody would try first
INVERSE = pow(FACTOR, -1, 1 << 64)


def colliding_names(n):
    """Ints whose product with the factor has the same upper half: one bucket for all of them."""
    names, j = [], 1
    while len(names) < n:
        name = (j * INVERSE) & ((1 << 64) - 1)
        if 0 < name < (1 << 61) - 1:  # such ints are their own hashes
            names.append(name)
        j += 1
    return names


def seconds(names):
    """The least time to learn and to predict an event of these names."""
    x = dict.fromkeys(names, 1e-3)
    times = []
    for _ in range(5):
        model = OA3DiagClassifier()
        start = time.thread_time()
        model.learn_one(x, True)
        model.predict_one(x)
        times.append(time.thread_time() - start)
    return min(times)


def test_names_chosen_to_collide_cost_no_more_than_five_times_others():
    rng = np.random.default_rng(0)
    benign = rng.integers(1, 1 << 61, size=20_000).tolist()
    assert seconds(colliding_names(20_000)) < 5 * seconds(benign)


STORY = """
import hashlib, pickle, sys
from river_oa3 import OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier
for learner in (OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier):
    model = learner()
    for i in range(300):
        x = {f"n{i * k % 97}": 1.0 / k for k in range(1, 9)} | {i % 50: 0.5}
        model.learn_one(x, i % 3 == 0)
    print(hashlib.sha256(pickle.dumps(model)).hexdigest())
"""


def test_stored_models_do_not_depend_on_the_process():
    stories = set()
    for seed in ("0", "1", "random"):
        done = subprocess.run(
            [sys.executable, "-c", STORY],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        stories.add(done.stdout)
    assert len(stories) == 1


class Text(str):
    """A name that is hashed the long way."""

    __slots__ = ()


@given(st.text(st.characters(exclude_categories=[])))
def test_column_of_a_text_does_not_depend_on_how_it_is_hashed(text):
    assert gaussian.column(3, text, 4).tolist() == gaussian.column(3, Text(text), 4).tolist()


@given(st.integers())
def test_column_of_an_integer_does_not_depend_on_how_it_is_hashed(number):
    long_way = gaussian.column(3, (number,), 4)  # a tuple of one holds the same digits
    assert gaussian.column(3, number, 4).tolist() != long_way.tolist()
    if number == float(number) and abs(number) < 2**53:
        assert (
            gaussian.column(3, number, 4).tolist() == gaussian.column(3, float(number), 4).tolist()
        )
    if -(2**63) <= number < 2**63:
        assert (
            gaussian.column(3, number, 4).tolist()
            == gaussian.column(3, np.int64(number), 4).tolist()
        )


@pytest.mark.parametrize(
    "name", ["caf\u00e9", "\u4f60\u597d", "\U0001f600", "\ud800", 2**70, -(2**63)], ids=ascii
)
def test_new_names_of_every_kind_are_learned_and_found_again(name):
    model = SSOA3Classifier()
    model.learn_one({name: 1.0, "other": -1.0}, True)
    model.learn_one({name: 1.0}, True)
    assert set(model.weights) == {name, "other"}
    assert model.margin_one({name: 1.0}) > 0


class Interrupted:
    """A name that somebody presses Ctrl-C at while it is looked at."""

    @property
    def __class__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("model", [SSOA3Classifier(), AutoOA3Classifier()], ids=repr)
def test_an_interrupt_while_a_name_is_looked_at_is_not_lost(model):
    with pytest.raises(KeyboardInterrupt):
        model.learn_one({Interrupted(): 1.0}, True)


class Alias:
    """A name that equals a text, and hashes like it."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return self.text == (other.text if isinstance(other, Alias) else other)

    def __hash__(self):
        return hash(self.text)


@pytest.mark.parametrize("first", [True, False], ids=["alias first", "text first"])
def test_name_that_equals_a_text_is_the_same_feature(first):
    model = OA3DiagClassifier()
    for name in [Alias("a"), "a"] if first else ["a", Alias("a")]:
        model.learn_one({name: 1.0}, True)
    assert len(model._core.names()) == 1

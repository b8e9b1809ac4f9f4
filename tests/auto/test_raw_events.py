"""Events as they come: what AutoOA3 takes, what it refuses and how, and what it forgets."""

from __future__ import annotations

import datetime as dt
import enum
import gc
import json
import math
import pickle
import random
import sys
import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from auto_streams import answers, auto_trained, raw_events, told_while_learning
from learners import state

from river_oa3 import ActiveLearner, AutoOA3Classifier
from river_oa3.files import from_bytes, to_bytes
from river_oa3.files.archive import read_entries, write_archive

# What is refused, and how

INFINITIES = [math.inf, -math.inf, np.float64("inf"), np.float32("-inf"), Decimal("Infinity")]


@pytest.mark.parametrize("value", INFINITIES, ids=lambda v: f"{type(v).__name__}-{v}")
@pytest.mark.parametrize("name", ["amount", 7, ("a", 1), None], ids=repr)
def test_infinity_is_refused_by_name(name, value):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - looked at below
        auto_trained().learn_one({"a": 1.0, name: value}, True)
    message = str(refusal.value)
    assert repr(name) in message
    assert "inf" in message
    assert "clip" in message


TIMES = {
    "datetime": dt.datetime(2020, 1, 1, 12),
    "date": dt.date(2020, 1, 1),
    "time": dt.time(12),
    "timedelta": dt.timedelta(hours=3),
    "numpy-datetime": np.datetime64("2020-01-01"),
    "numpy-timedelta": np.timedelta64(3, "h"),
    "Timestamp": pd.Timestamp("2020-01-01"),
    "Timedelta": pd.Timedelta("3h"),
}


@pytest.mark.parametrize("value", TIMES.values(), ids=TIMES)
def test_time_is_refused_by_name_with_the_fix(value):
    with pytest.raises(TypeError, match=r"'when'.*\.hour.*\.weekday\(\).*seconds"):
        auto_trained().predict_one({"a": 1.0, "when": value})


def test_bytes_are_refused_by_name_with_the_fix():
    with pytest.raises(TypeError, match=r"'raw'.*decode"):
        auto_trained().learn_one({"raw": b"text"}, True)


NO_FEATURES = {
    "list": [1.0],
    "tuple": ("a",),
    "set": {1.0},
    "dict": {"a": 1.0},
    "array": np.array([1.0]),
    "complex": 1j,
    "object": object(),
    "bytearray": bytearray(b"a"),
}


@pytest.mark.parametrize("value", NO_FEATURES.values(), ids=NO_FEATURES)
def test_value_that_is_neither_number_nor_text_is_refused_by_name(value):
    with pytest.raises(TypeError, match="'culprit'"):
        auto_trained().learn_one({"culprit": value}, True)


NUMBERS = [
    True,
    2,
    2.5,
    np.float32(2.5),
    np.int8(3),
    np.bool_(True),
    Decimal("2.5"),
    Fraction(5, 2),
]


@pytest.mark.parametrize("value", NUMBERS, ids=lambda v: f"{type(v).__name__}-{v}")
def test_number_of_any_type_is_taken_as_its_float(value):
    one, other = auto_trained(), auto_trained()
    one.learn_one({"a": value, "new": value}, True)
    other.learn_one({"a": float(value), "new": float(value)}, True)
    assert state(one) == state(other)


# Texts


class Text(str):
    """A text of somebody's own."""


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    "kind", [np.str_, Text, lambda text: Text(Text(text))], ids=["numpy", "subclass", "twice"]
)
@pytest.mark.parametrize("first", ["plain", "other"])
def test_text_of_any_type_is_the_category_of_its_letters(kind, first):
    """Whichever comes first, and is what the table holds."""
    model = AutoOA3Classifier()
    for i in range(20):
        text = "red" if (i % 2 == 0) == (first == "plain") else kind("red")
        model.learn_one({"colour": text, "other": kind("blue")}, i % 3 == 0)
    assert set(model.weights) == {("colour", "red"), ("other", "blue")}
    assert model.margin_one({"colour": kind("red")}) == model.margin_one({"colour": "red"})


def test_member_of_a_text_enumeration_is_a_category():
    model = AutoOA3Classifier()
    model.learn_one({"colour": Colour.RED}, True)
    assert len(model.weights) == 1
    assert [name for name, _ in model.weights] == ["colour"]


NAMES = ["text", 7, -(10**30), 2.5, ("a", "b"), None, frozenset({1}), b"raw", Text("sub"), True]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_category_under_a_name_of_any_type_is_known_again(name):
    model = AutoOA3Classifier()
    for i in range(30):
        model.learn_one({name: "yes" if i % 2 else "no", "a": 1.0 + i % 3}, i % 2 == 1)
    assert model.predict_one({name: "yes", "a": 2.0}) is True
    assert model.predict_one({name: "no", "a": 2.0}) is False
    twin = pickle.loads(pickle.dumps(model))
    assert answers(twin, {name: "yes"}) == answers(model, {name: "yes"})


def test_empty_text_is_a_category_like_any_other():
    model = AutoOA3Classifier()
    model.learn_one({"colour": ""}, True)
    assert list(model.weights) == [("colour", "")]


def test_same_text_under_two_names_is_two_categories():
    model = AutoOA3Classifier()
    for i in range(40):
        model.learn_one({"one" if i % 2 else "two": "x"}, i % 2 == 1)
    assert model.predict_one({"one": "x"}) is True
    assert model.predict_one({"two": "x"}) is False


def test_number_and_text_under_one_name_are_two_features():
    model = AutoOA3Classifier()
    for i in range(40):
        model.learn_one({"mixed": "text" if i % 2 else 3.0}, i % 2 == 1)
    assert set(model.weights) == {"mixed", ("mixed", "text")}
    assert model.predict_one({"mixed": "text"}) is True
    assert model.predict_one({"mixed": 3.0}) is False


def test_number_named_as_a_pair_is_not_the_category_of_that_pair():
    """`weights` shows both under one name; the model keeps them apart."""
    model = AutoOA3Classifier()
    for i in range(60):
        x = [{("a", "b"): 1.0}, {"a": "b"}, {"c": 1.0}][i % 3]
        model.learn_one(x, i % 3 == 0)
    assert len(model._core.names()) == 3
    assert model.predict_one({("a", "b"): 1.0}) is True
    assert model.predict_one({"a": "b"}) is False


def test_names_that_are_equal_are_one_name():
    model = AutoOA3Classifier()
    for name in (1, 1.0, True, np.int64(1)):
        model.learn_one({name: 2.0}, True)
        model.learn_one({name: "text"}, True)
    assert len(model._core.names()) == 2


@pytest.mark.parametrize("colliding", range(3))
def test_categories_of_names_that_collide_are_told_apart(colliding):
    class Name:
        def __init__(self, number):
            self.number = number

        def __hash__(self):
            return 5

        def __eq__(self, other):
            return isinstance(other, Name) and other.number == self.number

    model = AutoOA3Classifier()
    for i in range(60):
        model.learn_one({Name(i % 3): "x", "a": 1.0 + i % 2}, i % 3 == colliding)
    assert len(model._core.names()) == 4
    assert [model.predict_one({Name(k): "x"}) for k in range(3)] == [
        k == colliding for k in range(3)
    ]


LONG = "né" * 3000


def test_long_text_is_kept_by_its_digest():
    """Which is that of all its letters, in every process."""
    model = AutoOA3Classifier()
    for i in range(60):
        model.learn_one({"note": LONG + str(i % 2)}, i % 2 == 1)
    assert set(model.weights) == {
        ("note", "né" * 20 + "... sha256 75cf3a6809709ae7c239f12f72c2a876"),
        ("note", "né" * 20 + "... sha256 3ef5c6636ef7c7a211db7a8cdb1ba143"),
    }
    assert [model.predict_one({"note": LONG + end}) for end in "01"] == [False, True]


@pytest.mark.parametrize(("length", "is_whole"), [(100, True), (101, False)])
def test_text_of_a_hundred_letters_is_kept_whole(length, is_whole):
    model = AutoOA3Classifier()
    model.learn_one({"note": "x" * length}, True)
    ((_, kept),) = model.weights
    assert (kept == "x" * length) is is_whole
    assert len(kept) <= 100


def test_what_is_kept_of_a_long_text_stands_for_it():
    """Rows of batches hand it on as a text."""
    model = AutoOA3Classifier()
    model.learn_one({"note": LONG, "a": 1.0}, True)
    ((_, kept),) = (name for name in model.weights if name != "a")
    model.learn_one({"note": kept}, False)
    assert len(model.weights) == 2
    assert answers(model, {"note": kept}) == answers(model, {"note": LONG})


def test_model_that_was_stored_with_a_long_text_goes_on_with_its_digest():
    model = AutoOA3Classifier()
    for i in range(30):
        model.learn_one({"note": "x" if i % 2 else "y"}, i % 2 == 1)
    written = to_bytes(model)
    entries = dict(read_entries(memoryview(written)))
    entries["model.json"] = bytes(entries["model.json"]).replace(
        b'["note","x"]', json.dumps(["note", LONG], separators=(",", ":")).encode()
    )
    twin = from_bytes(write_archive(entries))
    assert twin.margin_one({"note": LONG}) == model.margin_one({"note": "x"})
    assert twin.predict_one({"note": LONG}) is True


def test_memory_grows_by_less_than_2_kb_with_each_long_text():
    model = AutoOA3Classifier()
    tracemalloc.start()
    try:
        for i in range(1000):
            model.observe_one({"note": f"{i}" + "\N{GRINNING FACE}" * 9000})
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size + sys.getsizeof(model._core) < 2000 * 1000


# The cap


def ids(n, kinds, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        x = {"id": f"user{rng.randrange(kinds)}", "a": rng.gauss(0, 1)}
        yield x, x["a"] > 0, 1.0


def test_cap_that_is_never_reached_changes_nothing():
    events = list(raw_events(300, seed=2))
    one, other = AutoOA3Classifier(), AutoOA3Classifier(max_features=60)
    assert told_while_learning(one, events) == told_while_learning(other, events)
    assert len(one.weights) > 30


@pytest.mark.parametrize("cap", [1, 2, 5, 16, 100])
def test_no_more_features_than_the_cap_are_remembered(cap):
    model = AutoOA3Classifier(max_features=cap)
    for i in range(300):
        model.learn_one({f"f{i}": 1.0} | ({"a": 1.0 + i % 5} if cap > 1 else {}), i % 3 == 0)
        assert len(model._core.names()) <= cap
        assert f"f{i}" in model.weights


def test_features_that_were_not_seen_for_longest_are_forgotten():
    model = AutoOA3Classifier(max_features=8)
    for i in range(8):
        model.observe_one({f"f{i}": 1.0})
    model.observe_one({"f0": 2.0})
    model.predict_one({"f1": 1.0})  # a question is no sighting
    model.observe_one({"new": 1.0})
    assert set(model.weights) == {"f3", "f4", "f5", "f6", "f7", "f0", "new"}


def test_features_of_the_event_are_not_forgotten_to_make_room_for_it():
    """They are new again where they were the oldest; none is left out."""
    model = AutoOA3Classifier(max_features=8)
    for i in range(8):
        model.observe_one({f"f{i}": 1.0})
    x = {"f0": 1.0, "f1": 1.0, **{f"new{i}": 1.0 for i in range(6)}}
    model.learn_one(x, True)
    assert set(model.weights) == set(x)


def test_numbers_that_go_on_are_kept_while_ids_come_and_go():
    model = AutoOA3Classifier(max_features=50)
    told_while_learning(model, ids(2000, 10**9))
    assert model.weights["a"] > 0.5
    assert [model.predict_one({"a": a, "id": "new"}) for a in (-1.0, 1.0)] == [False, True]


def test_memory_is_bounded_over_any_number_of_ids():
    model = ActiveLearner(AutoOA3Classifier(max_features=1000), budget=5000, seed=1)

    def live(first, n):
        for i in range(first, first + n):
            x = {"id": f"user{i}", "a": float(i % 7)}
            if model.predict_one(x)[1]:
                model.learn_one(x, i % 7 > 3)

    live(0, 20_000)
    gc.collect()
    tracemalloc.start()
    before = sys.getsizeof(model.classifier._core)
    live(20_000, 180_000)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sys.getsizeof(model.classifier._core) == before
    # The names of a thousand features, each an object of some 130 bytes with its text.
    assert grown < 1000 * 300
    assert len(model.classifier._core.names()) <= 1000


def test_sparse_feature_takes_no_more_than_224_bytes_beyond_its_name():
    n = 100_000
    model = AutoOA3Classifier()
    names = [f"f{i}" for i in range(n)]
    for start in range(0, n, 100):
        model.observe_one(dict.fromkeys(names[start : start + 100], 1.0))
    parts = [model._core, *gc.get_referents(model._core)]
    parts += [part for known in gc.get_referents(model._core) for part in gc.get_referents(known)]
    own = {id(part): part for part in parts if type(part).__module__.startswith("river_oa3")}
    assert 80 * n < sum(sys.getsizeof(part) for part in own.values()) < 224 * n


@pytest.mark.parametrize("cap", [20, 64])
def test_model_that_has_forgotten_can_be_stored_and_goes_on(cap):
    events = list(ids(400, 200, seed=3))
    model, cut = AutoOA3Classifier(max_features=cap), AutoOA3Classifier(max_features=cap)
    told = told_while_learning(cut, events[:250])
    cut = pickle.loads(pickle.dumps(cut))
    told += told_while_learning(cut, events[250:])
    assert told == told_while_learning(model, events)
    assert cut.max_features == cap


def test_label_of_an_event_whose_features_were_forgotten_is_learned():
    model = ActiveLearner(AutoOA3Classifier(max_features=10), seed=1)
    x = {"id": "old", "a": 1.0}
    model.predict_one(x)
    for i in range(100):
        model.predict_one({"id": f"user{i}", "a": 1.0})
    model.learn_one(x, True)
    assert ("id", "old") in model.classifier.weights
    assert model.classifier.weights["a"] is not None
    pickle.loads(pickle.dumps(model))


def test_event_larger_than_the_cap_is_refused_with_the_fix():
    with pytest.raises(ValueError, match=r"11 features.*max_features is 10: raise it"):
        AutoOA3Classifier(max_features=10).observe_one({f"f{i}": 1.0 for i in range(11)})


def test_event_as_large_as_the_cap_is_taken():
    model = AutoOA3Classifier(max_features=10)
    for k in range(3):
        model.learn_one({f"f{k}{i}": 1.0 for i in range(10)}, True)
    assert len(model.weights) == 10


@pytest.mark.parametrize(("cap", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_cap_that_is_no_positive_integer_is_refused(cap, error):
    with pytest.raises(error, match="max_features"):
        AutoOA3Classifier(max_features=cap)


def test_huge_numbers_are_clipped_and_tiny_ones_do_no_harm():
    model = AutoOA3Classifier()
    for i in range(50):
        model.learn_one({"a": 1.7e308 * (-1) ** i, "b": 5e-324, "c": 1.0 + i % 3}, i % 2 == 0)
    assert model.predict_one({"a": 1.7e308, "b": 5e-324, "c": 2.0}) is True
    assert model.predict_one({"a": -1.7e308, "b": 5e-324, "c": 2.0}) is False

"""Whatever a stream throws at a learner, the model stays whole."""

import collections
import datetime as dt
import enum
import math
import re
import sys
import types
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learners import (
    DOCUMENTED_ERRORS,
    QUESTIONS,
    SKETCHES,
    assert_answers_finitely,
    each_learner,
    each_sketch,
    learned,
    margins_while_learning,
    sparse_events,
    state,
    trained,
)

from river_oa3 import OA3Classifier

PROBES = [{"f0": 1.0, "f1": -0.5}, {"f2": 2.0, "new": 1.0}, {}]
EVENTS = sparse_events(40, seed=5)

# Every way into a model that reads an event.
each_door = pytest.mark.parametrize("door", [*QUESTIONS, "learn_one"])


def enter(model, door, x):
    return model.learn_one(x, True) if door == "learn_one" else getattr(model, door)(x)


def assert_refused(model, error, match, act, *args, **kwargs):
    before = state(model)
    with pytest.raises(error, match=match):
        act(*args, **kwargs)
    assert state(model) == before


# Values that are not finite


NOT_FINITE = [
    float("nan"),
    float("inf"),
    float("-inf"),
    np.float64("nan"),
    np.float32("inf"),
    np.float16("nan"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("-Infinity"),
]


@each_learner
@each_door
@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda v: f"{type(v).__name__}-{v}")
def test_value_that_is_not_finite_is_refused_by_name(learner, door, value):
    model = trained(learner)
    x = {"f0": 1.0, "culprit": value, "fresh": 2.0}
    assert_refused(model, ValueError, "'culprit'", enter, model, door, x)


@each_learner
@each_door
def test_value_that_is_not_finite_is_refused_in_a_known_feature(learner, door):
    model = trained(learner)
    x = {"fresh": 2.0, "f1": 1.0, "f0": math.nan}
    assert_refused(model, ValueError, "'f0'", enter, model, door, x)


# Values that are not numbers


NOT_NUMBERS = {
    "str": "red",
    "str-of-digits": "1.5",
    "numpy-str": np.str_("1.5"),
    "None": None,
    "list": [1.0],
    "tuple": (1.0,),
    "set": {1.0},
    "dict": {"a": 1.0},
    "bytes": b"1",
    "bytearray": bytearray(b"1"),
    "complex": 1 + 0j,
    "numpy-complex": np.complex128(1),
    "datetime": dt.datetime(2020, 1, 1),
    "date": dt.date(2020, 1, 1),
    "timedelta": dt.timedelta(1),
    "numpy-datetime": np.datetime64("2020-01-01"),
    "array-of-one": np.array([1.0]),
    "array-of-two": np.array([1.0, 2.0]),
    "object": object(),
    "type": float,
}


@each_learner
@each_door
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_value_that_is_no_number_is_refused_by_name(learner, door, value):
    model = trained(learner)
    x = {"f0": 1.0, "culprit": value, "fresh": 2.0}
    assert_refused(model, TypeError, "'culprit'", enter, model, door, x)


@each_learner
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_value_that_is_no_number_is_met_with_a_transformer_that_would_help(learner, value):
    with pytest.raises(TypeError, match=r"preprocessing|feature_extraction|compose"):
        learner().learn_one({"culprit": value}, True)


@each_learner
@pytest.mark.parametrize("value", [pd.NA, pd.NaT], ids=repr)
def test_missing_value_of_pandas_is_refused_by_name(learner, value):
    model = trained(learner)
    x = {"f0": 1.0, "culprit": value}
    assert_refused(model, (TypeError, ValueError), "'culprit'", model.learn_one, x, True)


@each_learner
@pytest.mark.parametrize("name", [7, None, ("a", 1), b"raw"], ids=repr)
def test_culprit_is_named_whatever_its_type(learner, name):
    model = learner()
    assert_refused(
        model, ValueError, re.escape(repr(name)), model.learn_one, {name: math.nan}, True
    )


# Labels


NOT_LABELS = {
    "minus-one": -1,
    "two": 2,
    "numpy-minus-one": np.int64(-1),
    "numpy-two": np.uint8(2),
    "half": 0.5,
    "nan": math.nan,
    "str": "spam",
    "str-of-true": "True",
    "empty-str": "",
    "bytes": b"1",
    "None": None,
    "list": [],
    "list-of-one": [1],
    "dict": {},
    "array": np.array([True, False]),
    "NA": pd.NA,
}


@each_learner
@pytest.mark.parametrize("label", NOT_LABELS.values(), ids=NOT_LABELS)
def test_label_that_is_no_label_is_refused(learner, label):
    model = trained(learner)
    x = {"f0": 1.0, "fresh": 2.0}
    assert_refused(model, ValueError, r"True|bool|0 or 1", model.learn_one, x, label)


@each_learner
def test_label_that_is_no_label_is_refused_with_an_empty_event_too(learner):
    model = trained(learner)
    assert_refused(model, ValueError, r"True|bool|0 or 1", model.learn_one, {}, "spam")


@each_learner
@pytest.mark.parametrize(
    "kind", [np.bool_, int, np.int64, np.int8, np.uint8], ids=lambda k: k.__name__
)
def test_labels_of_every_documented_kind_are_equivalent(learner, kind):
    events = sparse_events(60)
    same = learned(learner(), [(x, kind(y)) for x, y in events])
    assert state(same) == state(learned(learner(), events))


# Events that are no mappings, and mappings that are no dicts


NOT_MAPPINGS = {
    "None": None,
    "pairs": [("f0", 1.0)],
    "list": [1.0, 2.0],
    "str": "f0",
    "set": {"f0"},
    "float": 1.0,
    "array": np.ones(3),
    "series": pd.Series({"f0": 1.0}),
    "type": dict,
}


@each_learner
@each_door
@pytest.mark.parametrize("x", NOT_MAPPINGS.values(), ids=NOT_MAPPINGS)
def test_event_that_is_no_mapping_is_refused(learner, door, x):
    model = trained(learner)
    assert_refused(model, TypeError, None, enter, model, door, x)


class ReadOnly(Mapping):
    """As little of a mapping as the abstract class allows."""

    def __init__(self, x):
        self._x = x

    def __getitem__(self, name):
        return self._x[name]

    def __iter__(self):
        return iter(self._x)

    def __len__(self):
        return len(self._x)


@each_learner
@pytest.mark.parametrize(
    "mapping",
    [
        types.MappingProxyType,
        collections.UserDict,
        collections.Counter,
        collections.OrderedDict,
        lambda x: collections.defaultdict(float, x),
        collections.ChainMap,
        ReadOnly,
    ],
    ids=["proxy", "UserDict", "Counter", "OrderedDict", "defaultdict", "ChainMap", "abstract"],
)
def test_any_mapping_is_as_good_as_a_dict(learner, mapping):
    events = sparse_events(40)
    wrapped = [(mapping(x), y) for x, y in events]
    same, plain = learner(), learner()
    assert margins_while_learning(same, wrapped) == margins_while_learning(plain, events)


@each_learner
@each_door
def test_defaultdict_gains_no_keys(learner, door):
    x = collections.defaultdict(float, {"f0": 1.0})
    enter(trained(learner), door, x)
    assert dict(x) == {"f0": 1.0}


# Names


class Colour(enum.Enum):
    RED = 1


class Thing:
    """Hashable by identity alone."""


THING = Thing()
MIXED = {
    "text": 1.0,
    "": -1.0,
    7: 2.0,
    -(10**30): 1.0,
    2.5: 0.5,
    ("a", 1): 1.0,
    (): -0.5,
    None: 1.0,
    b"raw": 2.0,
    frozenset({1, "a"}): 1.0,
    True: -1.0,
    Colour.RED: 1.5,
    dt.date(2020, 1, 1): 1.0,
    1 + 2j: 1.0,
    THING: 3.0,
    Thing: 1.0,
}


@each_learner
def test_names_of_any_hashable_type_live_in_one_event(learner):
    model = learner()
    model.learn_one(MIXED, True)
    assert set(model.weights) == set(MIXED)


@each_learner
def test_names_of_any_hashable_type_are_learned_from(learner):
    model = learner()
    model.learn_one(MIXED, True)
    assert all(model.margin_one({name: MIXED[name]}) for name in MIXED)


@each_learner
@pytest.mark.parametrize(
    "twins",
    [
        (3, 3.0),
        (3, np.int64(3)),
        (2.5, np.float64(2.5)),
        (1, True),
        (0.5, Fraction(1, 2)),
        (4, Decimal(4)),
        ("a", np.str_("a")),
        ((3, "a"), (3.0, "a")),
    ],
    ids=repr,
)
def test_names_that_are_equal_are_one_feature(learner, twins):
    """`x == twin` must mean that the model cannot tell them apart."""
    one, two = twins
    events = [({one: 1.0, "other": -0.5}, True), ({one: 0.5, "third": 1.0}, False)]
    model = learned(learner(), events)
    twin = learned(learner(), [({two if n == one else n: x[n] for n in x}, y) for x, y in events])
    assert [twin.margin_one({name: 1.0}) for name in (one, two)] == [
        model.margin_one({name: 1.0}) for name in (two, one)
    ]


# Numbers that are not floats


@each_learner
@pytest.mark.parametrize(
    "kind",
    [np.float64, np.float32, np.float16, np.longdouble, Decimal, Fraction],
    ids=lambda k: k.__name__,
)
def test_numbers_of_any_kind_are_taken_as_floats(learner, kind):
    events = [({n: round(v * 8) / 8 for n, v in x.items()}, y) for x, y in sparse_events(60)]
    same = learned(learner(), [({n: kind(v) for n, v in x.items()}, y) for x, y in events])
    assert state(same) == state(learned(learner(), events))


@each_learner
@pytest.mark.parametrize(
    "kind", [int, np.int64, np.int8, Decimal, Fraction], ids=lambda k: k.__name__
)
def test_whole_numbers_of_any_kind_are_taken_as_floats(learner, kind):
    events = [({n: float(round(3 * v)) for n, v in x.items()}, y) for x, y in sparse_events(60)]
    same = learned(learner(), [({n: kind(int(v)) for n, v in x.items()}, y) for x, y in events])
    assert state(same) == state(learned(learner(), events))


@each_learner
@pytest.mark.parametrize("kind", [bool, np.bool_], ids=lambda k: k.__name__)
def test_bools_are_taken_as_zero_and_one(learner, kind):
    events = [({n: float(v > 0) for n, v in x.items()}, y) for x, y in sparse_events(60)]
    same = learned(learner(), [({n: kind(v) for n, v in x.items()}, y) for x, y in events])
    assert state(same) == state(learned(learner(), events))


class Meddler(Fraction):
    """A number that asks the model something else while the model reads it."""

    model = None

    def __float__(self):
        if Meddler.model is not None:
            Meddler.model.margin_one({"f5": 3.0, "f6": 4.0, "elsewhere": 5.0})
        return self.numerator / self.denominator


@each_learner
def test_number_that_asks_the_model_back_does_not_garble_the_event(learner, monkeypatch):
    meddled, plain = trained(learner), trained(learner)
    monkeypatch.setattr(Meddler, "model", meddled)
    meddled.learn_one({"f0": 1.0, "f1": Meddler(1, 2), "fresh": 2.0}, False)
    plain.learn_one({"f0": 1.0, "f1": 0.5, "fresh": 2.0}, False)
    assert meddled.weights == plain.weights


@each_learner
def test_threads_that_ask_at_once_get_their_own_answers(learner):
    """Python code inside a number or a name lets other threads in."""
    model = trained(learner)
    events = [{n: Fraction(v).limit_denominator(64) for n, v in x.items()} for x, _ in EVENTS]
    expected = [model.margin_one(x) for x in events]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(model.margin_one, events * 20, chunksize=1))
    finally:
        sys.setswitchinterval(interval)
    assert answers == expected * 20


# Nothing, in all its forms


NOTHING = {
    "empty": {},
    "zero": {"f0": 0},
    "new-zero": {"fresh": 0.0},
    "many": {"f0": 0.0, "f1": -0.0, "fresh": False, "other": Decimal(0), "third": np.float32(0)},
    "underflow": {"f0": Decimal("1e-400"), "fresh": Fraction(1, 10**400)},
}


@each_learner
@pytest.mark.parametrize("x", NOTHING.values(), ids=NOTHING)
@pytest.mark.parametrize("y", [False, True])
def test_learning_nothing_changes_nothing(learner, x, y):
    model = trained(learner)
    before = state(model)
    model.learn_one(x, y)
    assert state(model) == before


@each_learner
@pytest.mark.parametrize("x", NOTHING.values(), ids=NOTHING)
def test_nothing_is_predicted_positive_at_margin_zero(learner, x):
    model = trained(learner)
    assert (model.margin_one(x), model.variance_one(x), model.predict_one(x)) == (0, 0, True)


# Weights of events


@each_learner
@pytest.mark.parametrize("w", [-1.0, -1e-9, math.nan, math.inf, -math.inf])
def test_weight_that_is_negative_or_not_finite_is_refused(learner, w):
    model = trained(learner)
    x = {"f0": 1.0, "fresh": 2.0}
    assert_refused(model, ValueError, None, model.learn_one, x, True, w=w)


@each_learner
@pytest.mark.parametrize("w", ["heavy", None, [1.0], 1j], ids=repr)
def test_weight_that_is_no_number_is_refused(learner, w):
    model = trained(learner)
    x = {"f0": 1.0, "fresh": 2.0}
    assert_refused(model, (TypeError, ValueError), None, model.learn_one, x, True, w=w)


# Parameters


each_parameter = pytest.mark.parametrize("parameter", ["eta", "gamma", "rho"])
bad_parameters = pytest.mark.parametrize(
    "value", [0, 0.0, -0.0, -1, -1e-300, math.nan, math.inf, -math.inf, np.float32("nan")]
)
not_parameters = pytest.mark.parametrize("value", ["0.1", None, [0.1], 1j, b"1"], ids=repr)


@each_learner
@each_parameter
@bad_parameters
def test_parameter_out_of_range_is_refused_at_construction(learner, parameter, value):
    with pytest.raises(ValueError, match=parameter):
        learner(**{parameter: value})


@each_learner
@each_parameter
@not_parameters
def test_parameter_that_is_no_number_is_refused_at_construction(learner, parameter, value):
    with pytest.raises((TypeError, ValueError), match=parameter):
        learner(**{parameter: value})


@each_learner
@each_parameter
@bad_parameters
def test_parameter_out_of_range_is_refused_at_assignment(learner, parameter, value):
    model = trained(learner)
    assert_refused(model, ValueError, parameter, setattr, model, parameter, value)


@each_learner
@each_parameter
@not_parameters
def test_parameter_that_is_no_number_is_refused_at_assignment(learner, parameter, value):
    model = trained(learner)
    assert_refused(model, (TypeError, ValueError), parameter, setattr, model, parameter, value)


@each_learner
@each_parameter
def test_assigned_parameter_acts_as_a_constructed_one(learner, parameter):
    assigned, constructed = learner(), learner(**{parameter: 0.375})
    setattr(assigned, parameter, 0.375)
    events = sparse_events(60)
    assert state(learned(assigned, events)) == state(learned(constructed, events))


@each_sketch
@pytest.mark.parametrize("size", [0, -1])
def test_sketch_without_rows_is_refused(learner, size):
    with pytest.raises(ValueError, match="sketch_size"):
        learner(sketch_size=size)


@each_sketch
@pytest.mark.parametrize("size", [2.5, "a", None, math.nan, [5]], ids=repr)
def test_sketch_size_that_is_no_whole_number_is_refused(learner, size):
    with pytest.raises((TypeError, ValueError), match="sketch_size"):
        learner(sketch_size=size)


@each_sketch
@pytest.mark.parametrize("attribute", ["sketch_size", "seed"])
def test_shape_of_a_sketch_cannot_be_assigned(learner, attribute):
    model = trained(learner)
    assert_refused(model, AttributeError, None, setattr, model, attribute, 3)


# Numbers too large for the arithmetic


HUGE = [1e150, 1e155, 1e200, 1e308, -1e308, 1.7976931348623157e308, 10**400, Decimal("1e400")]


@each_learner
@pytest.mark.parametrize("value", HUGE, ids=lambda v: str(v)[:12])
def test_learning_a_huge_value_overflows_or_leaves_a_finite_model(learner, value):
    model = trained(learner)
    before = state(model)
    try:
        model.learn_one({"f0": 1.0, "f1": value, "fresh": value}, False)
    except (OverflowError, ValueError):
        assert state(model) == before
    assert_answers_finitely(model, PROBES)


@each_learner
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("value", HUGE, ids=lambda v: str(v)[:12])
def test_asking_about_a_huge_value_overflows_or_gives_a_number(learner, question, value):
    model = trained(learner)
    try:
        answer = getattr(model, question)({"f0": value, "f1": value, "fresh": value})
    except (OverflowError, ValueError):
        return
    assert all(math.isfinite(n) for n in (answer.values() if type(answer) is dict else [answer]))


@each_learner
def test_value_whose_square_overflows_is_refused_as_an_overflow(learner):
    model = trained(learner)
    x = {"f0": 1e200, "f1": 1.0}
    assert_refused(model, OverflowError, None, model.variance_one, x)


@each_learner
@pytest.mark.parametrize("w", [1e200, 1e308])
def test_huge_weight_overflows_or_leaves_a_finite_model(learner, w):
    model = trained(learner)
    for x, y in sparse_events(20, seed=2):
        before = state(model)
        try:
            model.learn_one(x, y, w=w)
        except OverflowError:
            assert state(model) == before
    assert all(math.isfinite(weight) for weight in model.weights.values())


@each_learner
def test_overflow_leaves_a_model_that_goes_on_learning(learner):
    bruised, spared, n_overflows = learner(eta=1e10), learner(eta=1e10), 0
    for x, y in sparse_events(80):
        try:
            bruised.learn_one(x | {"fresh": 1.0}, y, w=1e308)
        except OverflowError:
            n_overflows += 1
        else:
            spared.learn_one(x | {"fresh": 1.0}, y, w=1e308)
        bruised.learn_one(x, y)
        spared.learn_one(x, y)
    assert n_overflows
    assert state(bruised) == state(spared)


MAGNITUDES = [1e6, 1e9, 1e15]


def unscaled_events(magnitude, n=300):
    """Values of one magnitude next to values near one, as raw logs have them."""
    for i, (x, y) in enumerate(sparse_events(n, seed=3)):
        yield x | {"large": magnitude * (1 + (i % 17) / 17), "sign": magnitude * (y - 0.5)}, y


def unscaled_timestamps(n=300):
    for i, (x, y) in enumerate(sparse_events(n, seed=4)):
        yield x | {"timestamp": 1.7e9 + 3600 * i}, y


@each_learner
@pytest.mark.parametrize("magnitude", MAGNITUDES, ids=lambda m: f"{m:g}")
def test_unscaled_values_leave_a_finite_model(learner, magnitude):
    model = learned(learner(), unscaled_events(magnitude))
    assert_answers_finitely(model, [*PROBES, *(x for x, _ in unscaled_events(magnitude, n=20))])


@each_learner
def test_unscaled_timestamps_leave_a_finite_model(learner):
    model = learned(learner(), unscaled_timestamps())
    assert_answers_finitely(model, [*PROBES, *(x for x, _ in unscaled_timestamps(n=20))])


@each_learner
@pytest.mark.parametrize("magnitude", [1e50, 1e100, 1e150], ids=lambda m: f"{m:g}")
def test_astronomical_values_leave_a_finite_model(learner, magnitude):
    model = learner()
    for x, y in unscaled_events(magnitude):
        before = state(model)
        try:
            model.learn_one(x, y)
        except OverflowError:
            assert state(model) == before
    assert_answers_finitely(model, PROBES)


@each_learner
@pytest.mark.parametrize("magnitude", [1e-300, 1e-160, 5e-324], ids=lambda m: f"{m:g}")
def test_subnormal_values_leave_a_finite_model(learner, magnitude):
    events = [({n: v * magnitude for n, v in x.items()}, y) for x, y in sparse_events(60)]
    assert_answers_finitely(learned(learner(), events), PROBES)


@each_learner
@pytest.mark.parametrize("gamma", [1e-300, 1e-12, 1e12, 1e300])
@pytest.mark.parametrize("eta", [1e-300, 1e-12, 1e12, 1e150])
def test_extreme_parameters_leave_a_finite_model(learner, gamma, eta):
    model = learner(eta=eta, gamma=gamma)
    for x, y in sparse_events(40):
        before = state(model)
        try:
            model.learn_one(x, y)
        except OverflowError:
            assert state(model) == before
    assert_answers_finitely(model, PROBES)


# Anything at all


names = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
numbers = (
    st.floats()
    | st.integers()
    | st.integers(-(10**400), 10**400)
    | st.decimals()
    | st.fractions()
    | st.booleans()
)
things = st.recursive(
    numbers
    | st.none()
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.complex_numbers()
    | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
# Mostly numbers, or nearly every event would be refused before it meets the arithmetic.
any_events = st.dictionaries(names, numbers, max_size=5) | st.dictionaries(
    names, things, max_size=5
)
any_labels = st.booleans() | st.booleans() | things
any_streams = st.lists(st.tuples(any_events, any_labels), max_size=8)


@each_learner
@given(stream=any_streams)
def test_anything_is_refused_untouched_or_learned_finitely(learner, stream):
    model = trained(learner, n=5)
    for x, y in stream:
        before = state(model)
        try:
            model.learn_one(x, y)
        except DOCUMENTED_ERRORS:
            assert state(model) == before
    assert_answers_finitely(model, PROBES)


@each_learner
@given(x=any_events)
def test_asking_about_anything_is_refused_or_answered_and_changes_nothing(learner, x):
    model = trained(learner, n=5)
    before = state(model)
    for question in QUESTIONS:
        try:
            answer = getattr(model, question)(x)
        except DOCUMENTED_ERRORS:
            continue
        numbers = answer.values() if isinstance(answer, dict) else [answer]
        assert all(math.isfinite(number) for number in numbers)
    assert state(model) == before


ordinary_values = st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-6) | st.integers(
    -(10**6), 10**6
)


@each_learner
@given(
    stream=st.lists(
        st.tuples(st.dictionaries(names, ordinary_values, max_size=5), st.booleans()), max_size=8
    )
)
def test_ordinary_numbers_under_any_names_are_never_refused(learner, stream):
    model = learned(learner(), stream)
    assert_answers_finitely(model, [x for x, _ in stream])


@pytest.mark.parametrize("learner", SKETCHES, ids=lambda c: c.__name__)
@given(
    size=st.integers(1, 12),
    stream=st.lists(
        st.tuples(st.dictionaries(names, ordinary_values, max_size=5), st.booleans()), max_size=8
    ),
)
def test_sketch_of_any_size_takes_ordinary_numbers(learner, size, stream):
    model = learned(learner(sketch_size=size), stream)
    assert_answers_finitely(model, [x for x, _ in stream])


class RowView(Mapping):
    """An event whose names exist only while it is looked at."""

    def __init__(self, t, values):
        self.t, self.values_ = t, values

    def __len__(self):
        return len(self.values_)

    def __iter__(self):
        return (f"col{self.t}_{i}" for i in range(len(self.values_)))

    def __getitem__(self, name):
        return self.values_[int(name.split("_")[1])]


@each_learner
def test_mapping_with_names_made_on_the_fly_is_taken(learner):
    model = learner()
    for t in range(50):
        model.learn_one(RowView(t, [0.1 * i + 1 for i in range(10)]), True, w=1e-3)
    assert set(model.weights) == {f"col{t}_{i}" for t in range(50) for i in range(10)}


class Renaming(dict):
    def items(self):
        return [("a", 1.0), ("a", 2.0)]


@each_learner
def test_dict_counts_as_what_it_holds_whatever_its_items_say(learner):
    model = learner()
    model.learn_one(Renaming({("t",): 1.0}), True)
    assert list(model.weights) == [("t",)]


@each_sketch
@pytest.mark.parametrize("size", [65537, 6148914691236517202, 2**62])
def test_sketch_beyond_reason_is_refused(learner, size):
    with pytest.raises((ValueError, OverflowError)):
        learner(sketch_size=size)


SCALES = [(1e3, 1e9, 1e3), (100, 1e8, 100), (1, 1, 3e8), (1e20, 1, 1e20), (1e6, 1e6, 1e6)]


@pytest.mark.parametrize("scales", SCALES, ids=str)
def test_full_covariance_stays_positive_at_any_mix_of_scales(scales):
    rng, model = np.random.default_rng(8), OA3Classifier()
    for t in range(2000):
        x = dict(zip("abc", (rng.normal(size=3) * scales).tolist(), strict=True))
        model.learn_one(x, not model.predict_one(x))
        if t % 100 == 0:
            sigma = model._core.covariance()
            deviation = np.sqrt(np.diag(sigma))
            assert np.linalg.eigvalsh(sigma / np.outer(deviation, deviation)).min() > -1e-9
    assert all(math.isfinite(weight) for weight in model.weights.values())


def test_features_of_mixed_scales_are_learned_as_scaled_ones():
    """An event too large for the full update must not cost the small features their variance."""
    rng, model = np.random.default_rng(0), OA3Classifier()
    for _ in range(300):
        small, large = rng.normal(), 1e9 * rng.normal()
        model.learn_one({"small": small, "large": large}, small > 0)
    hits = sum(model.predict_one({"small": s}) == (s > 0) for s in rng.normal(size=200))
    assert hits > 190


@each_learner
def test_event_whose_square_underflows_cannot_smuggle_in_a_weight(learner):
    model = learner(gamma=4.0, eta=1.0)
    learned(model, [({"a": 1.0, "b": 0.5}, bool(i % 2)) for i in range(5)])
    for w in (1.7e308, 1e300, 1e160, 1e100):
        try:
            model.learn_one({"a": 1e-170, "b": 1e-163}, True, w=w)
        except OverflowError:
            continue
    assert_answers_finitely(model, [x for x, _ in EVENTS])


@each_learner
def test_confidence_is_finite_for_the_largest_parameters(learner):
    model = learner(eta=1e300, rho=1e300)
    assert all(math.isfinite(model.confidence_one(x)) for x in PROBES)

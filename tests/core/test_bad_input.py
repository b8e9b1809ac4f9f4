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
import pytest
from axes import one_at_a_time
from bad_values import (
    EMPTY_EVENTS,
    EVENTS,
    NOT_FINITE,
    NOT_LABELS,
    NOT_MAPPINGS,
    NOT_NUMBERS,
    assert_refused,
    bad_parameters,
    each_door,
    each_parameter,
    enter,
    not_parameters,
)
from learners import (
    each_learner,
    each_sketch,
    learned,
    margins_while_learning,
    sparse_events,
    state,
    trained,
)
from river import compose, preprocessing, stats

from river_oa3 import OA3Classifier

# Values that are not finite


@one_at_a_time
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


@one_at_a_time
@each_learner
@each_door
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_value_that_is_no_number_is_refused_by_name(learner, door, value):
    model = trained(learner)
    x = {"f0": 1.0, "culprit": value, "fresh": 2.0}
    assert_refused(model, TypeError, "'culprit'", enter, model, door, x)


@one_at_a_time
@each_learner
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_value_that_is_no_number_is_met_with_a_transformer_that_would_help(learner, value):
    with pytest.raises(TypeError, match=r"preprocessing|feature_extraction|compose"):
        learner().learn_one({"culprit": value}, True)


@one_at_a_time
@each_learner
@pytest.mark.parametrize("name", ["NA", "NaT"])
def test_missing_value_of_pandas_is_refused_by_name(learner, name):
    pandas = pytest.importorskip("pandas")
    model = trained(learner)
    x = {"f0": 1.0, "culprit": getattr(pandas, name)}
    assert_refused(model, (TypeError, ValueError), "'culprit'", model.learn_one, x, True)


@one_at_a_time
@each_learner
@pytest.mark.parametrize("name", [7, None, ("a", 1), b"raw"], ids=repr)
def test_culprit_is_named_whatever_its_type(learner, name):
    model = learner()
    assert_refused(
        model, ValueError, re.escape(repr(name)), model.learn_one, {name: math.nan}, True
    )


# Labels


@one_at_a_time
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


@one_at_a_time
@each_learner
@pytest.mark.parametrize(
    "kind", [np.bool_, int, np.int64, np.int8, np.uint8], ids=lambda k: k.__name__
)
def test_labels_of_every_documented_kind_are_equivalent(learner, kind):
    events = sparse_events(60)
    same = learned(learner(), [(x, kind(y)) for x, y in events])
    assert state(same) == state(learned(learner(), events))


# Events that are no mappings, and mappings that are no dicts


@one_at_a_time
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


@one_at_a_time
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


@one_at_a_time
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


@one_at_a_time
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


@one_at_a_time
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


@one_at_a_time
@each_learner
@pytest.mark.parametrize(
    "kind", [int, np.int64, np.int8, Decimal, Fraction], ids=lambda k: k.__name__
)
def test_whole_numbers_of_any_kind_are_taken_as_floats(learner, kind):
    events = [({n: float(round(3 * v)) for n, v in x.items()}, y) for x, y in sparse_events(60)]
    same = learned(learner(), [({n: kind(int(v)) for n, v in x.items()}, y) for x, y in events])
    assert state(same) == state(learned(learner(), events))


@one_at_a_time
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


@one_at_a_time
@each_learner
@pytest.mark.parametrize("x", EMPTY_EVENTS.values(), ids=EMPTY_EVENTS)
@pytest.mark.parametrize("y", [False, True])
def test_learning_nothing_changes_nothing(learner, x, y):
    model = trained(learner)
    before = state(model)
    model.learn_one(x, y)
    assert state(model) == before


@one_at_a_time
@each_learner
@pytest.mark.parametrize("x", EMPTY_EVENTS.values(), ids=EMPTY_EVENTS)
def test_nothing_is_predicted_positive_at_margin_zero(learner, x):
    model = trained(learner)
    assert (model.margin_one(x), model.variance_one(x), model.predict_one(x)) == (0, 0, True)


# Weights of events


@one_at_a_time
@each_learner
@pytest.mark.parametrize("w", [-1.0, -1e-9, math.nan, math.inf, -math.inf])
def test_weight_that_is_negative_or_not_finite_is_refused(learner, w):
    model = trained(learner)
    x = {"f0": 1.0, "fresh": 2.0}
    assert_refused(model, ValueError, None, model.learn_one, x, True, w=w)


@one_at_a_time
@each_learner
@pytest.mark.parametrize("w", ["heavy", None, [1.0], 1j], ids=repr)
def test_weight_that_is_no_number_is_refused(learner, w):
    model = trained(learner)
    x = {"f0": 1.0, "fresh": 2.0}
    assert_refused(model, (TypeError, ValueError), None, model.learn_one, x, True, w=w)


# Parameters


@one_at_a_time
@each_learner
@each_parameter
@bad_parameters
def test_parameter_out_of_range_is_refused_at_construction(learner, parameter, value):
    with pytest.raises(ValueError, match=parameter):
        learner(**{parameter: value})


@one_at_a_time
@each_learner
@each_parameter
@not_parameters
def test_parameter_that_is_no_number_is_refused_at_construction(learner, parameter, value):
    with pytest.raises((TypeError, ValueError), match=parameter):
        learner(**{parameter: value})


@one_at_a_time
@each_learner
@each_parameter
@bad_parameters
def test_parameter_out_of_range_is_refused_at_assignment(learner, parameter, value):
    model = trained(learner)
    assert_refused(model, ValueError, parameter, setattr, model, parameter, value)


@one_at_a_time
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


@one_at_a_time
@each_sketch
@pytest.mark.parametrize("size", [0, -1])
def test_sketch_without_rows_is_refused(learner, size):
    with pytest.raises(ValueError, match="sketch_size"):
        learner(sketch_size=size)


@one_at_a_time
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


@one_at_a_time
@each_sketch
@pytest.mark.parametrize("size", [65537, 6148914691236517202, 2**62])
def test_sketch_beyond_reason_is_refused(learner, size):
    with pytest.raises((ValueError, OverflowError)):
        learner(sketch_size=size)


def test_remedy_for_a_missing_value_is_one():
    """What the message for a NaN says does help, step by step."""
    model, missing = OA3Classifier(), {"a": 1.0, "b": math.nan}
    with pytest.raises(ValueError, match=r"'b' is nan.*None first.*StatImputer"):
        model.learn_one(missing, True)
    filled = compose.FuncTransformer(
        lambda x: {name: None if value != value else value for name, value in x.items()}
    ) | preprocessing.StatImputer(("b", stats.Mean()))
    filled.learn_one({"a": 0.0, "b": 3.0})
    model.learn_one(filled.transform_one(missing), True)
    assert set(model.weights) == {"a", "b"}
    model.learn_one({name: value for name, value in missing.items() if value == value}, True)

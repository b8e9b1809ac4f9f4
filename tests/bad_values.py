"""Everything that is not a number, a label, an event or a parameter."""

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from learners import (
    QUESTIONS,
    sparse_events,
    state,
)

try:
    import pandas as pd
except ImportError:  # which the core does not need, nor do its tests but for these values
    OF_PANDAS: dict = {}
    FRAMES: dict = {}
else:
    OF_PANDAS = {"NA": pd.NA}
    FRAMES = {"series": pd.Series({"f0": 1.0})}

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
    **OF_PANDAS,
}


NOT_MAPPINGS = {
    "None": None,
    "pairs": [("f0", 1.0)],
    "list": [1.0, 2.0],
    "str": "f0",
    "set": {"f0"},
    "float": 1.0,
    "array": np.ones(3),
    **FRAMES,
    "type": dict,
}


EMPTY_EVENTS = {
    "empty": {},
    "zero": {"f0": 0},
    "new-zero": {"fresh": 0.0},
    "many": {"f0": 0.0, "f1": -0.0, "fresh": False, "other": Decimal(0), "third": np.float32(0)},
    "underflow": {"f0": Decimal("1e-400"), "fresh": Fraction(1, 10**400)},
}


each_parameter = pytest.mark.parametrize("parameter", ["eta", "gamma", "rho"])
bad_parameters = pytest.mark.parametrize(
    "value", [0, 0.0, -0.0, -1, -1e-300, math.nan, math.inf, -math.inf, np.float32("nan")]
)
not_parameters = pytest.mark.parametrize("value", ["0.1", None, [0.1], 1j, b"1"], ids=repr)


HUGE = [1e150, 1e155, 1e200, 1e308, -1e308, 1.7976931348623157e308, 10**400, Decimal("1e400")]

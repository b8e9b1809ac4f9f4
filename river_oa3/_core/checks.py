"""Answers to input that is not a plain float, a bool label or a sane parameter.

The compiled code takes floats, ints and bools by itself and comes here for everything else.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections.abc import Hashable, Mapping
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

# Reals of any kind: NumPy's complex numbers are np.number too, and its bools are not.
_NUMBERS = (numbers.Real, Decimal, np.integer, np.floating, np.bool_)

# What helps, by kind of trouble. The core knows no transformers: who wraps it names them here.
REMEDIES = {
    "text": "encode it first",
    "missing": "fill it first",
    "collection": "count it first",
    "time": (
        "give its parts as numbers, as in x['hour'] = t.hour and x['weekday'] = t.weekday(), or "
        "the seconds since something"
    ),
    "bytes": "decode it into text first",
    "other": "turn it into a number first, or leave it out",
    "nan": "leave missing values out of the event",
    "infinity": "clip it or leave the event out",
    "size": "scale the features first",
}

_TIMES = (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "text"),
    (type(None), "missing"),
    ((list, tuple, set, frozenset), "collection"),
)


def as_mapping(x: Any) -> dict[Hashable, Any]:
    """A dict of the features in `x`, which is not a dict itself."""
    if isinstance(x, Mapping):
        return dict(x)
    raise TypeError(
        f"an event is a dict of features, name -> number, not {type(x).__name__}: {x!r}"
    )


def as_number(name: Hashable, value: Any) -> float:
    """The float that `value` stands for, or a `TypeError` that names the feature and a remedy."""
    if not isinstance(value, _NUMBERS):
        refuse_type(name, value)
    try:
        return float(value)
    except OverflowError:
        raise OverflowError(f"feature {name!r} is too large for a float") from None
    except ValueError:  # a signalling NaN
        refuse_value(name, math.nan)


def as_feature(name: Hashable, value: Any) -> float | str:
    """What a raw `value` stands for: a number, a category, or NaN where it is missing."""
    if isinstance(value, str):
        return str.__str__(value)  # whatever a subclass, such as an enum, makes of it
    # pandas' own words for nothing; the core does not import it to know them.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return math.nan
    if isinstance(value, (*_TIMES, bytes)):
        kind = "bytes" if isinstance(value, bytes) else "time"
        raise TypeError(
            f"feature {name!r} is {value!r}, a {type(value).__name__}, neither a number nor a "
            f"category: {REMEDIES[kind]}"
        )
    if isinstance(value, Decimal) and value.is_nan():
        return math.nan
    return as_number(name, value)


def refuse_type(name: Hashable, value: Any) -> NoReturn:
    """Raise the error for a value that is not a number."""
    kind = next((kind for types, kind in _KINDS if isinstance(value, types)), "other")
    raise TypeError(
        f"feature {name!r} is {value!r}, a {type(value).__name__}, not a number: {REMEDIES[kind]}"
    )


def refuse_value(name: Hashable, value: float) -> NoReturn:
    """Raise the error for a value that is not finite."""
    remedy = REMEDIES["nan" if math.isnan(value) else "infinity"]
    raise ValueError(f"feature {name!r} is {value}, not a finite number: {remedy}")


def refuse_size(what: str) -> NoReturn:
    """Raise the error for an event that would take the model out of the range of floats."""
    raise OverflowError(f"this event would overflow the model: {what}. {_sentence('size')}")


def _sentence(kind: str) -> str:
    return REMEDIES[kind][0].upper() + REMEDIES[kind][1:]


def refuse_covariance(d: int) -> NoReturn:
    """Raise the error for a full covariance that is too large for this machine."""
    raise MemoryError(
        f"the full covariance of d = {d} features takes {8 * d**2} bytes, more than there are: use "
        "SSOA3Classifier, whose memory grows with d alone"
    )


# What the learners refuse to go beyond: see OVERFLOW_LIMIT.
_MOST = 1e150


def stored_part(state: Any, name: str) -> Any:
    """A part of a stored model, which must be there."""
    if not isinstance(state, dict):
        refuse_state(f"it is a {type(state).__name__}, not a dict")
    if name not in state:
        refuse_state(f"{name!r} is missing")
    return state[name]


def stored_names(state: Any) -> list[Hashable]:
    """The names of a stored model, each of them once."""
    names = stored_part(state, "names")
    if not isinstance(names, list):
        refuse_state(f"'names' is a {type(names).__name__}, not a list")
    try:
        distinct = len(set(names))
    except TypeError as error:
        refuse_state(f"'names' holds what cannot be a name: {error}")
    if distinct != len(names):
        refuse_state("a feature's name occurs twice")
    return list(names)


def stored_array(state: Any, name: str) -> NDArray[np.float64]:
    """An array of real numbers of a stored model."""
    array = stored_part(state, name)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        refuse_state(f"{name!r} is not an array of real numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def stored(
    state: Any,
    name: str,
    shape: tuple[int, ...],
    least: float = -_MOST,
    most: float = _MOST,
) -> NDArray[np.float64]:
    """An array of a stored model: of the shape that its names ask for, within limits."""
    array = stored_array(state, name)
    if array.shape != shape:
        refuse_state(f"{name!r} has the shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        refuse_state(f"{name!r} holds numbers that are not finite")
    # Rounding may take a covariance a little beyond its limit, but no variance below 0.
    slack = 1e-9 * abs(most)
    if array.size and not (
        (least - slack if least < 0.0 else least) <= array.min() and array.max() <= most + slack
    ):
        refuse_state(f"{name!r} holds numbers that are not from {least:g} to {most:g}")
    return array


def stored_number(state: Any, name: str, most: float) -> float:
    """A number of a stored model from 0 to `most`."""
    number = stored_part(state, name)
    if not isinstance(number, (float, int)) or not 0.0 <= number <= most:
        refuse_state(f"{name!r} is {number!r}, not a number from 0 to {most:g}")
    return float(number)


def stored_count(state: Any, name: str, most: int = 2**53) -> int:
    """A count of a stored model."""
    number = stored_part(state, name)
    if not isinstance(number, int) or not 0 <= number <= most:
        refuse_state(f"{name!r} is {number!r}, not a whole number from 0 to {most}")
    return number


def refuse_state(what: str) -> NoReturn:
    """Raise the error for a stored model that cannot be one."""
    raise ValueError(f"this stored model is damaged: {what}")


def as_label(y: Any) -> bool:
    """The bool that the label `y` stands for, or a `ValueError` that shows the fix."""
    is_signal = isinstance(y, Decimal) and y.is_snan()  # which nothing may be compared with
    if isinstance(y, _NUMBERS) and not is_signal and (y == 0 or y == 1):
        return bool(y)
    raise ValueError(
        f"a label is True or False (or 1 or 0), not {y!r}: compare it with the positive class, "
        "as in learn_one(x, y == 'spam') or learn_one(x, y > 0)"
    )


def as_weight(w: Any) -> float:
    """The weight of an event as a float: finite, not negative."""
    return weight("the weight w of an event", w)


def positive(name: str, value: Any) -> float:
    """The parameter `value` as a float: finite and above zero."""
    number = weight(name, value)
    if number == 0.0:
        raise ValueError(f"{name} must be finite and above 0, not {value!r}")
    return number


def positive_integer(name: str, value: Any) -> int:
    """The parameter `value` as an int, 1 or more."""
    return count(name, value, least=1)


def count(name: str, value: Any, least: int = 0) -> int:
    """The parameter `value` as an int, no less than `least`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if value < least:
        raise ValueError(f"{name} must be {least} or more, not {value!r}")
    return int(value)


def share(name: str, value: Any) -> float:
    """The parameter `value` as a float, above 0 and up to 1."""
    number = positive(name, value)
    if number > 1.0:
        raise ValueError(f"{name} must be above 0 and up to 1, not {value!r}")
    return number


def weight(name: str, value: Any, most: float = math.inf) -> float:
    """The parameter `value` as a float, finite, from 0 to `most`."""
    if not isinstance(value, _NUMBERS):
        raise TypeError(f"{name} must be a number, not {value!r}")
    try:
        number = float(value)
    except (OverflowError, ValueError):
        number = math.nan
    if not (0.0 <= number <= most and number < math.inf):
        limit = "" if most == math.inf else f" and no more than {most:g}"
        raise ValueError(f"{name} must be finite, 0 or above{limit}, not {value!r}")
    return number

"""Answers to input that is not a plain float, a bool label or a sane parameter.

The compiled code takes floats, ints and bools by itself and comes here for everything else.
"""

from __future__ import annotations

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
    "other": "turn it into a number first, or leave it out",
    "nan": "leave missing values out of the event",
    "infinity": "clip it or leave the event out",
    "size": "scale the features first",
}

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


def stored(
    state: dict[str, Any],
    name: str,
    shape: tuple[int, ...],
    least: float = -math.inf,
    most: float = math.inf,
) -> NDArray[np.float64]:
    """An array of a stored model: of the shape that its names ask for, finite, within limits."""
    array = np.ascontiguousarray(state[name], dtype=np.float64)
    if array.shape != shape:
        _refuse_state(f"{name!r} has the shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        _refuse_state(f"{name!r} holds numbers that are not finite")
    if array.size and not (least <= array.min() and array.max() <= most):
        _refuse_state(f"{name!r} holds numbers that are not from {least:g} to {most:g}")
    return array


def stored_number(state: dict[str, Any], name: str) -> float:
    """A number of a stored model that is finite and not negative."""
    number = state[name]
    if not isinstance(number, (float, int)) or not 0.0 <= number < math.inf:
        _refuse_state(f"{name!r} is {number!r}, not a finite number of 0 or more")
    return float(number)


def stored_count(state: dict[str, Any], name: str, most: int = 2**63 - 1) -> int:
    """A count of a stored model."""
    number = state[name]
    if not isinstance(number, int) or not 0 <= number <= most:
        _refuse_state(f"{name!r} is {number!r}, not a whole number from 0 to {most}")
    return number


def _refuse_state(what: str) -> NoReturn:
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

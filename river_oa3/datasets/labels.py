"""Labels of any kind as bools: which class is the positive one."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.errors import DataError, first_few, short_repr

Labels = Sequence[Any] | NDArray[Any]

_FIX = "with --positive (positive= in Python)"
# Pairs of classes of which everybody takes the larger to be the positive one.
_USUAL = ({0.0, 1.0}, {-1.0, 1.0})


def positives(labels: Labels, positive: Any = None) -> NDArray[np.bool_]:
    """Whether each label is the positive class.

    Where none is named, True, 1 and +1 are positive, and of two other classes the rarer one.
    """
    classes, codes = _classes(labels)
    counts = np.bincount(codes, minlength=len(classes)).tolist()
    return np.isin(codes, positive_classes(classes, counts, positive))


def positive_classes(classes: list[Any], counts: list[int], positive: Any = None) -> list[int]:
    """Which of the classes, each of which has events, are positive; by the rules of `positives`."""
    if positive is not None:
        wanted = _named(classes, counts, positive)
    elif len(classes) > 2:
        raise DataError(
            f"{len(classes):,} classes, {_census(classes, counts)}: name the positive one {_FIX}"
        )
    else:
        wanted = [_usual(classes, counts)]
    if len(wanted) == len(classes):
        raise DataError(
            f"every event is of the one class {classes[0]}: both classes are needed to measure "
            "anything, so take a longer part of the stream"
        )
    return wanted


def _classes(labels: Labels) -> tuple[list[Any], NDArray[np.int64]]:
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biuf":
        missing = np.flatnonzero(np.isnan(labels))
        if len(missing):
            _refuse_missing(int(missing[0]) + 1)
        values, inverse = np.unique(labels, return_inverse=True)
        return values.tolist(), inverse.astype(np.int64)
    known: dict[Any, int] = {}
    codes = np.empty(len(labels), dtype=np.int64)
    for row, label in enumerate(labels):
        try:
            code = known.get(label)
        except TypeError:
            raise DataError(
                f"the label of event {row + 1} is {short_repr(label)}, a {type(label).__name__}: "
                "choose one output of several, as in ((x, y['spam']) for x, y in data)"
            ) from None
        if code is None:
            if _is_missing(label):
                _refuse_missing(row + 1)
            code = known[label] = len(known)
        codes[row] = code
    return list(known), codes


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)
    except TypeError:  # the missing value of pandas is neither true nor false
        return True


def _refuse_missing(event: int) -> NoReturn:
    raise DataError(f"event {event} has no label: fill it in or drop the event")


def _named(classes: list[Any], counts: list[int], positive: Any) -> list[int]:
    found = classes_called(positive, classes)
    if not found:
        raise DataError(
            f"no event is of class {short_repr(positive)}: name one of "
            f"{_census(classes, counts)} {_FIX}"
        )
    return found


def classes_called(positive: Any, classes: list[Any]) -> list[int]:
    """The classes that read as this one: as numbers, only where none is spelled the same."""
    number = _number(positive)
    same = [code for code, label in enumerate(classes) if str(label) == str(positive)]
    equal = [
        code
        for code, label in enumerate(classes)
        if number is not None and _number(label) == number
    ]
    return same or equal


def _usual(classes: list[Any], counts: list[int]) -> int:
    numbers = [_number(label) for label in classes]
    if len(classes) < 2:
        return 0
    if set(numbers) in _USUAL:
        return 0 if numbers[0] == 1.0 else 1
    if counts[0] == counts[1]:
        raise DataError(
            f"two classes of one size, {_census(classes, counts)}: name the positive one {_FIX}"
        )
    return 0 if counts[0] < counts[1] else 1


def _number(label: Any) -> float | None:
    """The number that a label reads as, if any: text from a file or a command line does too."""
    text = str(label).strip().casefold()
    if text in ("true", "false"):
        return float(text == "true")
    try:
        return float(text)
    except ValueError:
        return None


def _census(classes: list[Any], counts: list[int]) -> str:
    by_class = collections.Counter(dict(enumerate(counts)))
    return first_few([f"{classes[code]} ({n:,})" for code, n in by_class.most_common()], 10)

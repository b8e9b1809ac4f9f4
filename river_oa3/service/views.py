"""Asks and numbers as JSON has them."""

from __future__ import annotations

import functools
import json
import math
import typing

from river_oa3.pending import Ask

__all__ = ["encoded", "for_a_person", "for_a_program", "plain"]

# More bars than this explain nothing.
_BARS = 12

# Beyond it a browser rounds whole numbers.
_EXACT = 2**53


_encode = functools.partial(json.dumps, separators=(",", ":"), allow_nan=False)


def encoded(value: typing.Any) -> bytes:
    """Plain values as JSON."""
    return _encode(value).encode()


def plain(value: typing.Any) -> typing.Any:
    """A value as JSON has it: what is not a number is None, and what it lacks is a text."""
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "item"):  # one of NumPy's
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def for_a_program(ask: Ask) -> dict[str, typing.Any]:
    """All there is to know about an ask; `key` is the id as JSON, which browsers do not round."""
    return {
        "id": ask.event_id,
        "key": json.dumps(ask.event_id),
        "x": plain(ask.x),
        "label": plain(ask.label),
        "probability": plain(ask.probability),
        "margin": plain(ask.margin),
        "variance": plain(ask.variance),
        "query_probability": plain(ask.query_probability),
        "reason": ask.reason,
        "asked_at": ask.asked_at.isoformat(),
        "state": ask.state,
        "answer": plain(ask.answer),
        "answered_at": None if ask.answered_at is None else ask.answered_at.isoformat(),
    }


def for_a_person(ask: Ask, model: typing.Any) -> dict[str, typing.Any]:
    """What the page shows; `key` is the id as JSON, which it sends back as it is."""
    return {
        "id": str(ask.event_id),
        "key": json.dumps(ask.event_id),
        "asked_at": ask.asked_at.isoformat(),
        "features": [[str(name), _shown(value)] for name, value in ask.x.items()],
        "opinion": {
            "label": plain(ask.label),
            "probability": plain(ask.probability),
            "reason": ask.reason,
            "because": _contributions(model, ask.x),
        },
    }


def _contributions(model: typing.Any, x: typing.Any) -> list[dict[str, typing.Any]]:
    """What speaks for and against, the most first; nothing where the classifier cannot tell."""
    explain = getattr(model, "explain_one", None)
    try:
        explained = [] if explain is None else explain(x)
    except (TypeError, ValueError, ArithmeticError, NotImplementedError):
        return []
    return [
        {"name": _name(feature), "value": _shown(value), "contribution": plain(contribution)}
        for feature, value, contribution in explained[:_BARS]
        if contribution != 0.0
    ]


def _shown(value: typing.Any) -> typing.Any:
    value = plain(value)
    return str(value) if type(value) is int and abs(value) > _EXACT else value


def _name(feature: typing.Any) -> str:
    """A feature's name, as a person would say it."""
    if feature == "(intercept)":
        return "baseline"
    return " = ".join(map(str, feature)) if isinstance(feature, tuple) else str(feature)

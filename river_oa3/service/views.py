"""Asks and numbers as JSON has them."""

from __future__ import annotations

import functools
import json
import math
import typing

from river_oa3.pending import Ask

__all__ = ["annotator_view", "api_view", "encoded", "json_value"]

# More bars than this explain nothing.
_MAX_CONTRIBUTIONS = 12

# Beyond it a browser rounds whole numbers.
_MAX_EXACT = 2**53


_encode = functools.partial(json.dumps, separators=(",", ":"), allow_nan=False)


def encoded(value: typing.Any) -> bytes:
    """Plain values as JSON."""
    return _encode(value).encode()


def json_value(value: typing.Any) -> typing.Any:
    """A value as JSON has it: what is not a number is None, and what it lacks is a text."""
    if isinstance(value, dict):
        return {str(name): json_value(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(each) for each in value]
    if hasattr(value, "item"):  # one of NumPy's
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def api_view(ask: Ask) -> dict[str, typing.Any]:
    """All there is to know about an ask; `key` is the id as JSON, which browsers do not round."""
    return {
        "id": ask.event_id,
        "key": json.dumps(ask.event_id),
        "x": json_value(ask.x),
        "label": json_value(ask.label),
        "probability": json_value(ask.probability),
        "margin": json_value(ask.margin),
        "variance": json_value(ask.variance),
        "query_probability": json_value(ask.query_probability),
        "reason": ask.reason,
        "asked_at": ask.asked_at.isoformat(),
        "state": ask.state,
        "answer": json_value(ask.answer),
        "answered_at": None if ask.answered_at is None else ask.answered_at.isoformat(),
    }


def annotator_view(ask: Ask, model: typing.Any) -> dict[str, typing.Any]:
    """What the page shows; `key` is the id as JSON, which it sends back as it is."""
    return {
        "id": str(ask.event_id),
        "key": json.dumps(ask.event_id),
        "asked_at": ask.asked_at.isoformat(),
        "features": [[str(name), _display(value)] for name, value in ask.x.items()],
        "opinion": {
            "label": json_value(ask.label),
            "probability": json_value(ask.probability),
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
        {"name": _name(feature), "value": _display(value), "contribution": json_value(contribution)}
        for feature, value, contribution in explained[:_MAX_CONTRIBUTIONS]
        if contribution != 0.0
    ]


def _display(value: typing.Any) -> typing.Any:
    value = json_value(value)
    return str(value) if type(value) is int and abs(value) > _MAX_EXACT else value


def _name(feature: typing.Any) -> str:
    """A feature's name, as a person would say it."""
    if feature == "(intercept)":
        return "baseline"
    return " = ".join(map(str, feature)) if isinstance(feature, tuple) else str(feature)

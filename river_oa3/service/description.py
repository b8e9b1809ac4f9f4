"""What OpenAPI says of the routes that read their requests by hand."""

from __future__ import annotations

import sys
import typing

from river_oa3.service.requests import NAME
from river_oa3.service.settings import Limits

__all__ = ["answers", "body_of", "components"]

Schema = dict[str, typing.Any]

_PROBLEMS = {
    400: "Not JSON.",
    401: "The token is missing or wrong.",
    403: "Sent by a page of another address.",
    404: "Nothing is known of this id.",
    408: "The request took too long to arrive.",
    409: "It does not fit what has happened: learned before, or leased to another annotator.",
    413: "The body or the batch is too large.",
    415: "Not sent as application/json.",
    421: "Without a token, only localhost is answered.",
    422: "A field is missing, unknown or wrong: the error names it.",
    503: "Too much is waiting, or the store cannot be used: come again after Retry-After seconds.",
}


# What a request is made of that is taken as an example.
_EXAMPLES: Schema = {
    "Event": {"id": "payment-1", "x": {"amount": 12.5, "country": "FR", "age": None}},
    "Label": {"id": "payment-1", "label": True},
    "Id": {"id": "payment-1"},
    "Person": {"who": "ada"},
    "Release": {"id": "payment-1", "who": "ada", "skip": True},
}


def components(limits: Limits, is_binary: bool) -> dict[str, Schema]:
    """The schemas by name; labels are of two kinds, or of more."""
    event_id = {
        "description": "Under what the label will come.",
        "anyOf": [
            {"type": "string", "minLength": 1, "maxLength": limits.id},
            {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
        ],
        "examples": ["payment-1"],
    }
    number = {"type": "number", "minimum": -sys.float_info.max, "maximum": sys.float_info.max}
    x = {
        "type": "object",
        "description": (
            "The features by name: for a model with a schema, the row as it is in its table. NaN "
            "and Infinity are not JSON: send null for a gap. Names and texts together have "
            f"{limits.event:,} characters at most."
        ),
        "maxProperties": limits.features,
        "propertyNames": {"maxLength": limits.name},
        "additionalProperties": {
            "anyOf": [
                number,
                {"type": "string", "maxLength": limits.text},
                {"type": "boolean"},
                {"type": "null"},
            ]
        },
        "examples": [_EXAMPLES["Event"]["x"]],
    }
    truth: Schema = {"anyOf": [{"type": "boolean"}, {"enum": [0, 1]}]}
    if not is_binary:
        text = {"type": "string", "maxLength": limits.name}
        truth = {"anyOf": [{"type": "boolean"}, {"type": "integer"}, text]}
    who = {
        "type": "string",
        "minLength": 1,
        "maxLength": limits.name,
        "pattern": f"^{NAME}$",
        "examples": ["ada"],
    }
    nothing = {"type": "null"}
    state = {"enum": ["open", "answered", "learned", "expired"]}
    error = _object({"field": {"type": "string"}, "message": {"type": "string"}}, ["message"])
    maybe = {"anyOf": [{"type": "number"}, {"type": "null"}]}
    ask = {
        "id": event_id,
        "key": {"type": "string", "description": "The id as JSON: no reader rounds it."},
        "x": x,
        "label": truth,
        "probability": maybe,
        "margin": maybe,
        "variance": maybe,
        "query_probability": {"type": "number"},
        "reason": {"type": "string"},
        "asked_at": {"type": "string", "format": "date-time"},
        "state": state,
        "answer": {"anyOf": [*truth["anyOf"], {"type": "null"}]},
        "answered_at": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
    }
    return {
        "Event": _object({"id": event_id, "x": x}, ["id", "x"], closed=True),
        "Answer": _object(
            {"id": event_id, "label": truth, "ask": {"type": "boolean"}, "error": error}, []
        ),
        "Label": _object(
            {
                "id": event_id,
                "label": truth,
                "weight": {
                    "description": "What the label counts, where that is not 1.",
                    "anyOf": [
                        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 2**63},
                        nothing,
                    ],
                },
                "final": {
                    "type": "boolean",
                    "default": True,
                    "description": "True is learned at once. False may be withdrawn for a while.",
                },
                "who": {
                    "description": "Refused if the ask is leased to someone else.",
                    "anyOf": [who, nothing],
                },
            },
            ["id", "label"],
            closed=True,
        ),
        "Outcome": _object(
            {
                "id": event_id,
                "state": state,
                "undo_seconds": {"type": "number"},
                "error": error,
                "status": {
                    "type": "integer",
                    "description": "HTTP status this entry would have had alone.",
                },
            },
            [],
        ),
        "Id": _object({"id": event_id}, ["id"], closed=True),
        "Person": _object({"who": who}, ["who"], closed=True),
        "Release": _object(
            {"id": event_id, "who": who, "skip": {"type": "boolean", "default": False}},
            ["id", "who"],
            closed=True,
        ),
        "Ask": _object(ask, list(ask)),
        "Asks": _object(
            {
                "asks": {"type": "array", "items": _ref("Ask")},
                "count": {"type": "integer"},
                "next": {
                    "description": "Give it as `after` for the next part; null after the last.",
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                },
            },
            ["asks", "count", "next"],
        ),
        "Problem": _object({"error": error}, ["error"]),
    }


def body_of(name: str, batch: str | None = None, limits: Limits | None = None) -> Schema:
    """A body of one thing, or of many as a list or as an object that holds one."""
    schema = _ref(name)
    if batch is not None and limits is not None:
        anything = {"description": "Anything else has an error as its result."}
        each = {"anyOf": [_ref(name), anything]}
        many = {"type": "array", "items": each, "maxItems": limits.batch}
        schema = {"anyOf": [schema, many, _object({batch: many}, [batch], closed=True)]}
    content = {"application/json": {"schema": schema, "example": _EXAMPLES[name]}}
    return {"requestBody": {"required": True, "content": content}}


def answers(
    *statuses: int, schema: str | None = None, batch: bool = False, guarded: bool = True
) -> dict[int | str, Schema]:
    """What a route may answer."""
    good: Schema = {"type": "object"} if schema is None else _ref(schema)
    if batch:
        many = _object({"results": {"type": "array", "items": good}}, ["results"])
        good = {"anyOf": [good, many]}
    found: dict[int | str, Schema] = {
        200: {"description": "Done.", "content": {"application/json": {"schema": good}}}
    }
    wrong = {"application/json": {"schema": _ref("Problem")}}
    for status in (*((401, 421) if guarded else ()), *statuses):
        found[status] = {"description": _PROBLEMS[status], "content": wrong}
    return found


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: Schema, required: list[str], closed: bool = False) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema

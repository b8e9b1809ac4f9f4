"""What OpenAPI says of the routes that read their requests by hand."""

from __future__ import annotations

import typing

from river_oa3.service.settings import Limits

__all__ = ["answers", "body_of", "components"]

Schema = dict[str, typing.Any]

_PROBLEMS = {
    400: "Not JSON.",
    401: "The token is missing or wrong.",
    403: "Sent by a page of another address.",
    404: "Nothing is known of this id.",
    408: "The request took too long to arrive.",
    409: "Learned, answered or taken by somebody else before.",
    413: "The body or the batch is too large.",
    415: "Not sent as application/json.",
    421: "Without a token, only localhost is answered.",
    422: "A field is missing, unknown or wrong: the error names it.",
    503: "Too much is waiting, or the store cannot be used: come again after Retry-After seconds.",
}


def components(limits: Limits) -> dict[str, Schema]:
    """The schemas by name."""
    event_id = {
        "description": "Under what the label will come.",
        "anyOf": [
            {"type": "string", "minLength": 1, "maxLength": limits.id},
            {"type": "integer", "format": "int64"},
        ],
        "examples": ["payment-1"],
    }
    x = {
        "type": "object",
        "description": "The features by name. NaN and Infinity are not JSON: send null for a gap.",
        "maxProperties": limits.features,
        "propertyNames": {"maxLength": limits.name},
        "additionalProperties": {
            "anyOf": [
                {"type": "number"},
                {"type": "string", "maxLength": limits.text},
                {"type": "boolean"},
                {"type": "null"},
            ]
        },
        "examples": [{"amount": 12.5, "country": "FR", "age": None}],
    }
    truth = {"anyOf": [{"type": "boolean"}, {"type": "integer"}, {"type": "string"}]}
    who = {"type": "string", "minLength": 1, "maxLength": limits.name, "examples": ["ada"]}
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
                "weight": {"type": "number", "exclusiveMinimum": 0},
                "final": {
                    "type": "boolean",
                    "default": True,
                    "description": "True is learned at once. False may be withdrawn for a while.",
                },
                "who": {**who, "description": "Refused if somebody else has the ask by now."},
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
                "status": {"type": "integer", "description": "What it would be on its own."},
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
        many = {"type": "array", "items": _ref(name), "maxItems": limits.batch}
        schema = {"anyOf": [schema, many, _object({batch: many}, [batch], closed=True)]}
    content = {"application/json": {"schema": schema}}
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

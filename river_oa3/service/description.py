"""The description of the service for OpenAPI."""

from __future__ import annotations

import importlib.metadata
import inspect
import sys
import typing

from river_oa3.service.parse import ANNOTATOR_PATTERN, MAX_ASKS, PLACE_PATTERN, STATES
from river_oa3.service.settings import Limits

__all__ = ["document"]

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
    "Event": {"id": "payment-1", "x": {"amount": 12.5, "country": "FR"}},
    "Label": {"id": "payment-1", "label": True},
    "Id": {"id": "payment-1"},
    "Person": {"who": "ada"},
    "Release": {"id": "payment-1", "who": "ada", "skip": True},
}

_PARAMETERS: list[Schema] = [
    {"name": "state", "in": "query", "schema": {"enum": [*STATES], "default": "open"}},
    {
        "name": "limit",
        "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": MAX_ASKS, "default": 100},
    },
    {
        "name": "after",
        "in": "query",
        "description": "Where the part begins: `next` of the part before.",
        "schema": {"type": "string", "pattern": f"^(?:{PLACE_PATTERN})$"},
    },
]

_METRICS: Schema = {
    "description": "The text form of Prometheus.",
    "content": {"application/json": {"schema": {}}, "text/plain": {"schema": {"type": "string"}}},
}

# What may be wrong with any request that has a body.
_BODY = (400, 403, 408, 413, 415, 422, 503)

_TEXTS = {
    "/events": """Predict one event, or a batch in its order; `ask` says that its label is wanted.

    An event of a batch that is refused has an `error` in its place, and the others are
    answered. With a store, an id that comes again gets its old answer, unless nobody was asked
    about it and the service was killed before it wrote again.
    """,
    "/labels": """Learn one label that was asked for, or a batch in its order.

    With `final` false an answer is learned after some seconds, and can be withdrawn, or
    answered anew, until then. A label that comes again changes nothing.
    """,
    "/labels/withdraw": "Take back an answer that is not learned yet.",
    "/asks": """Asks in a state, the oldest first; `next` leads to further ones.

    Whatever is answered between two parts, none that stays is left out or comes twice.
    """,
    "/asks/lease": """The next ask for a person, whom nobody else can take it from for some time.

    The same person gets the same ask, and more time, until it is answered or released.
    """,
    "/asks/release": "Give an ask back; `skip` puts it behind the others.",
    "/quality": "How good the predictions are, estimated from the labels that were asked for.",
    "/progress": "What the page shows beside the ask: queue, budget, quality, learning curve.",
    "/metrics": "All numbers, for Prometheus; while the store is down, those of the service alone.",
    "/health": "Whether events can be answered now; needs no token.",
}


def document(limits: Limits, is_binary: bool, needs_token: bool) -> Schema:
    """All that the service takes and answers; labels are of two kinds, or of more.

    Examples
    --------

    >>> from river_oa3.service import Limits
    >>> from river_oa3.service.description import document

    >>> sorted(document(Limits(), is_binary=True, needs_token=False)['paths'])
    ['/asks', '/asks/lease', '/asks/release', '/events', '/health', ...]

    """
    described: Schema = {
        "openapi": "3.1.0",
        "info": {
            "title": "river_oa3",
            "summary": "Predicts events, says whose labels are worth asking for, and learns them.",
            "version": importlib.metadata.version("river-oa3"),
        },
        "paths": _paths(limits),
        "components": {"schemas": _schemas(limits, is_binary)},
    }
    if needs_token:
        scheme = {"type": "http", "scheme": "bearer"}
        described["components"]["securitySchemes"] = {"token": scheme}
        described["security"] = [{"token": []}]
    return described


def _paths(limits: Limits) -> Schema:
    operations: dict[str, tuple[str, Schema, Schema]] = {
        "/events": (
            "stream",
            _body("Event", "events", limits),
            _responses(*_BODY, schema="Answer", batch=True),
        ),
        "/labels": (
            "stream",
            _body("Label", "labels", limits),
            _responses(*_BODY, 404, 409, schema="Outcome", batch=True),
        ),
        "/labels/withdraw": (
            "stream",
            _body("Id"),
            _responses(*_BODY, 404, 409, schema="Outcome"),
        ),
        "/asks": ("asks", {"parameters": _PARAMETERS}, _responses(409, 422, 503, schema="Asks")),
        "/asks/lease": ("asks", _body("Person"), _responses(*_BODY)),
        "/asks/release": ("asks", _body("Release"), _responses(*_BODY)),
        "/quality": ("watch", {}, _responses(503)),
        "/progress": ("watch", {}, _responses(503)),
        "/metrics": ("watch", {}, {**_responses(503), "200": _METRICS}),
        "/health": ("watch", {"security": []}, _responses(503, guarded=False)),
    }
    return {path: _operation(path, *parts) for path, parts in operations.items()}


def _operation(path: str, tag: str, taken: Schema, responses: Schema) -> Schema:
    name, method = path.rpartition("/")[2], "post" if "requestBody" in taken else "get"
    return {
        method: {
            "tags": [tag],
            "summary": name.title(),
            "description": inspect.cleandoc(_TEXTS[path]),
            "operationId": f"{name}{path.replace('/', '_')}_{method}",
            **taken,
            "responses": responses,
        }
    }


def _schemas(limits: Limits, is_binary: bool) -> dict[str, Schema]:
    """The schemas by name."""
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
        "examples": [{**_EXAMPLES["Event"]["x"], "age": None}],
    }
    truth: Schema = {"anyOf": [{"type": "boolean"}, {"enum": [0, 1]}]}
    if not is_binary:
        text = {"type": "string", "maxLength": limits.name}
        truth = {"anyOf": [{"type": "boolean"}, {"type": "integer"}, text]}
    annotator = {
        "type": "string",
        "minLength": 1,
        "maxLength": limits.name,
        "pattern": f"^{ANNOTATOR_PATTERN}$",
        "examples": ["ada"],
    }
    nothing = {"type": "null"}
    state = {"enum": [*STATES]}
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
                    "anyOf": [annotator, nothing],
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
        "Person": _object({"who": annotator}, ["who"], closed=True),
        "Release": _object(
            {"id": event_id, "who": annotator, "skip": {"type": "boolean", "default": False}},
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


def _body(name: str, batch: str | None = None, limits: Limits | None = None) -> Schema:
    """A body of one thing, or of many as a list or as an object that holds one."""
    schema = _ref(name)
    if batch is not None and limits is not None:
        anything = {"description": "Anything else has an error as its result."}
        each = {"anyOf": [_ref(name), anything]}
        many = {"type": "array", "items": each, "maxItems": limits.batch}
        schema = {"anyOf": [schema, many, _object({batch: many}, [batch], closed=True)]}
    content = {"application/json": {"schema": schema, "example": _EXAMPLES[name]}}
    return {"requestBody": {"required": True, "content": content}}


def _responses(
    *statuses: int, schema: str | None = None, batch: bool = False, guarded: bool = True
) -> Schema:
    """What a route may answer."""
    good: Schema = {"type": "object"} if schema is None else _ref(schema)
    if batch:
        many = _object({"results": {"type": "array", "items": good}}, ["results"])
        good = {"anyOf": [good, many]}
    responses: Schema = {
        "200": {"description": "Done.", "content": {"application/json": {"schema": good}}}
    }
    wrong = {"application/json": {"schema": _ref("Problem")}}
    for status in (*((401, 421) if guarded else ()), *statuses):
        responses[str(status)] = {"description": _PROBLEMS[status], "content": wrong}
    return responses


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: Schema, required: list[str], closed: bool = False) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema

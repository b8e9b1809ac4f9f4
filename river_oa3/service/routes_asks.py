"""Asks: what the page needs, and whoever would rather write a page of their own."""

from __future__ import annotations

import re
import typing

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from river_oa3.service.description import answers, body_of
from river_oa3.service.problems import Problem
from river_oa3.service.reading import BodyReader
from river_oa3.service.requests import as_id, as_person, fields
from river_oa3.service.routes_stream import json_response
from river_oa3.service.settings import Settings
from river_oa3.service.worker import Worker

__all__ = ["add"]

_STATES = ("open", "answered", "learned", "expired")
_MOST_ASKS = 500

# What `next` gives: a state and a number, for answers with a time in seconds before it.
_PLACE = (
    "(?:open|learned|expired):[0-9]{1,18}"
    r"|answered:[0-9]{1,12}(?:\.[0-9]{1,9})?:[0-9]{1,18}"
)
_is_place = re.compile(_PLACE).fullmatch

_PARAMETERS: list[dict[str, typing.Any]] = [
    {
        "name": "state",
        "in": "query",
        "schema": {"enum": [*_STATES], "default": "open"},
    },
    {
        "name": "limit",
        "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": _MOST_ASKS, "default": 100},
    },
    {
        "name": "after",
        "in": "query",
        "description": "Where the part begins: `next` of the part before.",
        "schema": {"type": "string", "pattern": f"^(?:{_PLACE})$"},
    },
]


def add(app: FastAPI, worker: Worker, reader: BodyReader, settings: Settings) -> None:
    """Add the routes to the app."""
    limits = settings.limits

    @app.get(
        "/asks",
        tags=["asks"],
        responses=answers(409, 422, 503, schema="Asks"),
        openapi_extra={"parameters": _PARAMETERS},
    )
    async def asks(request: Request) -> Response:
        """Asks in a state, the oldest first; `next` leads to further ones.

        Whatever is answered between two parts, none that stays is left out or comes twice.
        """
        state = request.query_params.get("state", "open")
        if state not in _STATES:
            raise Problem(422, f"must be one of {', '.join(_STATES)}", "state")
        limit = _number(request, "limit", 100, 1, _MOST_ASKS)
        if "offset" in request.query_params:  # of the first versions: it left asks out
            raise Problem(
                422, "is not known any more: give next of the part before as after", "offset"
            )
        after = request.query_params.get("after")
        if after is not None and not _is_place(after):
            raise Problem(422, "must be the `next` value of the previous page", "after")
        return json_response(await worker.do(lambda desk: desk.asks(state, limit, after)))

    @app.post(
        "/asks/lease",
        tags=["asks"],
        responses=answers(400, 403, 408, 413, 415, 422, 503),
        openapi_extra=body_of("Person"),
    )
    async def lease(request: Request) -> Response:
        """The next ask for a person, whom nobody else can take it from for some time.

        The same person gets the same ask, and more time, until it is answered or released.
        """
        async with reader.read(request) as (value, _):
            who = as_person(fields(value, "", ("who",))["who"], "", limits)
            return json_response(await worker.do(lambda desk: desk.lease(who)))

    @app.post(
        "/asks/release",
        tags=["asks"],
        responses=answers(400, 403, 408, 413, 415, 422, 503),
        openapi_extra=body_of("Release"),
    )
    async def release(request: Request) -> Response:
        """Give an ask back; `skip` puts it behind the others."""
        async with reader.read(request) as (value, _):
            fields(value, "", ("id", "who"), ("skip",))
            event_id = as_id(value["id"], "", limits)
            who = as_person(value["who"], "", limits)
            skip = value.get("skip", False)
            if type(skip) is not bool:
                raise Problem(422, "must be true or false", "skip")
            return json_response(await worker.do(lambda desk: desk.release(event_id, who, skip)))


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name, str(default))
    if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise Problem(422, f"must be a whole number from {least} to {most:,}", name)

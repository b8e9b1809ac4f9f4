"""Asks: what the page needs, and whoever would rather write a page of their own."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from river_oa3.service.problems import Problem
from river_oa3.service.reading import BodyReader
from river_oa3.service.requests import as_id, as_part, as_person, fields
from river_oa3.service.routes_stream import json_response, route
from river_oa3.service.settings import Settings
from river_oa3.service.worker import Worker

__all__ = ["routes"]


def routes(worker: Worker, reader: BodyReader, settings: Settings) -> list[Route]:
    """What gives asks out and takes them back."""
    limits = settings.limits

    async def asks(request: Request) -> Response:
        state, limit, after = as_part(request.query_params)
        return json_response(await worker.do(lambda desk: desk.asks(state, limit, after)))

    async def lease(request: Request) -> Response:
        async with reader.read(request) as (value, _):
            who = as_person(fields(value, "", ("who",))["who"], "", limits)
            return json_response(await worker.do(lambda desk: desk.lease(who)))

    async def release(request: Request) -> Response:
        async with reader.read(request) as (value, _):
            fields(value, "", ("id", "who"), ("skip",))
            event_id = as_id(value["id"], "", limits)
            who = as_person(value["who"], "", limits)
            skip = value.get("skip", False)
            if type(skip) is not bool:
                raise Problem(422, "must be true or false", "skip")
            return json_response(await worker.do(lambda desk: desk.release(event_id, who, skip)))

    return [
        route("/asks", asks, "GET"),
        route("/asks/lease", lease, "POST"),
        route("/asks/release", release, "POST"),
    ]

"""Events and labels: what other programs send, thousands a second."""

from __future__ import annotations

import functools
import typing
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from river_oa3.service.desk import Desk
from river_oa3.service.problems import Problem
from river_oa3.service.reading import Body, BodyReader
from river_oa3.service.requests import (
    as_event,
    as_id,
    as_label,
    as_measured_event,
    batch_of,
    fields,
)
from river_oa3.service.settings import Limits, Settings
from river_oa3.service.views import encoded
from river_oa3.service.worker import Worker

__all__ = ["json_response", "route", "routes"]


def routes(worker: Worker, reader: BodyReader, settings: Settings, is_binary: bool) -> list[Route]:
    """What takes events and labels; labels are of two kinds, or of more."""
    limits = settings.limits
    check_label = functools.partial(as_label, is_binary=is_binary)

    async def events(request: Request) -> Response:
        async with reader.read(request) as body:
            # Of a small batch none is too large.
            check = as_event if body.size <= limits.event else as_measured_event
            return await _answer(worker, body, "events", check, Desk.events, limits)

    async def labels(request: Request) -> Response:
        async with reader.read(request) as body:
            return await _answer(worker, body, "labels", check_label, Desk.labels, limits)

    async def withdraw(request: Request) -> Response:
        async with reader.read(request) as (value, _):
            event_id = as_id(fields(value, "", ("id",))["id"], "", limits)
            return json_response(await worker.do(lambda desk: desk.withdraw(event_id)))

    return [
        route("/events", events, "POST"),
        route("/labels", labels, "POST"),
        route("/labels/withdraw", withdraw, "POST"),
    ]


async def _answer(
    worker: Worker,
    body: Body,
    name: str,
    check: Callable[[typing.Any, str, Limits], typing.Any],
    job: Callable[[Desk, list[typing.Any]], list[dict[str, typing.Any]]],
    limits: Limits,
) -> Response:
    """Do the same with one thing or with many; alone, what is wrong with it is the answer."""
    batch = batch_of(body.value, name, limits)
    # Labels are written one by one: what becomes of one must not be said of another.
    shares = job is Desk.events
    if batch is None:
        checked = check(body.value, "", limits)
        (found,) = await worker.do(lambda desk: job(desk, [checked]), shares=shares)
        if "error" in found:
            error, status = found["error"], found.get("status", 422)
            raise Problem(status, error["message"], error.get("field"))
        return json_response(found)
    prepared: list[typing.Any] = []
    for index, entry in enumerate(batch):
        try:
            prepared.append(check(entry, f"{name}[{index}].", limits))
        except Problem as problem:
            prepared.append(problem)
    if not prepared:
        return json_response({"results": []})
    results = await worker.do(lambda desk: job(desk, prepared), len(prepared), shares)
    for index, result in enumerate(results):
        if "error" in result and "id" in result:  # the learner's, which does not know the place
            result["error"]["field"] = f"{name}[{index}].{result['error'].get('field', '')}"
    return json_response({"results": results})


def route(path: str, endpoint: Callable[[Request], Awaitable[Response]], *methods: str) -> Route:
    """A route of these methods alone: Starlette would let HEAD in wherever GET is."""
    made = Route(path, endpoint, methods=methods)
    made.methods = set(methods)
    return made


def json_response(value: typing.Any) -> Response:
    """Plain values as JSON; bytes are JSON already."""
    content = value if isinstance(value, bytes) else encoded(value)
    return Response(content, media_type="application/json")

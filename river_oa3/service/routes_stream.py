"""Events and labels: what other programs send, thousands a second."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from river_oa3.service.description import answers, body_of
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

__all__ = ["add", "json_response"]

_BODY_PROBLEMS = (400, 403, 408, 413, 415, 422, 503)


def add(
    app: FastAPI, worker: Worker, reader: BodyReader, settings: Settings, is_binary: bool
) -> None:
    """Add the routes to the app; labels are of two kinds, or of more."""
    limits = settings.limits
    check_label = functools.partial(as_label, is_binary=is_binary)

    @app.post(
        "/events",
        tags=["stream"],
        responses=answers(*_BODY_PROBLEMS, schema="Answer", batch=True),
        openapi_extra=body_of("Event", "events", limits),
    )
    async def events(request: Request) -> Response:
        """Predict one event, or a batch in its order; `ask` says that its label is wanted.

        An event of a batch that is refused has an `error` in its place, and the others are
        answered. With a store, an id that comes again gets its old answer, unless nobody was asked
        about it and the service was killed before it wrote again.
        """
        async with reader.read(request) as body:
            # Of a small batch none is too large.
            check = as_event if body.size <= limits.event else as_measured_event
            return await _answer(worker, body, "events", check, Desk.events, limits)

    @app.post(
        "/labels",
        tags=["stream"],
        responses=answers(*_BODY_PROBLEMS, 404, 409, schema="Outcome", batch=True),
        openapi_extra=body_of("Label", "labels", limits),
    )
    async def labels(request: Request) -> Response:
        """Learn one label that was asked for, or a batch in its order.

        With `final` false an answer is learned after some seconds, and can be withdrawn, or
        answered anew, until then. A label that comes again changes nothing.
        """
        async with reader.read(request) as body:
            return await _answer(worker, body, "labels", check_label, Desk.labels, limits)

    @app.post(
        "/labels/withdraw",
        tags=["stream"],
        responses=answers(*_BODY_PROBLEMS, 404, 409, schema="Outcome"),
        openapi_extra=body_of("Id"),
    )
    async def withdraw(request: Request) -> Response:
        """Take back an answer that is not learned yet."""
        async with reader.read(request) as (value, _):
            event_id = as_id(fields(value, "", ("id",))["id"], "", limits)
            return json_response(await worker.do(lambda desk: desk.withdraw(event_id)))


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


def json_response(value: typing.Any) -> Response:
    """Plain values as JSON; bytes are JSON already."""
    content = value if isinstance(value, bytes) else encoded(value)
    return Response(content, media_type="application/json")

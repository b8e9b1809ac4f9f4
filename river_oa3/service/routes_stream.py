"""Events and labels: what other programs send, thousands a second."""

from __future__ import annotations

import functools
import json
import typing
from collections.abc import Callable

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from river_oa3.service.description import answers, body_of
from river_oa3.service.desk import Desk
from river_oa3.service.problems import Problem
from river_oa3.service.reading import BodyReader
from river_oa3.service.requests import as_event, as_id, as_label, batch_of, fields
from river_oa3.service.settings import Limits, Settings
from river_oa3.service.worker import Worker

__all__ = ["add", "json_response"]

_BODY_PROBLEMS = (400, 403, 408, 413, 415, 422, 503)


def add(app: FastAPI, worker: Worker, reader: BodyReader, settings: Settings) -> None:
    """Add the routes to the app."""
    limits = settings.limits

    @app.post(
        "/events",
        tags=["stream"],
        responses=answers(*_BODY_PROBLEMS, schema="Answer", batch=True),
        openapi_extra=body_of("Event", "events", limits),
    )
    async def events(request: Request) -> Response:
        """Predict one event, or a batch in its order; `ask` says that its label is wanted.

        An event of a batch that is refused has an `error` in its place, and the others are
        answered. With a store, an id that comes again gets its old answer.
        """
        value = await reader.read(request.scope["headers"], request.receive)
        return await _answer(worker, value, "events", as_event, Desk.events, limits)

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
        value = await reader.read(request.scope["headers"], request.receive)
        return await _answer(worker, value, "labels", as_label, Desk.labels, limits)

    @app.post(
        "/labels/withdraw",
        tags=["stream"],
        responses=answers(*_BODY_PROBLEMS, 404, 409, schema="Outcome"),
        openapi_extra=body_of("Id"),
    )
    async def withdraw(request: Request) -> Response:
        """Take back an answer that is not learned yet."""
        value = await reader.read(request.scope["headers"], request.receive)
        event_id = as_id(fields(value, "", ("id",))["id"], "", limits)
        return json_response(await worker.do(lambda desk: desk.withdraw(event_id)))


async def _answer(
    worker: Worker,
    value: typing.Any,
    name: str,
    check: Callable[[typing.Any, str, Limits], typing.Any],
    job: Callable[[Desk, list[typing.Any]], list[dict[str, typing.Any]]],
    limits: Limits,
) -> Response:
    """Do the same with one thing or with many; alone, what is wrong with it is the answer."""
    batch = batch_of(value, name, limits)
    if batch is None:
        checked = check(value, "", limits)
        (found,) = await worker.do(lambda desk: job(desk, [checked]))
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
    results = await worker.do(lambda desk: job(desk, prepared), len(prepared))
    for index, result in enumerate(results):
        if "error" in result and "id" in result:  # the learner's, which does not know the place
            result["error"]["field"] = f"{name}[{index}].{result['error'].get('field', '')}"
    return json_response({"results": results})


_encode = functools.partial(json.dumps, separators=(",", ":"), allow_nan=False)


def json_response(value: typing.Any) -> Response:
    return Response(_encode(value).encode(), media_type="application/json")

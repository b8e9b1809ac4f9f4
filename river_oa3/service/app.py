from __future__ import annotations

import asyncio
import contextlib
import typing
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from river_oa3.pending import PendingLabels
from river_oa3.service import routes_asks, routes_stream, routes_watch
from river_oa3.service.description import document
from river_oa3.service.desk import Desk
from river_oa3.service.guard import Guard
from river_oa3.service.measures import Measures
from river_oa3.service.problems import Problem
from river_oa3.service.reading import BodyReader
from river_oa3.service.routes_stream import json_response, route
from river_oa3.service.settings import Settings
from river_oa3.service.worker import Worker

__all__ = ["create_app"]


def create_app(pending: PendingLabels, settings: Settings | None = None) -> Starlette:
    """The service: events in, labels and asks out, and a page for whoever answers.

    The app owns `pending` from here on: one thread of its own uses it, and closes it at the end.

    Parameters
    ----------
    pending
        The learner, and the asks that wait for their labels.
    settings
        How the service behaves.

    Examples
    --------

    >>> from river_oa3 import ActiveLearner, PendingLabels
    >>> from river_oa3.service import create_app

    >>> app = create_app(PendingLabels(ActiveLearner(budget=100)))
    >>> sorted({route.path for route in app.routes})
    ['/', '/asks', '/asks/lease', '/asks/release', '/docs', '/events', ...]

    """
    settings = Settings() if settings is None else settings
    worker = Worker(Desk(pending, settings), settings.limits.backlog)
    reader = BodyReader(settings.limits)
    measures = Measures(routes_watch.PATHS)
    described = document(settings.limits, pending.is_binary, settings.token is not None)

    @contextlib.asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        worker.start()
        try:
            yield
        finally:
            await asyncio.shield(worker.stop())

    async def openapi(_: Request) -> Response:
        return json_response(described)

    app = Starlette(
        routes=[
            route("/openapi.json", openapi, "GET", "HEAD"),
            *routes_stream.routes(worker, reader, settings, pending.is_binary),
            *routes_asks.routes(worker, reader, settings),
            *routes_watch.routes(worker, measures),
        ],
        middleware=[Middleware(Guard, token=settings.token, measures=measures)],
        exception_handlers={HTTPException: _explain},
        lifespan=life,
    )
    app.router.redirect_slashes = False
    app.state.worker = worker
    return app


async def _explain(_: Request, error: Exception) -> typing.NoReturn:
    """What the framework refuses is said as everything else is."""
    refused = typing.cast(HTTPException, error)
    status, headers = refused.status_code, refused.headers or {}
    messages = {404: "not found", 405: "this path does not take this method"}
    allow = {name.lower(): value for name, value in headers.items()}.get("allow")
    raise Problem(status, messages.get(status, "this is not possible"), allow=allow)

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import typing
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.requests import Request

from river_oa3.pending import PendingLabels
from river_oa3.service import description, routes_asks, routes_stream, routes_watch
from river_oa3.service.desk import Desk
from river_oa3.service.guard import Guard
from river_oa3.service.measures import Measures
from river_oa3.service.problems import Problem
from river_oa3.service.reading import BodyReader
from river_oa3.service.settings import Settings
from river_oa3.service.worker import Worker

__all__ = ["create_app"]

_SUMMARY = """Predicts events, says whose labels are worth asking for, and learns them."""


def create_app(pending: PendingLabels, settings: Settings | None = None) -> FastAPI:
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
    >>> sorted(app.openapi()['paths'])
    ['/asks', '/asks/lease', '/asks/release', '/events', '/health', ...]

    """
    settings = Settings() if settings is None else settings
    worker = Worker(Desk(pending, settings), settings.limits.backlog)

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        worker.start()
        try:
            yield
        finally:
            await asyncio.shield(worker.stop())

    app = FastAPI(
        title="river_oa3",
        summary=_SUMMARY,
        version=importlib.metadata.version("river-oa3"),
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
    )
    app.state.worker = worker
    reader = BodyReader(settings.limits)
    routes_stream.add(app, worker, reader, settings, pending.is_binary)
    routes_asks.add(app, worker, reader, settings)
    measures = Measures(routes_watch.PATHS)
    routes_watch.add(app, worker, measures)
    app.add_exception_handler(HTTPException, _explain)
    app.add_middleware(Guard, token=settings.token, measures=measures)
    # FastAPI's way
    app.openapi = lambda: _openapi(app, settings, pending.is_binary)  # type: ignore[method-assign]
    return app


async def _explain(_: Request, error: Exception) -> typing.NoReturn:
    """What the framework refuses is said as everything else is."""
    refused = typing.cast(HTTPException, error)
    status, headers = refused.status_code, refused.headers or {}
    messages = {404: "not found", 405: "this path does not take this method"}
    allow = {name.lower(): value for name, value in headers.items()}.get("allow")
    raise Problem(status, messages.get(status, "this is not possible"), allow=allow)


def _openapi(app: FastAPI, settings: Settings, is_binary: bool) -> dict[str, typing.Any]:
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, summary=app.summary, routes=app.routes
        )
        schema["components"] = {"schemas": description.components(settings.limits, is_binary)}
        if settings.token is not None:
            schema["components"]["securitySchemes"] = {
                "token": {"type": "http", "scheme": "bearer"}
            }
            schema["security"] = [{"token": []}]
        app.openapi_schema = schema
    return app.openapi_schema

"""The routes, and the app that they make."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib.resources
import time
import typing
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from river_oa3.pending import PendingLabels
from river_oa3.service.description import document
from river_oa3.service.guard import Guard
from river_oa3.service.metrics import CONTENT_TYPE, Measures
from river_oa3.service.parse import (
    Body,
    BodyReader,
    as_annotator,
    as_event,
    as_id,
    as_label,
    as_measured_event,
    as_part,
    batch_of,
    fields,
)
from river_oa3.service.problems import Problem
from river_oa3.service.session import LearnerSession
from river_oa3.service.settings import Limits, Settings
from river_oa3.service.views import encoded
from river_oa3.service.worker import Worker

__all__ = ["create_app"]

_PATHS = {
    *("/", "/docs", "/openapi.json", "/events", "/labels", "/labels/withdraw", "/asks"),
    *("/asks/lease", "/asks/release", "/quality", "/progress", "/metrics", "/health"),
    "/health/live",
}

# Seconds for which the word of the store is good, until it counts as silent, and until numbers are
# given without what only the learner knows.
_HEALTH_CACHE_S = 1.0
_HEALTH_TIMEOUT_S = 2.0
_COUNTS_TIMEOUT_S = 1.0

_CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


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
    worker = Worker(LearnerSession(pending, settings), settings.limits.backlog)
    reader = BodyReader(settings.limits)
    measures = Measures(_PATHS)
    described = document(settings.limits, pending.is_binary, settings.token is not None)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        worker.start()
        try:
            yield
        finally:
            await asyncio.shield(worker.stop())

    async def openapi(_: Request) -> Response:
        return _json(described)

    app = Starlette(
        routes=[
            _route("/openapi.json", openapi, "GET", "HEAD"),
            *_stream_routes(worker, reader, settings, pending.is_binary),
            *_ask_routes(worker, reader, settings),
            *_watch_routes(worker, measures),
        ],
        middleware=[Middleware(Guard, token=settings.token, measures=measures)],
        exception_handlers={HTTPException: _explain},
        lifespan=lifespan,
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


def _stream_routes(
    worker: Worker, reader: BodyReader, settings: Settings, is_binary: bool
) -> list[Route]:
    """What takes events and labels; labels are of two kinds, or of more."""
    limits = settings.limits
    check_label = functools.partial(as_label, is_binary=is_binary)

    async def events(request: Request) -> Response:
        async with reader.read(request) as body:
            # Of a small batch none is too large.
            check = as_event if body.size <= limits.event else as_measured_event
            return await _respond(worker, body, "events", check, LearnerSession.events, limits)

    async def labels(request: Request) -> Response:
        async with reader.read(request) as body:
            return await _respond(
                worker, body, "labels", check_label, LearnerSession.labels, limits
            )

    async def withdraw(request: Request) -> Response:
        async with reader.read(request) as (value, _):
            event_id = as_id(fields(value, "", ("id",))["id"], "", limits)
            return _json(await worker.do(lambda session: session.withdraw(event_id)))

    return [
        _route("/events", events, "POST"),
        _route("/labels", labels, "POST"),
        _route("/labels/withdraw", withdraw, "POST"),
    ]


async def _respond(
    worker: Worker,
    body: Body,
    name: str,
    check: Callable[[typing.Any, str, Limits], typing.Any],
    job: Callable[[LearnerSession, list[typing.Any]], list[dict[str, typing.Any]]],
    limits: Limits,
) -> Response:
    """Do the same with one thing or with many; alone, what is wrong with it is the answer."""
    batch = batch_of(body.value, name, limits)
    # Labels are written one by one: what becomes of one must not be said of another.
    shares = job is LearnerSession.events
    if batch is None:
        checked = check(body.value, "", limits)
        (found,) = await worker.do(lambda session: job(session, [checked]), shares=shares)
        if "error" in found:
            error, status = found["error"], found.get("status", 422)
            raise Problem(status, error["message"], error.get("field"))
        return _json(found)
    prepared: list[typing.Any] = []
    for index, entry in enumerate(batch):
        try:
            prepared.append(check(entry, f"{name}[{index}].", limits))
        except Problem as problem:
            prepared.append(problem)
    if not prepared:
        return _json({"results": []})
    results = await worker.do(lambda session: job(session, prepared), len(prepared), shares)
    for index, result in enumerate(results):
        if "error" in result and "id" in result:  # the learner's, which does not know the place
            result["error"]["field"] = f"{name}[{index}].{result['error'].get('field', '')}"
    return _json({"results": results})


def _route(path: str, endpoint: Callable[[Request], Awaitable[Response]], *methods: str) -> Route:
    """A route of these methods alone: Starlette would let HEAD in wherever GET is."""
    route = Route(path, endpoint, methods=methods)
    route.methods = set(methods)
    return route


def _json(value: typing.Any) -> Response:
    """Plain values as JSON; bytes are JSON already."""
    content = value if isinstance(value, bytes) else encoded(value)
    return Response(content, media_type="application/json")


def _ask_routes(worker: Worker, reader: BodyReader, settings: Settings) -> list[Route]:
    """What gives asks out and takes them back."""
    limits = settings.limits

    async def asks(request: Request) -> Response:
        state, limit, after = as_part(request.query_params)
        return _json(await worker.do(lambda session: session.asks(state, limit, after)))

    async def lease(request: Request) -> Response:
        async with reader.read(request) as (value, _):
            annotator = as_annotator(fields(value, "", ("who",))["who"], "", limits)
            return _json(await worker.do(lambda session: session.lease(annotator)))

    async def release(request: Request) -> Response:
        async with reader.read(request) as (value, _):
            fields(value, "", ("id", "who"), ("skip",))
            event_id = as_id(value["id"], "", limits)
            annotator = as_annotator(value["who"], "", limits)
            skip = value.get("skip", False)
            if type(skip) is not bool:
                raise Problem(422, "must be true or false", "skip")
            return _json(
                await worker.do(lambda session: session.release(event_id, annotator, skip))
            )

    return [
        _route("/asks", asks, "GET"),
        _route("/asks/lease", lease, "POST"),
        _route("/asks/release", release, "POST"),
    ]


def _watch_routes(worker: Worker, measures: Measures) -> list[Route]:
    """What tells how it goes, and the files of the page."""
    pages, health_of = _Pages(), _Health(worker)

    async def quality(_: Request) -> Response:
        return _json(await worker.do(lambda session: session.quality()))

    async def progress(_: Request) -> Response:
        return _json(await worker.do(lambda session: session.progress()))

    async def metrics(_: Request) -> Response:
        counts = {}
        # Whoever watches the service wants to see what it does then.
        with contextlib.suppress(TimeoutError, Problem):
            async with asyncio.timeout(_COUNTS_TIMEOUT_S):
                counts = await worker.do(lambda session: session.counts())
        works = worker.store == "ok"
        text = measures.text(counts, worker.waiting, works, worker.store_errors)
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def health(_: Request) -> Response:
        state = await health_of.look()
        response = _json(state)
        response.status_code = 200 if state["ready"] else 503
        return response

    async def live(_: Request) -> Response:
        if not worker.is_alive:
            raise Problem(503, "the learner has ended", retry_after=5)
        return _json({"live": True})

    async def page(_: Request) -> Response:
        return pages.response("index.html")

    async def docs(_: Request) -> Response:
        return pages.response("docs.html")

    async def file(request: Request) -> Response:
        return pages.response(request.path_params["name"])

    return [
        _route("/quality", quality, "GET"),
        _route("/progress", progress, "GET"),
        _route("/metrics", metrics, "GET"),
        _route("/health", health, "GET"),
        _route("/health", health, "HEAD"),
        _route("/health/live", live, "GET", "HEAD"),
        _route("/", page, "GET", "HEAD"),
        _route("/docs", docs, "GET", "HEAD"),
        _route("/page/{name}", file, "GET", "HEAD"),
    ]


class _Health:
    """Asks the learner for a sign of life, at most once a second."""

    def __init__(self, worker: Worker):
        self._worker = worker
        self._asked_at = -_HEALTH_CACHE_S
        self._store = "ok"

    async def look(self) -> dict[str, object]:
        worker = self._worker
        if time.monotonic() - self._asked_at >= _HEALTH_CACHE_S:
            self._asked_at = time.monotonic()
            self._store = await self._ask()
        live = worker.is_alive
        return {
            "live": live,
            "ready": live and self._store == "ok",
            "store": self._store,
            "backlog": worker.waiting,
        }

    async def _ask(self) -> str:
        try:
            async with asyncio.timeout(_HEALTH_TIMEOUT_S):
                await self._worker.do(lambda session: session.check())
        except TimeoutError:
            return "silent"
        except Problem:  # a full backlog says nothing about the store
            pass
        return self._worker.store


class _Pages:
    """All files of the folder `page`."""

    def __init__(self) -> None:
        folder = importlib.resources.files("river_oa3.service") / "page"
        self._files: dict[str, tuple[bytes, str]] = {}
        for file in folder.iterdir():
            kind = _CONTENT_TYPES.get("." + file.name.rpartition(".")[2])
            if kind is not None:
                self._files[file.name] = file.read_bytes(), kind

    def response(self, name: str) -> Response:
        """A file, if there is one of this name."""
        if name not in self._files:
            raise Problem(404, "not found")
        content, kind = self._files[name]
        return Response(content, headers={"content-type": kind})

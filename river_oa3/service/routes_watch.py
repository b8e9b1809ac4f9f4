"""For whoever watches: how good it is, how it goes, whether it lives; and the pages."""

from __future__ import annotations

import asyncio
import contextlib
import time

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from river_oa3.service.measures import Measures
from river_oa3.service.pages import Pages
from river_oa3.service.problems import Problem
from river_oa3.service.prometheus import CONTENT_TYPE
from river_oa3.service.routes_stream import json_response, route
from river_oa3.service.worker import Worker

__all__ = ["PATHS", "routes"]

PATHS = {
    *("/", "/docs", "/openapi.json", "/events", "/labels", "/labels/withdraw", "/asks"),
    *("/asks/lease", "/asks/release", "/quality", "/progress", "/metrics", "/health"),
    "/health/live",
}

# Seconds for which the word of the store is good, until it counts as silent, and until numbers are
# given without what only the learner knows.
_FRESH = 1.0
_SILENT = 2.0
_SHORT = 1.0


def routes(worker: Worker, measures: Measures) -> list[Route]:
    """What tells how it goes, and the files of the page."""
    pages, health_of = Pages(), _Health(worker)

    async def quality(_: Request) -> Response:
        return json_response(await worker.do(lambda desk: desk.quality()))

    async def progress(_: Request) -> Response:
        return json_response(await worker.do(lambda desk: desk.progress()))

    async def metrics(_: Request) -> Response:
        counts = {}
        # Whoever watches the service wants to see what it does then.
        with contextlib.suppress(TimeoutError, Problem):
            async with asyncio.timeout(_SHORT):
                counts = await worker.do(lambda desk: desk.counts())
        works = worker.store == "ok"
        text = measures.text(counts, worker.waiting, works, worker.store_errors)
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def health(_: Request) -> Response:
        state = await health_of.look()
        response = json_response(state)
        response.status_code = 200 if state["ready"] else 503
        return response

    async def live(_: Request) -> Response:
        if not worker.is_alive:
            raise Problem(503, "the learner has ended", retry_after=5)
        return json_response({"live": True})

    async def page(_: Request) -> Response:
        return pages.response("index.html")

    async def docs(_: Request) -> Response:
        return pages.response("docs.html")

    async def file(request: Request) -> Response:
        return pages.response(request.path_params["name"])

    return [
        route("/quality", quality, "GET"),
        route("/progress", progress, "GET"),
        route("/metrics", metrics, "GET"),
        route("/health", health, "GET"),
        route("/health", health, "HEAD"),
        route("/health/live", live, "GET", "HEAD"),
        route("/", page, "GET", "HEAD"),
        route("/docs", docs, "GET", "HEAD"),
        route("/page/{name}", file, "GET", "HEAD"),
    ]


class _Health:
    """Asks the learner for a sign of life, at most once a second."""

    def __init__(self, worker: Worker):
        self._worker = worker
        self._asked_at = -_FRESH
        self._store = "ok"

    async def look(self) -> dict[str, object]:
        worker = self._worker
        if time.monotonic() - self._asked_at >= _FRESH:
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
            async with asyncio.timeout(_SILENT):
                await self._worker.do(lambda desk: desk.check())
        except TimeoutError:
            return "silent"
        except Problem:  # a full backlog says nothing about the store
            pass
        return self._worker.store

"""For whoever watches: how good it is, how it goes, whether it lives; and the pages."""

from __future__ import annotations

import asyncio
import contextlib
import time

from fastapi import FastAPI
from starlette.responses import Response

from river_oa3.service.description import answers
from river_oa3.service.measures import Measures
from river_oa3.service.pages import Pages
from river_oa3.service.problems import Problem
from river_oa3.service.prometheus import CONTENT_TYPE
from river_oa3.service.routes_stream import json_response
from river_oa3.service.worker import Worker

__all__ = ["PATHS", "add"]

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


def add(app: FastAPI, worker: Worker, measures: Measures) -> None:
    """Add the routes to the app."""
    pages, health_of = Pages(), _Health(worker)

    @app.get("/quality", tags=["watch"], responses=answers(503))
    async def quality() -> Response:
        """How good the predictions are, estimated from the labels that were asked for."""
        return json_response(await worker.do(lambda desk: desk.quality()))

    @app.get("/progress", tags=["watch"], responses=answers(503))
    async def progress() -> Response:
        """What the page shows beside the ask: queue, budget, quality, learning curve."""
        return json_response(await worker.do(lambda desk: desk.progress()))

    @app.get(
        "/metrics",
        tags=["watch"],
        responses={
            **answers(503),
            200: {
                "description": "The text form of Prometheus.",
                "content": {"text/plain": {"schema": {"type": "string"}}},
            },
        },
    )
    async def metrics() -> Response:
        """All numbers, for Prometheus; while the store is down, those of the service alone."""
        counts = {}
        # Whoever watches the service wants to see what it does then.
        with contextlib.suppress(TimeoutError, Problem):
            async with asyncio.timeout(_SHORT):
                counts = await worker.do(lambda desk: desk.counts())
        works = worker.store == "ok"
        text = measures.text(counts, worker.waiting, works, worker.store_errors)
        return Response(text, headers={"content-type": CONTENT_TYPE})

    @app.api_route("/health", methods=["GET", "HEAD"], tags=["watch"], include_in_schema=False)
    @app.get(
        "/health",
        tags=["watch"],
        responses=answers(503, guarded=False),
        openapi_extra={"security": []},
    )
    async def health() -> Response:
        """Whether events can be answered now; needs no token."""
        state = await health_of.look()
        response = json_response(state)
        response.status_code = 200 if state["ready"] else 503
        return response

    @app.api_route("/health/live", methods=["GET", "HEAD"], include_in_schema=False)
    async def live() -> Response:
        if not worker.is_alive:
            raise Problem(503, "the learner has ended", retry_after=5)
        return json_response({"live": True})

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> Response:
        return pages.response("index.html")

    @app.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
    async def docs() -> Response:
        return pages.response("docs.html")

    @app.api_route("/page/{name}", methods=["GET", "HEAD"], include_in_schema=False)
    async def file(name: str) -> Response:
        return pages.response(name)


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

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from river_oa3.service.problems import Problem, as_json

__all__ = ["ImpatientProtocol"]

# Seconds until a new connection has said what it wants, and bytes that it may take for that.
_PATIENCE = 20.0
_MOST_BYTES = 64 * 2**10


class ImpatientProtocol(HttpToolsProtocol):
    """uvicorn's connection, but it does not wait for ever for the head of a request."""

    _head_bytes = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_done()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._timer is None and (self.cycle is None or self.cycle.response_complete):
            # Something comes where nothing was asked for: it has to become a request soon.
            self._expect_head()
        if self._timer is not None:
            self._head_bytes += len(data)
            # One piece may hold a head, and much of its body: only the next one tells.
            if self._head_bytes - len(data) > _MOST_BYTES:
                self._refuse(Problem(431, "the head of the request is too long"))
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:  # a further request of the same connection
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._head_is_done()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "the request is not HTTP"))

    def _expect_head(self) -> None:
        self._head_bytes = 0
        self._timer = self.loop.call_later(_PATIENCE, self._give_up)

    def _head_is_done(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        self._head_is_done()
        body = as_json(problem)
        reason = {400: "Bad Request", 431: "Request Header Fields Too Large"}[problem.status]
        head = (
            f"HTTP/1.1 {problem.status} {reason}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

"""The app on a socket, until a signal comes."""

from __future__ import annotations

import asyncio
import signal
import socket

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from river_oa3.service.guard import SECURITY_HEADERS
from river_oa3.service.problems import Problem, as_json

__all__ = ["HeaderTimeoutProtocol", "listen", "serve", "server_of"]

# Seconds until a new connection has said what it wants, and bytes of header lines that it may send
# before the body, or after it.
_HEADER_TIMEOUT_S = 20.0
_MAX_HEADER_BYTES = 64 * 2**10

# More connections are answered with 503: whoever opens them must not take the store's files.
_MAX_CONNECTIONS = 10_000

# Seconds for which requests that have begun may go on when the service is told to end.
_SHUTDOWN_GRACE_S = 10
_KEEP_ALIVE_S = 30
_ACCEPT_BACKLOG = 2048

# uvicorn promises none of what is overridden or read below; pyproject.toml caps its version.
_missing = [
    name
    for name in (
        *("connection_made", "connection_lost", "data_received", "send_400_response"),
        *("on_message_begin", "on_headers_complete", "on_body", "on_response_complete"),
    )
    if not callable(getattr(HttpToolsProtocol, name, None))
]
if _missing:
    raise ImportError(
        f"uvicorn's HttpToolsProtocol has no {', '.join(_missing)}: another version has, which "
        "pip install 'river-oa3[service]' finds"
    )


class HeaderTimeoutProtocol(HttpToolsProtocol):
    """uvicorn's connection, but it does not wait for ever for the head of a request.

    Nor does it keep header lines without end, in the head or after the last chunk of a body.

    """

    # Since the head began, or since the latest piece of the body.
    _header_bytes = 0
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
        # One piece may hold a head, and much of its body: only the next one tells.
        if self._header_bytes > _MAX_HEADER_BYTES:
            where = "the head of the request is" if self._timer else "the lines after the body are"
            self._refuse(Problem(431, f"{where} too long"))
            return
        self._header_bytes += len(data)
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:  # a further request of the same connection
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._head_is_done()
        # The guard answers such a request, as it does whatever else is refused.
        self.scope["state"]["is_crowded"] = len(self.connections) > _MAX_CONNECTIONS
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._header_bytes = 0
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "the request is not HTTP"))

    def _expect_head(self) -> None:
        self._header_bytes = 0
        self._timer = self.loop.call_later(_HEADER_TIMEOUT_S, self._give_up)

    def _head_is_done(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        is_expected = self._timer is not None or not self.cycle.response_started
        self._head_is_done()
        if is_expected and not self.transport.is_closing():
            body = as_json(problem)
            reason = {400: "Bad Request", 431: "Request Header Fields Too Large"}[problem.status]
            lines = [
                b"HTTP/1.1 %d %s" % (problem.status, reason.encode()),
                b"content-type: application/json",
                b"content-length: %d" % len(body),
                b"connection: close",
                *(name + b": " + value for name, value in SECURITY_HEADERS),
            ]
            self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections; an address in use is an `OSError`."""
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address[:2], family=family, backlog=_ACCEPT_BACKLOG)


def server_of(app: Starlette) -> uvicorn.Server:
    """uvicorn, set up for the app."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=HeaderTimeoutProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            # What it warns of is what anybody may send: it would fill the log.
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_ACCEPT_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=_SHUTDOWN_GRACE_S,
        )
    )


def serve(app: Starlette, listening: socket.socket) -> bool:
    """Answer until SIGTERM or SIGINT comes; says whether all could be saved at the end."""
    server = server_of(app)
    # uvicorn listens to signals from its start on, and repeats them when it has ended: one before
    # that must not be lost, and one after it not end us.
    before = {
        number: signal.signal(number, server.handle_exit)
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        server.run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return bool(app.state.worker.is_saved)

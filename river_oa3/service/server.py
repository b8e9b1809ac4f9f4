"""The app on a socket, until a signal comes."""

from __future__ import annotations

import signal
import socket

import uvicorn
from starlette.applications import Starlette

from river_oa3.service.connections import ImpatientProtocol

__all__ = ["listen", "serve", "server_of"]

# Seconds for which requests that have begun may go on when the service is told to end.
_DRAIN = 10
_KEEP_ALIVE = 30
_CONNECTIONS = 2048


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections; an address in use is an `OSError`."""
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address[:2], family=family, backlog=_CONNECTIONS)


def server_of(app: Starlette) -> uvicorn.Server:
    """uvicorn, set up for the app."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=ImpatientProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            # What it warns of is what anybody may send: it would fill the log.
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=_DRAIN,
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

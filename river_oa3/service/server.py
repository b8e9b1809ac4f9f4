"""The app on a socket, until a signal comes."""

from __future__ import annotations

import contextlib
import gc
import signal
import socket
import sys
import typing

import uvicorn
from fastapi import FastAPI

from river_oa3.service.connections import ImpatientProtocol

__all__ = ["listen", "serve", "server_of"]

# Seconds for which requests that have begun may go on when the service is told to end.
_DRAIN = 10
_KEEP_ALIVE = 30
_CONNECTIONS = 2048
# More are answered with 503: whoever opens them must not take the store's files.
_MOST_CONNECTIONS = 10_000

# The loop and the learner take turns: five milliseconds, as Python has it, are long to wait.
_TURN = 0.001


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections; an address in use is an `OSError`."""
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address[:2], family=family, backlog=_CONNECTIONS)


def server_of(app: FastAPI) -> uvicorn.Server:
    """uvicorn, set up for the app."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=ImpatientProtocol,
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_DRAIN,
        )
    )


def serve(app: FastAPI, listening: socket.socket) -> bool:
    """Answer until SIGTERM or SIGINT comes; says whether all could be saved at the end."""
    sys.setswitchinterval(_TURN)
    _allow_many_connections()
    # What is there by now stays: going through it again and again would hold up answers.
    gc.collect()
    gc.freeze()
    # uvicorn repeats the signal when it has ended, which would end us before we have.
    before = {number: signal.signal(number, _ignore) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        server_of(app).run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return bool(app.state.worker.is_saved)


def _ignore(*_: typing.Any) -> None:
    pass


def _allow_many_connections() -> None:
    """Take as many files as the system lets us: each connection is one."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

"""Who may come in, and what goes with every answer."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import time
import typing
import urllib.parse

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from river_oa3.service.metrics import Measures
from river_oa3.service.problems import Problem, as_json, headers_of

__all__ = ["SECURITY_HEADERS", "Guard", "is_this_machine"]

log = logging.getLogger("river_oa3.service")

# These hold no data, and a browser cannot send a token for them.
_PUBLIC_PATHS = ("/", "/docs", "/health", "/health/live")
_PUBLIC_FOLDER = "/page/"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Guard:
    """Stands before all routes: lets in who may come in, and sees what goes out.

    Parameters
    ----------
    app
        What answers.
    token
        What a request has to show; None on addresses of this machine alone.
    measures
        Counts what was answered.

    """

    def __init__(self, app: ASGIApp, token: str | None, measures: Measures):
        self._app = app
        self._token = None if token is None else token.encode()
        self._measures = measures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        start, status = time.perf_counter(), 0
        is_crowded = scope.get("state", {}).get("is_crowded", False)

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
            await send(message)

        try:
            if is_crowded:
                raise Problem(503, "too many connections", retry_after=1)
            self._check(scope)
            await self._app(scope, receive, send_guarded)
        except Problem as problem:
            # What is left of the request is not waited for.
            closes = is_crowded or scope["method"] == "POST"
            await _send_problem(problem, send_guarded, closes)
        except Exception:
            log.exception("a request failed")
            if status:  # it has begun, and cannot be taken back
                raise
            await _send_problem(
                Problem(500, "something went wrong inside: see the log"), send_guarded
            )
        self._measures.note(scope["path"], status, time.perf_counter() - start)

    def _check(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"")
        path = scope["path"]
        if self._token is None:
            if not is_this_machine(_name_of(host) or ""):
                # A page elsewhere may have had its name pointed at this machine.
                raise Problem(421, "without a token, only localhost is answered")
        elif not (path in _PUBLIC_PATHS or path.startswith(_PUBLIC_FOLDER)):
            scheme, _, shown = headers.get(b"authorization", b"").partition(b" ")
            is_right = hmac.compare_digest(shown, self._token)
            if not (is_right and scheme.lower() == b"bearer"):
                raise Problem(401, "send the header Authorization: Bearer and the token")
        if scope["method"] not in ("GET", "HEAD") and _is_foreign(headers.get(b"origin"), host):
            raise Problem(
                403,
                "pages of other addresses may not use this service; a proxy has to pass the Host "
                "header on",
            )


def _is_foreign(origin: bytes | None, host: bytes) -> bool:
    """Whether a browser sends this for a page of another address."""
    if origin is None:
        return False
    try:
        return urllib.parse.urlsplit(origin).netloc != host
    except ValueError:
        return True


def _name_of(host: bytes) -> str | None:
    """The name in a Host header, without its port."""
    try:
        return urllib.parse.urlsplit(b"//" + host).hostname.decode()  # type: ignore[union-attr]
    except (AttributeError, ValueError):
        return None


async def _send_problem(
    problem: Problem, send: typing.Callable[[Message], typing.Any], closes: bool = False
) -> None:
    body = as_json(problem)
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        **headers_of(problem),
        **({"connection": "close"} if closes else {}),
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def is_this_machine(host: str) -> bool:
    """Whether only programs of this machine reach an address.

    Examples
    --------

    >>> from river_oa3.service.guard import is_this_machine

    >>> is_this_machine('127.0.0.2'), is_this_machine('0.0.0.0')
    (True, False)

    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

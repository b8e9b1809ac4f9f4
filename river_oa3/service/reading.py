"""A request's body: read within limits, and understood strictly."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import typing
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from starlette.requests import Request

from river_oa3.service.problems import Problem
from river_oa3.service.settings import Limits

__all__ = ["BodyReader", "parse_json"]

Receive = Callable[[], Awaitable[typing.MutableMapping[str, typing.Any]]]


class Body(typing.NamedTuple):
    """A value that was sent, and the bytes that it took."""

    value: typing.Any
    size: int


class BodyReader:
    """Reads bodies of JSON, and bounds the bytes of those that are read or wait for answers."""

    def __init__(self, limits: Limits):
        self._limits = limits
        self._held = 0

    @contextlib.asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[Body]:
        """What a request brings; its bytes are held until it is answered."""
        self._check(dict(request.scope["headers"]))
        try:
            async with asyncio.timeout(self._limits.seconds):
                body = await self._read(request.receive)
        except TimeoutError:
            raise Problem(
                408, f"the request took more than {self._limits.seconds:g} seconds to arrive"
            ) from None
        self._held += len(body)
        try:
            yield Body(parse_json(body, 10 * self._limits.batch), len(body))
        finally:
            self._held -= len(body)

    def _check(self, headers: dict[bytes, bytes]) -> None:
        kind, _, parameters = headers.get(b"content-type", b"").lower().partition(b";")
        charset = parameters.strip().removeprefix(b"charset=").strip(b'"')
        if kind.strip() != b"application/json" or charset not in (b"", b"utf-8"):
            raise Problem(415, "send JSON in UTF-8, with the header Content-Type: application/json")
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            raise Problem(415, "compressed requests are not read: send the JSON as it is")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._limits.body:
            raise self._too_large()

    async def _read(self, receive: Receive) -> bytes:
        pieces: list[bytes] = []
        size = 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Problem(400, "the connection was closed before the request was complete")
                piece = message.get("body", b"")
                pieces.append(piece)
                size += len(piece)
                self._held += len(piece)
                if size > self._limits.body:
                    raise self._too_large()
                if self._held > self._limits.bodies:
                    raise Problem(503, "too many large requests at once", retry_after=1)
                if not message.get("more_body", False):
                    return b"".join(pieces)
        finally:
            self._held -= size

    def _too_large(self) -> Problem:
        return Problem(
            413, f"a request may have {self._limits.body:,} bytes: send its events in smaller parts"
        )


def parse_json(body: bytes, most_objects: int | None = None) -> typing.Any:
    """A JSON text as plain values; what some parsers let pass is refused.

    Parameters
    ----------
    body
        The text.
    most_objects
        How many objects it may hold: millions of empty ones would hold up everybody else.

    Examples
    --------

    >>> from river_oa3.service.reading import parse_json

    >>> parse_json(b'{"amount": 12.5}')
    {'amount': 12.5}
    >>> parse_json(b'{"amount": NaN}')
    Traceback (most recent call last):
        ...
    river_oa3.service.problems.Problem: NaN is not JSON: leave the feature out, or send null

    """
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise Problem(400, f"the request is not UTF-8: see byte {error.start}") from None
    try:
        with _no_collections():
            value = _decoder(most_objects).decode(text)
    except json.JSONDecodeError as error:
        raise Problem(
            400, f"the request is not JSON: {error.msg} in line {error.lineno}, {error.colno}"
        ) from None
    except RecursionError:
        raise Problem(400, "the request is nested too deeply") from None
    except ValueError:  # from int, for thousands of digits
        raise Problem(400, "the request holds a number with too many digits") from None
    if b"\\ud" in body or b"\\uD" in body:
        _check_surrogates(value)
    return value


@contextlib.contextmanager
def _no_collections() -> Iterator[None]:
    """Going through a million lists again and again, as they come, takes longer than reading them.

    JSON has no cycles to be found.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _check_surrogates(value: typing.Any) -> None:
    """Refuse unpaired surrogates: nothing can store or show them."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem(
            400, "the request holds an unpaired surrogate: one of \\ud800 to \\udfff alone"
        ) from None


def _decoder(most_objects: int | None) -> json.JSONDecoder:
    n_objects = 0

    def as_object(pairs: list[tuple[str, typing.Any]]) -> dict[str, typing.Any]:
        nonlocal n_objects
        n_objects += 1
        if n_objects == most_objects:
            raise Problem(
                413,
                f"a request may have {most_objects:,} objects: send its events in smaller parts",
            )
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            # `add` gives None, so that this stops at the first name that is there again.
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise Problem(400, f"the name {twice[:100]!r} is there twice in one object")
        return found

    return json.JSONDecoder(object_pairs_hook=as_object, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> typing.NoReturn:
    raise Problem(400, f"{name} is not JSON: leave the feature out, or send null")

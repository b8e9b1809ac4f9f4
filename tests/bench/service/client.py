from __future__ import annotations

import asyncio
import typing

__all__ = ["Client", "post"]


def post(path: str, body: bytes) -> bytes:
    """A request as it goes over the wire."""
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Client(asyncio.Protocol):
    """One connection that sends a request and waits for its answer: cheap, and no more than that.

    What a client of comfort costs would be measured as if the service cost it.
    """

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._body_start = -1
        self._end = 0
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    @classmethod
    async def connect(cls, port: int) -> Client:
        _, client = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return client

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    def connection_made(self, transport: typing.Any) -> None:
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the service closed a connection"))

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        if self._body_start < 0:
            end = received.find(b"\r\n\r\n")
            if end < 0:
                return
            self._body_start = end + 4
            self._end = self._body_start + _length(bytes(received[:end]))
        if len(received) < self._end or self._answer is None:
            return
        status, body = int(received[9:12]), bytes(received[self._body_start : self._end])
        del received[: self._end]
        self._body_start = -1
        self._answer.set_result((status, body))


def _length(head: bytes) -> int:
    start = head.lower().index(b"content-length:") + len(b"content-length:")
    return int(head[start:].split(b"\r\n", 1)[0])

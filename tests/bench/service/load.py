"""Load on the service: as much as it takes, or at a pace."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
import typing
from collections import deque
from collections.abc import Iterator

import numpy as np

from ..events import Events
from ..service.client import Client, post

__all__ = ["Load", "Pacing"]


class Pacing(typing.NamedTuple):
    """How long answers took, in milliseconds."""

    events_per_second: float
    median: float
    p99: float
    longest: float


class Load:
    """Sends events, and answers what is asked about them over a connection of its own.

    Parameters
    ----------
    port
        Where the service listens.
    events
        Events with their labels, sent over and over under new ids.
    batch
        How many go into a request; 1 sends them bare.
    ids
        Gives the ids; no event of a store may have that of another.

    """

    def __init__(self, port: int, events: Events, batch: int, ids: Iterator[int]):
        self._port = port
        self._batch = batch
        self._ids = ids
        self._features = [json.dumps(x, separators=(",", ":")) for x, _ in events]
        self._truth = [y for _, y in events]
        self._asked: deque[str] = deque()
        self.n_labels = 0
        self.n_refused = 0

    async def flood(self, seconds: float, connections: int) -> float:
        """Events a second, each connection sending as soon as it has its answer."""
        end = time.perf_counter() + seconds
        sent = 0

        async def send(client: Client) -> None:
            nonlocal sent
            while time.perf_counter() < end:
                self._note(*await client.ask(self._request()))
                sent += self._batch

        clients = [await Client.connect(self._port) for _ in range(connections)]
        start = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            labels = group.create_task(self._answer())
            await asyncio.gather(*(send(client) for client in clients))
            labels.cancel()
        took = time.perf_counter() - start
        for client in clients:
            client.close()
        return sent / took

    async def paced(self, seconds: float, per_second: float) -> Pacing:
        """How long answers take when requests come evenly, whatever became of those before.

        The clock of a request starts when it was due, not when there was a connection for it: a
        service that stops for a second is charged with all that would have come in it.
        """
        free: deque[Client] = deque([await Client.connect(self._port) for _ in range(8)])
        every = self._batch / per_second
        took: list[float] = []
        running: set[asyncio.Task[None]] = set()

        async def send(request: bytes, due: float) -> None:
            client = free.pop() if free else await Client.connect(self._port)
            self._note(*await client.ask(request))
            took.append(time.perf_counter() - due)
            free.append(client)

        labels = asyncio.create_task(self._answer())
        start = time.perf_counter()
        for number in range(round(seconds / every)):
            request, due = self._request(), start + number * every
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            task = asyncio.create_task(send(request, due))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)
        sent = len(took) * self._batch / (time.perf_counter() - start)
        labels.cancel()
        for client in free:
            client.close()
        median, p99 = np.percentile(took, [50, 99])
        return Pacing(sent, 1e3 * float(median), 1e3 * float(p99), 1e3 * max(took))

    def _request(self) -> bytes:
        if self._batch == 1:
            return post("/events", self._event(next(self._ids)).encode())
        events = map(self._event, itertools.islice(self._ids, self._batch))
        return post("/events", f"[{','.join(events)}]".encode())

    def _event(self, number: int) -> str:
        return f'{{"id":{number},"x":{self._features[number % len(self._features)]}}}'

    def _note(self, status: int, body: bytes) -> None:
        if status != 200:
            self.n_refused += 1
        elif b'"ask":true' in body:
            answer = json.loads(body)
            for each in answer.get("results", [answer]):
                if each.get("ask"):
                    y = self._truth[each["id"] % len(self._truth)]
                    self._asked.append(f'{{"id":{each["id"]},"label":{json.dumps(y)}}}')

    async def _answer(self) -> None:
        """Label what was asked about, until cancelled."""
        client = await Client.connect(self._port)
        try:
            while True:
                if not self._asked:
                    await asyncio.sleep(0.01)
                    continue
                labels = [self._asked.popleft() for _ in range(min(100, len(self._asked)))]
                await client.ask(post("/labels", f"[{','.join(labels)}]".encode()))
                self.n_labels += len(labels)
        finally:
            client.close()

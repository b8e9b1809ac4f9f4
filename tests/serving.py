"""A service on a real socket, in this process."""

from __future__ import annotations

import socket
import threading
import time

import httpx

from river_oa3 import ActiveLearner, query
from river_oa3.service import create_app
from river_oa3.service.server import listen, server_of


class Running:
    """A service that answers, and a client for it."""

    def __init__(self, pending, settings, port=0):
        self.app = create_app(pending, settings)
        self._socket = listen("127.0.0.1", port)
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._server = server_of(self.app)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))
        self._thread.start()
        wait_until(lambda: self._server.started)
        self.client = httpx.Client(base_url=self.url, timeout=20)

    def get(self, path, **kwargs):
        return self.client.get(path, **kwargs)

    def post(self, path, content, **kwargs):
        """Send a value as JSON, or bytes as they are."""
        if isinstance(content, bytes):
            headers = {"content-type": "application/json", **kwargs.pop("headers", {})}
            return self.client.post(path, content=content, headers=headers, **kwargs)
        return self.client.post(path, json=content, **kwargs)

    def event(self, event_id, **x):
        return self.post("/events", {"id": event_id, "x": x or {"amount": 1.0}})

    def lease(self, who):
        return self.post("/asks/lease", {"who": who}).json()["ask"]

    @property
    def open_ids(self):
        return [ask["id"] for ask in self.get("/asks").json()["asks"]]

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def stop(self):
        self.client.close()
        self._server.should_exit = True
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()


def wait_until(holds, seconds=20.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def curious(labels=None):
    """A learner that asks about everything."""
    return ActiveLearner(query=query.FirstComeQuery(), budget=labels, seed=1)

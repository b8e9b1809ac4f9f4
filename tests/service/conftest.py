"""Services that end with their tests; and the command in a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("starlette", reason="the service needs the extra `service`")

from databases import postgresql_server
from serving import Running, curious

from river_oa3 import PendingLabels
from river_oa3.files import save
from river_oa3.service import Settings


@pytest.fixture
def serve(tmp_path):
    """Start services; they end with the test."""
    with contextlib.ExitStack() as stack:

        def start(pending=None, store=False, labels=None, port=0, **settings):
            if pending is None:
                url = f"sqlite:///{tmp_path}/asks.db" if store else None
                pending = PendingLabels(curious(labels), store=url)
            running = Running(pending, Settings(**settings), port)
            stack.callback(running.stop)
            return running

        yield start


@pytest.fixture
def service(serve):
    return serve()


@pytest.fixture
def stored(serve):
    return serve(store=True)


@pytest.fixture
def command(tmp_path):
    """Start `river-oa3 serve` with a model that asks about everything; killed with the test."""
    save(curious(), tmp_path / "model.oa3")
    with contextlib.ExitStack() as stack:

        def start(*options, **environment):
            words = [sys.executable, "-m", "river_oa3", "serve", str(tmp_path / "model.oa3")]
            process = subprocess.Popen(
                [*words, *map(str, options)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ | environment,
            )
            stack.callback(_end, process)
            return process

        yield start


@pytest.fixture(scope="session")
def postgresql():
    with postgresql_server() as url:
        yield url


def _end(process):
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.fixture(scope="module")
def module_service():
    """Start services that several tests share."""
    with contextlib.ExitStack() as stack:

        def start(**settings):
            running = Running(PendingLabels(curious()), Settings(**settings))
            stack.callback(running.stop)
            return running

        yield start

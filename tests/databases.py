"""A real server of PostgreSQL, where the machine has its programs."""

from __future__ import annotations

import contextlib
import getpass
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from river_oa3.pending import tables


def _programs():
    """The folder of initdb and postgres; None where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


@contextlib.contextmanager
def postgresql_server():
    """The URL of a server that is gone at the end."""
    programs = _programs()
    if programs is None:
        pytest.skip("the programs of PostgreSQL (initdb, postgres) are not installed")
    # PostgreSQL does not run as root.
    user = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    folder = tempfile.mkdtemp(prefix="oa3-postgresql-")
    if user:
        shutil.chown(folder, **user)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = f"{folder}/data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **user}
    make = [
        programs / "initdb",
        "-D",
        data,
        "-A",
        "trust",
        "-U",
        "tests",
        "--no-sync",
        "-E",
        "UTF8",
    ]
    subprocess.run(make, check=True, **quiet)
    settings = ("listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", "fsync=off")
    options = [part for setting in settings for part in ("-c", setting)]
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, "-p", str(port), *options], **quiet
    )
    try:
        url = f"postgresql+psycopg://tests@127.0.0.1:{port}/postgres"
        _wait_for(url)
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # which waits for nobody who is still connected
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(url):
    engine = sa.create_engine(url)
    for _ in range(200):
        try:
            with engine.connect():
                engine.dispose()
                return
        except sa.exc.OperationalError:
            time.sleep(0.05)
    pytest.fail(f"PostgreSQL did not start for {getpass.getuser()}")


def without_tables(url):
    """The same server, with none of our tables."""
    engine = sa.create_engine(url)
    tables.metadata.drop_all(engine)
    engine.dispose()
    return url


class CommitDelay:
    """Stands before a server, and passes everything on.

    Once `armed`, it cuts off whoever sends the next COMMIT, which reaches the server all the same:
    when `deliver` is set, or after so many seconds.
    """

    def __init__(self, url, seconds):
        self._server = sa.make_url(url)
        self._seconds = seconds
        self.armed = False
        self.deliver = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = str(self._server.set(port=self._listening.getsockname()[1]))
        self._is_open = True
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while self._is_open:
            with contextlib.suppress(OSError):
                client, _ = self._listening.accept()
                threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client):
        address = self._server.host, self._server.port
        with client, socket.create_connection(address) as server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    try:
                        sent = ready.recv(65536)
                    except OSError:
                        return
                    if not sent:
                        return
                    if ready is client and self.armed and b"COMMIT" in sent:
                        self.armed = False
                        client.close()
                        self.deliver.wait(self._seconds)
                        server.sendall(sent)
                        server.recv(65536)  # which has done it by then
                        return
                    (server if ready is client else client).sendall(sent)

    def close(self):
        self._is_open = False
        self.deliver.set()
        self._listening.close()

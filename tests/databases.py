"""A real server of PostgreSQL, where the machine has its programs."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
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

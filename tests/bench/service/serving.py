"""The service under load: a process of its own, on a core of its own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from river_oa3.active import ActiveLearner
from river_oa3.datasets import DataError
from river_oa3.files import save

__all__ = ["serving"]


@contextlib.contextmanager
def serving(model: ActiveLearner, folder: Path, core: int | None) -> Iterator[int]:
    """The port of a service with this model, and a store in a folder, until the block ends."""
    path = folder / "model.oa3"
    save(model, path)
    command = [sys.executable, "-m", "river_oa3", "serve", str(path), "--port", "0"]
    command += ["--store", str(folder / "asks.db")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r":(\d+)/", said)
        if found is None:
            raise DataError(f"the service did not start: {said or 'it said nothing'}")
        yield int(found[1])
        process.send_signal(signal.SIGTERM)
        if process.wait(timeout=60) != 0:
            raise DataError(f"the service ended with code {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()

"""Several threads at once, for the tests of what they share."""

from __future__ import annotations

import contextlib
import sys
import threading


@contextlib.contextmanager
def switching_eagerly():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_threads(*jobs):
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

"""Lets something happen at every single point of a call, not only where chance puts it."""

from __future__ import annotations

import itertools
import sys
import threading
from pathlib import Path

import river_oa3

PACKAGE = str(Path(river_oa3.__file__).parent)


def interrupted_at(point, call, interruption):
    """Make a call, and the interruption before its instruction of that number in the package.

    False if the call was over before. The interruption must not raise.
    """
    count = 0
    happened = False

    def trace(frame, event, _):
        nonlocal count, happened
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            if count == point and not happened:
                happened = True
                interruption()
            count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return happened


def each_interruption(make, call, interruption):
    """The object after a call with an interruption, for every point of the call."""
    for point in itertools.count():
        subject = make()
        if not interrupted_at(point, lambda s=subject: call(s), lambda s=subject: interruption(s)):
            assert point > 0, "there is nothing to interrupt"
            return
        yield subject


def thread_that(action, threads):
    """An interruption by another thread, which may have to wait; to be joined later."""

    def interrupt(subject):
        thread = threading.Thread(target=action, args=[subject], daemon=True)
        threads.append(thread)
        thread.start()
        thread.join(timeout=0.005)

    return interrupt

"""The time, for asks that grow old."""

from __future__ import annotations

import math
import time

__all__ = ["SteadyClock", "latest_possible"]

# A time that is further ahead of the clock was written under a wrong one. With one that is less far
# ahead the clock catches up soon.
MOST_AHEAD = 7 * 86_400.0

# 2025 in seconds: whatever shows less has lost its battery.
_EARLIEST = 1_735_689_600.0


class SteadyClock:
    """Seconds since 1970 that pass one by one, whatever is done to the clock of the system.

    That clock is read once. From there on the time goes on by itself, through a machine's sleep
    too, and it starts no earlier than it ended before: an ask grows as old as it is, and no older,
    though somebody sets the clock.

    Parameters
    ----------
    not_before
        The latest time that is known to have passed.

    """

    def __init__(self, not_before: float = 0.0):
        self._latest = not_before
        self._start = max(time.time(), not_before) - _passed()

    def __call__(self) -> float:
        self._latest = self._start + _passed()
        return self._latest

    def __reduce__(self) -> tuple[type[SteadyClock], tuple[float]]:
        return SteadyClock, (self._latest,)


def latest_possible() -> float:
    """The latest time that may have passed, going by the clock of the system."""
    now = time.time()
    return now + MOST_AHEAD if now >= _EARLIEST else math.inf


def _passed() -> float:
    """Seconds since some moment; with those that the machine slept, where that can be known."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()

"""How much memory a learner may ask for."""

from __future__ import annotations

import os
from pathlib import Path


def available_bytes() -> float:
    """Bytes that can be had now, as far as this system tells; infinity where it does not."""
    return min(_free_bytes(), _group_bytes())


def _free_bytes() -> float:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _group_bytes() -> float:
    """What a container leaves of its limit."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = float((group / "memory.max").read_text())
        used = float((group / "memory.current").read_text())
        # Files that nobody has looked at lately make way.
        statistics = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return limit - used + float(statistics["inactive_file"])
    except (OSError, ValueError, KeyError):  # no such group, or a limit of "max"
        return float("inf")

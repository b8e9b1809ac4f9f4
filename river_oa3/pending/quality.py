"""The sums of a monitor, which are kept with each snapshot of the model."""

from __future__ import annotations

from collections.abc import Iterable

from river_oa3 import files
from river_oa3.monitor import AskedQuality

__all__ = ["from_bytes", "to_bytes"]


def to_bytes(quality: AskedQuality) -> bytes:
    """The sums of all labels so far; whoever reads them may look at another metric."""
    bare = AskedQuality()
    bare.restore(quality.state())
    return files.to_bytes(bare)


def from_bytes(contents: Iterable[tuple[int, bytes]], quality: AskedQuality) -> int:
    """Bring a monitor to where the first of these that is whole stood, and give its step."""
    for step, content in contents:
        try:
            stored = files.from_bytes(content)
        except files.FileError:
            continue
        if type(stored) is AskedQuality:
            quality.restore(stored.state())
            return step
    return 0

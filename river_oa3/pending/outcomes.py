"""What labels tell about the quality."""

from __future__ import annotations

import typing

from river_oa3.monitor import AskedQuality

__all__ = ["tell"]


def tell(quality: AskedQuality, answer: typing.Any, label: typing.Any, probability: float) -> None:
    """Let a label count, where there are two classes."""
    if isinstance(answer, bool) and isinstance(label, bool):
        quality.update(answer, label, probability)

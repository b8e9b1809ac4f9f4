"""What is left of a budget, and until when it lasts."""

from __future__ import annotations

import datetime as dt
import math
import time
import typing
from collections import deque

from river_oa3.active import ActiveLearner
from river_oa3.budget import RateBudget, TotalBudget, WindowBudget

__all__ = ["Pace", "outlook"]

# Seconds that the pace is measured over, between two looks, and at least.
_MEMORY = 3600.0
_BETWEEN = 10.0
_LEAST = 20.0


class Pace:
    """How fast labels are asked for, in the last hour.

    Parameters
    ----------
    asked
        How many have been asked for up to now.

    """

    def __init__(self, asked: int):
        self._looks: deque[tuple[float, int]] = deque([(time.monotonic(), asked)])
        self._latest = self._looks[0]

    def note(self, asked: int) -> None:
        """Look at how many have been asked for."""
        now = time.monotonic()
        self._latest = now, asked
        if now - self._looks[-1][0] >= _BETWEEN:
            self._looks.append(self._latest)
            while now - self._looks[0][0] > _MEMORY:
                self._looks.popleft()

    def labels_per_second(self) -> float | None:
        """None where it is too early to say."""
        (start, before), (now, asked) = self._looks[0], self._latest
        return (asked - before) / (now - start) if now - start >= _LEAST else None


def outlook(model: ActiveLearner, labels_per_second: float | None) -> dict[str, typing.Any]:
    """A budget in numbers that a page can show."""
    budget = model.spending
    if budget is None:
        return {"kind": "none"}
    left = budget.left
    if isinstance(budget, RateBudget):
        return {"kind": "rate", "left": left, "rate": budget.rate}
    known: dict[str, typing.Any] = {"kind": "other", "left": left}
    if isinstance(budget, TotalBudget | WindowBudget):
        known |= {"kind": "total", "labels": budget.labels, "spent": budget.labels - left}
    if isinstance(budget, WindowBudget):
        known |= {"kind": "window", **_window(budget)}
    if labels_per_second is not None:
        known["labels_per_hour"] = 3600.0 * labels_per_second
        if labels_per_second > 0.0 and left > 0:
            known["lasts_until"] = _time(time.time() + left / labels_per_second)
    return known


def _window(budget: WindowBudget) -> dict[str, typing.Any]:
    if isinstance(budget.every, int):
        return {"events": budget.every}
    now = time.time() if budget.clock is None else budget.clock()
    seconds = now.timestamp() if isinstance(now, dt.datetime) else now
    length = budget.every.total_seconds()
    return {"renewed_at": _time((math.floor(seconds / length) + 1) * length)}


def _time(seconds: float) -> str | None:
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat()
    except (OverflowError, OSError, ValueError):  # beyond the calendar: as good as for ever
        return None

"""How it goes: the quality, how it came to be, and what is left of the budget."""

from __future__ import annotations

import datetime as dt
import math
import time
import typing
from collections import deque

from river_oa3.active import ActiveLearner
from river_oa3.budget import RateBudget, TotalBudget, WindowBudget
from river_oa3.monitor import AskedQuality
from river_oa3.pending import PendingLabels
from river_oa3.pending.outcomes import tell
from river_oa3.service.views import json_value

__all__ = ["AskRate", "Curve", "learned_so_far", "outlook", "quality_summary"]

# More do not fit on a screen.
_MAX_POINTS = 120

# A store may hold more labels than anybody wants to wait for at the start.
_MAX_REPLAYED_LABELS = 20_000

Point = tuple[int, float, float | None, float | None]

# Seconds that the pace is measured over, between two looks, and at least.
_RATE_WINDOW_S = 3600.0
_SAMPLE_INTERVAL_S = 10.0
_MIN_SPAN_S = 20.0


class Curve:
    """Quality after so many labels, at no more than a number of places.

    Examples
    --------

    >>> from river_oa3.monitor import AskedQuality
    >>> from river_oa3.service.progress import Curve

    >>> Curve().points(AskedQuality())
    []

    """

    def __init__(self) -> None:
        self._points: list[Point] = []
        self._step = 1

    def note(self, quality: AskedQuality) -> None:
        """Take a point, unless the last one is near."""
        latest = self._points[-1][0] if self._points else 0
        if quality.n_labels < latest + self._step:
            return
        point = _point(quality)
        if point is None:
            return
        self._points.append(point)
        if len(self._points) > _MAX_POINTS:
            self._points = self._points[::2]
            self._step *= 2

    def points(self, quality: AskedQuality) -> list[dict[str, float | None]]:
        """The points, up to now."""
        newest, points = _point(quality), self._points
        if newest is not None and (not points or points[-1][0] < newest[0]):
            points = [*points, newest]
        return [dict(zip(("labels", "value", "low", "high"), each, strict=True)) for each in points]


def learned_so_far(pending: PendingLabels) -> Curve:
    """The curve of what a store has learned before this process."""
    curve = Curve()
    count = pending.count("learned")
    if count > _MAX_REPLAYED_LABELS:
        return curve
    quality = AskedQuality(pending.quality.metric)
    for answer, label, probability in pending.outcomes():
        tell(quality, answer, label, probability)
        curve.note(quality)
    return curve


def _point(quality: typing.Any) -> Point | None:
    value = quality.get()
    if value is None:
        return None
    low, high = quality.interval() or (None, None)
    return quality.n_labels, value, low, high


class AskRate:
    """How fast labels are asked for, in the last hour.

    Parameters
    ----------
    asked
        How many have been asked for up to now.

    """

    def __init__(self, asked: int):
        self._samples: deque[tuple[float, int]] = deque([(time.monotonic(), asked)])
        self._latest = self._samples[0]

    def note(self, asked: int) -> None:
        """Look at how many have been asked for."""
        now = time.monotonic()
        self._latest = now, asked
        if now - self._samples[-1][0] >= _SAMPLE_INTERVAL_S:
            self._samples.append(self._latest)
            while now - self._samples[0][0] > _RATE_WINDOW_S:
                self._samples.popleft()

    def labels_per_second(self) -> float | None:
        """None where it is too early to say."""
        (start, before), (now, asked) = self._samples[0], self._latest
        return (asked - before) / (now - start) if now - start >= _MIN_SPAN_S else None


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


def quality_summary(quality: AskedQuality) -> dict[str, typing.Any]:
    """How good the answers are, in short."""
    reported = json_value(quality.to_dict())
    measure = reported["metric"]
    found = reported["measures"][measure]
    return {
        "name": measure.replace("_", " "),
        # A cost has no end; everything else is from 0 to 1.
        "is_share": measure != "weighted_cost",
        "value": found["estimate"],
        "interval": [found["low"], found["high"]] if found["enough"] else None,
        "sensitivity": reported["measures"]["sensitivity"]["estimate"],
        "specificity": reported["measures"]["specificity"]["estimate"],
        "labels": reported["n_labels"],
        "drift": reported["drift_detected"],
        "summary": reported["summary"],
    }

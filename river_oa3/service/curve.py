"""How the quality came to be what it is: the learning curve of the page."""

from __future__ import annotations

import typing

from river_oa3.monitor import AskedQuality
from river_oa3.pending import PendingLabels
from river_oa3.pending.outcomes import tell

__all__ = ["Curve", "learned_so_far"]

# More do not fit on a screen.
_POINTS = 120

# A store may hold more labels than anybody wants to wait for at the start.
_REPLAYED = 20_000

Point = tuple[int, float, float | None, float | None]


class Curve:
    """Quality after so many labels, at no more than a number of places.

    Examples
    --------

    >>> from river_oa3.monitor import AskedQuality
    >>> from river_oa3.service.curve import Curve

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
        if len(self._points) > _POINTS:
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
    if count > _REPLAYED:
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

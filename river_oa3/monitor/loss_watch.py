"""A look-out for mistakes that become more frequent."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from river import drift

__all__ = ["LossWatch"]

# A mistake on an event that stands for many others counts for no more than so many mean ones.
LARGEST_LOSS = 3.0
# Labels that are compared with each other: between one and two windows.
WINDOW = 1000
# Labels from which a mean is taken for what it is.
ENOUGH = 30
# ADWIN's bound is a cautious one for losses that are mostly 0: see `AskedQuality` for what these
# mean in false alarms.
DELTA = 0.1
CLOCK = 8


class LossWatch:
    """Feeds river's ADWIN with the loss of each label, and says whether it has risen.

    All that is stored is plain: the same losses make a new ADWIN what the old one was.

    """

    # Not among the attributes: made from them where it is missing.
    __slots__ = ("__dict__", "_detector")
    _detector: tuple[drift.ADWIN, list[float]]

    def __init__(self) -> None:
        self.n_drifts = 0
        self._has_risen = False
        self._losses: list[float] = []
        self._half_way = 0.0
        self._adwin()  # now, and not while the first label waits for the import

    def __getstate__(self) -> dict[str, typing.Any]:
        return self.__dict__

    @property
    def drift_detected(self) -> bool:
        """Whether mistakes have become more frequent, and have not come half way back since."""
        return self._has_risen

    def _watch(self, loss: float) -> None:
        adwin, losses = self._adwin(), self._losses
        losses.append(min(loss, LARGEST_LOSS))
        adwin.update(losses[-1])
        if adwin.drift_detected:
            old = losses[: len(losses) - int(adwin.width)]
            before, after = sum(old) / len(old), adwin.estimation
            self._has_risen = after > before
            self._half_way = 0.5 * (before + after)
            self.n_drifts += self._has_risen
            self._losses = []
        elif self._has_risen and len(losses) >= ENOUGH:
            self._has_risen = adwin.estimation > self._half_way
        if len(self._losses) == 2 * WINDOW:
            self._losses = self._losses[WINDOW:]

    def _adwin(self) -> drift.ADWIN:
        adwin, fed = getattr(self, "_detector", (None, None))
        if adwin is None or fed is not self._losses:
            from river import drift  # takes half a second, for its data sets

            adwin = drift.ADWIN(delta=DELTA, clock=CLOCK)
            for loss in self._losses:
                adwin.update(loss)
            self._detector = adwin, self._losses
        return adwin

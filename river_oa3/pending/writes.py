"""Writes to a store, one after the other; and what to do about one that failed."""

from __future__ import annotations

import contextlib
import datetime as dt
import typing
import warnings
from collections.abc import Callable

from river_oa3 import pipelines
from river_oa3.active import ActiveLearner
from river_oa3.base import MarginClassifier
from river_oa3.files import FileError
from river_oa3.monitor import AskedQuality
from river_oa3.pending.ask import Ask
from river_oa3.pending.clock import SteadyClock
from river_oa3.pending.errors import StoreError
from river_oa3.pending.store import Store

__all__ = ["Writes", "nothing"]


class Writes:
    """What both sides of `PendingLabels` stand on: that of the asks, and that of the labels."""

    model: ActiveLearner
    time_to_live: int | dt.timedelta | None
    capacity: int
    refund: bool
    strict: bool
    snapshot_every: int
    learns: bool
    quality: AskedQuality
    n_events: int
    n_expired: int
    n_unmatched: int
    n_failed_snapshots: int
    _clock: SteadyClock
    _snapshot_due: float
    # What is asked inside `together`, and not yet in the store.
    _unwritten: list[Ask] | None
    # What to do about a write that failed, once it is known whether it took place.
    _doubt: tuple[Callable[[], None], Callable[[], None]] | None
    _was_written: bool | None
    _store: Store

    @property
    def is_binary(self) -> bool:
        """Whether every label is True or False; another library's classifier may take more."""
        return issubclass(type(pipelines.last_step(self.model.classifier)), MarginClassifier)

    def _now(self) -> dt.datetime:
        return dt.datetime.fromtimestamp(self._clock(), dt.UTC)

    def _refuse_to_learn(self) -> typing.NoReturn:
        raise StoreError(
            "this one takes answers, and another process predicts and learns: make it with "
            "learns=True to take over"
        )

    def _write_asks(self) -> None:
        if self._unwritten:
            asks, self._unwritten = self._unwritten, []
            self._write(asks)

    def _write(self, asks: list[Ask]) -> None:
        def undo() -> None:
            for ask in asks:
                self._take_back(ask.refund_token)
                self._store.forget(ask.event_id)

        self._commit(lambda: self._store.add(asks, self.n_events), nothing, undo)

    def _take_back(self, refund_token: int | None) -> None:
        """Nobody has been asked, and the event will come again."""
        self.model.refund(refund_token)
        self.model.n_asked -= 1
        self.model.n_seen -= 1
        self.n_events -= 1
        if self.model._budget is not None:
            self.model._budget._untick()

    def _commit(
        self, write: Callable[[], None], kept: Callable[[], None], undo: Callable[[], None]
    ) -> None:
        """Write to the store, then do what follows from it; or undo what came before it."""
        self._doubt, self._was_written = (kept, undo), None
        try:
            write()
        except BaseException:
            # A connection may break after the write, and before the word of it.
            with contextlib.suppress(StoreError):
                self._settle()
            raise
        self._was_written = True
        self._settle()

    def _settle(self) -> None:
        """Find out what became of a write that failed, and finish what follows from it."""
        if self._doubt is not None:
            if self._was_written is None:
                self._was_written = self._store.was_written()
            kept, undo = self._doubt
            (kept if self._was_written else undo)()
            self._doubt = self._was_written = None

    def _catch_up(self) -> None:
        """What was decided before comes before."""
        self._settle()
        self._write_asks()

    def _take_snapshot(self) -> None:
        self._snapshot_due = self.n_events + self.snapshot_every

        def write() -> None:
            try:
                self._store.snapshot(self.n_events)
            except FileError as error:
                raise StoreError(f"the model cannot be kept: {error}") from None

        self._commit(write, nothing, nothing)

    def _try_snapshot(self) -> None:
        """Take the snapshot that is due; where that fails, the next one is due as soon again."""
        self._catch_up()  # whose failure is not a snapshot's
        try:
            self._take_snapshot()
        except StoreError as error:
            self.n_failed_snapshots += 1
            warnings.warn(f"no snapshot was taken: {error}", RuntimeWarning, stacklevel=3)


def nothing() -> None:
    pass

from __future__ import annotations

import datetime as dt
import typing

from river_oa3._core import checks
from river_oa3.active import ActiveLearner
from river_oa3.monitor import AskedQuality
from river_oa3.pending.ask_side import AskSide
from river_oa3.pending.clock import SteadyClock
from river_oa3.pending.label_side import LabelSide
from river_oa3.pending.memory import MemoryStore
from river_oa3.pending.old import restore_old

__all__ = ["PendingLabels"]


class PendingLabels(AskSide, LabelSide):
    """Remembers the events whose labels were asked for until the labels come.

    In a service the label of an event comes much later than the event, or not at all. This keeps
    each event that was asked about, under an id that the caller gives, and learns it when its label
    comes. An ask without an answer expires after its `time_to_live`, or when `capacity` newer asks
    are pending.

    A label for an id that is unknown or expired raises a `KeyError`; with `strict=False` it is
    counted in `n_unmatched` instead. Either way the model stays as it was.

    It belongs to one thread at a time: put a lock of your own around the calls of several.

    **With a store** nothing is lost with the process. Make it again on a store that has been used,
    and it goes on where the store stands: the classifier, what is spent, and all asks are those of
    the store, whatever the model that it is given has learned since. The promise, after `kill -9`
    at any instruction:

    - the budget is exact: an ask, its payment and the decision are one transaction;
    - no ask and no label is lost, and no label is learned twice, however often it is delivered;
    - an id that has been asked about gets its old answer for ever, and is never paid for twice. The
      random number of a decision comes from the seed and the id, so that a retry decides alike;
    - of events that nobody asked about, the newest 10,000 get their old answer too, and are never
      counted twice. They are written with the next ask, expiry or snapshot. A kill forgets those
      since then, at most `snapshot_every`, and whatever they were counted for: sent again, they are
      decided anew, and the answer may be another;
    - what may be lost is what events that nobody asked about taught since the last snapshot, as the
      scale of features.

    One process at a time learns from a store. Whoever opens it takes it over, and the one before
    is refused from then on. Where the last snapshot is damaged, the one before is used, and labels
    are learned again from there.

    Parameters
    ----------
    model
        The active learner that predicts, asks and learns.
    time_to_live
        How long an ask stays open: a number of events, or a `datetime.timedelta`. None keeps it
        until it is answered.
    capacity
        The largest number of asks that can be open; the oldest makes way for a new one.
    refund
        Whether an ask that expires gives its label back to the budget.
    strict
        Whether a label that matches no ask is an error.
    store
        Where asks are kept: None for memory, or the URL of a database of SQLite or PostgreSQL, as
        `sqlite:///asks.db` or `postgresql+psycopg://...`. It needs the extra `service`.
    snapshot_every
        With a store, the number of events after which the model is stored as a whole.
    metric
        What `quality` tells, from the labels that come: a metric of `river_oa3.metrics`.
    learns
        Whether it predicts and learns. If not, it leaves that to the process that owns the store,
        lists asks, and takes answers, which that process learns; `refresh` brings it up to date.

    Attributes
    ----------
    quality
        How good the predictions are, estimated from the labels that were asked for:
        see `monitor.AskedQuality`.
    n_events
        The number of events that have been predicted.
    n_expired
        The number of asks that expired without an answer.
    n_unmatched
        The number of labels that matched no ask, unless `strict`.
    n_failed_snapshots
        How often a snapshot was due and could not be written.

    Examples
    --------

    >>> from river_oa3 import ActiveLearner, OA3DiagClassifier, PendingLabels

    >>> service = PendingLabels(ActiveLearner(OA3DiagClassifier(), budget=10), time_to_live=1000)

    A payment is scored, and its label is asked for:

    >>> service.predict_one('payment-1', {'amount': 0.3})
    (True, True)
    >>> for ask in service:
    ...     print(ask.event_id, ask.x, ask.label, ask.reason)
    payment-1 {'amount': 0.3} True novel: no label has been learned yet

    Weeks later somebody has looked at it:

    >>> service.learn_one('payment-1', False)
    >>> service.learn_one('payment-1', False)
    Traceback (most recent call last):
        ...
    KeyError: "no label is pending for 'payment-1': it was never asked for, ..."

    """

    def __init__(
        self,
        model: ActiveLearner,
        time_to_live: int | dt.timedelta | None = None,
        capacity: int = 100_000,
        refund: bool = False,
        strict: bool = True,
        store: str | None = None,
        snapshot_every: int = 1000,
        metric: typing.Any = None,
        learns: bool = True,
    ):
        if not isinstance(model, ActiveLearner):
            raise TypeError(f"model must be an ActiveLearner, not {model!r}")
        self.model = model
        model._keep_odds()
        self.time_to_live = _time_to_live(time_to_live)
        self.capacity = checks.positive_integer("capacity", capacity)
        self.refund = refund
        self.strict = strict
        self.snapshot_every = checks.positive_integer("snapshot_every", snapshot_every)
        self.metric = metric
        self.learns = learns
        self.quality = AskedQuality(metric)
        self.n_events = 0
        self.n_expired = 0
        self.n_unmatched = 0
        self.n_failed_snapshots = 0
        self._clock = SteadyClock()
        self._snapshot_due = float("inf")
        self._unwritten = None
        self._doubt = None
        self._was_written = None
        self._store = MemoryStore()
        if store is not None:
            self._go_on(store)
        elif not learns:
            raise ValueError("without a store there is nobody else who learns")

    def snapshot(self) -> None:
        """Store the model as a whole, so that nothing would be lost right now."""
        self._catch_up()
        self._take_snapshot()

    def check(self) -> None:
        """Make sure that the store takes writes: a `StoreError` says why it does not."""
        self._catch_up()
        self._store.check(self.learns)

    def refresh(self) -> None:
        """Bring one that does not learn up to date with the process that does."""
        if not self.learns:
            self._store.close()
            self._go_on(self._url)

    def close(self) -> None:
        """Take a last snapshot, and let go of the store."""
        try:
            if self.learns:
                self.snapshot()
        finally:
            self._store.close()

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, typing.Any]:
        if not isinstance(self._store, MemoryStore):
            raise TypeError(
                "a PendingLabels with a store cannot be pickled or copied: make it again with the "
                "same store, and it goes on where the store stands"
            )
        return self.__dict__

    def __setstate__(self, state: dict[str, typing.Any]) -> None:
        self.__dict__.update(state)
        if "_open" in state:  # stored by version 0.1
            restore_old(self)

    def _go_on(self, url: str) -> None:
        """Open a store, and go on where it stands."""
        try:
            from river_oa3.pending.durable import DurableStore
        except ImportError as error:
            raise ImportError(
                f"a store needs the extra 'service': pip install 'river-oa3[service]' ({error})"
            ) from None
        quality = AskedQuality(self.metric)
        store = DurableStore(url, self.model, quality)
        resumed = store.open() if self.learns else store.look()
        self.n_events, self.n_expired = resumed.n_events, resumed.n_expired
        self._clock = SteadyClock(resumed.latest)
        if self.learns:
            self._snapshot_due = self.n_events + self.snapshot_every
        self._url, self._store, self.quality = url, store, quality


def _time_to_live(value: typing.Any) -> int | dt.timedelta | None:
    if isinstance(value, dt.timedelta):
        if value <= dt.timedelta(0):
            raise ValueError(f"time_to_live must be longer than nothing, not {value!r}")
        return value
    return None if value is None else checks.positive_integer("time_to_live", value)

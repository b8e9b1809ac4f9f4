from __future__ import annotations

import contextlib
import copy
import dataclasses
import datetime as dt
import itertools
import typing
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator

from river_oa3 import debugging, pipelines
from river_oa3._core import checks
from river_oa3.active import ActiveLearner
from river_oa3.base import UnsureClassifier
from river_oa3.monitor import AskedQuality
from river_oa3.pending import page
from river_oa3.pending.ask import Ask, State
from river_oa3.pending.clock import SteadyClock
from river_oa3.pending.errors import AnswerChangedError, StoreError
from river_oa3.pending.memory import MemoryStore
from river_oa3.pending.old import restore_old
from river_oa3.pending.outcomes import tell
from river_oa3.pending.page import Page
from river_oa3.pending.reasons import reason_of
from river_oa3.pending.store import Store

__all__ = ["PendingLabels"]

# Id, label, and what else the classifier is told.
_Label = tuple[Hashable, typing.Any, dict[str, typing.Any]]


class PendingLabels:
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
    - what may be lost is what events that nobody asked about taught since the last snapshot: the
      scale of features, and what they added to a `RateBudget`. These are at most `snapshot_every`
      events.

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
        Where asks are kept: None for memory, or a URL that SQLAlchemy knows, as
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
        self._snapshot_due: float = float("inf")
        # What is asked inside `together`, and not yet in the store.
        self._unwritten: list[Ask] | None = None
        # What to do about a write that failed, once it is known whether it took place.
        self._doubt: tuple[Callable[[], None], Callable[[], None]] | None = None
        self._was_written: bool | None = None
        self._store: Store = MemoryStore()
        if store is not None:
            self._go_on(store)
        elif not learns:
            raise ValueError("without a store there is nobody else who learns")

    def __len__(self) -> int:
        """The number of labels that are pending."""
        return self.count()

    def __contains__(self, event_id: Hashable) -> bool:
        self._catch_up()
        ask = self._store.get(event_id)
        return ask is not None and ask.state == "open"

    def __iter__(self) -> Iterator[Ask]:
        """Asks that are open, the oldest first."""
        return iter(self.asks())

    def __getitem__(self, event_id: Hashable) -> Ask:
        """The ask of an id, whatever has become of it; in memory, until its label is learned."""
        self._catch_up()
        ask = self._store.get(event_id)
        if ask is None:
            raise KeyError(event_id)
        return ask

    def asks(self, state: State = "open", limit: int | None = None) -> list[Ask]:
        """Asks in the order in which they were made; or answered, or learned.

        Parameters
        ----------
        state
            "open" without an answer, "answered" and not yet learned, "learned", or "expired". In
            memory, learned ones are forgotten, and of the expired the newest thousand are kept.
        limit
            The largest number of asks; None gives all.

        """
        self._catch_up()
        return self._store.asks(state, limit)

    def page(self, state: State = "open", limit: int = 100, after: str | None = None) -> Page:
        """A part of the asks in a state, in the order of `asks`.

        Whatever is answered, asked or expires between two parts, no ask that stays in its state
        is left out, and none comes twice.

        Parameters
        ----------
        state
            See `asks`.
        limit
            The largest number of asks.
        after
            Where the part begins: the `next` of the part before, or None for the first. In memory
            it is good for as long as the process lives.

        Examples
        --------

        >>> from river_oa3 import ActiveLearner, PendingLabels, query

        >>> service = PendingLabels(ActiveLearner(query=query.FirstComeQuery()))
        >>> for i in range(5):
        ...     _ = service.predict_one(i, {'amount': i})
        >>> first = service.page(limit=2)
        >>> service.learn_one(0, True)
        >>> [ask.event_id for ask in service.page(limit=2, after=first.next).asks]
        [2, 3]

        """
        limit = checks.positive_integer("limit", limit)
        place = None if after is None else page.from_text(state, after)
        self._catch_up()
        found, last = self._store.page(state, limit, place)
        return Page(found, page.as_text(state, last))

    def count(self, state: State = "open") -> int:
        """The number of asks in a state.

        Parameters
        ----------
        state
            See `asks`.

        """
        self._catch_up()
        return self._store.count(state)

    def predict_one(
        self, event_id: Hashable, x: typing.Any, **kwargs: typing.Any
    ) -> tuple[typing.Any, bool]:
        """Predict the label of an event, and say whether its true label is now pending.

        Parameters
        ----------
        event_id
            Under what the label will come. In memory, an id whose label is pending cannot be used
            again. With a store, an id is that of one event for ever: one that has been asked about,
            or is among the newest 10,000, gets the answer that it got before.
        x
            A dictionary of features.

        """
        if self._doubt is not None:
            self._settle()
        if not self.learns:
            self._refuse_to_learn()
        known = self._store.known(event_id)
        if known is not None:
            return known
        label, ask = self.model.predict_one(x, **kwargs)
        self.n_events += 1
        if ask:
            self._keep(event_id, x, label)
        else:
            self._store.passed(event_id, label)
        if self.time_to_live is not None:
            self._expire()
        if self.n_events >= self._snapshot_due:
            self._try_snapshot()
        return label, ask

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Write what is asked inside in one transaction, at the end.

        What `predict_one` says inside holds once the block is left. A `StoreError` means that what
        was not yet written is neither asked for nor paid.

        Examples
        --------

        >>> from river_oa3 import ActiveLearner, PendingLabels

        >>> service = PendingLabels(ActiveLearner(budget=10, seed=1))
        >>> with service.together():
        ...     answers = [service.predict_one(i, {'amount': i}) for i in range(100)]
        >>> sum(ask for _, ask in answers) == len(service)
        True

        """
        if self._unwritten is not None:
            yield
            return
        self._unwritten = []
        try:
            yield
        finally:
            try:
                self._write_asks()
            finally:
                self._unwritten = None

    def learn_one(self, event_id: Hashable, y: typing.Any, **kwargs: typing.Any) -> None:
        """Learn the label of an event that was asked about.

        Parameters
        ----------
        event_id
            The id that the event was predicted with. With a store, a label that is delivered again
            is nothing new; another one than was learned is a `ValueError`.
        y
            The true label. One that the model refuses leaves the ask open.
        kwargs
            Passed on to the classifier. With a store, nothing but a weight `w`.

        """
        (error,) = self._learn([(event_id, y, kwargs)])
        if error is not None:
            raise error

    def learn_each(
        self, labels: Iterable[tuple[Hashable, typing.Any, float | None]]
    ) -> list[Exception | None]:
        """Learn several labels, which a store keeps in one transaction.

        Parameters
        ----------
        labels
            Id, label and weight of each; None is the weight of most.

        Returns
        -------
        What `learn_one` would have raised for each of them, or None.

        """
        return self._learn([(i, y, {} if w is None else {"w": w}) for i, y, w in labels])

    def answer(self, event_id: Hashable, y: typing.Any, w: float | None = None) -> None:
        """Note the label of an event; `learn_answered` learns it.

        Until then another answer takes its place, and `withdraw` takes it back.

        Parameters
        ----------
        event_id
            The id that the event was predicted with.
        y
            The true label.
        w
            What the label counts, where that is not 1.

        """
        self._catch_up()
        y, w = self._checked(y, w)
        ask = self._store.get(event_id)
        if ask is not None and ask.state == "learned":
            _check_repeated(ask, y)
        elif not self._store.answer(event_id, y, w, self._now()):
            self._note_unmatched(event_id)

    def withdraw(self, event_id: Hashable) -> bool:
        """Take back an answer that has not been learned; says whether there was one.

        Parameters
        ----------
        event_id
            The id that the event was predicted with.

        """
        self._catch_up()
        return self._store.withdraw(event_id)

    def learn_answered(self, until: dt.datetime | None = None) -> int:
        """Learn what was answered, in the order of the answers.

        One that the model refuses is open again; its error is raised after the others are learned.

        Parameters
        ----------
        until
            Leave alone what was answered later than this.

        Returns
        -------
        The number of labels that were learned.

        """
        due = [ask for ask in self.asks("answered") if until is None or _came(ask) <= until]
        errors = self.learn_each([(ask.event_id, ask.answer, ask.weight) for ask in due])
        for error in errors:
            # What was answered anew in this moment is learned the next time.
            if not (error is None or isinstance(error, AnswerChangedError)):
                raise error
        return errors.count(None)

    def lease(self, who: str, seconds: float = 300.0) -> Ask | None:
        """The next open ask for a person, which nobody else is given for a while.

        The same person gets the same ask until it is answered or released.

        Parameters
        ----------
        who
            Who will look at it.
        seconds
            After what time somebody else may have it.

        """
        self._catch_up()
        now = self._clock()
        return self._store.lease(who, now, now + seconds)

    def release(self, event_id: Hashable, who: str, skip: bool = False) -> bool:
        """Give back an ask that was leased; says whether this person had it.

        Parameters
        ----------
        event_id
            The id of the event.
        who
            Who had it.
        skip
            Whether it goes behind the others.

        """
        self._catch_up()
        return self._store.release(event_id, who, skip)

    def probability(self, event_id: Hashable) -> float:
        """The probability with which a pending label was asked for.

        Its inverse is the importance weight of the label in a metric over asked events.

        Parameters
        ----------
        event_id
            The id that the event was predicted with.

        """
        return self[event_id].query_probability

    def snapshot(self) -> None:
        """Store the model as a whole, so that nothing would be lost right now."""
        self._catch_up()
        self._take_snapshot()

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
        self.quality = AskedQuality(self.metric)
        store = DurableStore(url, self.model, self.quality)
        resumed = store.open() if self.learns else store.look()
        self.n_events, self.n_expired = resumed.n_events, resumed.n_expired
        self._clock = SteadyClock(resumed.latest)
        if self.learns:
            self._snapshot_due = self.n_events + self.snapshot_every
        self._url, self._store = url, store

    def _refuse_to_learn(self) -> typing.NoReturn:
        raise StoreError(
            "this one takes answers, and another process predicts and learns: make it with "
            "learns=True to take over"
        )

    def _now(self) -> dt.datetime:
        return dt.datetime.fromtimestamp(self._clock(), dt.UTC)

    # From the ask to the store

    def _keep(self, event_id: Hashable, x: typing.Any, label: typing.Any) -> None:
        """Keep an ask that has just been paid for, or pay nothing."""
        token = self.model.refund_token
        try:
            ask = self._ask(event_id, copy.deepcopy(x), label, token)
            self._store.note(ask)
        except BaseException:  # an interrupt too: what is not kept must not stay paid for
            self._take_back(token)
            self._store.forget(event_id)
            raise
        if self._unwritten is None:
            self._write([ask])
        else:
            self._unwritten.append(ask)
        if self._store.n_waiting > self.capacity:
            self._let_go(list(itertools.islice(self._store.waiting(), 1)))

    def _ask(
        self, event_id: Hashable, x: typing.Any, label: typing.Any, refund_token: int | None
    ) -> Ask:
        model = self.model
        assert model.last_query is not None
        assert model._asked_about is not None
        margin, _, variance, _, _ = model._asked_about
        return Ask(
            event_id,
            x,
            label,
            debugging.odds(model, x).get(True),
            margin,
            variance if _knows_variance(model) else None,
            model.last_query.probability,
            reason_of(model),
            self._now(),
            event=self.n_events,
            refund_token=refund_token,
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

        self._commit(lambda: self._store.add(asks, self.n_events), _nothing, undo)

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
        self._commit(lambda: self._store.snapshot(self.n_events), _nothing, _nothing)

    def _try_snapshot(self) -> None:
        """Take the snapshot that is due; where that fails, the next one is due as soon again."""
        self._catch_up()  # whose failure is not a snapshot's
        try:
            self._take_snapshot()
        except StoreError as error:
            self.n_failed_snapshots += 1
            warnings.warn(f"no snapshot was taken: {error}", RuntimeWarning, stacklevel=3)

    # Asks that grow old

    def _expire(self) -> None:
        time_to_live = self.time_to_live
        if isinstance(time_to_live, dt.timedelta):
            now, ttl = self._now(), time_to_live
            old = itertools.takewhile(lambda ask: now - ask.asked_at > ttl, self._store.waiting())
        else:
            first = self.n_events - typing.cast(int, time_to_live)
            old = itertools.takewhile(lambda ask: ask.event < first, self._store.waiting())
        if expired := list(old):
            self._let_go(expired)

    def _let_go(self, asks: list[Ask]) -> None:
        self._catch_up()
        before = self._store.standing()

        def refund(ask: Ask) -> None:
            if self.refund:
                self.model.refund(ask.refund_token)

        def count() -> None:
            self.n_expired += self._store.let_go(asks)

        def undo() -> None:
            self._store.restore(before)

        self._commit(lambda: self._store.expire(asks, refund, self.n_events), count, undo)

    # From the label to the model

    def _learn(self, labels: list[_Label]) -> list[Exception | None]:
        self._catch_up()
        if not self.learns:
            self._refuse_to_learn()
        outcomes: list[Exception | None] = [None] * len(labels)
        due: dict[Hashable, tuple[int, Ask, dict[str, typing.Any]]] = {}
        asks = self._store.get_each([event_id for event_id, _, _ in labels])
        delivered: set[Hashable] = set()
        for index, ((event_id, y, kwargs), found) in enumerate(zip(labels, asks, strict=True)):
            try:
                if isinstance(found, Exception):
                    raise found
                if event_id in delivered:  # and again right away: it may be learned by now
                    self._learn_due(due, outcomes)
                    found = self._store.get(event_id)
                delivered.add(event_id)
                ask = self._answered(found, event_id, y, kwargs)
            except StoreError:
                raise
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                outcomes[index] = error
            else:
                if ask is not None:
                    due[event_id] = index, ask, kwargs
        self._learn_due(due, outcomes)
        return outcomes

    def _answered(
        self, ask: Ask | None, event_id: Hashable, y: typing.Any, kwargs: dict[str, typing.Any]
    ) -> Ask | None:
        """The ask of a label, with its answer; None where there is nothing to learn."""
        if ask is None or ask.state == "expired":
            self._note_unmatched(event_id)
            return None
        y, w = self._checked(y, kwargs.get("w"))
        if ask.state == "learned":
            _check_repeated(ask, y)
            return None
        self._store.check_arguments(kwargs)
        now = self._now()
        if ask.state == "answered" and ask.answer != y:  # which takes the place of that answer
            self._store.answer(event_id, y, w, now)
        return dataclasses.replace(ask, answer=y, weight=w, answered_at=now)

    def _learn_due(
        self,
        due: dict[Hashable, tuple[int, Ask, dict[str, typing.Any]]],
        outcomes: list[Exception | None],
    ) -> None:
        """Store labels as learned, then learn them: none is learned that could be lost."""
        refused: list[Ask] = []

        def learn() -> None:
            # What is cut off here goes on from where it was: see `_settle`.
            while due:
                index, ask, kwargs = due[next(iter(due))]
                try:
                    self.model._learn_asked(ask.x, ask.answer, ask.query_probability, **kwargs)
                except Exception as error:
                    del due[ask.event_id]
                    refused.append(ask)
                    outcomes[index] = error
                else:
                    del due[ask.event_id]
                    self._store.done(ask)
                    tell(self.quality, ask.answer, ask.label, ask.query_probability)
            while refused:
                self._store.refused(refused[-1])
                refused.pop()

        while due:
            asks = [ask for _, ask, _ in due.values()]
            # mypy cannot tell the type of a lambda's default.
            try:
                self._commit(lambda asks=asks: self._store.learned(asks), learn, _nothing)  # type: ignore[misc]
            except AnswerChangedError as error:
                index, _, _ = due.pop(error.event_id)
                outcomes[index] = error

    def _checked(self, y: typing.Any, w: float | None) -> tuple[typing.Any, float | None]:
        """A label and a weight that the model will take, as far as that can be known before."""
        if self.model._knows_margin:
            y = checks.as_label(y)
        return y, None if w is None else checks.as_weight(w)

    def _note_unmatched(self, event_id: Hashable) -> None:
        if self.strict:
            raise KeyError(
                f"no label is pending for {event_id!r}: it was never asked for, has expired, or "
                "was answered before"
            )
        self.n_unmatched += 1


def _knows_variance(model: ActiveLearner) -> bool:
    return issubclass(type(pipelines.last_step(model.classifier)), UnsureClassifier)


def _time_to_live(value: typing.Any) -> int | dt.timedelta | None:
    if isinstance(value, dt.timedelta):
        if value <= dt.timedelta(0):
            raise ValueError(f"time_to_live must be longer than nothing, not {value!r}")
        return value
    return None if value is None else checks.positive_integer("time_to_live", value)


def _came(ask: Ask) -> dt.datetime:
    assert ask.answered_at is not None
    return ask.answered_at


def _check_repeated(ask: Ask, y: typing.Any) -> None:
    """A label that is delivered again is nothing new; another one comes too late."""
    if ask.answer != y:
        raise ValueError(
            f"the label of {ask.event_id!r} was learned as {ask.answer!r} already, and cannot "
            f"become {y!r}"
        )


def _nothing() -> None:
    pass

"""The side of the asks: events come in, and some of them wait for their labels."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import itertools
import typing
from collections.abc import Hashable, Iterator

from river_oa3 import debugging, pipelines
from river_oa3._core import checks
from river_oa3.active import ActiveLearner
from river_oa3.base import UnsureClassifier
from river_oa3.pending import page
from river_oa3.pending.ask import Ask, State
from river_oa3.pending.page import Page
from river_oa3.pending.reasons import reason_of
from river_oa3.pending.writes import Writes

__all__ = ["AskSide"]

# How many asks an event lets expire; the next one lets go of more.
MOST_EXPIRED = 1000


class AskSide(Writes):
    """Predicts events, keeps what is asked about them, lists it, and lets it go."""

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
            or is among the newest 10,000, gets the answer that it got before. What a kill forgets
            of those that nobody asked about, `PendingLabels` says.
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
        odds = model._asked_odds or debugging.odds(model, x)
        return Ask(
            event_id,
            x,
            label,
            odds.get(True),
            margin,
            variance if _knows_variance(model) else None,
            model.last_query.probability,
            reason_of(model),
            self._now(),
            event=self.n_events,
            refund_token=refund_token,
        )

    # Asks that grow old

    def _expire(self) -> bool:
        """End the oldest asks that are too old, so many that nobody waits long; says if any are."""
        time_to_live = self.time_to_live
        if isinstance(time_to_live, dt.timedelta):
            now, ttl = self._now(), time_to_live
            old = itertools.takewhile(lambda ask: now - ask.asked_at > ttl, self._store.waiting())
        else:
            first = self.n_events - typing.cast(int, time_to_live)
            old = itertools.takewhile(lambda ask: ask.event < first, self._store.waiting())
        expired = list(itertools.islice(old, MOST_EXPIRED))
        if expired:
            self._let_go(expired)
        return bool(expired)

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


def _knows_variance(model: ActiveLearner) -> bool:
    return issubclass(type(pipelines.last_step(model.classifier)), UnsureClassifier)

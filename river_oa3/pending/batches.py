"""Whole batches of events: scored elsewhere, decided here, and kept as one step each."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import typing
from collections.abc import Hashable, Iterable, Mapping

from river_oa3._core import checks
from river_oa3.budget import Budget, RateBudget, TotalBudget, WindowBudget
from river_oa3.pending.ask import Ask
from river_oa3.pending.early import EarlyLabels
from river_oa3.pending.pending_labels import PendingLabels
from river_oa3.pending.reasons import reason_of

if typing.TYPE_CHECKING:
    from river_oa3.active import ActiveLearner
    from river_oa3.scoring import Observed

__all__ = ["ONE_BY_ONE", "Batch", "PendingBatches", "Proposal", "share_of"]

# A model that has learned so many labels, of both classes, may stand still for a batch.
WARM_LABELS = 200

# So many events of a batch go through it one by one until then.
ONE_BY_ONE = 2000

# A batch asks for no more than this share of the labels that have been learned so far, or so many.
GROWTH, LEAST_ASKS = 0.5, 10


class Proposal(typing.NamedTuple):
    """An event that may be asked about, as a model that stands still sees it."""

    event_id: Hashable
    x: dict[Hashable, typing.Any]
    label: bool
    probability: float
    margin: float
    variance: float
    query_probability: float
    # From the seed and the id: it is asked about where this is at most its probability.
    uniform: float


def share_of(most: float, expected: float) -> float:
    """The share of the asks that are expected of events to which they are cut down.

    It never rises with what is expected: what is beyond the share of a part of the events is beyond
    that of all of them.
    """
    return min(1.0, most / expected) if expected > 0.0 else 1.0


class PendingBatches:
    """Runs an active learner over batches of events that are scored by others.

    Each batch is one transaction of the store: what was asked and paid, what was learned, the model
    after it and the number of the batch. A batch that is stored is not run again; one that is not
    has left no trace, and is run again from the same model with the same random numbers.

    A model that stands still for a batch asks too much of one kind. So events go through it one by
    one until it has learned 200 labels of both classes, or its budget is spent; and a batch asks
    for no more than half as many labels as have been learned so far, and for 10 at any rate.

    Parameters
    ----------
    model
        The active learner.
    store
        Where asks are kept: see `PendingLabels`.
    time_to_live
        How long an ask stays open: see `PendingLabels`.
    refund
        Whether an ask that expires gives its label back to the budget.
    early_labels
        Labels may come in an earlier batch than their events. So many of the newest that nobody has
        asked for are kept, and learned as soon as their event is asked about; 0 keeps none.

    """

    def __init__(
        self,
        model: ActiveLearner,
        store: str | None = None,
        time_to_live: int | dt.timedelta | None = None,
        refund: bool = False,
        early_labels: int = 10_000,
    ):
        # Refused before anything is opened.
        self._early = EarlyLabels(early_labels)
        self.model = model
        self._room = early_labels
        self._settings = (time_to_live, refund, store)
        self.pending = self._opened()
        self.is_running = False

    def _opened(self) -> PendingLabels:
        time_to_live, refund, store = self._settings
        # Snapshots are taken with each batch, and at no other time.
        pending = PendingLabels(
            self.model, time_to_live, refund=refund, strict=False, store=store, snapshot_every=2**62
        )
        self._early = EarlyLabels(self._room, pending._store.early_labels())
        return pending

    def reopen(self) -> None:
        """Go back to where the store stands, as after a batch that could not be finished."""
        self.close()
        self.pending = self._opened()
        self.is_running = False

    @property
    def is_warm(self) -> bool:
        """Whether the model may stand still for a batch."""
        budget = self.model._budget
        if isinstance(budget, TotalBudget) and not budget.can_ask():
            return True
        return self.model.n_learned >= WARM_LABELS and not self.model._missing_class

    @property
    def seed(self) -> int:
        """With which, and an event's id, it is decided whether to ask."""
        return self.pending._store.seed

    def begin(self, stream: str, number: int) -> Batch | None:
        """Begin a batch; None where it is stored already.

        Parameters
        ----------
        stream
            What the batches belong to: another stream begins to count anew.
        number
            The number of the batch, which rises.

        """
        if self.is_running:
            raise RuntimeError(
                "a batch was begun and not finished, and the model is ahead of its store: reopen "
                "it, or make it again with the same store, and it goes on where the store stands"
            )
        stored = self.pending._store.last_batch
        if stored is not None and stored[0] == stream and number <= stored[1]:
            return None
        if self.pending.time_to_live is not None:
            # Before a batch and not after one: a process may end between the two, and what is
            # refunded must be there for the same batch whoever runs it.
            while self.pending._expire():
                pass
        self.is_running = True
        return Batch(self, stream, number)

    def close(self) -> None:
        """Let go of the store, which has all that was finished."""
        self.pending._store.close()


class Batch:
    """A batch that is being run; `finish` keeps it."""

    def __init__(self, owner: PendingBatches, stream: str, number: int):
        self._owner, self._stream, self._number = owner, stream, number
        self._pending = owner.pending
        self.model = owner.model
        self.asks: list[Ask] = []
        # Labels of this batch that no event was asked about for, so far; and of those of earlier
        # batches, which ones are of no more use.
        self._labels: dict[Hashable, bool] = {}
        self._used: list[Hashable] = []
        self._learned: list[Ask] = []
        # What the model would not take, each with the reason: events, or labels of asks, which stay
        # open.
        self.refused: list[tuple[Hashable, str]] = []
        # The same of answers from people: `finish` opens their asks again.
        self.refused_answers: list[tuple[Hashable, str]] = []
        self._reopened: list[Ask] = []

    @property
    def most_asks(self) -> float:
        """As many asks as `take` may expect, whatever events it is given."""
        most = max(float(LEAST_ASKS), GROWTH * self.model.n_learned)
        budget = self.model._budget
        # What other budgets have may grow with the events, or with time.
        return min(most, budget.left) if type(budget) is TotalBudget else most

    def learn(self, labels: Mapping[Hashable, typing.Any]) -> int:
        """Learn the labels that have come: from people by the order of their answers, then these.

        Labels of events that nobody has asked about have not been paid for, and are not learned.
        They are kept until their event is asked about, in this batch or a later one, as long as
        there is room.

        Parameters
        ----------
        labels
            The true label of each id, in the order in which they are learned.

        Returns
        -------
        How many labels were learned.

        """
        known = len(self._learned)
        for ask in self._pending.asks("answered"):
            self._learn(ask, bool(ask.answer), ask.weight)
        store = self._pending._store
        asked = [event_id for event_id in labels if store.is_asked(event_id)]
        asks = dict(zip(asked, store.get_each(asked), strict=True))
        for event_id, y in labels.items():
            label, found = checks.as_label(y), asks.get(event_id)
            if found is None:
                self._labels[event_id] = label
            elif isinstance(found, Exception):
                raise found
            elif found.state == "open":
                self._learn(found, label, None)
        return len(self._learned) - known

    def one_by_one(self, events: Iterable[tuple[Hashable, typing.Any]]) -> list[typing.Any]:
        """Predict events as a single stream would, and learn the labels that came with them.

        Parameters
        ----------
        events
            The id and the features of each event, in order.

        Returns
        -------
        What each of them was predicted; those that were refused, or asked about before, are left
        out.

        """
        labels, store = [], self._pending._store
        for event_id, x in events:
            if store.is_asked(event_id):
                continue
            store.known(event_id)  # from here on numbers are drawn for this event
            try:
                label, ask = self.model.predict_one(x)
            except (ArithmeticError, TypeError, ValueError) as error:
                self.refused.append((event_id, str(error)))
                continue
            labels.append(label)
            self._pending.n_events += 1
            if ask:
                token = self.model.refund_token
                self._keep(self._pending._ask(event_id, x, label, token))
                self._learn_if_known(self.asks[-1])
        return labels

    def take(self, proposals: Iterable[Proposal], expected: float, observed: Observed) -> None:
        """Ask about events that were scored by the model as it stands, in their order.

        Parameters
        ----------
        proposals
            The events whose uniform number is at most their probability, in order.
        expected
            The sum of the probabilities of all events, proposed or not.
        observed
            What the events teach without their labels.

        """
        most, is_asked = self._most_asks(observed.events), self._pending._store.is_asked
        share = share_of(most, expected)
        # An event that was delivered twice is proposed twice.
        chosen: dict[Hashable, Proposal] = {}
        for each in proposals:
            if each.uniform <= share * each.query_probability and not is_asked(each.event_id):
                chosen.setdefault(each.event_id, each)
        observed.teach(self.model)
        self._pending.n_events += observed.events
        before, ticked = len(self.asks), 0
        for place, each in enumerate(chosen.values(), start=1):
            # Where it stood among the others is not known: they are taken as evenly spread.
            ticked = self._tick(ticked, observed.events * place // (len(chosen) + 1))
            self._ask_about(each, share * each.query_probability)
        self._tick(ticked, observed.events)
        for ask in self.asks[before:]:
            self._learn_if_known(ask)

    def finish(self) -> None:
        """Keep all of it in one transaction: the store has it from then on, or nothing of it."""
        pending, batch = self._pending, (self._stream, self._number)
        early = self._owner._early.change(self._labels, self._used)
        pending._store.keep_batch(
            self.asks, self._learned, self._reopened, batch, pending.n_events, early
        )
        self._owner.is_running = False

    def _most_asks(self, events: int) -> float:
        """What a batch of so many events may ask for."""
        most, budget = self.most_asks, self.model._budget
        if budget is None:
            return most
        return min(most, _left_over(budget, events))

    def _tick(self, done: int, due: int) -> int:
        budget = self.model._budget
        if budget is not None:
            for _ in range(due - done):
                budget.tick()
        return due

    def _ask_about(self, each: Proposal, probability: float) -> None:
        model, token = self.model, None
        if model._budget is not None:
            token = model._budget.try_spend()
            if token is None:
                return
        model.n_asked += 1
        confidence = -0.5 * each.variance / (1.0 + each.variance)
        model._asked_about = (
            each.margin,
            each.margin,
            each.variance,
            confidence,
            model._missing_class,
        )
        seen = (each.label, each.probability, each.margin, each.variance)
        now, n_events = self._pending._now(), self._pending.n_events
        self._keep(
            Ask(
                *(each.event_id, each.x, *seen, probability, reason_of(model), now),
                event=n_events,
                refund_token=token,
            )
        )

    def _keep(self, ask: Ask) -> None:
        self._pending._store.note(ask)
        self.asks.append(ask)

    def _learn_if_known(self, ask: Ask) -> None:
        early = self._owner._early.get(ask.event_id)
        if early is not None:
            self._used.append(ask.event_id)
        # The newer one, where there are two.
        label = self._labels.pop(ask.event_id, early)
        if label is not None:
            self._learn(ask, label, None)

    def _learn(self, ask: Ask, y: bool, w: float | None) -> None:
        weight = {} if w is None else {"w": w}
        try:
            self.model._learn_asked(ask.x, y, ask.query_probability, **weight)
        except (ArithmeticError, TypeError, ValueError) as error:
            if ask.state == "answered":
                self.refused_answers.append((ask.event_id, str(error)))
                self._reopened.append(ask)
            else:
                self.refused.append((ask.event_id, str(error)))
            return
        now = self._pending._now()
        answered = dataclasses.replace(ask, answer=y, weight=w, answered_at=now)
        self._learned.append(answered)
        self._pending._store.done(answered)
        self._pending.quality.update(y, bool(ask.label), ask.query_probability)


def _left_over(budget: Budget, events: int) -> float:
    """What is left, and what so many events add to it."""
    if isinstance(budget, RateBudget):
        return budget.left + budget.rate * events
    if isinstance(budget, WindowBudget) and isinstance(budget.every, int) and events:
        # What is left of a window that is over is lost with the next event.
        now = copy.deepcopy(budget)
        now.tick()
        last = now._events + events - 1
        opened = (last - 1) // budget.every - (now._events - 1) // budget.every
        return now.left + budget.labels * opened
    return budget.left

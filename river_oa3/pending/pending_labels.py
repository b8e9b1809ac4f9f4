from __future__ import annotations

import copy
import typing
from collections import OrderedDict
from collections.abc import Hashable

from river_oa3._core import checks
from river_oa3.active import ActiveLearner

__all__ = ["PendingLabels"]


class _Ask(typing.NamedTuple):
    event: int
    refund_token: int | None
    probability: float
    x: typing.Any


class PendingLabels:
    """Remembers the events whose labels were asked for until the labels come.

    In a service the label of an event comes much later than the event, or not at all. This keeps a
    copy of each event that was asked about, under an id that the caller gives, and learns it when
    its label comes. An ask without an answer expires after `time_to_live` further events, or when
    `capacity` newer asks are pending.

    A label for an id that is unknown, expired or already answered raises a `KeyError`; with
    `strict=False` it is counted in `n_unmatched` instead. Either way the model stays as it was.

    It belongs to one thread at a time: put a lock of your own around the calls of several.

    Parameters
    ----------
    model
        The active learner that predicts, asks and learns.
    time_to_live
        The number of events for which an ask stays open. None keeps it until it is answered.
    capacity
        The largest number of asks that can be open; the oldest makes way for a new one.
    refund
        Whether an ask that expires gives its label back to the budget.
    strict
        Whether a label that matches no open ask is an error.

    Attributes
    ----------
    n_expired
        The number of asks that expired without an answer.
    n_unmatched
        The number of labels that matched no open ask, unless `strict`.

    Examples
    --------

    >>> from river_oa3 import ActiveLearner, OA3DiagClassifier, PendingLabels

    >>> service = PendingLabels(ActiveLearner(OA3DiagClassifier(), budget=10), time_to_live=1000)

    A payment is scored, and its label is asked for:

    >>> service.predict_one('payment-1', {'amount': 0.3})
    (True, True)

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
        time_to_live: int | None = None,
        capacity: int = 100_000,
        refund: bool = False,
        strict: bool = True,
    ):
        if not isinstance(model, ActiveLearner):
            raise TypeError(f"model must be an ActiveLearner, not {model!r}")
        self.model = model
        self.time_to_live = (
            None if time_to_live is None else checks.positive_integer("time_to_live", time_to_live)
        )
        self.capacity = checks.positive_integer("capacity", capacity)
        self.refund = refund
        self.strict = strict
        self.n_expired = 0
        self.n_unmatched = 0
        self._open: OrderedDict[Hashable, _Ask] = OrderedDict()  # the oldest first
        self._n_events = 0

    def __len__(self) -> int:
        """The number of labels that are pending."""
        return len(self._open)

    def __contains__(self, event_id: Hashable) -> bool:
        return event_id in self._open

    def predict_one(
        self, event_id: Hashable, x: typing.Any, **kwargs: typing.Any
    ) -> tuple[typing.Any, bool]:
        """Predict the label of an event, and say whether its true label is now pending.

        Parameters
        ----------
        event_id
            Under what the label will come. An id whose label is pending cannot be used again.
        x
            A dictionary of features.

        """
        if event_id in self._open:
            raise ValueError(f"a label is pending for {event_id!r} already: give each event an id")
        label, ask = self.model.predict_one(x, **kwargs)
        last_query, refund_token = self.model.last_query, self.model.refund_token
        self._n_events += 1
        self._expire()
        if ask:
            assert last_query is not None
            try:
                self._open[event_id] = _Ask(
                    self._n_events, refund_token, last_query.probability, copy.deepcopy(x)
                )
            except BaseException:  # an interrupt too: what is not kept must not stay paid for
                self.model.refund(refund_token)
                raise
            if len(self._open) > self.capacity:
                self._drop_oldest()
        return label, ask

    def learn_one(self, event_id: Hashable, y: typing.Any, **kwargs: typing.Any) -> None:
        """Learn the label of an event that was asked about.

        Parameters
        ----------
        event_id
            The id that the event was predicted with.
        y
            The true label. One that the model refuses leaves the ask open.

        """
        if event_id not in self._open:
            if self.strict:
                raise KeyError(
                    f"no label is pending for {event_id!r}: it was never asked for, has expired, "
                    "or was answered before"
                )
            self.n_unmatched += 1
            return
        ask = self._open[event_id]
        self.model._learn_asked(ask.x, y, ask.probability, **kwargs)
        del self._open[event_id]

    def probability(self, event_id: Hashable) -> float:
        """The probability with which a pending label was asked for.

        Its inverse is the importance weight of the label in a metric over asked events.

        Parameters
        ----------
        event_id
            The id that the event was predicted with.

        """
        return self._open[event_id].probability

    def _expire(self) -> None:
        if self.time_to_live is None:
            return
        while self._open:
            oldest = next(iter(self._open.values()))
            if self._n_events - oldest.event <= self.time_to_live:
                return
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        _, ask = self._open.popitem(last=False)
        self.n_expired += 1
        if self.refund:
            self.model.refund(ask.refund_token)

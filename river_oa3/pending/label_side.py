"""The side of the labels: answers come in, and the model learns them."""

from __future__ import annotations

import dataclasses
import datetime as dt
import typing
from collections.abc import Hashable, Iterable, Iterator

from river_oa3._core import checks
from river_oa3.pending.ask import Ask
from river_oa3.pending.errors import AnswerChangedError, LabelLearnedError, StoreError
from river_oa3.pending.outcomes import tell
from river_oa3.pending.writes import Writes, nothing

__all__ = ["LabelSide"]

# Id, label, and what else the classifier is told.
_Label = tuple[Hashable, typing.Any, dict[str, typing.Any]]


class LabelSide(Writes):
    """Takes answers, keeps them, and learns each once."""

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
        while not self._store.answer(event_id, y, w, self._now()):
            # Looked at after that, for another process may learn it, or refuse to, at any moment.
            ask = self._store.get(event_id)
            if ask is None or ask.state == "expired":
                return self._note_unmatched(event_id)
            if ask.state == "learned":
                return _check_repeated(ask, y)

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
        self._catch_up()
        errors = self.learn_each(self._store.answers(until))
        for error in errors:
            # What was answered anew in this moment is learned the next time.
            if not (error is None or isinstance(error, AnswerChangedError)):
                raise error
        return errors.count(None)

    def outcomes(self) -> Iterator[tuple[typing.Any, typing.Any, float]]:
        """Label, prediction and probability of asking of what was learned, in that order.

        In memory, learned ones are forgotten.
        """
        self._catch_up()
        return self._store.outcomes()

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
                self._commit(lambda asks=asks: self._store.learned(asks), learn, nothing)  # type: ignore[misc]
            except AnswerChangedError as error:
                index, _, _ = due.pop(error.event_id)
                outcomes[index] = error

    def _checked(self, y: typing.Any, w: float | None) -> tuple[typing.Any, float | None]:
        """A label and a weight that the model will take, as far as that can be known before."""
        if self.is_binary:
            y = checks.as_label(y)
        return y, None if w is None else checks.as_weight(w)

    def _note_unmatched(self, event_id: Hashable) -> None:
        if self.strict:
            raise KeyError(
                f"no label is pending for {event_id!r}: it was never asked for, has expired, or "
                "was answered before"
            )
        self.n_unmatched += 1


def _check_repeated(ask: Ask, y: typing.Any) -> None:
    """A label that is delivered again is nothing new; another one comes too late."""
    if ask.answer != y:
        raise LabelLearnedError(
            f"the label of {ask.event_id!r} was learned as {ask.answer!r} already, and cannot "
            f"become {y!r}"
        )

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import logging
import math
import time
import typing
from collections import deque

from river_oa3.pending import Ask, IdError, LabelLearnedError, PendingLabels, StoreError
from river_oa3.service import views
from river_oa3.service.parse import EventId, Label
from river_oa3.service.problems import Problem
from river_oa3.service.progress import AskRate, Curve, learned_so_far, outlook, quality_summary
from river_oa3.service.settings import Settings

__all__ = ["LearnerSession"]

log = logging.getLogger("river_oa3.service")

Result = dict[str, typing.Any]

# What a model says about an event or a label that it does not take.
_REFUSALS = (TypeError, ValueError, ArithmeticError, MemoryError)

# How often to look at what another process has learned.
_LOOK_INTERVAL_S = 10.0

_NOT_PENDING = (
    "no label is pending for this id: it was never asked for, or has expired. Labels are taken for "
    "events that /events has answered with ask true: keep others, such as reports of fraud, for "
    "the next time that a model is trained"
)

# Seconds until the log repeats that asks are dropped.
_LOG_INTERVAL_S = 60.0

# Messages may quote what was sent.
_MAX_MESSAGE_LENGTH = 500

# A part of the asks that is as large as this ends, and so do the first ones that it is made of.
_MAX_PAGE_BYTES = 4 * 2**20
_FIRST_ASKS = 4


class LearnerSession:
    """What the service does with the learner and the asks; it belongs to the worker's thread.

    Parameters
    ----------
    pending
        The learner, and the asks that wait.
    settings
        How the service behaves.

    Attributes
    ----------
    n_writes
        How often something has been written to the store, as far as is known.
    n_checks
        How often a trial write has succeeded.

    """

    def __init__(self, pending: PendingLabels, settings: Settings):
        self._pending = pending
        self._settings = settings
        self._ask_rate = AskRate(pending.model.n_asked)
        self._curve: Curve = learned_so_far(pending)
        # When answers may be learned, and what was answered by then on the clock of the asks.
        self._due: deque[tuple[float, dt.datetime]] = deque()
        self._not_before = 0.0
        self._look_at = 0.0
        for ask in pending.asks("answered"):
            self._learn_later(ask)
        self.refused_events = 0
        self.refused_labels = 0
        self.n_writes = 0
        self.n_checks = 0
        self._full_at = -_LOG_INTERVAL_S

    def together(self) -> contextlib.AbstractContextManager[None]:
        return self._pending.together()

    def events(self, events: list[tuple[EventId, typing.Any] | Problem]) -> list[Result]:
        """What is thought of each event, and whether its label is asked for."""
        if not self._pending.learns:
            raise Problem(
                403,
                "this instance was started with --answers-only: send events to the instance that "
                "owns the store",
            )
        answers: list[Result] = []
        n_expired = self._pending.n_expired
        predict = self._pending.predict_one
        for event in events:
            if isinstance(event, Problem):
                answers.append({"error": event.described()})
                continue
            event_id, x = event
            try:
                label, ask = predict(event_id, x)
                self.n_writes += ask
                answers.append({"id": event_id, "label": views.json_value(label), "ask": ask})
            except StoreError:
                raise
            except _REFUSALS as error:
                self.refused_events += 1
                field = "id" if isinstance(error, IdError) else "x"
                described = {"field": field, "message": str(error)[:_MAX_MESSAGE_LENGTH]}
                answers.append({"id": event_id, "error": described})
        self._ask_rate.note(self._pending.model.n_asked)
        if self._pending.n_expired > n_expired:
            self._note_full()
        return answers

    def labels(self, labels: list[Label | Problem]) -> list[Result]:
        """What becomes of each answer."""
        answers: list[Result] = [{}] * len(labels)
        final: list[tuple[int, Label]] = []
        for index, label in enumerate(labels):
            if isinstance(label, Problem):
                answers[index] = {"error": label.described(), "status": label.status}
                continue
            try:
                self._check_lease(label)
                if label.is_final and self._pending.learns:
                    final.append((index, label))
                else:
                    self._learn(final, answers)
                    answers[index] = self._answer(label)
            except (Problem, KeyError, *_REFUSALS) as error:
                answers[index] = self._refusal(label, error)
        self._learn(final, answers)
        return answers

    def withdraw(self, event_id: EventId) -> Result:
        """Take an answer back that is not learned yet."""
        state = self._ask(event_id).state
        if state == "learned":
            raise Problem(409, "was learned already, and cannot be taken back", "id")
        if state == "answered":
            self.n_writes += self._pending.withdraw(event_id)
        return {"id": event_id, "state": self._ask(event_id).state}

    def lease(self, annotator: str) -> Result:
        """The next ask for a person."""
        ask = self._pending.lease(annotator, self._settings.lease)
        self.n_writes += ask is not None
        return {
            "ask": None if ask is None else views.annotator_view(ask, self._pending.model),
            "open": self._pending.count(),
            "seconds": self._settings.lease,
        }

    def release(self, event_id: EventId, annotator: str, skip: bool) -> Result:
        """Give an ask back."""
        released = self._pending.release(event_id, annotator, skip)
        self.n_writes += released
        return {"released": released}

    def asks(self, state: typing.Any, limit: int, after: str | None) -> bytes:
        """A part of the asks in a state, the oldest first, as JSON.

        It is read in parts too, for asks may be large.
        """
        encoded: list[bytes] = []
        size, wanted = 0, _FIRST_ASKS
        while True:
            try:
                found, after = self._pending.page(state, min(wanted, limit - len(encoded)), after)
            except ValueError as error:
                raise Problem(409, str(error), "after") from None
            encoded += [views.encoded(views.api_view(ask)) for ask in found]
            size += sum(map(len, encoded[-len(found) :])) if found else 0
            if after is None or len(encoded) >= limit or size >= _MAX_PAGE_BYTES:
                break
            wanted = max(1, (_MAX_PAGE_BYTES - size) * len(encoded) // size)
        rest = views.encoded({"count": self._pending.count(state), "next": after})
        return b'{"asks":[' + b",".join(encoded) + b"]," + rest[1:]

    def quality(self) -> Result:
        """How good the answers are."""
        self._refresh()
        return typing.cast(Result, views.json_value(self._pending.quality.to_dict()))

    def progress(self) -> Result:
        """All that the page shows beside the ask."""
        self._refresh()
        pending, model = self._pending, self._pending.model
        self._ask_rate.note(model.n_asked)
        return {
            "question": self._settings.question,
            "undo_seconds": self._settings.undo,
            "open": pending.count(),
            "answered": pending.count("answered"),
            "seen": model.n_seen,
            "asked": model.n_asked,
            "learned": model.n_learned,
            "budget": outlook(model, self._ask_rate.labels_per_second()),
            "quality": quality_summary(pending.quality),
            "curve": self._curve.points(pending.quality),
        }

    def counts(self) -> dict[str, float | None]:
        """Numbers for those who watch the service."""
        self.check()
        self._refresh()
        pending, model = self._pending, self._pending.model
        quality = pending.quality
        interval = quality.interval()
        return {
            "open": pending.count(),
            "answered": pending.count("answered"),
            "seen": model.n_seen,
            "asked": model.n_asked,
            "learned": model.n_learned,
            "expired": pending.n_expired,
            "left": outlook(model, None).get("left"),
            "refused_events": self.refused_events,
            "refused_labels": self.refused_labels,
            "quality": quality.get(),
            "quality_low": None if interval is None else interval[0],
            "quality_high": None if interval is None else interval[1],
            "quality_labels": quality.n_labels,
            "drifts": quality.n_drifts,
        }

    def check(self) -> None:
        """Fail where a write to the store would."""
        self._pending.check()
        self.n_checks += 1

    def seconds_until_due(self) -> float:
        """How long until answers are to be learned, or looked for that were given elsewhere."""
        due = min(self._due[0][0] if self._due else math.inf, self._look_at)
        return max(0.0, max(due, self._not_before) - time.monotonic())

    def learn_due(self) -> None:
        """Learn the answers that nobody took back in time."""
        now = time.monotonic()
        if self._pending.learns and now >= self._look_at:
            self._look_at = now + _LOOK_INTERVAL_S
            self._find_answers()
        due = [
            answered_at
            for when, answered_at in itertools.takewhile(lambda d: d[0] <= now, self._due)
        ]
        if due and now >= self._not_before:
            self.n_writes += self._pending.learn_answered(max(due))
            # Not before it is learned: the store may fail.
            for _ in due:
                self._due.popleft()
            self._note_quality()

    def postpone(self, seconds: float) -> None:
        """Learn no answers for a while."""
        self._not_before = time.monotonic() + seconds

    def close(self) -> None:
        self._pending.close()

    def _check_lease(self, label: Label) -> None:
        """An ask that somebody else has by now is theirs."""
        if label.annotator is None:
            return
        ask = self._ask(label.event_id)
        if ask.leased_to not in (None, label.annotator):
            raise Problem(409, "this ask is leased to another annotator", "id")

    def _learn(self, final: list[tuple[int, Label]], answers: list[Result]) -> None:
        wanted = [(label.event_id, label.label, label.weight) for _, label in final]
        before = self._pending.model.n_learned
        errors = self._pending.learn_each(wanted) if wanted else []
        self.n_writes += self._pending.model.n_learned - before
        for (index, label), error in zip(final, errors, strict=True):
            answers[index] = (
                {"id": label.event_id, "state": "learned"}
                if error is None
                else self._refusal(label, error)
            )
        if wanted:
            self._note_quality()
        final.clear()

    def _answer(self, label: Label) -> Result:
        ask = self._pending[label.event_id]
        is_same = (ask.answer, ask.weight) == (label.label, label.weight)
        if not (ask.state == "answered" and is_same):
            self._pending.answer(label.event_id, label.label, label.weight)
            self.n_writes += 1
            ask = self._pending[label.event_id]
            if ask.state == "answered":
                self._learn_later(ask)
        undo = self._settings.undo if ask.state == "answered" else 0.0
        return {"id": label.event_id, "state": ask.state, "undo_seconds": undo}

    def _learn_later(self, ask: Ask) -> None:
        assert ask.answered_at is not None
        if self._pending.learns:
            self._due.append((time.monotonic() + self._settings.undo, ask.answered_at))

    def _refusal(self, label: Label, error: Exception) -> Result:
        self.refused_labels += 1
        if isinstance(error, KeyError):
            error = Problem(404, _NOT_PENDING, "id")
        elif isinstance(error, RuntimeError):  # somebody else uses the same store
            error = Problem(409, "was answered by somebody else just now", "id")
        elif isinstance(error, LabelLearnedError):
            error = Problem(409, str(error)[:_MAX_MESSAGE_LENGTH], "label")
        elif not isinstance(error, Problem):
            error = Problem(422, str(error)[:_MAX_MESSAGE_LENGTH], "label")
        return {"id": label.event_id, "error": error.described(), "status": error.status}

    def _ask(self, event_id: EventId) -> Ask:
        try:
            return self._pending[event_id]
        except KeyError:
            raise Problem(404, _NOT_PENDING, "id") from None

    def _find_answers(self) -> None:
        """Answers that another process has taken, `serve --answers-only`, are learned here."""
        known = {answered_at for _, answered_at in self._due}
        for ask in self._pending.asks("answered"):
            if ask.answered_at not in known:
                self._learn_later(ask)

    def _refresh(self) -> None:
        """See now and then what the process has done that learns, where that is another one."""
        start = time.monotonic()
        if not self._pending.learns and start >= self._look_at:
            self._pending.refresh()
            self._curve = learned_so_far(self._pending)
            # The more there is to read, the less often: most of the time is for people.
            now = time.monotonic()
            self._look_at = now + max(_LOOK_INTERVAL_S, 20.0 * (now - start))

    def _note_full(self) -> None:
        """Say that the oldest ask is dropped for each new one, where that is so."""
        pending, now = self._pending, time.monotonic()
        if now - self._full_at >= _LOG_INTERVAL_S and pending.count() >= pending.capacity:
            self._full_at = now
            log.warning(
                "%d asks are open, which is the capacity: the oldest expires for each new one. "
                "Answer some, or serve with a larger --capacity or a --time-to-live",
                pending.capacity,
            )

    def _note_quality(self) -> None:
        self._curve.note(self._pending.quality)

"""Asks in a database, with the active learner that made them: both go on after the process."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import json
import secrets
import time
import typing
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator

from river_oa3 import files
from river_oa3.pending import quality
from river_oa3.pending.ask import Ask, State
from river_oa3.pending.clock import latest_possible
from river_oa3.pending.early import EarlyChanges, EarlyLabel
from river_oa3.pending.errors import StoreError
from river_oa3.pending.outcomes import tell
from river_oa3.pending.page import Place
from river_oa3.pending.rows import as_row, key_of
from river_oa3.pending.settings import settings_of
from river_oa3.pending.sql import Snapshot, SqlStore
from river_oa3.pending.standing import (
    WITH_SNAPSHOTS,
    Standing,
    check_budget,
    check_same,
    restore,
    standing_of,
)
from river_oa3.pending.uniforms import EventUniforms

if typing.TYPE_CHECKING:
    from river_oa3.active import ActiveLearner
    from river_oa3.monitor import AskedQuality

__all__ = ["DurableStore", "Resumed"]

# What a classifier says to a label that it does not take.
REFUSALS = (ArithmeticError, TypeError, ValueError)

# How often to look whether another process has withdrawn an answer.
SECONDS_BETWEEN_LOOKS = 1.0


class Resumed(typing.NamedTuple):
    """Where a store stands."""

    n_events: int = 0
    n_expired: int = 0
    # When it was last written to, in seconds since 1970.
    latest: float = 0.0


class DurableStore:
    """Keeps asks and an active learner in step.

    What is asked on every event is answered from memory; the database is read at the start.

    Parameters
    ----------
    url
        What SQLAlchemy connects to.
    model
        The active learner, whose decisions get their random numbers from its seed and the id of the
        event until the store is closed.
    quality
        What is told by the labels: it is brought to where the store stands, and kept with the
        model.

    """

    def __init__(self, url: str, model: ActiveLearner, quality: AskedQuality):
        check_budget(model.spending)
        self._sql = SqlStore(url)
        self._model = model
        self._quality = quality
        # What was predicted for all that was ever asked about, by the keys of the ids.
        self._labels: dict[str, typing.Any] = {}
        self._passed = self._sql.passed
        # Asks that are not learned, and those of them that are known to have an answer.
        self._waiting: OrderedDict[Hashable, Ask] = OrderedDict()
        self._answered: set[Hashable] = set()
        self._look_at = 0.0
        self._rows: dict[Hashable, dict[str, typing.Any]] = {}
        self._expired_now: set[Hashable] = set()
        self.last_batch: tuple[str, int] | None = None
        self.seed = 0
        self._own_rng = model._rng
        self._uniforms = EventUniforms(0, self._own_rng)

    def look(self) -> Resumed:
        """Bring the model to where the store stands, and leave the store to who learns from it."""
        found = self._sql.look()
        if found is None:
            raise StoreError(f"{self._sql.name} is empty: start whoever learns from it first")
        self._sql.check_format()
        resumed, _ = self._resumed(found[1])
        self._read_quality()
        return resumed

    def open(self) -> Resumed:
        """Take over the store, and bring the model to where it stands."""
        snapshot = self._snapshot()  # of what was given, which must be of a kind that can be stored
        found = self._sql.look()
        if found is None:
            seed = self._model.seed
            seed = secrets.randbits(63) if seed is None else seed
            self._draw_from(seed)
            self._sql.start(seed, self._standing(0), snapshot)
            resumed = Resumed()
        else:
            seed, standing = found
            self._check_seed(seed)
            self._draw_from(seed)
            resumed, refused = self._resumed(standing)
            # Nobody loses a store to a start that fails.
            self._sql.take_over()
            self.last_batch = standing["batch"] and tuple(standing["batch"])
            for ask in refused:
                self._sql.unlearn(ask.event_id)
            self._read_quality()
            self._labels = self._sql.labels()
            for ask in _as_old_as_possible(self._sql.waiting()):
                self._waiting[ask.event_id] = ask
                if ask.state == "answered":
                    self._answered.add(ask.event_id)
        self._model._rng = typing.cast(typing.Any, self._uniforms)
        return resumed

    def _draw_from(self, seed: int) -> None:
        self.seed, self._uniforms = seed, EventUniforms(seed, self._own_rng)

    def _resumed(self, standing: Standing) -> tuple[Resumed, list[Ask]]:
        """Where the store stands, and the asks whose answers the model refuses."""
        refused = self._resume(standing)
        n_expired, latest = self._sql.count("expired"), self._sql.latest(latest_possible())
        return Resumed(standing["events"], n_expired, latest), refused

    def _read_quality(self) -> None:
        """Take what was told up to the newest snapshot, and read what was learned since."""
        step = quality.from_bytes(self._sql.qualities(), self._quality)
        for answer, label, probability in self._sql.outcomes(step):
            tell(self._quality, answer, label, probability)

    def _check_seed(self, seed: int) -> None:
        if self._model.seed not in (None, seed):
            raise ValueError(
                f"the store was started with seed {seed}, and the model has {self._model.seed}: "
                "decisions would not be the same again. Give the model that seed, or none"
            )

    def _resume(self, standing: Standing) -> list[Ask]:
        """Load the newest snapshot that is whole, and do again what came after it."""
        model, step = self._model, 0
        check_same(model, standing)
        refused: list[Ask] = []
        for step_of, counts, content in self._sql.snapshots():
            try:
                classifier = files.from_bytes(content)
            except files.FileError as error:
                warnings.warn(
                    f"a snapshot in the store {self._sql.name} is damaged, and an older one is "
                    f"used: {error}",
                    RuntimeWarning,
                    stacklevel=4,
                )
                continue
            given, stored = settings_of(model.classifier), settings_of(classifier)
            if given != stored:
                raise ValueError(
                    f"the store was used with {stored}, and this model has {given}: start a new "
                    "store for it, or give the model that the store was started with"
                )
            model.classifier = classifier
            model.restore({**model.state(), **dict(zip(WITH_SNAPSHOTS, counts, strict=True))})
            step = step_of
            break
        else:
            if model.n_learned:
                raise StoreError(
                    f"all snapshots in the store {self._sql.name} are damaged: give the model that "
                    "the store was started with, and all labels are learned again"
                )
        for is_learned, ask in self._sql.history(step):
            if not is_learned:
                model._observe(ask.x)
                continue
            weight = {} if ask.weight is None else {"w": ask.weight}
            try:
                model._learn_asked(ask.x, ask.answer, ask.query_probability, **weight)
            except REFUSALS:  # as it did then, and the process ended before it could say so
                refused.append(ask)
        try:
            restore(model, standing)
        except Exception as error:  # of a budget or a rule of somebody's own, which may raise any
            raise self._sql.damaged(f"what is spent cannot be read: {error}") from error
        return refused

    # What is decided about an event

    @property
    def n_waiting(self) -> int:
        self._look_at_answers()
        return len(self._waiting) - len(self._answered)

    def waiting(self) -> Iterator[Ask]:
        self._look_at_answers()
        answered = self._answered
        return (ask for ask in self._waiting.values() if ask.event_id not in answered)

    def _look_at_answers(self) -> None:
        """See now and then which answers are still there: another process may withdraw them."""
        if self._answered and time.monotonic() >= self._look_at:
            # A store that fails is said where something has to be written.
            with contextlib.suppress(StoreError):
                self._answered &= self._sql.answered()
            self._look_at = time.monotonic() + SECONDS_BETWEEN_LOOKS

    def known(self, event_id: Hashable) -> tuple[typing.Any, bool] | None:
        # From here on numbers are drawn for this event.
        self._uniforms.key = key = key_of(event_id)
        if key in self._labels:
            return self._labels[key], True
        if event_id in self._passed:
            return self._passed[event_id], False
        return None

    def passed(self, event_id: Hashable, label: typing.Any) -> None:
        self._passed.add(event_id, label)

    def note(self, ask: Ask) -> None:
        self._rows[ask.event_id] = row = as_row(ask)
        self._labels[row["event_id"]] = ask.label
        self._waiting[ask.event_id] = dataclasses.replace(ask, x=None)

    def forget(self, event_id: Hashable) -> None:
        row = self._rows.pop(event_id, None)
        if row is not None:
            self._labels.pop(row["event_id"], None)
        self._waiting.pop(event_id, None)
        self._answered.discard(event_id)

    # Transactions

    def add(self, asks: list[Ask], n_events: int) -> None:
        self._sql.add([self._rows[ask.event_id] for ask in asks], self._standing(n_events))
        for ask in asks:
            del self._rows[ask.event_id]

    def expire(self, asks: list[Ask], refund: Callable[[Ask], None], n_events: int) -> None:
        def standing(expired: list[Ask]) -> Standing:
            self._expired_now = {ask.event_id for ask in expired}
            for ask in expired:
                refund(ask)
            return self._standing(n_events)

        self._sql.expire(asks, standing)

    def let_go(self, asks: list[Ask]) -> int:
        for ask in asks:
            if ask.event_id in self._expired_now:
                del self._waiting[ask.event_id]
            else:  # somebody else has answered it
                self._answered.add(ask.event_id)
        return len(self._expired_now)

    def learned(self, asks: list[Ask]) -> None:
        self._sql.learned(asks)

    def is_asked(self, event_id: Hashable) -> bool:
        return key_of(event_id) in self._labels

    def early_labels(self) -> list[EarlyLabel]:
        return self._sql.early_labels()

    def keep_batch(
        self,
        asks: list[Ask],
        learned: list[Ask],
        refused: list[Ask],
        batch: tuple[str, int],
        n_events: int,
        early: EarlyChanges,
    ) -> None:
        self.last_batch = batch
        rows = [self._rows.pop(ask.event_id) for ask in asks]
        standing = self._standing(n_events)
        self._sql.keep_batch(rows, learned, refused, self._snapshot(), standing, early)
        self._answered.difference_update(ask.event_id for ask in refused)

    def check(self, is_owner: bool) -> None:
        self._sql.check(is_owner)

    def outcomes(self) -> Iterator[tuple[typing.Any, typing.Any, float]]:
        return self._sql.outcomes(0)

    def was_written(self) -> bool:
        return self._sql.was_written()

    def snapshot(self, n_events: int) -> None:
        self._sql.save(self._snapshot(), self._standing(n_events))

    # What follows from them

    def done(self, ask: Ask) -> None:
        self._waiting.pop(ask.event_id, None)
        self._answered.discard(ask.event_id)

    def refused(self, ask: Ask) -> None:
        self._sql.unlearn(ask.event_id)
        self._answered.discard(ask.event_id)

    def standing(self) -> Standing:
        return standing_of(self._model)

    def restore(self, standing: Standing) -> None:
        restore(self._model, standing)

    # People

    def check_arguments(self, kwargs: dict[str, typing.Any]) -> None:
        if kwargs.keys() - {"w"}:
            raise TypeError(
                f"a store keeps a label and its weight w, and not {', '.join(kwargs)}: leave the "
                "rest out"
            )

    def get(self, event_id: Hashable) -> Ask | None:
        return self._sql.get(event_id)

    def get_each(self, event_ids: list[Hashable]) -> list[Ask | Exception | None]:
        return self._sql.get_each(event_ids)

    def asks(self, state: State, limit: int | None) -> list[Ask]:
        return self._sql.asks(state, limit)

    def page(self, state: State, limit: int, after: Place | None) -> tuple[list[Ask], Place | None]:
        return self._sql.page(state, limit, after)

    def count(self, state: State) -> int:
        return self._sql.count(state)

    def answer(self, event_id: Hashable, y: typing.Any, w: float | None, at: dt.datetime) -> bool:
        is_kept = self._sql.answer(event_id, y, w, at)
        if is_kept and event_id in self._waiting:
            self._answered.add(event_id)
        return is_kept

    def answers(self, until: dt.datetime | None) -> list[tuple[Hashable, typing.Any, float | None]]:
        return self._sql.answers(until)

    def withdraw(self, event_id: Hashable) -> bool:
        self._answered.discard(event_id)
        return self._sql.withdraw(event_id)

    def lease(self, who: str, now: float, until: float) -> Ask | None:
        return self._sql.lease(who, now, until)

    def release(self, event_id: Hashable, who: str, skip: bool) -> bool:
        return self._sql.release(event_id, who, skip)

    def close(self) -> None:
        if typing.cast(typing.Any, self._model._rng) is self._uniforms:
            self._model._rng = self._own_rng
        self._sql.close()

    def _standing(self, n_events: int) -> Standing:
        batch = self.last_batch and list(self.last_batch)
        counts = {"events": n_events, "asks": len(self._labels)}
        return {**standing_of(self._model), **counts, "batch": batch}

    def _snapshot(self) -> Snapshot:
        model = self._model
        state = model.state()
        counts = json.dumps([state[name] for name in WITH_SNAPSHOTS])
        return Snapshot(files.to_bytes(model.classifier), counts, quality.to_bytes(self._quality))


def _as_old_as_possible(asks: list[Ask]) -> list[Ask]:
    """Asks in their order, none of them from a later time than can be, or than the next ask.

    Under a clock that is wrong, an ask may get a time that is years ahead, and would stay young
    until then.
    """
    latest = latest_possible()
    if not any(ask.asked_at.timestamp() > latest for ask in asks):
        return asks
    warnings.warn(
        "the store has asks from years to come, or the clock is wrong now: they are taken to be as "
        "old as the asks that follow",
        RuntimeWarning,
        stacklevel=5,
    )
    next_at, found = dt.datetime.fromtimestamp(time.time(), dt.UTC), []
    for ask in reversed(asks):
        next_at = min(next_at, ask.asked_at)
        found.append(dataclasses.replace(ask, asked_at=next_at))
    return found[::-1]

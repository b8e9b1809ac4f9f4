"""Asks in memory: they are gone with the process, or go where it is pickled to."""

from __future__ import annotations

import dataclasses
import datetime as dt
import typing
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator

from river_oa3.pending.ask import Ask, State
from river_oa3.pending.early import EarlyChanges, EarlyLabel
from river_oa3.pending.errors import IdError
from river_oa3.pending.page import Place

__all__ = ["MemoryStore"]

KEPT_EXPIRED = 1000


class MemoryStore:
    """Keeps asks until their labels are learned, the oldest first."""

    last_batch: tuple[str, int] | None = None
    seed = 0

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Ask] = OrderedDict()
        self._n_answered = 0
        self._expired: deque[Ask] = deque(maxlen=KEPT_EXPIRED)
        self._n_expired = 0
        self._leased_until: dict[Hashable, float] = {}
        self._skips: dict[Hashable, int] = {}
        self._numbers: dict[Hashable, int] = {}
        self._n_noted = 0

    def __setstate__(self, state: dict[str, typing.Any]) -> None:
        self.__dict__.update(state)
        if "_numbers" not in state:  # stored before asks were numbered
            self._numbers = {event_id: i for i, event_id in enumerate(self._kept, start=1)}
            self._n_noted = len(self._kept)

    @property
    def n_waiting(self) -> int:
        return len(self._kept) - self._n_answered

    def waiting(self) -> Iterator[Ask]:
        return (ask for ask in self._kept.values() if ask.state == "open")

    def known(self, event_id: Hashable) -> None:
        if event_id in self._kept:
            raise IdError(f"a label is pending for {event_id!r} already: give each event an id")

    def passed(self, event_id: Hashable, label: typing.Any) -> None:
        pass

    def note(self, ask: Ask) -> None:
        self._kept[ask.event_id] = ask
        self._n_noted += 1
        self._numbers[ask.event_id] = self._n_noted

    def forget(self, event_id: Hashable) -> None:
        ask = self._kept.pop(event_id, None)
        self._numbers.pop(event_id, None)
        self._n_answered -= ask is not None and ask.state == "answered"
        self._leased_until.pop(event_id, None)
        self._skips.pop(event_id, None)

    def add(self, asks: list[Ask], n_events: int) -> None:
        pass

    def expire(self, asks: list[Ask], refund: Callable[[Ask], None], n_events: int) -> None:
        for ask in asks:
            self.forget(ask.event_id)
            self._expired.append(dataclasses.replace(ask, state="expired", leased_to=None))
            self._n_expired += 1
            refund(ask)

    def let_go(self, asks: list[Ask]) -> int:
        return len(asks)

    def learned(self, asks: list[Ask]) -> None:
        pass

    def is_asked(self, event_id: Hashable) -> bool:
        return event_id in self._kept

    def early_labels(self) -> list[EarlyLabel]:
        return []

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
        for ask in refused:
            self.withdraw(ask.event_id)

    def done(self, ask: Ask) -> None:
        self.forget(ask.event_id)

    def refused(self, ask: Ask) -> None:
        self.withdraw(ask.event_id)

    def check(self, is_owner: bool) -> None:
        pass

    def outcomes(self) -> Iterator[tuple[typing.Any, typing.Any, float]]:
        return iter(())

    def was_written(self) -> bool:
        return False

    def check_arguments(self, kwargs: dict[str, typing.Any]) -> None:
        pass

    def standing(self) -> None:
        pass

    def restore(self, standing: None) -> None:
        pass

    def get(self, event_id: Hashable) -> Ask | None:
        return self._kept.get(event_id)

    def get_each(self, event_ids: list[Hashable]) -> list[Ask | Exception | None]:
        found: list[Ask | Exception | None] = []
        for event_id in event_ids:
            try:
                found.append(self._kept.get(event_id))
            except TypeError as error:  # one that cannot be an id
                found.append(error)
        return found

    def asks(self, state: State, limit: int | None) -> list[Ask]:
        found = list(self._expired) if state == "expired" else self._in_state(state)
        return found[:limit]

    def _in_state(self, state: State) -> list[Ask]:
        found = [ask for ask in self._kept.values() if ask.state == state]
        if state == "answered":
            found.sort(key=lambda ask: (_came(ask), self._numbers[ask.event_id]))
        return found

    def page(self, state: State, limit: int, after: Place | None) -> tuple[list[Ask], Place | None]:
        further = [each for each in self._places(state) if after is None or each[0] > after]
        part = further[:limit]
        return [ask for _, ask in part], part[-1][0] if len(further) > limit else None

    def _places(self, state: State) -> list[tuple[Place, Ask]]:
        if state == "expired":
            first = self._n_expired - len(self._expired)
            return [((first + i,), ask) for i, ask in enumerate(self._expired)]
        numbered = [(self._numbers[ask.event_id], ask) for ask in self._in_state(state)]
        if state == "answered":
            return [((_came(ask).timestamp(), number), ask) for number, ask in numbered]
        return [((number,), ask) for number, ask in numbered]

    def count(self, state: State) -> int:
        numbers = {
            "open": self.n_waiting,
            "answered": self._n_answered,
            "expired": self._n_expired,
        }
        return numbers.get(state, 0)

    def answer(self, event_id: Hashable, y: typing.Any, w: float | None, at: dt.datetime) -> bool:
        return self._change(event_id, state="answered", answer=y, weight=w, answered_at=at)

    def answers(self, until: dt.datetime | None) -> list[tuple[Hashable, typing.Any, float | None]]:
        return [
            (ask.event_id, ask.answer, ask.weight)
            for ask in self._in_state("answered")
            if until is None or _came(ask) <= until
        ]

    def withdraw(self, event_id: Hashable) -> bool:
        ask = self._kept.get(event_id)
        if ask is None or ask.state != "answered":
            return False
        return self._change(event_id, state="open", answer=None, weight=None, answered_at=None)

    def lease(self, who: str, now: float, until: float) -> Ask | None:
        def is_free(ask: Ask) -> bool:
            return ask.leased_to in (None, who) or self._leased_until[ask.event_id] <= now

        def order(ask: Ask) -> tuple[bool, int]:
            return ask.leased_to != who, self._skips.get(ask.event_id, 0)

        ask = min(filter(is_free, self.waiting()), key=order, default=None)
        if ask is None:
            return None
        self._leased_until[ask.event_id] = until
        self._change(ask.event_id, leased_to=who)
        return self._kept[ask.event_id]

    def release(self, event_id: Hashable, who: str, skip: bool) -> bool:
        ask = self._kept.get(event_id)
        if ask is None or ask.leased_to != who:
            return False
        self._skips[event_id] = self._skips.get(event_id, 0) + skip
        return self._change(event_id, leased_to=None)

    def snapshot(self, n_events: int) -> None:
        pass

    def close(self) -> None:
        pass

    def _change(self, event_id: Hashable, **changes: typing.Any) -> bool:
        ask = self._kept.get(event_id)
        if ask is None:
            return False
        changed = dataclasses.replace(ask, **changes)
        self._n_answered += (changed.state == "answered") - (ask.state == "answered")
        self._kept[event_id] = changed
        return True


def _came(ask: Ask) -> dt.datetime:
    return typing.cast(dt.datetime, ask.answered_at)

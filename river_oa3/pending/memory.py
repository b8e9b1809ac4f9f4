"""Asks in memory: they are gone with the process, or go where it is pickled to."""

from __future__ import annotations

import dataclasses
import datetime as dt
import typing
from collections import OrderedDict
from collections.abc import Hashable, Iterator

from river_oa3.pending.ask import Ask, State
from river_oa3.pending.standing import Standing

__all__ = ["MemoryStore"]


class MemoryStore:
    """Keeps asks until their labels are learned, the oldest first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Ask] = OrderedDict()
        self._answered: set[Hashable] = set()
        self._leased_until: dict[Hashable, float] = {}
        self._skips: dict[Hashable, int] = {}

    def add(self, ask: Ask, standing: Standing) -> None:
        self._kept[ask.event_id] = ask

    def get(self, event_id: Hashable) -> Ask | None:
        return self._kept.get(event_id)

    def asks(self, state: State, limit: int | None = None) -> list[Ask]:
        found: list[Ask] = []
        for ask in self._kept.values():
            if len(found) == limit:
                break
            if ask.state == state:
                found.append(ask)
        return found

    def __iter__(self) -> Iterator[Ask]:
        return iter(self.asks("open"))

    def count(self, state: State) -> int:
        answered = len(self._answered)
        return {"open": len(self._kept) - answered, "answered": answered}.get(state, 0)

    def oldest(self) -> Ask | None:
        return next(iter(self.asks("open", limit=1)), None)

    def answer(self, event_id: Hashable, y: typing.Any, w: float | None, at: dt.datetime) -> bool:
        is_kept = self._change(event_id, state="answered", answer=y, weight=w, answered_at=at)
        if is_kept:
            self._answered.add(event_id)
        return is_kept

    def withdraw(self, event_id: Hashable) -> bool:
        self._answered.discard(event_id)
        return self._change(event_id, state="open", answer=None, weight=None, answered_at=None)

    def learned(self, ask: Ask, standing: Standing) -> bool:
        self._forget(ask.event_id)
        return True

    def expire(self, asks: list[Ask], standing: Standing) -> None:
        for ask in asks:
            self._forget(ask.event_id)

    def lease(self, who: str, now: float, until: float) -> Ask | None:
        def others(ask: Ask) -> bool:
            return ask.leased_to not in (None, who) and self._leased_until[ask.event_id] > now

        free = [ask for ask in self if not others(ask)]
        if not free:
            return None
        ask = min(
            free, key=lambda ask: (ask.leased_to != who, self._skips.get(ask.event_id, 0))
        )
        self._leased_until[ask.event_id] = until
        self._change(ask.event_id, leased_to=who)
        return self._kept[ask.event_id]

    def release(self, event_id: Hashable, who: str, skip: bool) -> bool:
        ask = self._kept.get(event_id)
        if ask is None or ask.leased_to != who:
            return False
        self._skips[event_id] = self._skips.get(event_id, 0) + skip
        return self._change(event_id, leased_to=None)

    def close(self) -> None:
        pass

    def _change(self, event_id: Hashable, **changes: typing.Any) -> bool:
        if event_id not in self._kept:
            return False
        self._kept[event_id] = dataclasses.replace(self._kept[event_id], **changes)
        return True

    def _forget(self, event_id: Hashable) -> None:
        del self._kept[event_id]
        self._answered.discard(event_id)
        self._leased_until.pop(event_id, None)
        self._skips.pop(event_id, None)

"""What `PendingLabels` needs of whatever keeps its asks."""

from __future__ import annotations

import datetime as dt
import typing
from collections.abc import Callable, Hashable, Iterator

from river_oa3.pending.ask import Ask, State
from river_oa3.pending.early import EarlyChanges, EarlyLabel
from river_oa3.pending.page import Place

__all__ = ["Store"]


class Store(typing.Protocol):
    """Keeps asks.

    Whatever changes the budget or the model is written by `add`, `expire` and `learned`, one
    transaction each. When one of them fails, `was_written` says whether it took place all the same.

    """

    @property
    def n_waiting(self) -> int:
        """The number of asks that may have no answer yet."""

    def waiting(self) -> Iterator[Ask]:
        """Those asks, the oldest first; their events may be left out."""

    def known(self, event_id: Hashable) -> tuple[typing.Any, bool] | None:
        """What an event was answered before; a `ValueError` where its id cannot be used again."""

    def passed(self, event_id: Hashable, label: typing.Any) -> None:
        """Nobody asks about this event."""

    def note(self, ask: Ask) -> None:
        """An ask that is about to be added; an error where it cannot be."""

    def forget(self, event_id: Hashable) -> None:
        """Never mind an ask that was noted."""

    def add(self, asks: list[Ask], n_events: int) -> None:
        """Keep asks that were noted, and what was paid for them."""

    def expire(self, asks: list[Ask], refund: Callable[[Ask], None], n_events: int) -> None:
        """End those of some asks that have no answer, and let each be refunded."""

    def let_go(self, asks: list[Ask]) -> int:
        """Make no more of these asks wait; says how many of them `expire` ended."""

    def learned(self, asks: list[Ask]) -> None:
        """Keep answers as learned; an `AnswerChangedError` where somebody came in between."""

    @property
    def seed(self) -> int:
        """What random numbers are made of, with the id of an event."""

    @property
    def last_batch(self) -> tuple[str, int] | None:
        """The newest batch that was kept: its stream and its number."""

    def is_asked(self, event_id: Hashable) -> bool:
        """Whether an event was asked about; an error where its id cannot be kept."""

    def early_labels(self) -> list[EarlyLabel]:
        """The labels that nobody had asked for after the newest batch."""

    def keep_batch(
        self,
        asks: list[Ask],
        learned: list[Ask],
        refused: list[Ask],
        batch: tuple[str, int],
        n_events: int,
        early: EarlyChanges,
    ) -> None:
        """Keep what a batch asked, learned and has not learned yet, and the model after it.

        Asks whose answers were refused are open again.
        """

    def done(self, ask: Ask) -> None:
        """The model has learned this one."""

    def refused(self, ask: Ask) -> None:
        """The model has refused this one: it is open again."""

    def check(self, is_owner: bool) -> None:
        """Fail where a write would: of the owner, or of whoever takes answers."""

    def outcomes(self) -> Iterator[tuple[typing.Any, typing.Any, float]]:
        """Answer, prediction and probability of all that was learned and is kept, in order."""

    def was_written(self) -> bool:
        """Whether the newest of these writes took place."""

    def check_arguments(self, kwargs: dict[str, typing.Any]) -> None:
        """Refuse what a label comes with and cannot be kept."""

    def standing(self) -> typing.Any:
        """What is spent, for `restore`."""

    def restore(self, standing: typing.Any) -> None: ...

    def get(self, event_id: Hashable) -> Ask | None: ...

    def get_each(self, event_ids: list[Hashable]) -> list[Ask | Exception | None]:
        """What `get` would give for each of them, or raise."""

    def asks(self, state: State, limit: int | None) -> list[Ask]: ...

    def page(self, state: State, limit: int, after: Place | None) -> tuple[list[Ask], Place | None]:
        """Asks beyond a place, in the order of their places; and the last one's, if more follow."""

    def count(self, state: State) -> int: ...

    def answer(
        self, event_id: Hashable, y: typing.Any, w: float | None, at: dt.datetime
    ) -> bool: ...

    def answers(self, until: dt.datetime | None) -> list[tuple[Hashable, typing.Any, float | None]]:
        """Id, answer and weight of what was answered and is not learned, in that order."""

    def withdraw(self, event_id: Hashable) -> bool: ...

    def lease(self, who: str, now: float, until: float) -> Ask | None: ...

    def release(self, event_id: Hashable, who: str, skip: bool) -> bool: ...

    def snapshot(self, n_events: int) -> None: ...

    def close(self) -> None: ...

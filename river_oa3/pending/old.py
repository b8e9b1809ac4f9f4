"""Services that were stored before asks had a package of their own."""

from __future__ import annotations

import datetime as dt
import typing

from river_oa3.pending.ask import Ask
from river_oa3.pending.memory import MemoryStore

if typing.TYPE_CHECKING:
    from river_oa3.pending.pending_labels import PendingLabels

__all__ = ["_Ask", "restore_old"]


class _Ask(typing.NamedTuple):
    event: int
    refund_token: int | None
    probability: float
    x: typing.Any


# Pickles name it so.
_Ask.__module__ = "river_oa3.pending"


def restore_old(service: PendingLabels) -> None:
    """Fill in what a service of version 0.1 did not have."""
    old = vars(service)
    kept, n_events = old.pop("_open"), old.pop("_n_events")
    fresh = vars(type(service)(service.model))
    old.update({name: value for name, value in fresh.items() if name not in old})
    service.n_events = n_events
    service._store = store = MemoryStore()
    now = dt.datetime.now(dt.UTC)
    for event_id, ask in kept.items():
        # The oldest have no probability, and none has a time.
        event, *price, x = ask
        token, probability = price if len(price) == 2 else (None, 1.0)
        store.note(
            Ask(
                *(event_id, x, None, None, 0.0, None, probability, "not known", now),
                event=event,
                refund_token=token,
            )
        )

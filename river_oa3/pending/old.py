"""What services were stored with before asks had a package of their own."""

from __future__ import annotations

import datetime as dt
import typing
from collections.abc import Hashable

from river_oa3.pending.ask import Ask

__all__ = ["_Ask", "as_ask"]


class _Ask(typing.NamedTuple):
    event: int
    refund_token: int | None
    probability: float
    x: typing.Any


# Pickles name it so.
_Ask.__module__ = "river_oa3.pending"


def as_ask(event_id: Hashable, ask: typing.Any) -> Ask:
    """An ask of 0.1, of which only its event and its price are known."""
    # The oldest have no probability, and none has a time.
    event, *price, x = ask
    token, probability = price if len(price) == 2 else (None, 1.0)
    asked_at = dt.datetime.now(dt.UTC)
    return Ask(
        event_id, x, None, None, 0.0, None, probability, "not known", asked_at,
        event=event, refund_token=token,
    )  # fmt: skip

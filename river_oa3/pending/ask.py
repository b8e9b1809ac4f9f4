from __future__ import annotations

import dataclasses
import datetime as dt
import typing
from collections.abc import Hashable

__all__ = ["Ask", "State"]

State = typing.Literal["open", "answered", "learned", "expired"]


@dataclasses.dataclass(frozen=True, slots=True)
class Ask:
    """A label that was asked for.

    Parameters
    ----------
    event_id
        The id that the event was predicted with.
    x
        The event as it was then.
    label
        What was predicted.
    probability
        The probability of a positive event, where the classifier gives one.
    margin
        How far the event was from the boundary, positive on the positive side.
    variance
        How little was known of such events; None where the classifier cannot tell.
    query_probability
        The probability with which the label was asked for. Its inverse is the importance weight of
        the label.
    reason
        Why it was asked for, in plain words.
    asked_at
        When, in UTC.
    state
        "open" until an answer comes, "answered" until that is learned, then "learned"; or
        "expired".
    answer
        The true label, as far as it is known.
    answered_at
        When it came, in UTC.
    weight
        What the answer counts, where somebody said so.
    leased_to
        Who is looking at it right now.

    """

    event_id: Hashable
    x: typing.Any
    label: typing.Any
    probability: float | None
    margin: float
    variance: float | None
    query_probability: float
    reason: str
    asked_at: dt.datetime
    state: State = "open"
    answer: typing.Any = None
    answered_at: dt.datetime | None = None
    weight: float | None = None
    leased_to: str | None = None
    # How many events had come, and what gives the label back to the budget.
    event: int = 0
    refund_token: int | None = None

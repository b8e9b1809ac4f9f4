"""Asks in parts: where one part ends the next begins, whatever happens in between."""

from __future__ import annotations

import math
import typing

from river_oa3.pending.ask import Ask, State

__all__ = ["Page", "Place", "as_text", "from_text"]

# Where an ask stands among those of its state: a number that rises, or a time and such a number.
Place = tuple[float, ...]

_SIZES = {"open": 1, "answered": 2, "learned": 1, "expired": 1}
_LONGEST = 100


class Page(typing.NamedTuple):
    """A part of the asks in a state, and where the next part begins; None after the last."""

    asks: list[Ask]
    next: str | None


def as_text(state: State, place: Place | None) -> str | None:
    """A place, for whoever asks for the next part.

    Examples
    --------

    >>> from river_oa3.pending import page

    >>> page.as_text('answered', (1700000000.25, 7))
    'answered:1700000000.25:7'
    >>> page.from_text('answered', 'answered:1700000000.25:7')
    (1700000000.25, 7)

    """
    return None if place is None else ":".join([state, *map(repr, place)])


def from_text(state: State, text: str) -> Place:
    """The place that a text stands for; a `ValueError` for any other text."""
    kind, *numbers = text.split(":") if len(text) < _LONGEST else ("",)
    try:
        *times, number = (*map(float, numbers[:-1]), int(numbers[-1]))
    except (IndexError, ValueError):
        number, times = -1, []
    if not (
        kind == state
        and len(numbers) == _SIZES[state]
        and 0 <= number < 2**63
        and all(map(math.isfinite, times))
    ):
        raise ValueError(
            f"{text[:_LONGEST]!r} is no place among {state} asks: give `next` of the part before"
        )
    return (*times, number)

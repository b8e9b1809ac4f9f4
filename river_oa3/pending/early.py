"""Labels that came before anybody asked for them: kept for a while, for their events may follow."""

from __future__ import annotations

import typing
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping

__all__ = ["EarlyChanges", "EarlyLabel", "EarlyLabels"]


class EarlyLabel(typing.NamedTuple):
    """A label that nobody has asked for; the numbers rise in the order in which they came."""

    number: int
    event_id: Hashable
    label: bool


class EarlyChanges(typing.NamedTuple):
    """What a batch changes: some are gone, so are all below a number, and some are new."""

    gone: list[int]
    first: int
    new: list[EarlyLabel]


class EarlyLabels:
    """The newest labels that nobody has asked for.

    Of two labels of one event, the newer one is kept.

    Parameters
    ----------
    room
        How many are kept; the oldest make way.
    stored
        Those that were kept before, the oldest first.

    Examples
    --------

    >>> from river_oa3.pending.early import EarlyLabels

    >>> early = EarlyLabels(room=2)
    >>> _ = early.change({'a': True, 'b': False, 'c': True}, used=[])
    >>> early.get('a'), early.get('b'), early.get('c')
    (None, False, True)

    """

    def __init__(self, room: int, stored: Iterable[EarlyLabel] = ()):
        if type(room) is not int or room < 0:
            raise ValueError(f"early_labels must be a whole number, 0 or more, not {room!r}")
        self._room = room
        self._kept = OrderedDict((each.event_id, each) for each in stored)
        self._next = 1 + max((each.number for each in self._kept.values()), default=0)
        self._make_room()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, event_id: Hashable) -> bool | None:
        """The label of an event; None where there is none."""
        found = self._kept.get(event_id)
        return None if found is None else found.label

    def change(self, labels: Mapping[Hashable, bool], used: Iterable[Hashable]) -> EarlyChanges:
        """Take in labels, in order, and let go of those that were learned."""
        gone = [
            self._kept.pop(event_id).number
            for event_id in (*used, *labels)
            if event_id in self._kept
        ]
        newest = list(labels.items())[max(0, len(labels) - self._room) :]
        new = [
            EarlyLabel(self._next + i, event_id, label)
            for i, (event_id, label) in enumerate(newest)
        ]
        self._next += len(new)
        self._kept.update((each.event_id, each) for each in new)
        self._make_room()
        first = next((each.number for each in self._kept.values()), self._next)
        return EarlyChanges(gone, first, new)

    def _make_room(self) -> None:
        while len(self._kept) > self._room:
            self._kept.popitem(last=False)

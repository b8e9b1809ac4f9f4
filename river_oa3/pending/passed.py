"""The newest events that nobody asked about, which get their old answer when they come again."""

from __future__ import annotations

import json
import typing
from collections import OrderedDict
from collections.abc import Hashable
from itertools import islice

import sqlalchemy as sa

from river_oa3.files.values import from_json, to_json
from river_oa3.pending import tables

__all__ = ["REMEMBERED", "PassedEvents"]

# So many of the newest are remembered.
REMEMBERED = 10_000

# Old ones are deleted some at a time.
_DELETED = 1000

passed = tables.passed
_INSERT = passed.insert()


class PassedEvents:
    """Remembers events that nobody asked about, in memory and in a table.

    A transaction that says what the events so far have brought to the budget also writes those of
    them that are not in the table yet: what is counted in a store gets its old answer, and is never
    counted again. An event alone is no transaction, so those since the last one are in memory only.
    """

    def __init__(self) -> None:
        self._labels: OrderedDict[Hashable, typing.Any] = OrderedDict()
        # The number of the newest event; of the newest one that the table has; and of the newest
        # one that it has if the newest write took place.
        self._newest = self._stored = self._next_stored = 0

    def __contains__(self, event_id: Hashable) -> bool:
        return event_id in self._labels

    def __getitem__(self, event_id: Hashable) -> typing.Any:
        return self._labels[event_id]

    def add(self, event_id: Hashable, label: typing.Any) -> None:
        """Remember what an event was predicted."""
        self._labels[event_id] = label
        self._newest += 1
        if len(self._labels) > REMEMBERED:
            self._labels.popitem(last=False)

    def read(self, connection: sa.Connection) -> None:
        """Remember what the table has."""
        for newest, events in connection.execute(sa.select(passed).order_by(passed.c.newest)):
            for event_id, label in json.loads(events):
                self.add(event_id, from_json(label))
            self._newest = self._stored = newest

    def begin(self) -> None:
        """A transaction begins, which may write nothing of this."""
        self._next_stored = self._stored

    def write(self, connection: sa.Connection) -> None:
        """Write what the table has not, as one row."""
        self._next_stored = self._newest
        n_new = min(self._newest - self._stored, len(self._labels))
        if not n_new:
            return
        new = [[event_id, to_json(label)] for event_id, label in self._last(n_new)]
        events = json.dumps(new, separators=(",", ":"))
        connection.execute(_INSERT, {"newest": self._newest, "events": events})
        if self._newest // _DELETED > self._stored // _DELETED:
            old = passed.c.newest <= self._newest - REMEMBERED
            connection.execute(passed.delete().where(old))

    def committed(self) -> None:
        """The transaction took place."""
        self._stored = self._next_stored

    def _last(self, n: int) -> list[tuple[Hashable, typing.Any]]:
        """So many of the newest, the oldest of them first."""
        return list(islice(reversed(self._labels.items()), n))[::-1]

"""Labels that nobody has asked for yet, in a table of their own."""

from __future__ import annotations

import json

import sqlalchemy as sa

from river_oa3.pending import tables
from river_oa3.pending.early import EarlyChanges, EarlyLabel
from river_oa3.pending.rows import key_of

__all__ = ["early_labels", "read_early", "write_early"]

# Looked up by their numbers alone: who looks for events has read them all before.
early_labels = sa.Table(
    "oa3_early_labels",
    tables.metadata,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("event_id", sa.Text, nullable=False),
    sa.Column("label", sa.Boolean, nullable=False),
)

_THIS = early_labels.c.number == sa.bindparam("this")


def read_early(connection: sa.Connection) -> list[EarlyLabel]:
    """All of them, the oldest first."""
    rows = connection.execute(sa.select(early_labels).order_by(early_labels.c.number))
    return [EarlyLabel(number, json.loads(key), label) for number, key, label in rows]


def write_early(connection: sa.Connection, changes: EarlyChanges) -> None:
    """Change them as a batch has, as a part of its transaction."""
    connection.execute(early_labels.delete().where(early_labels.c.number < changes.first))
    gone = [{"this": number} for number in changes.gone if number >= changes.first]
    if gone:
        connection.execute(early_labels.delete().where(_THIS), gone)
    if changes.new:
        rows = [
            {"number": each.number, "event_id": key_of(each.event_id), "label": each.label}
            for each in changes.new
        ]
        connection.execute(early_labels.insert(), rows)

"""The tables of a store: all asks there ever were, where the learner stands, and snapshots of it.

`number` and `learned` count the steps of the learner, which asks or learns in each: in this order
they are done again after the newest snapshot.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import sqlalchemy as sa

__all__ = [
    "FORMAT",
    "MIGRATIONS",
    "asks",
    "create",
    "metadata",
    "passed",
    "qualities",
    "snapshots",
    "state",
]

# SQLite counts in "INTEGER" alone by itself.
_Step = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

metadata = sa.MetaData()

asks = sa.Table(
    "oa3_asks",
    metadata,
    sa.Column("number", _Step, primary_key=True, autoincrement=False),
    sa.Column("event_id", sa.Text, nullable=False, unique=True),
    sa.Column("x", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("probability", sa.Float),
    sa.Column("margin", sa.Float, nullable=False),
    sa.Column("variance", sa.Float),
    sa.Column("query_probability", sa.Float, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("asked_at", sa.Float, nullable=False),
    sa.Column("event", sa.BigInteger, nullable=False),
    sa.Column("refund_token", sa.BigInteger),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("answer", sa.Text),
    sa.Column("answered_at", sa.Float),
    sa.Column("weight", sa.Float),
    sa.Column("learned", sa.BigInteger, index=True),
    sa.Column("leased_to", sa.Text),
    sa.Column("leased_until", sa.Float),
    sa.Column("skips", sa.Integer, nullable=False),
    # What is looked for: the next ask for a person, one person's own, and lists in their order.
    sa.Index("oa3_asks_by_turn", "state", "skips", "number"),
    sa.Index("oa3_asks_by_person", "leased_to", "state"),
    sa.Index("oa3_asks_by_number", "state", "number"),
    sa.Index("oa3_asks_by_learning", "state", "learned"),
    sa.Index("oa3_asks_by_answer", "answered_at"),
    sa.Index("oa3_asks_by_time", "asked_at"),
)

# One row. Whoever opens the store raises `owner`, and can write as long as nobody else does.
state = sa.Table(
    "oa3_state",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("owner", sa.BigInteger, nullable=False),
    sa.Column("seed", sa.Text, nullable=False),
    sa.Column("step", sa.BigInteger, nullable=False),
    sa.Column("standing", sa.Text, nullable=False),
)

snapshots = sa.Table(
    "oa3_snapshots",
    metadata,
    sa.Column("number", _Step, primary_key=True, autoincrement=False),
    sa.Column("step", sa.BigInteger, nullable=False),
    sa.Column("taken_at", sa.Float, nullable=False),
    sa.Column("counts", sa.Text, nullable=False),
    sa.Column("model", sa.LargeBinary, nullable=False),
)

# What the labels up to a snapshot tell about the quality. The first stores had no such table, and
# got an empty one: then all labels are read.
qualities = sa.Table(
    "oa3_qualities",
    metadata,
    sa.Column("number", _Step, primary_key=True, autoincrement=False),
    sa.Column("step", sa.BigInteger, nullable=False),
    sa.Column("quality", sa.LargeBinary, nullable=False),
)

# Events that nobody asked about, with what they were predicted: a row has all of a transaction, and
# the number of the newest.
passed = sa.Table(
    "oa3_passed",
    metadata,
    sa.Column("newest", _Step, primary_key=True, autoincrement=False),
    sa.Column("events", sa.Text, nullable=False),
)


def create(connection: sa.Connection) -> None:
    """Make all tables and indexes that are not there."""
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        for index in table.indexes:
            index.create(connection, checkfirst=True)


def _remember_passed_events_and_count_asks(connection: sa.Connection) -> None:
    """Format 2. The tables and indexes that came one by one in format 1 are all there from now on.

    The number of asks is a part of where the learner stands.
    """
    create(connection)
    n_asks = connection.execute(sa.select(sa.func.count()).select_from(asks)).scalar_one()
    standing = json.loads(connection.execute(sa.select(state.c.standing)).scalar_one())
    standing["asks"] = n_asks
    connection.execute(state.update().values(standing=json.dumps(standing)))


# What leads from each format to the next, the first of them from format 1.
MIGRATIONS: tuple[Callable[[sa.Connection], None], ...] = (_remember_passed_events_and_count_asks,)

FORMAT = 1 + len(MIGRATIONS)

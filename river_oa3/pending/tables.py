"""The tables of a store: all asks there ever were, where the learner stands, and snapshots of it.

`number` and `learned` count the steps of the learner, which asks or learns in each: in this order
they are done again after the newest snapshot.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["FORMAT", "asks", "metadata", "qualities", "snapshots", "state"]

FORMAT = 1

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

# What the labels up to a snapshot tell about the quality. The first stores have no such table, and
# get an empty one: then all labels are read.
qualities = sa.Table(
    "oa3_qualities",
    metadata,
    sa.Column("number", _Step, primary_key=True, autoincrement=False),
    sa.Column("step", sa.BigInteger, nullable=False),
    sa.Column("quality", sa.LargeBinary, nullable=False),
)

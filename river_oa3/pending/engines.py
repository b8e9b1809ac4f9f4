"""Connections to databases, which keep what is committed."""

from __future__ import annotations

import typing

import sqlalchemy as sa

from river_oa3.pending.errors import StoreError

__all__ = ["engine_of"]

# How long, in seconds, to wait for another program that is writing.
PATIENCE = 5.0


def engine_of(url: str) -> sa.Engine:
    """What SQLAlchemy makes of a URL; a `StoreError` where it makes nothing of it."""
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() != "sqlite":
            return sa.create_engine(parsed, pool_pre_ping=True)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise StoreError(
            f"{url!r} is not a store: give a URL such as sqlite:///asks.db, or another that "
            f"SQLAlchemy knows and whose driver is installed ({error})"
        ) from None
    if parsed.database in (None, "", ":memory:"):
        raise StoreError(f"{url!r} would be gone with the process: name a file, or set store=None")
    engine = sa.create_engine(parsed, connect_args={"timeout": PATIENCE})
    sa.event.listen(engine, "connect", _make_durable)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _make_durable(connection: typing.Any, _: typing.Any) -> None:
    """What is committed is on the disk."""
    # Transactions begin where we say so, not at the first change.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    # Who reads first and writes then would be refused if somebody else wrote in between.
    reads = connection.get_execution_options().get("oa3_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

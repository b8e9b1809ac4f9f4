"""Connections to SQLite and PostgreSQL, which keep what is committed and never wait for ever."""

from __future__ import annotations

import typing

import sqlalchemy as sa

from river_oa3.pending.errors import StoreError

__all__ = ["engine_of", "without_statement_timeout"]

# How long, in seconds, to wait for another program that is writing, or for a server to answer.
PATIENCE = 5.0

# How long one statement of PostgreSQL may run, and a transaction whose client is gone may stay
# open. A snapshot of a large model takes some seconds.
LONGEST_STATEMENT = 30.0

_REMEDY = "give a URL such as sqlite:///asks.db or postgresql+psycopg://user@host/database"


def engine_of(url: str) -> sa.Engine:
    """The engine of a database that can be a store; a `StoreError` for any other."""
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise StoreError(f"the store's URL cannot be read: {_REMEDY}") from None
    name = parsed.render_as_string(hide_password=True)
    kind = parsed.get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise StoreError(
            f"{name!r} is not a store: asks are kept in SQLite or PostgreSQL, not in {kind}; "
            f"{_REMEDY}"
        )
    try:
        return _sqlite(parsed, name) if kind == "sqlite" else _postgresql(parsed)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise StoreError(f"{name!r} is not a store ({error}): {_REMEDY}") from None


def _sqlite(url: sa.URL, name: str) -> sa.Engine:
    engine = sa.create_engine(url, connect_args={"timeout": PATIENCE}, poolclass=sa.QueuePool)
    sa.event.listen(engine, "connect", lambda connection, _: _make_durable(connection, name))
    sa.event.listen(engine, "begin", _begin)
    return engine


def _make_durable(connection: typing.Any, name: str) -> None:
    """What is committed is on the disk."""
    # Transactions begin where we say so, not at the first change.
    connection.isolation_level = None
    cursor = connection.cursor()
    (journal,) = cursor.execute("PRAGMA journal_mode=WAL").fetchone()
    if journal == "memory":  # as it is of every database in memory, whatever its URL says
        raise StoreError(f"{name!r} would be gone with the process: name a file, or set store=None")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    # Who reads first and writes then would be refused if somebody else wrote in between.
    reads = connection.get_execution_options().get("oa3_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _postgresql(url: sa.URL) -> sa.Engine:
    defaults: dict[str, typing.Any] = {}
    if url.get_driver_name() in ("psycopg", "psycopg2"):
        # Of libpq: a server that does not answer, or whose host is gone.
        seconds = max(1, round(PATIENCE))
        defaults = {
            "connect_timeout": seconds,
            "tcp_user_timeout": 1000 * seconds,
            "keepalives_idle": seconds,
            "keepalives_interval": 1,
            "keepalives_count": seconds,
        }
    given = {name: value for name, value in defaults.items() if name not in url.query}
    engine = sa.create_engine(url, pool_pre_ping=True, connect_args=given)
    sa.event.listen(engine, "connect", _limit_waiting)
    return engine


def _limit_waiting(connection: typing.Any, _: typing.Any) -> None:
    """End what waits for a lock, runs for long, or was left open by a client that is gone."""
    limits = {
        "lock_timeout": PATIENCE,
        "statement_timeout": LONGEST_STATEMENT,
        "idle_in_transaction_session_timeout": LONGEST_STATEMENT,
    }
    cursor = connection.cursor()
    for name, seconds in limits.items():
        cursor.execute(f"SET {name} = {round(1000 * seconds)}")
    cursor.close()
    connection.commit()


def without_statement_timeout(connection: sa.Connection) -> None:
    """Let the statements of this transaction run as long as they need: a start reads all asks."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")

"""Asks in a database: nothing that was said is lost with the process."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import time
import typing
from collections.abc import Hashable, Iterator

import sqlalchemy as sa

from river_oa3.pending import tables
from river_oa3.pending.ask import Ask, State
from river_oa3.pending.errors import StoreError
from river_oa3.pending.rows import as_ask, as_row, as_text, from_text, key_of
from river_oa3.pending.standing import Standing

__all__ = ["SqlStore"]

asks, state, snapshots = tables.asks, tables.state, tables.snapshots

# How long, in seconds, to wait for another program that is writing.
PATIENCE = 5.0

# A snapshot may be damaged: then there is the one before.
KEPT_SNAPSHOTS = 2


class SqlStore:
    """Keeps all asks there ever were, where the learner stands, and its newest snapshots.

    Asks, learning, expiry and snapshots are the owner's: whoever opened the store last. Answers and
    leases are anybody's, for the page may be served by another process.

    Parameters
    ----------
    url
        What SQLAlchemy connects to.

    """

    def __init__(self, url: str):
        self._engine = _engine(url)
        self._url = self._engine.url.render_as_string(hide_password=True)
        self._owner = 0
        self._step = 0

    # The owner's.

    def open(self) -> tuple[int, Standing] | None:
        """Take the store over; returns its seed and where the learner stood, None if it is new."""
        with self._writing() as connection:
            tables.metadata.create_all(connection)
            row = connection.execute(sa.select(state)).mappings().first()
            if row is None:
                return None
            if row["format"] != tables.FORMAT:
                raise StoreError(
                    f"{self._url} was written in format {row['format']}; this version of river_oa3 "
                    f"reads format {tables.FORMAT}: upgrade it"
                )
            self._owner, self._step = row["owner"] + 1, row["step"]
            connection.execute(state.update().values(owner=self._owner))
            return int(row["seed"]), from_text(row["standing"])

    def start(self, seed: int, standing: Standing, model: bytes) -> None:
        """Fill in a new store."""
        with self._writing() as connection:
            self._owner = 1
            first = {"id": 1, "format": tables.FORMAT, "owner": 1, "seed": str(seed), "step": 0}
            connection.execute(state.insert().values(**first, standing=as_text(standing)))
            self._keep(connection, 0, model)

    def labels(self) -> dict[Hashable, typing.Any]:
        """What was predicted for each event that was ever asked about."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(asks.c.event_id, asks.c.label))
            return {json.loads(event_id): from_text(label) for event_id, label in rows}

    def add(self, ask: Ask, standing: Standing) -> None:
        """One transaction: the ask, and what was paid for it."""
        row = as_row(ask)
        with self._stepping(standing) as (connection, step):
            connection.execute(asks.insert().values(number=step, **row))

    def learned(self, ask: Ask, standing: Standing) -> bool:
        """Note that the answer of an ask is learned now; False where it is no longer the same."""
        kept = asks.c.event_id == key_of(ask.event_id)
        if ask.state == "answered":
            kept &= (asks.c.state == "answered") & (asks.c.answer == as_text(ask.answer))
        else:
            kept &= asks.c.state == "open"
        answer = {"answer": as_text(ask.answer), "answered_at": _seconds(ask.answered_at)}
        try:
            with self._stepping(standing) as (connection, step):
                change = asks.update().where(kept)
                changed = connection.execute(
                    change.values(state="learned", learned=step, weight=ask.weight, **answer)
                )
                if changed.rowcount != 1:
                    raise _Abandoned
        except _Abandoned:
            return False
        return True

    def unlearn(self, event_id: Hashable) -> None:
        """The model has refused the answer: the ask is open again."""
        with self._writing() as connection:
            nothing = {"answer": None, "answered_at": None, "weight": None, "learned": None}
            connection.execute(self._this(asks.update(), event_id).values(state="open", **nothing))

    def expire(self, expired: list[Ask], standing: Standing) -> None:
        with self._stepping(standing) as (connection, _):
            for ask in expired:
                is_open = self._this(asks.update(), ask.event_id).where(asks.c.state == "open")
                connection.execute(is_open.values(state="expired"))

    def save(self, model: bytes, standing: Standing) -> None:
        """Keep a snapshot, and let old ones go."""
        with self._stepping(standing) as (connection, step):
            self._keep(connection, step, model)

    def snapshots(self) -> Iterator[tuple[int, bytes]]:
        """The step and the model of each snapshot, the newest first."""
        with self._reading() as connection:
            newest = sa.select(snapshots.c.step, snapshots.c.model)
            rows = connection.execute(newest.order_by(snapshots.c.number.desc())).all()
        yield from ((step, bytes(model)) for step, model in rows)

    def history(self, step: int) -> list[tuple[int, bool, Ask]]:
        """Each later step: its number, whether it learned, and the ask."""
        with self._reading() as connection:
            later = (asks.c.number > step) | (asks.c.learned > step)
            rows = connection.execute(sa.select(asks).where(later)).mappings().all()
        steps = [(row["number"], False, as_ask(row)) for row in rows if row["number"] > step]
        steps += [(row["learned"], True, as_ask(row)) for row in rows if (row["learned"] or 0) > step]
        return sorted(steps, key=lambda each: each[0])

    # Anybody's.

    def get(self, event_id: Hashable) -> Ask | None:
        with self._reading() as connection:
            row = connection.execute(self._this(sa.select(asks), event_id)).mappings().first()
        return None if row is None else as_ask(row)

    def asks(self, state: State, limit: int | None = None) -> list[Ask]:
        """Asks in this state, in the order in which they were asked, or learned."""
        order = asks.c.learned if state == "learned" else asks.c.number
        query = sa.select(asks).where(asks.c.state == state).order_by(order).limit(limit)
        with self._reading() as connection:
            return [as_ask(row) for row in connection.execute(query).mappings()]

    def count(self, state: State) -> int:
        query = sa.select(sa.func.count()).where(asks.c.state == state)
        with self._reading() as connection:
            return connection.execute(query).scalar_one()

    def oldest(self) -> Ask | None:
        return next(iter(self.asks("open", limit=1)), None)

    def answer(self, event_id: Hashable, y: typing.Any, w: float | None, at: dt.datetime) -> bool:
        answer = {"answer": as_text(y), "weight": w, "answered_at": at.timestamp()}
        return self._change(event_id, ("open", "answered"), state="answered", **answer)

    def withdraw(self, event_id: Hashable) -> bool:
        nothing = {"answer": None, "answered_at": None, "weight": None}
        return self._change(event_id, ("answered",), state="open", **nothing)

    def lease(self, who: str, now: float, until: float) -> Ask | None:
        is_free = (asks.c.leased_to.is_(None)) | (asks.c.leased_until <= now)
        is_free = (asks.c.state == "open") & (is_free | (asks.c.leased_to == who))
        order = sa.case((asks.c.leased_to == who, 0), else_=1), asks.c.skips, asks.c.number
        while True:
            with self._writing() as connection:
                free = sa.select(asks).where(is_free).order_by(*order).limit(1)
                row = connection.execute(free).mappings().first()
                if row is None:
                    return None
                # Somebody else may have been faster.
                this = asks.update().where(is_free, asks.c.number == row["number"])
                leased = connection.execute(this.values(leased_to=who, leased_until=until))
                if leased.rowcount:
                    return as_ask({**row, "leased_to": who})

    def release(self, event_id: Hashable, who: str, skip: bool) -> bool:
        this = self._this(asks.update(), event_id).where(asks.c.leased_to == who)
        with self._writing() as connection:
            freed = this.values(leased_to=None, leased_until=None, skips=asks.c.skips + skip)
            return connection.execute(freed).rowcount == 1

    def close(self) -> None:
        self._engine.dispose()

    def _this(self, statement: typing.Any, event_id: Hashable) -> typing.Any:
        return statement.where(asks.c.event_id == key_of(event_id))

    def _change(
        self, event_id: Hashable, states: tuple[State, ...], **values: typing.Any
    ) -> bool:
        this = self._this(asks.update(), event_id).where(asks.c.state.in_(states))
        with self._writing() as connection:
            return connection.execute(this.values(**values)).rowcount == 1

    def _keep(self, connection: sa.Connection, step: int, model: bytes) -> None:
        newest = connection.execute(sa.select(sa.func.max(snapshots.c.number))).scalar()
        number = (newest or 0) + 1
        taken = {"number": number, "step": step, "taken_at": time.time(), "model": model}
        connection.execute(snapshots.insert().values(**taken))
        connection.execute(snapshots.delete().where(snapshots.c.number <= number - KEPT_SNAPSHOTS))

    @contextlib.contextmanager
    def _stepping(self, standing: Standing) -> Iterator[tuple[sa.Connection, int]]:
        """One step of the learner, in one transaction with where it stands after it."""
        step = self._step + 1
        with self._writing() as connection:
            mine = state.update().where(state.c.owner == self._owner)
            changed = connection.execute(mine.values(step=step, standing=as_text(standing)))
            if changed.rowcount != 1:
                raise StoreError(
                    f"another process has taken over the store {self._url}: only one may learn "
                    "from it, and this one has to stop"
                )
            yield connection, step
        self._step = step

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._explaining("written"), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._explaining("read"), self._engine.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def _explaining(self, done: str) -> Iterator[None]:
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            raise StoreError(f"the store {self._url} cannot be {done}: {cause}") from error


class _Abandoned(Exception):
    """Ends a transaction without a trace."""


def _seconds(time: dt.datetime | None) -> float | None:
    return None if time is None else time.timestamp()


def _engine(url: str) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() != "sqlite":
            return sa.create_engine(parsed, pool_pre_ping=True)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise StoreError(
            f"{url!r} is no store: give a URL as sqlite:///asks.db, or one that SQLAlchemy knows "
            f"and whose driver is installed ({error})"
        ) from None
    if parsed.database in (None, "", ":memory:"):
        raise StoreError(f"{url!r} would be gone with the process: name a file, or set store=None")
    engine = sa.create_engine(parsed, connect_args={"timeout": PATIENCE})
    sa.event.listen(engine, "connect", _make_durable)
    return engine


def _make_durable(connection: typing.Any, _: typing.Any) -> None:
    """What is committed is on the disk."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()

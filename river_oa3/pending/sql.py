"""The tables of a store, read and written; each method that writes is one transaction."""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import json
import time
import typing
from collections.abc import Callable, Hashable, Iterator

import sqlalchemy as sa

from river_oa3.pending import tables
from river_oa3.pending.ask import Ask, State
from river_oa3.pending.early import EarlyChanges, EarlyLabel
from river_oa3.pending.early_table import read_early, write_early
from river_oa3.pending.engines import engine_of, without_statement_timeout
from river_oa3.pending.errors import AnswerChangedError, StoreError, StoreTakenError
from river_oa3.pending.page import Place
from river_oa3.pending.passed import PassedEvents
from river_oa3.pending.rows import as_ask, as_text, as_waiting, from_text, id_of, key_of
from river_oa3.pending.standing import Standing, is_sound

__all__ = ["Snapshot", "SqlStore"]

asks, state = tables.asks, tables.state
snapshots, qualities = tables.snapshots, tables.qualities

# A snapshot may be damaged: then there is the one before.
KEPT_SNAPSHOTS = 2

# In which order asks of a state are listed.
_ORDERS = {"answered": (asks.c.answered_at, asks.c.number), "learned": (asks.c.learned,)}
_BY_NUMBER = (asks.c.number,)
_UNANSWERED = {"answer": None, "answered_at": None, "weight": None}

# An answer that is learned must be the one that is there, unless there is none.
_MARK_LEARNED = (
    asks.update()
    .where(
        asks.c.event_id == sa.bindparam("this"),
        asks.c.state == sa.bindparam("was"),
        (asks.c.state != "answered") | (asks.c.answer == sa.bindparam("is")),
    )
    .values(
        state="learned",
        learned=sa.bindparam("step"),
        answer=sa.bindparam("is"),
        answered_at=sa.bindparam("came"),
        weight=sa.bindparam("counts"),
    )
)

# How many ids one query may name.
_MOST_IDS = 500


class Snapshot(typing.NamedTuple):
    """A classifier, what is counted as it learns, and what its labels tell about the quality."""

    model: bytes
    counts: str
    quality: bytes


class SqlStore:
    """All asks there ever were, where the learner stands, and its newest snapshots.

    What the learner does are steps, which are numbered: each ask, each label, each expiry and each
    snapshot. They are the owner's, who opened the store last. Answers and leases are anybody's, for
    the page may be served by another process.

    Parameters
    ----------
    url
        What SQLAlchemy connects to.

    """

    def __init__(self, url: str):
        self._engine = engine_of(url)
        self.name = self._engine.url.render_as_string(hide_password=True)
        self._owner = 0
        self._step = 0
        # Where the newest write began, and where it leads if it took place.
        self._last_step = self._next_step = 0
        self._format = tables.FORMAT
        self.passed = PassedEvents()

    # The owner's

    def look(self) -> tuple[int, Standing] | None:
        """Its seed and where the learner stands; None if it is new. Nothing is written."""
        with self._reading() as connection:
            has_table = sa.inspect(connection).has_table
            rows = sa.select(state)
            row = has_table(state.name) and connection.execute(rows).mappings().first()
            if not row:
                for table in (asks, snapshots):
                    if has_table(table.name) and connection.execute(sa.select(table)).first():
                        raise self.damaged("what is spent is not there, and its asks are")
                return None
            found = self._checked(row)
        self._owner, self._step, self._format = row["owner"], row["step"], row["format"]
        return found

    def check_format(self) -> None:
        """Refuse a store that its owner has to bring up to date first."""
        if self._format < tables.FORMAT:
            raise StoreError(
                f"{self.name} was written by an older version of river_oa3: start whoever learns "
                "from it first, which brings it up to date"
            )

    def take_over(self) -> None:
        """Become the owner of a store that nobody has written to since it was looked at.

        A store of an older version is brought up to date.
        """
        with self._writing() as connection:
            as_seen = (state.c.owner == self._owner) & (state.c.step == self._step)
            mine = {"owner": self._owner + 1, "format": tables.FORMAT}
            changed = connection.execute(state.update().where(as_seen).values(**mine))
            if changed.rowcount != 1:
                raise StoreError(
                    f"another process has written to the store {self.name} just now: stop it, and "
                    "start again"
                )
            without_statement_timeout(connection)
            for migrate in tables.MIGRATIONS[self._format - 1 :]:
                migrate(connection)
            self._check_count(connection)
            self.passed.read(connection)
        self._owner += 1

    def _check_count(self, connection: sa.Connection) -> None:
        """Refuse a store whose asks are not those that were paid for."""
        standing = from_text(connection.execute(sa.select(state.c.standing)).scalar_one())
        found = connection.execute(sa.select(sa.func.count()).select_from(asks)).scalar_one()
        if found != standing.get("asks"):
            raise self.damaged(f"it has {found} asks, and should have {standing.get('asks')}")

    def _checked(self, row: sa.RowMapping) -> tuple[int, Standing]:
        if not 1 <= row["format"] <= tables.FORMAT:
            raise StoreError(
                f"{self.name} was written in format {row['format']}, and this version of "
                f"river_oa3 reads format {tables.FORMAT}: use the version that wrote it, or a "
                "newer one"
            )
        seed, standing = row["seed"], from_text(row["standing"])
        if not (is_sound(standing) and seed.removeprefix("-").isdecimal()):
            raise self.damaged("what is spent cannot be read")
        return int(seed), standing

    def damaged(self, what: str) -> StoreError:
        return StoreError(f"the store {self.name} is damaged: {what}. Go back to a backup of it")

    def start(self, seed: int, standing: Standing, snapshot: Snapshot) -> None:
        """Make the tables of a new store, and fill them in."""
        with self._writing() as connection:
            tables.create(connection)
            self._owner = 1
            first = {"id": 1, "format": tables.FORMAT, "owner": 1, "seed": str(seed), "step": 0}
            connection.execute(state.insert().values(**first, standing=as_text(standing)))
            self._keep(connection, 0, snapshot)

    def add(self, rows: list[dict[str, typing.Any]], standing: Standing) -> None:
        """Keep asks, and what was paid for them."""
        with self._stepping(len(rows)) as (connection, first):
            self._insert(connection, first, rows)
            self._stand(connection, standing)

    def learned(self, answered: list[Ask]) -> None:
        """Keep answers as learned, in this order."""
        with self._stepping(len(answered)) as (connection, first):
            self._mark_learned(connection, first, answered)

    def keep_batch(
        self,
        rows: list[dict[str, typing.Any]],
        answered: list[Ask],
        refused: list[Ask],
        snapshot: Snapshot,
        standing: Standing,
        early: EarlyChanges,
    ) -> None:
        """Keep asks, labels, those that nobody has asked for, and a snapshot.

        Asks whose answers were refused are open again.
        """
        n_asks, n_labels = len(rows), len(answered)
        with self._stepping(n_asks + n_labels + 1) as (connection, first):
            self._insert(connection, first, rows)
            self._mark_learned(connection, first + n_asks, answered)
            self._reopen(connection, refused)
            self._keep(connection, first + n_asks + n_labels, snapshot)
            write_early(connection, early)
            self._stand(connection, standing)

    def unlearn(self, event_id: Hashable) -> None:
        """The model has refused the answer: the ask is open again."""
        with self._stepping(1) as (connection, _):
            this = self._this(asks.update(), event_id).where(asks.c.state == "learned")
            connection.execute(this.values(state="open", learned=None, **_UNANSWERED))

    def expire(self, old: list[Ask], standing: Callable[[list[Ask]], Standing]) -> None:
        """End asks that have no answer; `standing` is told which, and says where that leads."""
        these = asks.c.event_id.in_([key_of(ask.event_id) for ask in old])
        ended = asks.update().where(these, asks.c.state == "open").values(state="expired")
        with self._stepping(1) as (connection, _):
            keys = set(connection.execute(ended.returning(asks.c.event_id)).scalars())
            expired = [ask for ask in old if key_of(ask.event_id) in keys]
            self._stand(connection, standing(expired))

    def save(self, snapshot: Snapshot, standing: Standing) -> None:
        """Keep a snapshot, and let an old one go."""
        with self._stepping(1) as (connection, step):
            self._keep(connection, step, snapshot)
            self._stand(connection, standing)

    def check(self, is_owner: bool) -> None:
        """Fail where a write would."""
        mine = state.c.owner == self._owner if is_owner else sa.true()
        with self._writing() as connection:
            # SQLite writes nothing where a row stays as it is.
            for change in (1, -1):
                moved = state.update().where(mine).values(step=state.c.step + change)
                if connection.execute(moved).rowcount != 1:
                    raise self._taken_over()

    def was_written(self) -> bool:
        """Whether the newest of these writes took place, though it failed.

        Its COMMIT may still be on the way to the server. Every write locks the row that is read
        here, so this waits for that transaction to end; a `StoreError` where it does not in time.
        """
        with self._reading() as connection:
            mine = sa.select(state.c.owner, state.c.step).with_for_update()
            owner, step = connection.execute(mine).one()
        if owner != self._owner:
            raise self._taken_over()
        self._step = step
        was_written = bool(step == self._next_step != self._last_step)
        if was_written:
            self.passed.committed()
        return was_written

    # What is read at the start

    def labels(self) -> dict[str, typing.Any]:
        """What was predicted for each event that was ever asked about, by its key."""
        read = functools.cache(from_text)
        with self._reading_all() as connection:
            rows = connection.execute(sa.select(asks.c.event_id, asks.c.label))
            return {key: read(label) for key, label in rows}

    def early_labels(self) -> list[EarlyLabel]:
        """Labels that nobody has asked for, the oldest first."""
        with self._reading() as connection:
            return read_early(connection)

    def waiting(self) -> list[Ask]:
        """Asks that are not learned, the oldest first: what it takes to let them expire."""
        columns = ("event_id", "state", "asked_at", "event", "refund_token")
        query = sa.select(*(asks.c[name] for name in columns))
        query = query.where(asks.c.state.in_(("open", "answered"))).order_by(asks.c.number)
        with self._reading_all() as connection:
            return [as_waiting(*row) for row in connection.execute(query)]

    def qualities(self) -> list[tuple[int, bytes]]:
        """The step of each snapshot and what its labels told, the newest first."""
        query = sa.select(qualities.c.step, qualities.c.quality)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(qualities.c.number.desc())).all()
        return [(step, bytes(content)) for step, content in rows]

    def outcomes(self, step: int) -> Iterator[tuple[typing.Any, typing.Any, float]]:
        """Answer, prediction and probability of what was learned after a step, in order."""
        read = functools.cache(from_text)
        query = sa.select(asks.c.answer, asks.c.label, asks.c.query_probability)
        later = (asks.c.state == "learned") & (asks.c.learned > step)
        with self._reading_all() as connection:
            rows = connection.execute(query.where(later).order_by(asks.c.learned))
            for answer, label, probability in rows:
                yield read(answer), read(label), probability

    def latest(self, possible: float) -> float:
        """When anything was asked or answered last, in seconds since 1970, as far as possible."""
        # One by one: together they would not be looked up in the indexes.
        columns = (asks.c.asked_at, asks.c.answered_at)
        queries = [sa.select(sa.func.max(each)).where(each <= possible) for each in columns]
        with self._reading() as connection:
            times = [connection.execute(query).scalar() for query in queries]
        return max((time for time in times if time is not None), default=0.0)

    def snapshots(self) -> Iterator[tuple[int, tuple[int, int], bytes]]:
        """The step, the counts and the model of each snapshot, the newest first."""
        with self._reading_all() as connection:
            rows = connection.execute(sa.select(snapshots).order_by(snapshots.c.number.desc()))
            for row in rows.mappings().all():
                yield row["step"], tuple(json.loads(row["counts"])), bytes(row["model"])

    def history(self, step: int) -> list[tuple[bool, Ask]]:
        """What was asked (False) and what was learned (True) after a step, in order."""
        with self._reading_all() as connection:
            later = (asks.c.number > step) | (asks.c.learned > step)
            rows = connection.execute(sa.select(asks).where(later)).mappings().all()
            steps = [(row["number"], False, row) for row in rows if row["number"] > step]
            steps += [(row["learned"], True, row) for row in rows if (row["learned"] or 0) > step]
            steps.sort(key=lambda each: each[0])
            return [(is_learned, as_ask(row)) for _, is_learned, row in steps]

    # Anybody's

    def get(self, event_id: Hashable) -> Ask | None:
        with self._reading() as connection:
            row = connection.execute(self._this(sa.select(asks), event_id)).mappings().first()
            return None if row is None else as_ask(row)

    def get_each(self, event_ids: list[Hashable]) -> list[Ask | Exception | None]:
        found: dict[str, Ask] = {}
        keys = [_key_or_error(event_id) for event_id in event_ids]
        wanted = [key for key in keys if isinstance(key, str)]
        with self._reading() as connection:
            for start in range(0, len(wanted), _MOST_IDS):
                these = asks.c.event_id.in_(wanted[start : start + _MOST_IDS])
                for row in connection.execute(sa.select(asks).where(these)).mappings():
                    found[row["event_id"]] = as_ask(row)
        return [found.get(key) if isinstance(key, str) else key for key in keys]

    def asks(self, which: State, limit: int | None = None) -> list[Ask]:
        return [ask for ask, _ in self._listed(which, limit, None)]

    def page(self, which: State, limit: int, after: Place | None) -> tuple[list[Ask], Place | None]:
        listed = self._listed(which, limit + 1, after)
        found = listed[:limit]
        return [ask for ask, _ in found], found[-1][1] if len(listed) > limit else None

    def _listed(
        self, which: State, limit: int | None, after: Place | None
    ) -> list[tuple[Ask, Place]]:
        """Asks, and the place of each."""
        order = _ORDERS.get(which, _BY_NUMBER)
        query = sa.select(asks).where(asks.c.state == which).order_by(*order).limit(limit)
        if after is not None:
            query = query.where(sa.tuple_(*order) > sa.tuple_(*map(sa.literal, after)))
        with self._reading() as connection:
            rows = connection.execute(query).mappings()
            return [(as_ask(row), tuple(row[column.name] for column in order)) for row in rows]

    def count(self, which: State) -> int:
        query = sa.select(sa.func.count()).where(asks.c.state == which)
        with self._reading() as connection:
            return connection.execute(query).scalar_one()

    def answer(self, event_id: Hashable, y: typing.Any, w: float | None, at: dt.datetime) -> bool:
        answer = {"answer": as_text(y), "weight": w, "answered_at": at.timestamp()}
        return self._change(event_id, ("open", "answered"), state="answered", **answer)

    def answers(self, until: dt.datetime | None) -> list[tuple[Hashable, typing.Any, float | None]]:
        """Id, answer and weight of asks that are answered, in the order of the answers."""
        query = sa.select(asks.c.event_id, asks.c.answer, asks.c.weight)
        query = query.where(asks.c.state == "answered").order_by(*_ORDERS["answered"])
        if until is not None:
            query = query.where(asks.c.answered_at <= until.timestamp())
        with self._reading() as connection:
            rows = connection.execute(query)
            return [(id_of(key), from_text(answer), weight) for key, answer, weight in rows]

    def answered(self) -> set[Hashable]:
        """The ids of asks that have an answer, and are not learned."""
        query = sa.select(asks.c.event_id).where(asks.c.state == "answered")
        with self._reading() as connection:
            return {id_of(key) for key in connection.execute(query).scalars()}

    def withdraw(self, event_id: Hashable) -> bool:
        return self._change(event_id, ("answered",), state="open", **_UNANSWERED)

    def lease(self, who: str, now: float, until: float) -> Ask | None:
        is_open = asks.c.state == "open"
        mine = is_open & (asks.c.leased_to == who)
        free = is_open & (asks.c.leased_to.is_(None) | (asks.c.leased_until <= now))
        while True:
            with self._writing() as connection:
                for which in (mine, free):
                    first = sa.select(asks).where(which)
                    first = first.order_by(asks.c.skips, asks.c.number).limit(1)
                    row = connection.execute(first).mappings().first()
                    if row is not None:
                        break
                else:
                    return None
                # Somebody else may have been faster.
                this = asks.update().where(which, asks.c.number == row["number"])
                leased = connection.execute(this.values(leased_to=who, leased_until=until))
                if leased.rowcount:
                    return as_ask({**row, "leased_to": who})

    def release(self, event_id: Hashable, who: str, skip: bool) -> bool:
        this = self._this(asks.update(), event_id).where(asks.c.leased_to == who)
        freed = this.values(leased_to=None, leased_until=None, skips=asks.c.skips + int(skip))
        with self._writing() as connection:
            return connection.execute(freed).rowcount == 1

    def close(self) -> None:
        self._engine.dispose()

    # Transactions

    def _this(self, statement: typing.Any, event_id: Hashable) -> typing.Any:
        return statement.where(asks.c.event_id == key_of(event_id))

    def _change(self, event_id: Hashable, states: tuple[State, ...], **values: typing.Any) -> bool:
        this = self._this(asks.update(), event_id).where(asks.c.state.in_(states))
        with self._writing() as connection:
            return connection.execute(this.values(**values)).rowcount == 1

    def _insert(
        self, connection: sa.Connection, first: int, rows: list[dict[str, typing.Any]]
    ) -> None:
        numbered = [{"number": first + i, **row} for i, row in enumerate(rows)]
        if numbered:
            connection.execute(asks.insert(), numbered)

    def _mark_learned(self, connection: sa.Connection, first: int, answered: list[Ask]) -> None:
        if not answered:
            return
        marks = [
            {
                "this": key_of(ask.event_id),
                "was": ask.state,
                "is": as_text(ask.answer),
                "came": _seconds(ask.answered_at),
                "counts": ask.weight,
                "step": step,
            }
            for step, ask in enumerate(answered, start=first)
        ]
        if connection.execute(_MARK_LEARNED, marks).rowcount == len(marks):
            return
        # Not every driver can count them.
        marked = sa.select(asks.c.event_id).where(asks.c.learned >= first)
        found = set(connection.execute(marked).scalars())
        for ask, mark in zip(answered, marks, strict=True):
            if mark["this"] not in found:
                raise AnswerChangedError(ask.event_id)

    def _reopen(self, connection: sa.Connection, refused: list[Ask]) -> None:
        for ask in refused:
            # Another answer, that came in the meantime, is not the one that was refused.
            same = (asks.c.state == "answered") & (asks.c.answer == as_text(ask.answer))
            this = self._this(asks.update(), ask.event_id).where(same)
            connection.execute(this.values(state="open", **_UNANSWERED))

    def _keep(self, connection: sa.Connection, step: int, snapshot: Snapshot) -> None:
        newest = connection.execute(sa.select(sa.func.max(snapshots.c.number))).scalar()
        number = (newest or 0) + 1
        model, counts, quality = snapshot
        taken = {"number": number, "step": step, "taken_at": time.time(), "counts": counts}
        connection.execute(snapshots.insert().values(**taken, model=model))
        told = {"number": number, "step": step, "quality": quality}
        connection.execute(qualities.insert().values(**told))
        # The first one is kept: from it everything can be learned again.
        for table in (snapshots, qualities):
            old = (table.c.number > 1) & (table.c.number <= number - KEPT_SNAPSHOTS)
            connection.execute(table.delete().where(old))

    def _stand(self, connection: sa.Connection, standing: Standing) -> None:
        """Say where the learner stands, after events all of which the store has then."""
        connection.execute(state.update().values(standing=as_text(standing)))
        self.passed.write(connection)

    @contextlib.contextmanager
    def _stepping(self, n_steps: int) -> Iterator[tuple[sa.Connection, int]]:
        """Some steps of the learner, in one transaction; gives the number of the first."""
        self._last_step, self._next_step = self._step, self._step + n_steps
        self.passed.begin()
        with self._writing() as connection:
            mine = state.update().where(state.c.owner == self._owner)
            if connection.execute(mine.values(step=self._next_step)).rowcount != 1:
                raise self._taken_over()
            yield connection, self._step + 1
        self._step = self._next_step
        self.passed.committed()

    def _taken_over(self) -> StoreTakenError:
        return StoreTakenError(
            f"another process has taken over the store {self.name}: only one may learn from it, "
            "and this one has to stop"
        )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._explaining("written"), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._explaining("read"), self._engine.connect() as connection:
            yield connection.execution_options(oa3_reads=True)

    @contextlib.contextmanager
    def _reading_all(self) -> Iterator[sa.Connection]:
        """Read what may be as much as all asks there ever were."""
        with self._reading() as connection:
            without_statement_timeout(connection)
            yield connection

    @contextlib.contextmanager
    def _explaining(self, done: str) -> Iterator[None]:
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            cause = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
            raise StoreError(
                f"the store {self.name} cannot be {done}: {cause.splitlines()[0]}"
            ) from error
        except json.JSONDecodeError:
            raise self.damaged("what it has is not what was written") from None


def _seconds(moment: dt.datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _key_or_error(event_id: Hashable) -> str | Exception:
    try:
        return key_of(event_id)
    except (TypeError, ValueError) as error:
        return error

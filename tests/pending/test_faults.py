"""Disks fill up, databases are locked, clocks jump, and snapshots are damaged."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sqlite3
import threading
import time

import pytest
import sqlalchemy as sa
from databases import CommitDelay, without_tables
from durable_services import EVENTS, abandoned, durable, restarted, rows
from serving import wait_until

from river_oa3 import ActiveLearner, PendingLabels, budget
from river_oa3.files import container
from river_oa3.pending import StoreError, ask_side, clock, engines, tables

X = {"a": 1.0, "b": -0.5}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "asks.db"


@pytest.fixture
def sqlite(path):
    return f"sqlite:///{path}"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE", 0.05)


@contextlib.contextmanager
def locked(path):
    """Another program is writing."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


@contextlib.contextmanager
def full(service):
    """SQLite's own word for a full disk, by its limit of pages."""
    engine = service._store._sql._engine
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()

    def limit(connection, _):
        connection.execute(f"PRAGMA max_page_count={pages}")

    engine.dispose()
    sa.event.listen(engine, "connect", limit)
    yield
    sa.event.remove(engine, "connect", limit)
    engine.dispose()


def spent(service):
    return service.model._budget._spent, service.model.n_asked, len(service)


LARGE = {f"feature {i}": "a long text " * 10 for i in range(200)}


# A store that cannot be written


def test_ask_that_cannot_be_written_is_not_paid(path, sqlite, impatient):
    service = durable(sqlite)
    service.predict_one("a", X)
    with locked(path), pytest.raises(StoreError, match="locked"):
        service.predict_one("b", X)
    assert spent(service) == (1, 1, 1)


def test_event_is_asked_about_when_the_lock_is_gone(path, sqlite, impatient):
    service = durable(sqlite)
    with locked(path), pytest.raises(StoreError):
        service.predict_one("a", X)
    assert service.predict_one("a", X)[1]
    assert (spent(service), len(rows(sqlite))) == ((1, 1, 1), 1)


def test_label_that_cannot_be_written_is_not_learned(path, sqlite, impatient):
    service = durable(sqlite)
    service.predict_one("a", X)
    weights = service.model.classifier.weights
    with locked(path), pytest.raises(StoreError, match="locked"):
        service.learn_one("a", True)
    assert (service.model.n_learned, service.model.classifier.weights) == (0, weights)
    service.learn_one("a", True)
    assert (service.model.n_learned, service.count("learned")) == (1, 1)


def test_expiry_that_cannot_be_written_gives_nothing_back(path, sqlite, impatient):
    service = durable(sqlite, labels=3, time_to_live=2, refund=True)
    for i in range(3):
        service.predict_one(i, X)
    with locked(path), pytest.raises(StoreError):
        service.predict_one(3, X)
    assert service.model._budget._spent == 3
    service.predict_one(4, X)
    assert (service.model._budget._spent, service.n_expired) == (1, 2)


def test_asks_together_that_cannot_be_written_are_not_paid(path, sqlite, impatient):
    service = durable(sqlite)

    def ask():
        with service.together():
            for i in range(10):
                service.predict_one(i, X)

    with locked(path), pytest.raises(StoreError):
        ask()
    assert spent(service) == (0, 0, 0)
    ask()
    assert spent(service) == (10, 10, 10)


def test_event_that_nobody_asks_about_needs_no_store(path, sqlite, impatient):
    service = durable(sqlite, labels=0)
    with locked(path):
        assert not service.predict_one("a", X)[1]


def test_model_that_no_store_can_hold_is_warned_of_and_goes_on(sqlite, monkeypatch):
    service = durable(sqlite, labels=0, snapshot_every=1)
    monkeypatch.setattr(container.to_bytes, "__defaults__", (100,))
    with pytest.warns(RuntimeWarning, match="no snapshot.*takes more than 100 bytes"):
        service.predict_one("a", X)
    assert service.n_failed_snapshots == 1
    with pytest.raises(StoreError, match="takes more than 100 bytes"):
        service.close()


def test_snapshot_that_fails_is_warned_of_and_tried_again(path, sqlite, impatient):
    service = durable(sqlite, labels=0, snapshot_every=5)
    for i in range(4):
        service.predict_one(i, X)
    with locked(path), pytest.warns(RuntimeWarning, match="no snapshot"):
        service.predict_one(4, X)
    for i in range(5, 10):
        service.predict_one(i, X)
    with restarted(service, sqlite, labels=0) as again:
        assert again.n_events == 10


def test_full_disk_costs_nothing_and_is_survived(sqlite):
    service = durable(sqlite)
    service.predict_one("a", X)
    with full(service), pytest.raises(StoreError, match="full"):
        service.predict_one("b", LARGE)
    assert spent(service) == (1, 1, 1)
    assert service.predict_one("b", LARGE)[1]
    assert len(rows(sqlite)) == 2


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("moment", ["before", "after"])
def test_interrupt_around_the_commit_pays_what_is_kept_and_no_more(url, moment):
    service = durable(url)
    engine = service._store._sql._engine
    commit, is_armed = engine.dialect.do_commit, [True]

    def interrupted(connection):
        if moment == "after":
            commit(connection)
        if is_armed.pop():
            is_armed.append(False)
            raise Interrupted
        is_armed.append(False)
        if moment == "before":
            commit(connection)

    engine.dialect.do_commit = interrupted
    with pytest.raises(Interrupted):
        service.predict_one("a", X)
    kept = len(rows(url))
    assert kept == (moment == "after")
    assert spent(service) == (kept, kept, kept)
    assert service.predict_one("a", X)[1]
    is_armed[:] = [True]
    with pytest.raises(Interrupted):
        service.learn_one("a", True)
    assert service.model.n_learned == service.count("learned") == (moment == "after")
    service.learn_one("a", True)
    assert (service.model.n_learned, service.quality.n_labels) == (1, 1)


def test_connections_that_a_server_cuts_are_made_again(postgresql):
    url = without_tables(postgresql)
    service = durable(url)
    service.predict_one("a", X)
    other = sa.create_engine(url)
    with other.connect() as connection:
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        connection.exec_driver_sql(cut).all()
    assert service.predict_one("b", X)[1]
    assert len(rows(url)) == 2


# A COMMIT that arrives after its client was cut off


@pytest.fixture
def delayed(postgresql):
    """A server whose next COMMIT can be held up, and the URL of the same without that."""
    proxy = CommitDelay(without_tables(postgresql), seconds=0.3)
    yield proxy
    proxy.close()


def test_ask_whose_commit_is_late_is_kept_and_paid_once(delayed, postgresql):
    service = durable(delayed.url)
    service.predict_one("first", X)
    delayed.armed = True
    with pytest.raises(StoreError):
        service.predict_one("a", X)
    assert [service.predict_one(event_id, X)[1] for event_id in ("b", "a", "c")] == [True] * 3
    kept = [row["event_id"] for row in rows(postgresql)]
    assert sorted(kept) == ['"a"', '"b"', '"c"', '"first"']
    assert spent(service) == (4, 4, 4)


def test_label_whose_commit_is_late_is_learned_once(delayed):
    service = durable(delayed.url)
    for i in range(3):
        service.predict_one(i, X)
    delayed.armed = True
    with pytest.raises(StoreError):
        service.learn_one(0, True)
    for i in range(3):
        service.learn_one(i, i == 0)
    assert service.model.n_learned == service.quality.n_labels == service.count("learned") == 3
    with restarted(service, delayed.url) as again:
        assert again.model.n_learned == 3
        assert again.model.classifier.weights == service.model.classifier.weights


def test_nothing_is_decided_while_a_commit_is_on_its_way(delayed, postgresql, monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE", 0.2)
    delayed._seconds = None
    service = durable(delayed.url)
    service.predict_one("first", X)
    delayed.armed = True
    for event_id in ("a", "b", "a"):
        with pytest.raises(StoreError):
            service.predict_one(event_id, X)
    delayed.deliver.set()
    wait_until(lambda: len(rows(postgresql)) == 2)
    assert service.predict_one("a", X)[1]
    assert spent(service) == (2, 2, 2)


def test_lock_that_another_program_holds_on_postgresql_is_not_waited_for_long(
    postgresql, monkeypatch
):
    monkeypatch.setattr(engines, "PATIENCE", 0.2)
    service = durable(without_tables(postgresql))
    other = sa.create_engine(postgresql)
    with other.connect() as connection:
        connection.execute(sa.select(tables.state).with_for_update())
        start = time.monotonic()
        with pytest.raises(StoreError, match="lock timeout"):
            service.predict_one("a", X)
        assert time.monotonic() - start < 5.0
    other.dispose()
    assert service.predict_one("a", X)[1]
    assert spent(service) == (1, 1, 1)


# Snapshots that are damaged


def test_start_that_reads_all_asks_may_take_longer_than_other_statements(postgresql, monkeypatch):
    url = without_tables(postgresql)
    service = durable(url)
    service.predict_one("a", X)
    abandoned(service)
    monkeypatch.setattr(engines, "LONGEST_STATEMENT", 0.3)
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        connection.exec_driver_sql("LOCK TABLE oa3_asks IN ACCESS EXCLUSIVE MODE")
        threading.Timer(0.9, connection.rollback).start()
        again = durable(url)
    engine.dispose()
    assert "a" in again
    abandoned(again)


def damage(url, which, how):
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        found = connection.execute(sa.select(tables.snapshots).order_by(tables.snapshots.c.number))
        kept = found.mappings().all()
        for row in kept[which:]:
            this = tables.snapshots.update().where(tables.snapshots.c.number == row["number"])
            connection.execute(this.values(model=how(row["model"])))
    engine.dispose()


def in_half(model):
    return model[: len(model) // 2]


def flipped(model):
    return model[:-500] + bytes([model[-500] ^ 1]) + model[-499:]


@pytest.mark.parametrize("which", [-1, 0], ids=["newest", "all"])
@pytest.mark.parametrize("how", [in_half, flipped])
def test_damaged_snapshot_costs_no_label(url, which, how):
    service = durable(url, snapshot_every=7)
    for i, (x, y) in enumerate(EVENTS[:40]):
        service.predict_one(i, x)
        service.learn_one(i, y)
    weights = service.model.classifier.weights
    abandoned(service)
    damage(url, which, how)
    with pytest.warns(RuntimeWarning, match="damaged"):
        again = durable(url)
    assert (again.model.classifier.weights, again.model.n_learned) == (weights, 40)
    abandoned(again)


# Clocks


class FakeTime:
    """A clock on the wall, and one that counts from the start of the machine."""

    def __init__(self, monkeypatch):
        self.wall, self.passed = 1_700_000_000.0, 100.0
        monkeypatch.setattr(clock.time, "time", lambda: self.wall)
        monkeypatch.setattr(clock, "_passed", lambda: self.passed)

    def advance(self, seconds):
        self.wall += seconds
        self.passed += seconds


@pytest.fixture
def fake_time(monkeypatch):
    return FakeTime(monkeypatch)


@pytest.mark.parametrize("jump", [-1e9, -3600.0, 3600.0, 1e9])
def test_clock_that_jumps_expires_nothing(store, fake_time, jump):
    service = durable(store, time_to_live=dt.timedelta(minutes=10))
    service.predict_one("a", X)
    fake_time.wall += jump
    fake_time.advance(60)
    service.predict_one("b", X)
    assert "a" in service
    fake_time.advance(541)
    service.predict_one("c", X)
    assert ("a" in service, "b" in service) == (False, True)


def test_clock_that_was_set_back_makes_no_ask_young_again(sqlite, fake_time):
    service = durable(sqlite, time_to_live=dt.timedelta(minutes=10))
    service.predict_one("a", X)
    fake_time.advance(500)
    service.predict_one("b", X)
    fake_time.wall -= 86_400
    with restarted(service, sqlite, time_to_live=dt.timedelta(minutes=10)) as again:
        fake_time.advance(101)
        again.predict_one("c", X)
        assert [ask.event_id for ask in again] == ["b", "c"]


NOW = 1_800_000_000.0


def asked_under(sqlite, fake_time, wall, event_id):
    """A service under some clock, which asks once and is gone."""
    fake_time.wall = wall
    service = durable(sqlite, time_to_live=dt.timedelta(minutes=10))
    service.predict_one(event_id, X)
    abandoned(service)


def test_one_wrong_clock_at_a_start_is_not_kept(url, fake_time):
    asked_under(url, fake_time, NOW + 20 * 365 * 86_400, "under a clock of years to come")
    with pytest.warns(RuntimeWarning, match="years to come"):
        asked_under(url, fake_time, NOW, "a")
    assert [row["asked_at"] for row in rows(url) if row["event_id"] == '"a"'] == [NOW]


def test_ask_from_years_to_come_expires_with_the_next_one(sqlite, fake_time):
    asked_under(sqlite, fake_time, NOW + 20 * 365 * 86_400, "wrong")
    with pytest.warns(RuntimeWarning, match="years to come"):
        asked_under(sqlite, fake_time, NOW, "a")
    fake_time.wall = NOW + 300
    with pytest.warns(RuntimeWarning, match="years to come"):
        service = durable(sqlite, time_to_live=dt.timedelta(minutes=10))
    fake_time.advance(301)
    service.predict_one("b", X)
    assert [ask.event_id for ask in service] == ["b"]


def test_clock_without_a_battery_makes_no_ask_young_again(sqlite, fake_time):
    asked_under(sqlite, fake_time, NOW, "a")
    asked_under(sqlite, fake_time, 0.0, "b")
    assert [row["asked_at"] for row in rows(sqlite)] == [NOW, NOW]


def test_asks_that_expire_together_hold_up_no_event_for_long(store, monkeypatch):
    monkeypatch.setattr(ask_side, "MOST_EXPIRED", 10)
    service = durable(store, time_to_live=30)
    for i in range(30):
        service.predict_one(i, X)
    service.time_to_live = 1
    left = []
    for i in range(30, 35):
        service.predict_one(i, X)
        left.append(len(service))
    assert left == [21, 12, 3, 2, 2]
    assert service.n_expired == 33


def test_asks_that_expire_together_are_one_statement(sqlite):
    service = durable(sqlite, time_to_live=200)
    for i in range(200):
        service.predict_one(i, X)
    service.answer(7, True)
    service.time_to_live, statements = 1, []

    def note(connection, cursor, statement, *args):
        statements.append(statement)

    sa.event.listen(service._store._sql._engine, "before_cursor_execute", note)
    service._expire()
    assert sum("UPDATE oa3_asks" in statement for statement in statements) == 1
    assert (service.n_expired, service[7].state) == (197, "answered")


def test_day_that_the_clock_shows_twice_is_paid_once(url):
    class Clock:
        now = dt.datetime(2026, 5, 6, 12, tzinfo=dt.UTC)

        def __call__(self):
            return self.now

    wrong, limit = Clock(), dt.timedelta(days=1)
    service = durable(url, budget.WindowBudget(3, limit, wrong))
    for i in range(5):
        service.predict_one(i, X)
    wrong.now -= dt.timedelta(days=1)
    with restarted(service, url, labels=budget.WindowBudget(3, limit, wrong)) as again:
        assert not any(again.predict_one(i, X)[1] for i in range(10, 15))


# Speed, with room for busy machines; the bars are 50 us and 2 ms


def test_event_that_nobody_asks_about_is_answered_from_memory(sqlite):
    service = durable(sqlite, labels=0, snapshot_every=10_000)
    times = []
    for i in range(2000):
        start = time.perf_counter()
        service.predict_one(i, EVENTS[i % 400][0])
        times.append(time.perf_counter() - start)
    assert sorted(times)[1000] < 50e-6


# Faults in the middle


@contextlib.contextmanager
def broken_after_commit(service):
    """The word of a commit never comes, though it took place."""
    dialect = service._store._sql._engine.dialect
    commit = dialect.do_commit

    def interrupted(connection):
        commit(connection)
        raise Interrupted

    dialect.do_commit = interrupted
    yield
    del dialect.do_commit


def test_snapshot_that_fails_takes_no_ask_with_it(path, sqlite, impatient):
    service = durable(sqlite, snapshot_every=5)

    def ask():
        with service.together():
            for i in range(5):
                service.predict_one(i, X)

    with locked(path), pytest.raises(StoreError):
        ask()
    assert spent(service) == (0, 0, 0)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_events_that_passed_before_an_interrupt_are_written_once(url, moment):
    service = durable(url, labels=budget.RateBudget(0.5))
    assert [service.predict_one(i, X)[1] for i in range(2)] == [True, False]
    dialect = service._store._sql._engine.dialect
    commit = dialect.do_commit

    def interrupted(connection):
        if moment == "after":
            commit(connection)
        raise Interrupted

    dialect.do_commit = interrupted
    with pytest.raises(Interrupted):
        service.predict_one(2, X)
    del dialect.do_commit
    n_before = len(rows(url, tables.passed))
    assert n_before == (moment == "after")
    service.predict_one(2, X)
    service.predict_one(3, X)
    service.snapshot()
    passed = [event for row in rows(url, tables.passed) for event in json.loads(row["events"])]
    assert [event_id for event_id, _ in passed] == [1, 3]


def test_label_after_a_snapshot_in_doubt_is_learned_again(sqlite):
    service = durable(sqlite)
    service.predict_one("a", X)
    with broken_after_commit(service), pytest.raises(Interrupted):
        service.snapshot()
    service.learn_one("a", True)
    with restarted(service, sqlite) as again:
        assert again.model.n_learned == 1
        assert again.model.classifier.weights == service.model.classifier.weights


def test_interrupt_right_after_a_write_refunds_nothing(sqlite, monkeypatch):
    service = durable(sqlite, labels=2)
    add = service._store.add

    def interrupted(*args):
        add(*args)
        raise Interrupted

    monkeypatch.setattr(service._store, "add", interrupted)
    with pytest.raises(Interrupted):
        service.predict_one("a", X)
    monkeypatch.undo()
    for i in range(5):
        service.predict_one(i, X)
    assert len(rows(sqlite)) == 2


def test_learning_that_is_cut_off_goes_on(sqlite, monkeypatch):
    service = durable(sqlite)
    for i, (x, _) in enumerate(EVENTS[:5]):
        service.predict_one(i, x)
    done, n_done = service._store.done, []

    def interrupted(ask):
        done(ask)
        n_done.append(ask)
        if len(n_done) == 2:
            raise Interrupted

    monkeypatch.setattr(service._store, "done", interrupted)
    with pytest.raises(Interrupted):
        service.learn_each([(i, EVENTS[i][1], None) for i in range(5)])
    service.close()
    again = durable(sqlite)
    assert again.count("learned") == again.model.n_learned == 5


def test_start_that_is_refused_leaves_the_owner_alone(url):
    owner = durable(url)
    for wrong in ({"seed": 6}, {"labels": budget.RateBudget(0.1)}):
        with pytest.raises(ValueError, match="store was"):
            durable(url, **wrong)
    assert owner.predict_one("a", X)[1]


def test_retries_bring_a_rate_nothing(path, sqlite, impatient):
    service = durable(sqlite, budget.RateBudget(0.1))
    with locked(path):
        for _ in range(3):
            with pytest.raises(StoreError):
                service.predict_one("a", X)
    n_asked = sum(service.predict_one(i, X)[1] for i in range(50))
    assert n_asked <= 1 + 0.1 * 50
    assert service.n_events == 50


def test_damage_to_all_snapshots_teaches_nothing_twice(sqlite):
    service = durable(sqlite, snapshot_every=3)
    for i, (x, y) in enumerate(EVENTS[:20]):
        service.predict_one(i, x)
        service.learn_one(i, y)
    learned = service.model
    abandoned(service)
    damage(sqlite, 0, in_half)
    learned._rng = None
    with pytest.warns(RuntimeWarning, match="damaged"), pytest.raises(StoreError, match="all"):
        PendingLabels(learned, store=sqlite)


def test_store_is_looked_at_while_somebody_else_writes(path, sqlite, impatient):
    service = durable(sqlite)
    service.predict_one("a", X)
    with locked(path):
        desk = durable(sqlite, learns=False)
        desk.refresh()
        assert "a" in desk


def test_somebody_who_only_looks_changes_nothing(sqlite, monkeypatch):
    service = durable(sqlite)
    for i, (x, y) in enumerate(EVENTS[:3]):
        service.predict_one(i, x)
        service.learn_one(i, y)

    def refuse(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(ActiveLearner, "_learn_asked", refuse)
    with pytest.raises(MemoryError):
        durable(sqlite, learns=False)
    assert service.count("learned") == 3

"""Whole batches: each is kept as one step, once, and is the same however often it is run."""

from __future__ import annotations

import datetime as dt
import pickle

import pytest
from batch_runs import (
    STREAM,
    in_batches,
    labelled_events,
    learner,
    opened,
    proposed,
    run_all,
    run_batch,
    state_of,
)
from durable_services import rows

from river_oa3 import ActiveLearner, OA3DiagClassifier, PendingLabels, budget
from river_oa3.pending.batches import PendingBatches
from river_oa3.pending.errors import AnswerChangedError, StoreError
from river_oa3.query import FirstComeQuery
from river_oa3.scoring.spending import Spending

EVENTS = labelled_events(1600)
BATCHES = in_batches(EVENTS, 200)

BUDGETS = {
    "total": lambda: budget.TotalBudget(300),
    "small": lambda: budget.TotalBudget(37),
    "rate": lambda: budget.RateBudget(0.1, 100),
    "window": lambda: budget.WindowBudget(25, 180),
}
each_budget = pytest.mark.parametrize("limit", BUDGETS)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/asks.db"


def asked(url):
    """What is known of each ask, but for the time of day."""
    return [
        {name: value for name, value in row.items() if name not in ("asked_at", "answered_at")}
        for row in rows(url)
    ]


# Once


def test_a_batch_that_is_stored_is_skipped(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS)
    before, stored = state_of(batches.model), asked(url)
    assert run_batch(batches, 0, BATCHES[0], EVENTS) is None
    assert (state_of(batches.model), asked(url)) == (before, stored)


def test_a_batch_that_is_stored_is_skipped_after_a_restart(url):
    run_batch(opened(url), 4, BATCHES[0], EVENTS)
    again = opened(url)
    assert again.begin(STREAM, 4) is None
    assert again.begin(STREAM, 3) is None
    assert again.begin(STREAM, 5) is not None


def test_another_stream_counts_anew(url):
    batches = opened(url)
    run_batch(batches, 9, BATCHES[0], EVENTS)
    assert run_batch(batches, 0, BATCHES[1], EVENTS, stream="another") is not None


def test_an_event_that_was_asked_about_is_not_asked_about_again(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS)
    n_asked = batches.model.n_asked
    known = [row["event_id"] for row in rows(url)]
    run_batch(batches, 1, BATCHES[0], EVENTS)
    later = [row["event_id"] for row in rows(url)]
    assert later[: len(known)] == known
    assert len(set(later)) == len(later) == batches.model.n_asked >= n_asked > 0


def test_an_event_that_is_delivered_again_while_it_waits_in_memory_is_asked_about_once():
    batches = PendingBatches(learner())
    for number in range(2):
        run_batch(batches, number, BATCHES[0], EVENTS, labels={})
    assert batches.pending.count() == batches.model.n_asked > 0


def test_an_event_that_is_delivered_twice_in_a_batch_is_asked_about_once(url):
    batches = opened(url, budget.TotalBudget(10**6))
    for number, ids in enumerate(BATCHES[:6]):
        run_batch(batches, number, ids, EVENTS)
    assert batches.is_warm
    batch = run_batch(batches, 6, sorted(BATCHES[6] * 2), EVENTS)
    assert len(batch.asks) == len({ask.event_id for ask in batch.asks}) > 0


# Faults


@each_budget
@pytest.mark.parametrize("time_to_live", [None, 300])
def test_a_run_that_is_restarted_before_each_batch_is_the_uninterrupted_run(
    tmp_path, limit, time_to_live
):
    more = {"time_to_live": time_to_live, "refund": True}
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "cut")]
    whole = run_all(urls[0], EVENTS, 200, BUDGETS[limit](), **more)
    for number, ids in enumerate(BATCHES):
        batches = opened(urls[1], BUDGETS[limit](), **more)
        run_batch(batches, number, ids, EVENTS)
        batches.close()
    assert state_of(batches.model) == state_of(whole)
    assert asked(urls[1]) == asked(urls[0])


class Killed(BaseException):
    """The process ends here."""


STEPS = ["begin", "learn", "one_by_one", "take", "before keeping", "after keeping"]


def run_to(batches, step, number, ids):
    """Run a batch up to a step, and no further."""
    batch = batches.begin(STREAM, number)
    if step == "begin":
        return
    batch.learn({i: EVENTS[i][1] for i in ids})
    if step == "learn":
        return
    if not batches.is_warm:
        batch.one_by_one((i, EVENTS[i][0]) for i in ids[:40])
        ids = ids[40:]
    if step == "one_by_one":
        return
    batch.take(*proposed(batches.model, ids, EVENTS, batches.seed))
    if step == "take":
        return
    if step == "after keeping":
        batch.finish()
        return
    sql = batches.pending._store._sql
    stand = sql._stand

    def killed(*args):
        stand(*args)
        raise Killed

    sql._stand = killed
    with pytest.raises(Killed):
        batch.finish()


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("limit", ["total", "window"])
def test_a_batch_that_was_cut_off_leaves_no_trace_and_is_run_alike(tmp_path, step, limit):
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "cut")]
    more = {"time_to_live": 500, "refund": True}
    whole = run_all(urls[0], EVENTS, 200, BUDGETS[limit](), **more)
    for number, ids in enumerate(BATCHES):
        if number % 3 == 0:
            batches = opened(urls[1], BUDGETS[limit](), **more)
            run_to(batches, step, number, ids)
            batches.reopen()
        run_batch(batches, number, ids, EVENTS)
    assert state_of(batches.model) == state_of(whole)
    assert asked(urls[1]) == asked(urls[0])
    assert whole.n_asked > 30


def test_nothing_is_begun_after_a_batch_that_was_not_finished(url):
    batches = opened(url)
    batches.begin(STREAM, 0)
    with pytest.raises(RuntimeError, match="begun and not finished"):
        batches.begin(STREAM, 0)


def test_reopening_goes_back_to_where_the_store_stands(url, tmp_path):
    batches = opened(url)
    run_to(batches, "take", 0, BATCHES[0])
    batches.reopen()
    for number, ids in enumerate(BATCHES[:3]):
        run_batch(batches, number, ids, EVENTS)
    few = {i: EVENTS[i] for ids in BATCHES[:3] for i in ids}
    assert state_of(batches.model) == state_of(run_all(f"sqlite:///{tmp_path}/w.db", few, 200))


def test_the_older_of_two_processes_is_refused(url):
    older = opened(url)
    batch = older.begin(STREAM, 0)
    run_batch(opened(url), 0, BATCHES[0], EVENTS)
    stored = asked(url)
    with pytest.raises(StoreError, match="another process has taken over"):
        batch.finish()
    assert asked(url) == stored


# The budget


def test_a_total_is_spent_to_the_last_label_and_not_beyond(url):
    model = run_all(url, EVENTS, 200, budget.TotalBudget(37))
    assert model.n_asked == len(rows(url)) == 37
    assert model._budget.left == 0


@pytest.mark.parametrize("size", [50, 200, 1200])
def test_a_rate_is_never_exceeded(url, size):
    model = run_all(url, EVENTS, size, budget.RateBudget(0.05, 100))
    assert 10 < len(rows(url)) == model.n_asked <= 1 + 0.05 * len(EVENTS)


@pytest.mark.parametrize("size", [50, 200, 1200])
def test_no_window_has_more_than_its_labels(url, size):
    model = run_all(url, EVENTS, size, budget.WindowBudget(6, 150))
    windows = -(-len(EVENTS) // 150)
    assert 10 < len(rows(url)) == model.n_asked <= 6 * windows


@pytest.mark.parametrize("size", [100, 1000, 4000])
def test_labels_of_windows_that_open_in_a_batch_are_used(size):
    model = learner(budget.WindowBudget(10, 1000))
    for x, y in EVENTS.values():
        model.learn_one(x, y)
    batches, many = PendingBatches(model), labelled_events(8000, seed=5)
    for number, ids in enumerate(in_batches(many, size)):
        run_batch(batches, number, ids, many, labels={})
    assert 60 <= model.n_asked <= 80


@pytest.mark.parametrize(
    ("limit", "refills"),
    [
        (budget.WindowBudget(2, 100), True),
        (budget.RateBudget(0.01), True),
        (budget.WindowBudget(2, dt.timedelta(days=1), clock=lambda: 0.0), False),
        (budget.TotalBudget(2), False),
    ],
)
def test_events_of_a_batch_are_proposed_where_the_budget_refills_as_they_come(limit, refills):
    limit.tick()
    while limit.try_spend() is not None:
        pass
    before = pickle.dumps({**vars(limit), "clock": None})
    assert not Spending.on_next(limit).can_ask
    assert Spending.on_batch(limit).can_ask == refills
    assert pickle.dumps({**vars(limit), "clock": None}) == before


def test_a_batch_asks_for_no_more_than_half_as_many_labels_as_were_learned(url):
    batches = opened(url, budget.TotalBudget(10**6))
    for number, ids in enumerate(BATCHES[:6]):
        run_batch(batches, number, ids, EVENTS)
    n_learned = batches.model.n_learned
    assert batches.is_warm
    many = labelled_events(20_000, seed=5)
    batch = batches.begin(STREAM, 6)
    batch.take(*proposed(batches.model, sorted(many), many, batches.seed))
    expected = 0.5 * n_learned
    assert 0.5 * expected < len(batch.asks) < expected + 4 * expected**0.5


# Labels


def test_labels_of_later_batches_are_learned(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS, labels={})
    open_asks = batches.pending.count()
    assert (batches.model.n_learned, open_asks) == (0, batches.model.n_asked)
    batch = run_batch(batches, 1, [], EVENTS, labels={i: EVENTS[i][1] for i in BATCHES[0]})
    assert batches.model.n_learned == len(batch._learned) == open_asks > 0
    assert batches.pending.count() == 0


def test_labels_that_nobody_asked_for_are_not_learned(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS)
    assert batches.model.n_learned == batches.model.n_asked < len(BATCHES[0])
    before = state_of(batches.model)[0]
    run_batch(batches, 1, [], EVENTS, labels=dict.fromkeys(BATCHES[3], True))
    assert state_of(batches.model)[0] == before


def test_answers_of_another_process_are_learned_in_their_order(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS, labels={})
    ids = [ask.event_id for ask in batches.pending]
    page = PendingLabels.__new__(PendingLabels)  # somebody who only answers owns nothing
    page.__dict__.update(batches.pending.__dict__)
    for event_id in reversed(ids):
        page.answer(event_id, EVENTS[event_id][1])
    batch = run_batch(batches, 1, [], EVENTS, labels={})
    assert [ask.event_id for ask in batch._learned] == ids[::-1]
    assert batches.pending.count("learned") == len(ids) > 0


def test_an_answer_that_is_taken_back_meanwhile_fails_the_batch_and_the_next_run_is_whole(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS, labels={})
    first = next(iter(batches.pending)).event_id
    batches.pending.answer(first, True)
    batch = batches.begin(STREAM, 1)
    batch.learn({})
    assert batches.model.n_learned == 1
    batches.pending.withdraw(first)
    with pytest.raises(AnswerChangedError):
        batch.finish()
    batches.reopen()
    run_batch(batches, 1, [], EVENTS, labels={})
    assert (batches.model.n_learned, batches.pending[first].state) == (0, "open")


@pytest.mark.parametrize("is_stored", [True, False])
def test_an_ask_whose_answer_the_model_refuses_is_open_again(url, is_stored):
    model = ActiveLearner(OA3DiagClassifier(), query=FirstComeQuery(), budget=10, seed=1)
    batches = PendingBatches(model, url if is_stored else None)
    batch = batches.begin(STREAM, 0)
    batch.one_by_one([(1, {"a": 1e80}), (2, {"a": 2.0})])
    batch.finish()
    batches.pending.answer(1, True)
    batch = batches.begin(STREAM, 1)
    batch.learn({})
    ((event_id, words),) = batch.refused_answers
    assert event_id == 1
    assert "overflow" in words
    batch.finish()
    ask = batches.pending[1]
    assert (ask.state, ask.answer, ask.answered_at) == ("open", None, None)
    batch = batches.begin(STREAM, 2)
    batch.learn({})
    assert batch.refused_answers == []


def test_an_answer_that_takes_the_place_of_a_refused_one_stays(url):
    model = ActiveLearner(OA3DiagClassifier(), query=FirstComeQuery(), budget=10, seed=1)
    batches = PendingBatches(model, url)
    batch = batches.begin(STREAM, 0)
    batch.one_by_one([(1, {"a": 1e80})])
    batch.finish()
    batches.pending.answer(1, True)
    batch = batches.begin(STREAM, 1)
    batch.learn({})
    batches.pending.answer(1, False)
    batch.finish()
    ask = batches.pending[1]
    assert (ask.state, ask.answer) == ("answered", False)


def test_a_label_is_learned_once_however_often_it_is_delivered(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS)
    n_learned = batches.model.n_learned
    run_batch(batches, 1, [], EVENTS, labels={i: EVENTS[i][1] for i in BATCHES[0]})
    assert batches.model.n_learned == n_learned > 0


def test_an_event_that_the_model_refuses_is_left_out_with_the_reason(url):
    model = ActiveLearner(OA3DiagClassifier(), budget=10, seed=1)
    batches = PendingBatches(model, url)
    batch = batches.begin(STREAM, 0)
    batch.one_by_one([(1, {"a": 1.0}), (2, {"a": 1e200}), (3, {"a": 2.0})])
    (refused,) = batch.refused
    assert refused[0] == 2
    assert "would overflow the model" in refused[1]
    assert model.n_seen == 2


def test_events_without_labels_teach_nothing_where_they_must_not():
    model = ActiveLearner(budget=10**6, seed=7, learn_transformers=False)
    for x, y in EVENTS.values():
        model.learn_one(x, y)
    before = model.classifier.weights, tuple(model.classifier._core.counts)
    batches = PendingBatches(model)
    many = labelled_events(2000, seed=5)
    batch = run_batch(batches, 0, sorted(many), many, labels={})
    assert batch.asks
    assert (model.n_seen, model._taught) == (2000, 0)
    assert (model.classifier.weights, tuple(model.classifier._core.counts)) == before


# Asks that grow old


def test_an_ask_expires_at_the_start_of_the_batch_after_its_time(url):
    batches = opened(url, budget.TotalBudget(20), time_to_live=100, refund=True)
    run_batch(batches, 0, BATCHES[0][:40], EVENTS, labels={})
    asks = batches.pending.count()
    assert asks == batches.model._budget._spent > 0
    run_batch(batches, 1, BATCHES[1], EVENTS, labels={})
    late = batches.begin(STREAM, 2)
    assert late.learn(dict.fromkeys(BATCHES[0], True)) == 0
    assert batches.pending.n_expired >= asks
    assert batches.model._budget._spent == batches.pending.count()


def test_without_refund_an_ask_that_expires_stays_paid(url):
    limit = budget.TotalBudget(20)
    batches = opened(url, limit, time_to_live=dt.timedelta(microseconds=1))
    run_batch(batches, 0, BATCHES[0], EVENTS, labels={})
    spent = limit._spent
    batches.begin(STREAM, 1)
    assert (limit._spent, batches.pending.n_expired, batches.pending.count()) == (spent, spent, 0)
    assert spent > 0


def test_a_store_that_was_used_with_another_seed_is_refused(url):
    run_batch(opened(url), 0, BATCHES[0], EVENTS)
    with pytest.raises(ValueError, match="the store was started with seed 7"):
        PendingBatches(learner(seed=8), url)

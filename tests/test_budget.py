"""Budgets: what they hold, when they fill, and that nobody gets more out of them."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle

import pytest
from asking import Clock
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import ActiveLearner, budget

DAY = dt.timedelta(days=1)
MIDNIGHT = dt.datetime(2024, 5, 2, tzinfo=dt.UTC)


BUDGETS = {
    "total": lambda: budget.TotalBudget(3),
    "rate": lambda: budget.RateBudget(0.5, window=8),
    "events": lambda: budget.WindowBudget(3, every=5),
    "time": lambda: budget.WindowBudget(3, every=DAY, clock=Clock(MIDNIGHT)),
}
each_budget = pytest.mark.parametrize("make", BUDGETS.values(), ids=BUDGETS)

demands = st.lists(st.booleans(), max_size=200)


def serve(limit, wanted):
    """Which of the events that want a label get one."""
    served = []
    for wants in wanted:
        limit.tick()
        gets = wants and limit.can_ask()
        if gets:
            limit.spend()
        served.append(gets)
    return served


def emptied(make):
    limit = make()
    limit.tick()
    while limit.can_ask():
        limit.spend()
    return limit


# What all have in common


@each_budget
def test_first_event_can_be_asked_about(make):
    limit = make()
    limit.tick()
    assert limit.can_ask()


@each_budget
def test_spending_from_an_empty_budget_is_an_error(make):
    limit = emptied(make)
    with pytest.raises(ValueError, match="label"):
        limit.spend()


@each_budget
def test_error_leaves_the_empty_budget_as_it_was(make):
    limit = emptied(make)
    before = pickle.dumps(limit)
    with pytest.raises(ValueError, match="label"):
        limit.spend()
    assert pickle.dumps(limit) == before


@each_budget
def test_spending_takes_one_label(make):
    limit = make()
    limit.tick()
    before = limit.left
    limit.spend()
    assert limit.left == before - 1


@each_budget
@given(wanted=demands)
def test_budget_can_be_asked_exactly_while_there_is_something_left(make, wanted):
    limit = make()
    for wants in wanted:
        serve(limit, [wants])
        assert limit.can_ask() == (limit.left > 0)


@each_budget
@given(wanted=demands)
def test_what_is_left_is_a_whole_number_and_never_negative(make, wanted):
    limit = make()
    for wants in wanted:
        serve(limit, [wants])
        assert isinstance(limit.left, int)
        assert limit.left >= 0


@each_budget
def test_looking_changes_nothing(make):
    limit = make()
    serve(limit, [True, False])
    before = pickle.dumps(limit)
    limit.can_ask()
    _ = limit.left
    assert pickle.dumps(limit) == before


@each_budget
def test_refund_makes_up_for_one_label(make):
    limit = emptied(make)
    limit.refund()
    assert limit.left == 1


@each_budget
def test_refund_never_fills_a_budget_beyond_its_size(make):
    limit = make()
    limit.tick()
    for _ in range(100):
        limit.refund()
    assert (
        limit.left == {"TotalBudget": 3, "RateBudget": 4, "WindowBudget": 3}[type(limit).__name__]
    )


@each_budget
def test_clone_is_unspent(make):
    assert serve(emptied(make).clone(), [True] * 12) == serve(make(), [True] * 12)


@each_budget
def test_clone_spends_from_its_own_budget(make):
    limit = make()
    emptied(limit.clone)
    limit.tick()
    assert limit.can_ask()


@each_budget
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda limit: pickle.loads(pickle.dumps(limit))])
@given(before=demands, after=demands)
def test_copy_goes_on_where_the_budget_was(make, copied, before, after):
    limit = make()
    serve(limit, before)
    twin = copied(limit)
    assert serve(twin, after) == serve(limit, after)


# TotalBudget


@given(st.integers(0, 50), demands)
def test_total_serves_the_first_who_want_and_nobody_after(labels, wanted):
    served = serve(budget.TotalBudget(labels), wanted)
    takers = [i for i, wants in enumerate(wanted) if wants]
    assert [i for i, gets in enumerate(served) if gets] == takers[:labels]


def test_total_of_nothing_serves_nobody():
    assert not any(serve(budget.TotalBudget(0), [True] * 5))


# RateBudget


def test_rate_of_a_quarter_serves_every_fourth():
    served = serve(budget.RateBudget(0.25, window=100), [True] * 9)
    assert [i for i, gets in enumerate(served) if gets] == [0, 4, 8]


def test_rate_of_one_serves_everybody():
    assert all(serve(budget.RateBudget(1.0, window=10), [True] * 100))


def test_rate_that_is_not_exact_in_binary_loses_no_label():
    assert sum(serve(budget.RateBudget(0.1, window=100), [True] * 10_000)) == 1000


@given(st.floats(0.001, 1.0), st.integers(1, 500), demands)
def test_first_n_events_cost_at_most_1_plus_their_share(rate, window, wanted):
    spent = 0
    for n, gets in enumerate(serve(budget.RateBudget(rate, window), wanted), start=1):
        spent += gets
        assert spent <= 1 + rate * n + 1e-6


@pytest.mark.parametrize(("rate", "window"), [(0.01, 1000), (0.1, 50), (0.5, 8), (0.01, 10)])
def test_idle_year_becomes_no_burst(rate, window):
    limit = budget.RateBudget(rate, window)
    serve(limit, [False] * 100_000)
    assert limit.left == max(1, rate * window)


def test_what_was_saved_up_can_be_spent_at_once():
    limit = budget.RateBudget(0.1, window=50)
    served = serve(limit, [False] * 1000 + [True] * 5)
    assert served[-5:] == [True] * 5


# WindowBudget over events


def test_window_of_events_serves_the_first_of_each():
    served = serve(budget.WindowBudget(2, every=3), [True] * 8)
    assert served == [True, True, False, True, True, False, True, True]


@given(st.integers(0, 5), st.integers(1, 20), demands)
def test_no_window_of_events_costs_more_than_its_labels(labels, every, wanted):
    served = serve(budget.WindowBudget(labels, every), wanted)
    assert all(sum(served[i : i + every]) <= labels for i in range(0, len(served), every))


@given(st.integers(1, 5), st.integers(1, 20), demands)
def test_nobody_is_refused_while_the_window_has_labels(labels, every, wanted):
    served = serve(budget.WindowBudget(labels, every), wanted)
    for i in range(0, len(served), every):
        assert sum(served[i : i + every]) == min(labels, sum(wanted[i : i + every]))


def test_what_a_window_did_not_use_is_lost():
    served = serve(budget.WindowBudget(1, every=4), [False] * 4 + [True] * 4)
    assert sum(served) == 1


# WindowBudget over time


def timed(now, labels=1, every=DAY):
    clock = Clock(now)
    return budget.WindowBudget(labels, every=every, clock=clock), clock


def test_labels_of_a_day_are_not_more_the_same_day():
    limit, clock = timed(MIDNIGHT)
    serve(limit, [True])
    clock.now = MIDNIGHT + dt.timedelta(hours=23, minutes=59)
    assert serve(limit, [True] * 3) == [False] * 3


def test_day_starts_at_midnight_in_utc():
    limit, clock = timed(MIDNIGHT - dt.timedelta(seconds=1))
    serve(limit, [True])
    clock.now = MIDNIGHT
    assert serve(limit, [True]) == [True]


def test_day_starts_at_midnight_in_utc_whatever_the_zone_of_the_clock():
    india = dt.timezone(dt.timedelta(hours=5, minutes=30))
    limit, clock = timed(dt.datetime(2024, 5, 1, 23, 59, tzinfo=india))
    serve(limit, [True])
    clock.now = dt.datetime(2024, 5, 2, 0, 1, tzinfo=india)
    assert serve(limit, [True]) == [False]


def test_clock_may_tell_seconds():
    limit, clock = timed(86_399.9)
    serve(limit, [True])
    clock.now = 86_400
    assert serve(limit, [True, True]) == [True, False]


def test_new_window_opens_without_an_event():
    limit, clock = timed(MIDNIGHT)
    serve(limit, [True])
    clock.now = MIDNIGHT + DAY
    assert limit.can_ask()


def test_clock_that_goes_back_opens_no_window():
    limit, clock = timed(MIDNIGHT)
    serve(limit, [True])
    clock.now = MIDNIGHT - 3 * DAY
    assert serve(limit, [True]) == [False]


def test_clock_that_goes_back_opens_no_window_before_a_whole_one_has_passed():
    limit, clock = timed(MIDNIGHT)
    serve(limit, [True])
    clock.now = MIDNIGHT - 3 * DAY
    serve(limit, [False])
    clock.now += DAY - dt.timedelta(seconds=1)
    assert serve(limit, [True]) == [False]


def test_clock_that_went_back_opens_a_window_when_a_whole_one_has_passed():
    limit, clock = timed(MIDNIGHT)
    serve(limit, [True])
    clock.now = MIDNIGHT - 3 * DAY
    serve(limit, [False])
    clock.now += DAY
    assert serve(limit, [True, True]) == [True, False]


def test_clock_that_goes_back_again_and_again_opens_no_window():
    limit, clock = timed(MIDNIGHT)
    serve(limit, [True])
    for days in range(2, 6):
        clock.now = MIDNIGHT - days * DAY
        assert serve(limit, [True]) == [False]


@pytest.mark.parametrize("hour", [0, 1, 23])
def test_one_reading_from_the_far_future_silences_for_one_window_at_most(hour):
    limit, clock = timed(MIDNIGHT)
    clock.now = MIDNIGHT + 100_000 * DAY
    serve(limit, [True])
    silent = 0
    clock.now = MIDNIGHT + dt.timedelta(hours=hour)
    while serve(limit, [True]) == [False]:
        clock.now += dt.timedelta(hours=1)
        silent += 1
    assert silent == 24


def test_windows_after_a_reading_from_the_far_future_are_as_ever():
    limit, clock = timed(MIDNIGHT, labels=2)
    clock.now = MIDNIGHT + 100_000 * DAY
    serve(limit, [True] * 3)
    asked = []
    for hour in range(24 * 5):
        clock.now = MIDNIGHT + dt.timedelta(hours=hour)
        asked += serve(limit, [True])
    assert [sum(asked[i : i + 24]) for i in range(0, len(asked), 24)] == [0, 2, 2, 2, 2]


def test_looking_at_a_wrong_clock_costs_nothing():
    limit, clock = timed(MIDNIGHT)
    serve(limit, [False])
    clock.now = MIDNIGHT + 100_000 * DAY
    assert limit.can_ask()
    clock.now = MIDNIGHT
    assert serve(limit, [True, True]) == [True, False]


def test_label_of_a_window_is_not_given_back_to_one_that_the_clock_shows_again():
    limit, clock = timed(MIDNIGHT + DAY)
    refund_token = limit.try_spend()
    for days in (-1, 0, 1):  # back, a new window after a whole one, and the day of the label again
        clock.now = MIDNIGHT + days * DAY
        serve(limit, [True])
    limit.refund(refund_token)
    assert limit.left == 0


def test_step_reads_the_clock_once():
    limit, _ = timed(0.0)
    serve(limit, [True])
    # Each reading belongs to another window than the one before.
    readings = iter([86_400.0, 0.0] * 20)
    limit.clock = lambda: next(readings)
    assert [limit.try_spend() is not None for _ in range(5)] == [True, False, False, False, False]


def test_idle_days_save_up_nothing():
    limit, clock = timed(MIDNIGHT, labels=2)
    clock.now = MIDNIGHT + 30 * DAY
    assert sum(serve(limit, [True] * 10)) == 2


@given(st.lists(st.floats(0.0, 50.0), max_size=50), st.integers(0, 3))
def test_no_window_of_time_costs_more_than_its_labels(steps, labels):
    limit, clock = timed(0.0, labels, every=dt.timedelta(seconds=60))
    spent = {}
    for step in steps:
        clock.now += step
        window = math.floor(clock.now / 60)
        spent[window] = spent.get(window, 0) + sum(serve(limit, [True]))
    assert all(cost <= labels for cost in spent.values())


def test_system_clock_is_the_default():
    limit = budget.WindowBudget(1, every=dt.timedelta(days=365_000))
    assert serve(limit, [True, True]) == [True, False]


# Parameters out of range


@pytest.mark.parametrize("make", [budget.TotalBudget, lambda n: budget.WindowBudget(n, every=5)])
def test_negative_number_of_labels_is_refused(make):
    with pytest.raises(ValueError, match="labels"):
        make(-1)


@pytest.mark.parametrize("labels", [1.5, "3", None, True])
@pytest.mark.parametrize("make", [budget.TotalBudget, lambda n: budget.WindowBudget(n, every=5)])
def test_number_of_labels_that_is_no_integer_is_refused(make, labels):
    with pytest.raises(TypeError, match="labels"):
        make(labels)


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.1, math.nan, math.inf])
def test_rate_outside_its_range_is_refused(rate):
    with pytest.raises(ValueError, match="rate"):
        budget.RateBudget(rate)


@pytest.mark.parametrize("rate", ["0.1", None])
def test_rate_that_is_no_number_is_refused(rate):
    with pytest.raises(TypeError, match="rate"):
        budget.RateBudget(rate)


@pytest.mark.parametrize(("window", "error"), [(0, ValueError), (-5, ValueError), (2.5, TypeError)])
def test_window_that_is_no_number_of_events_is_refused(window, error):
    with pytest.raises(error, match="window"):
        budget.RateBudget(0.1, window=window)


@pytest.mark.parametrize(
    ("every", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (dt.timedelta(0), ValueError),
        (-DAY, ValueError),
        (1.5, TypeError),
        ("day", TypeError),
    ],
)
def test_length_of_a_window_that_is_none_is_refused(every, error):
    with pytest.raises(error, match="every"):
        budget.WindowBudget(1, every=every)


@pytest.mark.parametrize(
    "reading",
    [10**400, 1e308, -1e308, math.nan, "noon"],
    ids=lambda r: repr(r)[:9],
)
def test_clock_that_shows_no_time_is_an_error_that_says_so(reading):
    labels = budget.WindowBudget(3, dt.timedelta(microseconds=1), clock=lambda: reading)
    with pytest.raises(ValueError, match="the clock must give a datetime"):
        labels.tick()


@pytest.mark.parametrize("now", [dt.datetime(2026, 5, 1, 23, 59), dt.datetime.min])
def test_clock_without_a_time_zone_is_refused(now):
    labels = budget.WindowBudget(3, dt.timedelta(days=1), clock=lambda: now)
    with pytest.raises(ValueError, match="time zone"):
        labels.tick()


def test_event_that_comes_while_the_clock_fails_is_not_counted():
    labels = budget.WindowBudget(3, dt.timedelta(days=1), clock=lambda: "noon")
    before = vars(labels).copy()
    with pytest.raises(ValueError, match="the clock"):
        labels.tick()
    assert vars(labels) == before


@pytest.mark.parametrize("share", [0.02, "2%"])
def test_a_share_in_place_of_a_number_of_labels_is_answered_with_the_budget_that_takes_one(share):
    with pytest.raises(TypeError, match=r"must be an integer, not .*budget\.RateBudget\("):
        ActiveLearner(budget=share)

"""A budget in numbers that a page can show."""

from __future__ import annotations

import datetime as dt

import pytest
from asking import ALWAYS, Clock, X

from river_oa3 import ActiveLearner, budget
from river_oa3.service.progress import outlook


def spent(limit, n=3):
    """A learner that has asked for some labels."""
    model = ActiveLearner(query=ALWAYS, budget=limit, seed=1)
    for _ in range(n):
        model.predict_one(X)
    return model


@pytest.mark.parametrize("limit", [20, budget.TotalBudget(20)])
def test_a_number_of_labels_is_told_as_spent_and_left(limit):
    told = outlook(spent(limit), None)
    assert told == {"kind": "total", "labels": 20, "spent": 3, "left": 17}


def test_no_budget_is_told_as_none():
    assert outlook(spent(None), 1.0) == {"kind": "none"}


def test_a_rate_is_told_with_what_may_be_asked_for_now():
    told = outlook(spent(budget.RateBudget(0.25, window=8), n=1), None)
    assert (told["kind"], told["rate"]) == ("rate", 0.25)


def test_a_window_of_events_is_told_with_its_length():
    told = outlook(spent(budget.WindowBudget(20, every=1000)), None)
    assert told == {"kind": "window", "labels": 20, "spent": 3, "left": 17, "events": 1000}


def test_a_window_of_time_is_told_with_its_end():
    day = budget.WindowBudget(20, dt.timedelta(days=1), clock=Clock(1.5 * 86400))
    told = outlook(spent(day), None)
    assert (told["spent"], told["renewed_at"]) == (3, "1970-01-03T00:00:00+00:00")


def test_a_pace_says_until_when_it_lasts():
    told = outlook(spent(20), 17 / 3600)
    assert told["labels_per_hour"] == pytest.approx(17)
    lasts = dt.datetime.fromisoformat(told["lasts_until"]) - dt.datetime.now(dt.UTC)
    assert lasts.total_seconds() == pytest.approx(3600, abs=60)

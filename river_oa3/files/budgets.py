"""What an active learner may spend, and has spent.

A budget that several learners share is stored with each of them, and is each one's own when they
are loaded.
"""

from __future__ import annotations

import datetime as dt

from river_oa3 import budget
from river_oa3.budget import RateBudget, TotalBudget, WindowBudget
from river_oa3.files.errors import FileError
from river_oa3.files.parts import Fields, Json, Writer, check_attributes, register
from river_oa3.files.values import LARGEST_INTEGER

# No clock shows more seconds, and no window of time has a higher number.
_END_OF_TIME = 3e15
_LAST_WINDOW = 2**62


def _encode_total(spending: TotalBudget, writer: Writer) -> Json:
    check_attributes(spending, ("labels", "_spent"))
    return {
        "labels": writer.integer("a budget", spending.labels),
        "spent": writer.count(spending._spent),
    }


def _decode_total(fields: Fields) -> TotalBudget:
    spending = TotalBudget(fields.integer("labels"))
    spending._spent = fields.count("spent")
    return spending


def _encode_rate(spending: RateBudget, writer: Writer) -> Json:
    check_attributes(spending, ("rate", "window", "_saved", "_most"))
    return {
        "rate": spending.rate,
        "window": writer.integer("a window", spending.window),
        "saved": spending._saved,
    }


def _decode_rate(fields: Fields) -> RateBudget:
    spending = RateBudget(fields.number("rate"), fields.integer("window"))
    # Ten shares of 0.1 may be a little less than the label they pay for.
    spending._saved = fields.number("saved", -1e-6, spending._most)
    return spending


def _encode_window(spending: WindowBudget, writer: Writer) -> Json:
    check_attributes(spending, ("labels", "every", "clock", "_events", "_window"))
    if spending.clock is not None:
        raise FileError(
            "a WindowBudget with a clock of its own cannot be stored in a file, for the clock is "
            "code: store it with budget.clock = None, which is the system's clock, and set the "
            "clock again when it is loaded"
        )
    every = spending.every
    return {
        "labels": writer.integer("a budget", spending.labels),
        "every": [every.days, every.seconds, every.microseconds]
        if isinstance(every, dt.timedelta)
        else writer.integer("a window", every),
        "events": writer.count(spending._events),
        "window": _encode_open_window(spending._window, writer),
    }


def _decode_window(fields: Fields) -> WindowBudget:
    every = fields.value("every")
    if type(every) is list:
        if [type(number) for number in every] != [int, int, int]:
            fields.refuse("every", "is not days, seconds and microseconds")
        every = dt.timedelta(*every)
    elif type(every) is not int or every > LARGEST_INTEGER:
        fields.refuse("every", "is neither a number of events nor a time")
    spending = WindowBudget(fields.integer("labels"), every)
    spending._events = fields.count("events")
    spending._window = _decode_open_window(fields.inner("window"))
    return spending


def _encode_open_window(window: budget._Window, writer: Writer) -> Json:
    return {
        "number": writer.value(min(window.number, _LAST_WINDOW)),
        "refund_token": writer.value(min(window.refund_token, _LAST_WINDOW)),
        "spent": writer.count(window.spent),
        "went_back_to": window.went_back_to,
        "events_before": writer.count(window.events_before),
        "labels_before": writer.count(window.labels_before),
        "events_last": None if window.events_last is None else writer.count(window.events_last),
        "opened": window.opened,
    }


def _decode_open_window(fields: Fields) -> budget._Window:
    window = budget._Window(
        number=fields.integer("number", -LARGEST_INTEGER, _LAST_WINDOW),
        refund_token=fields.integer("refund_token", -LARGEST_INTEGER, _LAST_WINDOW),
        spent=fields.count("spent"),
        went_back_to=None
        if fields.is_null("went_back_to")
        else fields.number("went_back_to", -_END_OF_TIME, _END_OF_TIME),
        events_before=fields.count("events_before"),
        labels_before=fields.count("labels_before"),
        events_last=None if fields.is_null("events_last") else fields.count("events_last"),
        opened=fields.number("opened", 0.0, 1.0),
    )
    fields.check_all_taken()
    return window


register(TotalBudget, _encode_total, _decode_total)
register(RateBudget, _encode_rate, _decode_rate)
register(WindowBudget, _encode_window, _decode_window)

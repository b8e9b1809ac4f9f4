"""The active learner, and its rules for asking and for paying."""

from __future__ import annotations

import datetime as dt
import random
import typing

import numpy as np
from river import base

from river_oa3 import budget, query
from river_oa3._core.query import AdaptiveRule
from river_oa3.active import ActiveLearner
from river_oa3.budget import Budget, RateBudget, TotalBudget, WindowBudget
from river_oa3.files.errors import FileError
from river_oa3.files.parts import (
    LARGEST_COUNT,
    Fields,
    Json,
    Writer,
    check_attributes,
    register,
)
from river_oa3.query import (
    AdaptiveQuery,
    AsymmetricQuery,
    FirstComeQuery,
    Query,
    RandomQuery,
)

# Attributes of an active learner that follow from its parameters.
_DERIVED = (
    *("_is_pipeline", "_knows_margin", "_answers_as_core", "_observes", "_takes_short_way"),
    "_adapts",
)
_COUNTS = ("n_seen", "n_asked", "n_learned", "_n_leading_zero_events", "_taught")
_PARTS = ("classifier", "seed", "_rng", "query", "_query", "budget", "_budget", "_last")


def _encode_active(model: ActiveLearner, writer: Writer) -> Json:
    check_attributes(model, (*_DERIVED, *_COUNTS, *_PARTS, "learn_transformers"))
    counts = vars(model)
    return {
        "classifier": writer.part(model.classifier),
        # What a None or a number was made into, and how it was given.
        "query": writer.part(model._query),
        "query_given": model.query is not None,
        "budget": None if model._budget is None else writer.part(model._budget),
        "budget_given_as_number": model._budget is not None
        and not isinstance(model.budget, Budget),
        "learn_transformers": bool(model.learn_transformers),
        **{name.strip("_"): counts[name] for name in _COUNTS},
        "last_query": None if model._last is None else list(model._last),
        "seed": writer.value(model.seed),
        "random": _encode_random(model._rng, writer),
    }


def _decode_active(fields: Fields) -> ActiveLearner:
    rule = fields.part("query", Query)
    spending = fields.optional_part("budget", Budget)
    as_number = fields.flag("budget_given_as_number")
    if as_number and type(spending) is not TotalBudget:
        fields.refuse("budget", "was given as a number, and is not a TotalBudget")
    query_given = fields.flag("query_given")
    model = ActiveLearner(
        fields.part("classifier", base.Classifier),
        rule if query_given else None,
        spending.labels if as_number else spending,
        _decode_seed(fields),
        fields.flag("learn_transformers"),
    )
    if type(rule) is not type(model._query):
        fields.refuse("query", f"is not the rule for a {type(model.classifier).__name__}")
    model._query, model._budget = rule, spending
    for name in _COUNTS:
        setattr(model, name, fields.integer(name.strip("_")))
    model._last = _decode_last(fields)
    model._rng = _decode_random(fields.inner("random"))
    return model


def _decode_seed(fields: Fields) -> int | None:
    seed = fields.value("seed")
    if not (seed is None or type(seed) is int):
        fields.refuse("seed", "is neither an integer nor null")
    return seed


def _decode_last(fields: Fields) -> tuple[float, bool, int | None] | None:
    last = fields.value("last_query")
    if last is None:
        return None
    kinds = [float, bool, (int, type(None))]
    if type(last) is not list or len(last) != 3 or not all(map(isinstance, last, kinds)):
        fields.refuse("last_query", "is not a probability, a decision and a token")
    return last[0], last[1], last[2]


def _encode_random(source: random.Random, writer: Writer) -> Json:
    if type(source) is not random.Random:
        raise FileError(
            f"a generator of random numbers that is a {type(source).__module__}."
            f"{type(source).__qualname__} cannot be stored in a file: use random.Random"
        )
    version, words, gauss = source.getstate()
    return {
        "version": version,
        "words": writer.array("random", np.array(words, dtype=np.int64)),
        "gauss": writer.value(gauss),
    }


def _decode_random(fields: Fields) -> random.Random:
    version = fields.integer("version")
    words = fields.array("words")
    gauss = fields.value("gauss")
    if not (gauss is None or type(gauss) is float):
        fields.refuse("gauss", "is not a number")
    fields.check_all_taken()
    # Not of the caller's: whatever is wrong with the words is found before it matters.
    source = random.Random(0)
    n_words = len(source.getstate()[1])
    if words.dtype != np.int64 or words.shape != (n_words,) or not words[:-1].any():
        fields.refuse("words", f"are not the {n_words} numbers of a generator")
    source.setstate((version, tuple(words.tolist()), gauss))
    return source


def _encode_asymmetric(rule: AsymmetricQuery, writer: Writer) -> Json:
    check_attributes(rule, ("delta_pos", "delta_neg", "use_confidence"))
    return {
        "delta_pos": rule.delta_pos,
        "delta_neg": rule.delta_neg,
        "use_confidence": bool(rule.use_confidence),
    }


def _decode_asymmetric(fields: Fields) -> AsymmetricQuery:
    return AsymmetricQuery(
        fields.number("delta_pos"), fields.number("delta_neg"), fields.flag("use_confidence")
    )


def _encode_adaptive(rule: AdaptiveQuery, writer: Writer) -> Json:
    check_attributes(rule, ("_rule",))
    mean, count = typing.cast(typing.Any, rule._rule).__reduce__()[1]
    return {"mean": mean, "count": count}


def _decode_adaptive(fields: Fields) -> AdaptiveQuery:
    rule = AdaptiveQuery()
    # Of worths, none of which is above ten.
    rule._rule = AdaptiveRule(
        fields.number("mean", 0.0, 10.0), fields.number("count", 0.0, float(LARGEST_COUNT))
    )
    return rule


def _encode_random_query(rule: RandomQuery, writer: Writer) -> Json:
    check_attributes(rule, ("_probability",))
    return {"probability": rule._probability}


def _decode_random_query(fields: Fields) -> RandomQuery:
    return RandomQuery(fields.number("probability"))


def _encode_first_come(rule: FirstComeQuery, writer: Writer) -> Json:
    check_attributes(rule, ())
    return {}


def _decode_first_come(fields: Fields) -> FirstComeQuery:
    return FirstComeQuery()


def _encode_total(spending: TotalBudget, writer: Writer) -> Json:
    check_attributes(spending, ("labels", "_spent"))
    return {"labels": writer.value(spending.labels), "spent": spending._spent}


def _decode_total(fields: Fields) -> TotalBudget:
    spending = TotalBudget(fields.value("labels"))
    spending._spent = fields.integer("spent")
    return spending


def _encode_rate(spending: RateBudget, writer: Writer) -> Json:
    check_attributes(spending, ("rate", "window", "_saved", "_most"))
    return {
        "rate": spending.rate,
        "window": writer.value(spending.window),
        "saved": spending._saved,
    }


def _decode_rate(fields: Fields) -> RateBudget:
    spending = RateBudget(fields.number("rate"), fields.value("window"))
    spending._saved = fields.number("saved", -1.0, spending._most)
    return spending


def _encode_window(spending: WindowBudget, writer: Writer) -> Json:
    check_attributes(spending, ("labels", "every", "clock", "_events", "_window"))
    if spending.clock is not None:
        raise FileError(
            "a WindowBudget with a clock of its own cannot be stored in a file, for the clock is "
            "code: store it with clock=None, which is the system's clock, and set budget.clock "
            "again when it is loaded"
        )
    every = spending.every
    is_time = isinstance(every, dt.timedelta)
    return {
        "labels": writer.value(spending.labels),
        "every": None if isinstance(every, dt.timedelta) else writer.value(every),
        "every_time": [every.days, every.seconds, every.microseconds]
        if isinstance(every, dt.timedelta)
        else None,
        "events": spending._events,
        "window": {name: writer.value(value) for name, value in spending._window._asdict().items()},
    }


def _decode_window(fields: Fields) -> WindowBudget:
    every, time = fields.value("every"), fields.value("every_time")
    if time is not None:
        if every is not None or type(time) is not list or [type(n) for n in time] != [int] * 3:
            fields.refuse("every_time", "is not days, seconds and microseconds")
        every = dt.timedelta(*time)
    spending = WindowBudget(fields.value("labels"), every)
    spending._events = fields.integer("events")
    spending._window = _decode_open_window(fields.inner("window"))
    return spending


def _decode_open_window(fields: Fields) -> budget._Window:
    window = budget._Window(
        number=fields.integer("number", -(2**63), 2**63),
        refund_token=fields.integer("refund_token", -(2**63), 2**63),
        spent=fields.integer("spent"),
        went_back_to=fields.optional(fields.number, "went_back_to"),
        events_before=fields.integer("events_before"),
        labels_before=fields.integer("labels_before"),
        events_last=fields.optional(fields.integer, "events_last"),
        opened=fields.number("opened", 0.0, 1.0),
    )
    fields.check_all_taken()
    return window


register("ActiveLearner", ActiveLearner, _encode_active, _decode_active)
register("AsymmetricQuery", query.AsymmetricQuery, _encode_asymmetric, _decode_asymmetric)
register("AdaptiveQuery", query.AdaptiveQuery, _encode_adaptive, _decode_adaptive)
register("RandomQuery", query.RandomQuery, _encode_random_query, _decode_random_query)
register("FirstComeQuery", query.FirstComeQuery, _encode_first_come, _decode_first_come)
register("TotalBudget", TotalBudget, _encode_total, _decode_total)
register("RateBudget", RateBudget, _encode_rate, _decode_rate)
register("WindowBudget", WindowBudget, _encode_window, _decode_window)

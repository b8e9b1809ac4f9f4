"""The active learner, with what it draws its decisions from."""

from __future__ import annotations

import random
import typing

import numpy as np
from river import base, compose

from river_oa3 import pipelines
from river_oa3.active import ActiveLearner
from river_oa3.budget import Budget, TotalBudget
from river_oa3.files.errors import FileError
from river_oa3.files.parts import Fields, Json, Writer, check_attributes, full_name, register
from river_oa3.files.values import LARGEST_INTEGER
from river_oa3.pending.uniforms import EventUniforms
from river_oa3.query import Query

# Attributes that follow from the parameters, or are of use until the next event alone.
_NOT_STORED = (
    *("_is_pipeline", "_knows_margin", "_answers_as_core", "_observes", "_takes_short_way"),
    *("_adapts", "_asked_about", "_asked_odds", "_keeps_odds"),
)
_COUNTS = ("n_seen", "n_asked", "n_learned", "_n_leading_zero_events", "_taught")
_PARTS = ("classifier", "seed", "_rng", "query", "_query", "budget", "_budget", "_last")

# Of the generator of Python's random.
_VERSION, _N_WORDS = 3, 624


def _encode_active(model: ActiveLearner, writer: Writer) -> Json:
    check_attributes(model, (*_NOT_STORED, *_COUNTS, *_PARTS, "learn_transformers"))
    counts = vars(model)
    return {
        "classifier": writer.part(model.classifier),
        # What a None or a number was made into, and how it was given.
        "query": writer.part(model._query),
        "query_given": model.query is not None,
        "budget": writer.optional_part(model._budget),
        "budget_given_as_number": model._budget is not None
        and not isinstance(model.budget, Budget),
        "learn_transformers": bool(model.learn_transformers),
        **{name.strip("_"): writer.count(counts[name]) for name in _COUNTS},
        "last_query": _encode_last(model, writer),
        "seed": writer.value(model.seed),
        "random": _encode_random(model._rng, writer),
    }


def _decode_active(fields: Fields) -> ActiveLearner:
    rule = fields.part("query", (Query,))
    spending = fields.optional_part("budget", (Budget,))
    as_number = fields.flag("budget_given_as_number")
    if as_number and type(spending) is not TotalBudget:
        fields.refuse("budget", "was given as a number, and is not a TotalBudget")
    seed = fields.value("seed")
    if not (seed is None or type(seed) is int):
        fields.refuse("seed", "is neither an integer nor null")
    classifier = fields.part("classifier", (base.Classifier, compose.Pipeline))
    if not issubclass(type(pipelines.last_step(classifier)), base.Classifier):
        fields.refuse("classifier", "does not end in a classifier")
    model = ActiveLearner(
        classifier,
        rule if fields.flag("query_given") else None,
        spending.labels if as_number else spending,
        seed,
        fields.flag("learn_transformers"),
    )
    if type(rule) is not type(model._query):
        fields.refuse("query", f"is not the rule for a {type(model.classifier).__name__}")
    model._query, model._budget = rule, spending
    for name in _COUNTS:
        setattr(model, name, fields.count(name.strip("_")))
    model._last = None if fields.is_null("last_query") else _decode_last(fields.inner("last_query"))
    model._rng = _decode_random(fields.inner("random"))
    return model


def _encode_last(model: ActiveLearner, writer: Writer) -> Json | None:
    if model._last is None:
        return None
    probability, asked, token = model._last
    return {"probability": probability, "asked": asked, "refund_token": writer.value(token)}


def _decode_last(fields: Fields) -> tuple[float, bool, int | None]:
    last = (
        fields.number("probability", 0.0, 1.0),
        fields.flag("asked"),
        None
        if fields.is_null("refund_token")
        else fields.integer("refund_token", least=-LARGEST_INTEGER),
    )
    fields.check_all_taken()
    return last


def _encode_random(source: random.Random | EventUniforms, writer: Writer) -> Json:
    if isinstance(source, EventUniforms):
        raise FileError(
            "an ActiveLearner that belongs to a store cannot be stored in a file, for its "
            "decisions come from the store: store its classifier, or make the PendingLabels again "
            "with the same store"
        )
    if type(source) is not random.Random:
        raise FileError(
            f"a generator of random numbers that is a {full_name(type(source))} cannot be stored "
            "in a file: use random.Random"
        )
    _, (*words, position), gauss = source.getstate()
    return {
        "words": writer.array("random", np.array(words, dtype=np.int64)),
        "position": position,
        "gauss": gauss,
    }


def _decode_random(fields: Fields) -> random.Random:
    words = fields.array("words")
    position = fields.integer("position", most=_N_WORDS)
    gauss = None if fields.is_null("gauss") else fields.number("gauss")
    fields.check_all_taken()
    # All zeros would give zeros for ever.
    if not (
        words.dtype == np.int64
        and words.shape == (_N_WORDS,)
        and 0 <= words.min() < words.max() < 2**32
    ):
        fields.refuse("words", f"are not the {_N_WORDS} numbers of a generator")
    source = random.Random(0)
    source.setstate((_VERSION, (*typing.cast("list[int]", words.tolist()), position), gauss))
    return source


register(ActiveLearner, _encode_active, _decode_active)

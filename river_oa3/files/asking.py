"""The active learner with its budget, its rule and its generator; and the quality of its answers.

A budget that several learners share is stored with each of them, and is each one's own when they
are loaded.
"""

from __future__ import annotations

import random
import typing
from collections.abc import Callable

import numpy as np
from river import base, compose
from river import metrics as river_metrics

from river_oa3 import pipelines
from river_oa3.active import ActiveLearner
from river_oa3.budget import Budget, RateBudget, TotalBudget, WindowBudget
from river_oa3.files.errors import FileError
from river_oa3.files.parts import (
    Fields,
    Json,
    Writer,
    check_attributes,
    check_goes_on,
    refusal,
    register,
)
from river_oa3.metrics import Sensitivity, Specificity, WeightedCost, WeightedSum
from river_oa3.monitor import AskedQuality
from river_oa3.query import AdaptiveQuery, AsymmetricQuery, FirstComeQuery, Query, RandomQuery
from river_oa3.state import Stateful

_METRICS = (Sensitivity, Specificity, WeightedCost, WeightedSum, river_metrics.Precision)

# Of the generator of Python's random.
_VERSION, _N_WORDS = 3, 624


def _register_stateful(
    kind: type[Stateful],
    encode: Callable[[typing.Any, Writer], Json],
    decode: Callable[[Fields], Stateful],
) -> None:
    """Add a type that gives and takes its own state; the codec is for its parameters alone."""

    def encode_all(part: typing.Any, writer: Writer) -> Json:
        parameters = encode(part, writer)
        fresh = part.clone() if isinstance(part, base.Base) else type(part)(part.metric)
        check_attributes(part, vars(fresh))
        return {**parameters, **writer.state(part.state())}

    def decode_all(fields: Fields) -> Stateful:
        part = decode(fields)
        state = fields.state(like=part.state())
        part.restore(state)
        check_goes_on(part, state)
        return part

    register(kind, encode_all, decode_all)


def _encode_window(budget: WindowBudget, writer: Writer) -> Json:
    if budget.clock is not None:
        raise FileError(
            "a WindowBudget with a clock of its own cannot be stored in a file, for the clock is "
            "code: store it with budget.clock = None, which is the system's clock, and set the "
            "clock again when it is loaded"
        )
    return {
        "labels": writer.integer("a budget", budget.labels),
        "every": writer.span("a window", budget.every),
    }


def _encode_asymmetric(rule: AsymmetricQuery, writer: Writer) -> Json:
    return {
        "delta_pos": rule.delta_pos,
        "delta_neg": rule.delta_neg,
        "use_confidence": bool(rule.use_confidence),
    }


def _decode_asymmetric(fields: Fields) -> AsymmetricQuery:
    return AsymmetricQuery(
        fields.number("delta_pos"), fields.number("delta_neg"), fields.flag("use_confidence")
    )


_register_stateful(
    TotalBudget,
    lambda budget, writer: {"labels": writer.integer("a budget", budget.labels)},
    lambda fields: TotalBudget(fields.integer("labels")),
)
_register_stateful(
    RateBudget,
    lambda budget, writer: {
        "rate": budget.rate,
        "window": writer.integer("a window", budget.window),
    },
    lambda fields: RateBudget(fields.number("rate"), fields.integer("window")),
)
_register_stateful(
    WindowBudget,
    _encode_window,
    lambda fields: WindowBudget(fields.integer("labels"), fields.span("every")),
)
_register_stateful(AsymmetricQuery, _encode_asymmetric, _decode_asymmetric)
_register_stateful(AdaptiveQuery, lambda rule, writer: {}, lambda fields: AdaptiveQuery())
_register_stateful(
    RandomQuery,
    lambda rule, writer: {"probability": rule.probability(0.0, 0.0)},
    lambda fields: RandomQuery(fields.number("probability")),
)
_register_stateful(FirstComeQuery, lambda rule, writer: {}, lambda fields: FirstComeQuery())
_register_stateful(
    AskedQuality,
    lambda quality, writer: {"metric": writer.part(quality.metric)},
    lambda fields: AskedQuality(fields.part("metric", _METRICS)),
)


def _encode_active(model: ActiveLearner, writer: Writer) -> Json:
    check_attributes(model, vars(ActiveLearner(model.classifier)))
    state = model.state()
    source = state.pop("random")
    return {
        "classifier": writer.part(model.classifier),
        # What a None or a number was made into, and how it was given.
        "query": writer.part(model.rule),
        "query_given": model.query is not None,
        "budget": writer.optional_part(model.spending),
        "budget_given_as_number": model.spending is not None
        and not isinstance(model.budget, Budget),
        "learn_transformers": bool(model.learn_transformers),
        **writer.state(state),
        "seed": writer.value(model.seed),
        "random": _encode_random(source, writer),
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
    if type(rule) is not type(model.rule):
        fields.refuse("query", f"is not the rule for a {type(model.classifier).__name__}")
    # The two may have been made anew.
    model.rule.restore(rule.state())
    if model.spending is not None:
        model.spending.restore(spending.state())
    source = _decode_random(fields.inner("random"))
    model.restore({**fields.state(like={}), "random": source})
    return model


def _encode_random(source: typing.Any, writer: Writer) -> Json:
    if type(source) is not random.Random:
        raise FileError(refusal(source, "use random.Random"))
    _, (*words, position), gauss = source.getstate()
    return {
        "words": writer.array("random", np.array(words, dtype=np.int64)),
        "position": position,
        "gauss": gauss,
    }


def _decode_random(fields: Fields) -> random.Random:
    words = fields.array("words")
    position = fields.integer("position", most=_N_WORDS)
    gauss = fields.optional(fields.number, "gauss")
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

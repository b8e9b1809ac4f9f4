"""The learners of this package, and the metrics that answers are judged by.

What a metric has counted elsewhere is not the model's.
"""

from __future__ import annotations

import functools
import typing

import numpy as np
from river import metrics as river_metrics

from river_oa3._core import checks
from river_oa3._core.auto import Auto
from river_oa3.auto import AutoOA3Classifier
from river_oa3.base import MarginClassifier, SecondOrderClassifier, SketchedClassifier
from river_oa3.files.parts import Fields, Json, Writer, check_attributes, register
from river_oa3.first_order import (
    CostSensitiveClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)
from river_oa3.metrics import Sensitivity, Specificity, WeightedCost, WeightedSum
from river_oa3.oa3 import OA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier
from river_oa3.state import shown


def _encode_core(model: MarginClassifier, writer: Writer) -> Json:
    """What the compiled core stores of itself: names, arrays and numbers."""
    state = typing.cast(typing.Any, model._core).__getstate__()
    names = writer.names(state.pop("names"))
    arrays = {
        name: writer.array(name, value)
        for name, value in state.items()
        if isinstance(value, np.ndarray)
    }
    numbers = {
        name: writer.count(value) if type(value) is int else writer.value(value)
        for name, value in state.items()
        if name not in (*arrays, "stream")
    }
    if "stream" in state:  # 64 bits at random, which nothing counts
        numbers["stream"] = writer.value(state["stream"])
    return {"names": names, "numbers": numbers, "arrays": arrays}


def _decode_core(fields: Fields) -> Json:
    """The state as the core stored it, which the core checks when it is given to it."""
    content = fields.inner("state")
    numbers, arrays = content.inner("numbers"), content.inner("arrays")
    state: Json = {name: numbers.value(name) for name in numbers.left()}
    state |= {name: arrays.array(name) for name in arrays.left()}
    state["names"] = content.names("names")
    content.check_all_taken()
    return state


def _restored(model: MarginClassifier, state: Json) -> typing.Any:
    core = typing.cast(typing.Any, model._core)
    unknown = state.keys() - core.__getstate__().keys()
    if unknown:
        raise ValueError(f"its state has what nothing is known of: {shown(sorted(unknown))}")
    core.__setstate__(state)
    return model


def _encode_series(model: SecondOrderClassifier | AutoOA3Classifier, writer: Writer) -> Json:
    return {"series": None if model._y_name is None else writer.names([model._y_name])[0]}


def _series(fields: Fields) -> typing.Any:
    """The name of the series of labels that was learned last."""
    return None if fields.is_null("series") else fields.name("series")


def _encode_second_order(model: SecondOrderClassifier, writer: Writer) -> Json:
    check_attributes(model, ("_core", "_y_name"))
    content: Json = {"eta": model.eta, "gamma": model.gamma, "rho": model.rho}
    if isinstance(model, SketchedClassifier):
        content |= {"sketch_size": model.sketch_size, "seed": writer.value(model.seed)}
    return {**content, **_encode_series(model, writer), "state": _encode_core(model, writer)}


def _decode_second_order(kind: type[SecondOrderClassifier], fields: Fields) -> typing.Any:
    params: Json = {name: fields.number(name) for name in ("eta", "gamma", "rho")}
    series, state = _series(fields), _decode_core(fields)
    if issubclass(kind, SketchedClassifier):
        size = fields.integer("sketch_size", least=1)
        # It takes memory for as many as it is told: the file must be of that size too.
        if getattr(state.get("A"), "shape", None) != (size, size):
            fields.refuse("sketch_size", f"is {size}, and 'A' is not {size} by {size}")
        params |= {"sketch_size": size, "seed": fields.value("seed")}
    model = kind(**params)
    model._y_name = series
    _restored(model, state)
    if isinstance(model, OA3Classifier):
        _check_covariance(model, fields)
    return model


def _check_covariance(model: OA3Classifier, fields: Fields) -> None:
    """No event may have a variance below 0, by more than rounding."""
    covariance = typing.cast(typing.Any, model._core).covariance()
    covariance[np.diag_indices_from(covariance)] += 1e-6
    try:
        np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        fields.refuse("state", "holds what is not a covariance")


def _encode_auto(model: AutoOA3Classifier, writer: Writer) -> Json:
    check_attributes(model, ("_core", "_y_name", "objective"))
    core = model._core
    return {
        "objective": writer.optional_part(model.objective),
        "max_features": writer.integer("max_features", model.max_features),
        # Those of the objective when the model was made, which may have changed since.
        "price_fn": core.price_fn,
        "price_fp": core.price_fp,
        "knows_odds": core.knows_odds,
        **_encode_series(model, writer),
        "state": _encode_core(model, writer),
    }


def _decode_auto(fields: Fields) -> AutoOA3Classifier:
    objective = fields.optional_part("objective", (WeightedSum, WeightedCost))
    max_features = fields.integer("max_features", least=1)
    model = AutoOA3Classifier(objective, max_features)
    price_fn, price_fp = (
        checks.weight(name, fields.number(name)) for name in ("price_fn", "price_fp")
    )
    model._core = Auto(price_fn, price_fp, fields.flag("knows_odds"), max_features)
    model._y_name = _series(fields)
    return typing.cast(AutoOA3Classifier, _restored(model, _decode_core(fields)))


def _encode_passive_aggressive(model: PassiveAggressiveClassifier, writer: Writer) -> Json:
    check_attributes(model, ("_core",))
    return {"C": model.C, "mode": model.mode, "state": _encode_core(model, writer)}


def _decode_passive_aggressive(fields: Fields) -> typing.Any:
    model = PassiveAggressiveClassifier(fields.number("C"), fields.integer("mode"))
    return _restored(model, _decode_core(fields))


def _encode_perceptron(model: PerceptronClassifier, writer: Writer) -> Json:
    check_attributes(model, ("_core",))
    return {"eta": model.eta, "state": _encode_core(model, writer)}


def _decode_perceptron(fields: Fields) -> typing.Any:
    return _restored(PerceptronClassifier(fields.number("eta")), _decode_core(fields))


def _encode_cost_sensitive(model: CostSensitiveClassifier, writer: Writer) -> Json:
    check_attributes(model, ("_core",))
    params = {"eta": model.eta, "rho": model.rho, "loss": model.loss}
    return {**params, "state": _encode_core(model, writer)}


def _decode_cost_sensitive(fields: Fields) -> typing.Any:
    model = CostSensitiveClassifier(fields.number("eta"), fields.number("rho"), fields.text("loss"))
    return _restored(model, _decode_core(fields))


_Bare = Sensitivity | Specificity | river_metrics.Precision


def _encode_sum(metric: WeightedSum, writer: Writer) -> Json:
    check_attributes(metric, vars(metric.clone()))
    return {"alpha_pos": metric.alpha_pos, "positive": writer.value(metric.pos_val)}


def _decode_sum(fields: Fields) -> WeightedSum:
    return WeightedSum(fields.number("alpha_pos"), pos_val=fields.value("positive"))


def _encode_cost(metric: WeightedCost, writer: Writer) -> Json:
    check_attributes(metric, vars(metric.clone()))
    return {
        "cost_fn": metric.cost_fn,
        "cost_fp": metric.cost_fp,
        "positive": writer.value(metric.pos_val),
    }


def _decode_cost(fields: Fields) -> WeightedCost:
    return WeightedCost(
        fields.number("cost_fn"), fields.number("cost_fp"), pos_val=fields.value("positive")
    )


def _encode_bare(metric: _Bare, writer: Writer) -> Json:
    check_attributes(metric, vars(metric.clone()))
    return {"positive": writer.value(metric.pos_val)}


def _decode_bare(kind: type[_Bare], fields: Fields) -> _Bare:
    return kind(pos_val=fields.value("positive"))


for _kind in (OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier):
    register(_kind, _encode_second_order, functools.partial(_decode_second_order, _kind))
register(AutoOA3Classifier, _encode_auto, _decode_auto)
register(PassiveAggressiveClassifier, _encode_passive_aggressive, _decode_passive_aggressive)
register(PerceptronClassifier, _encode_perceptron, _decode_perceptron)
register(CostSensitiveClassifier, _encode_cost_sensitive, _decode_cost_sensitive)
register(WeightedSum, _encode_sum, _decode_sum, is_setting=True)
register(WeightedCost, _encode_cost, _decode_cost, is_setting=True)
for _metric in (Sensitivity, Specificity, river_metrics.Precision):
    register(_metric, _encode_bare, functools.partial(_decode_bare, _metric), is_setting=True)

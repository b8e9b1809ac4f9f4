"""Metrics as what answers are judged by: what they have counted elsewhere is not the model's."""

from __future__ import annotations

from river_oa3.files.parts import Fields, Json, Writer, check_attributes, register
from river_oa3.metrics import Sensitivity, Specificity, WeightedCost, WeightedSum

_COUNTING = ("cm", "pos_val", "_requires_labels")


def _encode_sum(metric: WeightedSum, writer: Writer) -> Json:
    check_attributes(metric, ("alpha_pos", *_COUNTING))
    return {"alpha_pos": metric.alpha_pos, "positive": writer.value(metric.pos_val)}


def _decode_sum(fields: Fields) -> WeightedSum:
    return WeightedSum(fields.number("alpha_pos"), pos_val=fields.value("positive"))


def _encode_cost(metric: WeightedCost, writer: Writer) -> Json:
    check_attributes(metric, ("cost_fn", "cost_fp", "_missed", "_false_alarms", *_COUNTING))
    return {
        "cost_fn": metric.cost_fn,
        "cost_fp": metric.cost_fp,
        "positive": writer.value(metric.pos_val),
    }


def _decode_cost(fields: Fields) -> WeightedCost:
    return WeightedCost(
        fields.number("cost_fn"), fields.number("cost_fp"), pos_val=fields.value("positive")
    )


def _encode_bare(metric: Sensitivity | Specificity, writer: Writer) -> Json:
    check_attributes(metric, _COUNTING)
    return {"positive": writer.value(metric.pos_val)}


register(Sensitivity, _encode_bare, lambda fields: Sensitivity(pos_val=fields.value("positive")))
register(Specificity, _encode_bare, lambda fields: Specificity(pos_val=fields.value("positive")))
register(WeightedSum, _encode_sum, _decode_sum)
register(WeightedCost, _encode_cost, _decode_cost)

"""What is known of the quality of the answers."""

from __future__ import annotations

import math
import typing

from river import metrics as river_metrics

from river_oa3.files.parts import Fields, Json, Writer, check_attributes, register
from river_oa3.files.values import LARGEST_COUNT
from river_oa3.metrics import Sensitivity, Specificity, WeightedCost, WeightedSum
from river_oa3.monitor import AskedQuality
from river_oa3.monitor.loss_watch import LARGEST_LOSS, WINDOW

_METRICS = (Sensitivity, Specificity, WeightedCost, WeightedSum, river_metrics.Precision)
_STATE = ("_counts", "_weights", "_squares", "_losses", "_has_risen", "_half_way", "n_drifts")
# Of sums of weights, none of which is above a thousand million, and of their squares.
_LARGEST_SUM = 1e40


def _encode_quality(quality: AskedQuality, writer: Writer) -> Json:
    check_attributes(quality, ("metric", "_measure", *_STATE))
    return {
        "metric": writer.part(quality.metric),
        "counts": [writer.count(count) for count in quality._counts],
        "weights": [max(0.0, weight) for weight in quality._weights],
        "squares": [max(0.0, square) for square in quality._squares],
        "losses": writer.numbers("losses", quality._losses),
        "has_risen": bool(quality._has_risen),
        "half_way": quality._half_way,
        "n_drifts": writer.count(quality.n_drifts),
    }


def _decode_quality(fields: Fields) -> AskedQuality:
    quality = AskedQuality(fields.part("metric", _METRICS))
    quality._counts = _four(fields, "counts", int, LARGEST_COUNT)
    quality._weights = _four(fields, "weights", float, _LARGEST_SUM)
    quality._squares = _four(fields, "squares", float, _LARGEST_SUM)
    losses = fields.array("losses").tolist()
    if len(losses) >= 2 * WINDOW or not all(_is_loss(loss) for loss in losses):
        fields.refuse("losses", f"are not up to {2 * WINDOW} numbers from 0 to {LARGEST_LOSS}")
    quality._losses = losses
    quality._has_risen = fields.flag("has_risen")
    quality._half_way = fields.number("half_way", 0.0, LARGEST_LOSS)
    quality.n_drifts = fields.count("n_drifts")
    return quality


def _is_loss(loss: typing.Any) -> bool:
    return type(loss) is float and 0.0 <= loss <= LARGEST_LOSS


def _four(fields: Fields, name: str, kind: type, most: float) -> typing.Any:
    """A number of each kind of event."""
    numbers = fields.value(name)
    if not (
        type(numbers) is list
        and [type(number) for number in numbers] == [kind] * 4
        and all(math.isfinite(number) and 0 <= number <= most for number in numbers)
    ):
        fields.refuse(name, f"are not four numbers from 0 to {most:g}")
    return numbers


register(AskedQuality, _encode_quality, _decode_quality)

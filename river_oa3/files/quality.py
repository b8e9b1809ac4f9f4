"""What is known of the quality of the answers."""

from __future__ import annotations

from river import metrics as river_metrics

from river_oa3.files.parts import Fields, Json, Writer, check_attributes, register
from river_oa3.files.values import LARGEST_COUNT
from river_oa3.metrics import Sensitivity, Specificity, WeightedCost, WeightedSum
from river_oa3.monitor import AskedQuality

_METRICS = (Sensitivity, Specificity, WeightedCost, WeightedSum, river_metrics.Precision)
_STATE = ("_counts", "_weights", "_squares", "_losses", "_has_risen", "_half_way", "n_drifts")


def _encode_quality(quality: AskedQuality, writer: Writer) -> Json:
    check_attributes(quality, ("metric", *_STATE))
    return {
        "metric": writer.part(quality.metric),
        "counts": [writer.count(count) for count in quality._counts],
        "weights": writer.value(quality._weights),
        "squares": writer.value(quality._squares),
        "losses": writer.numbers("losses", quality._losses),
        "has_risen": bool(quality._has_risen),
        "half_way": writer.value(quality._half_way),
        "n_drifts": writer.count(quality.n_drifts),
    }


def _decode_quality(fields: Fields) -> AskedQuality:
    quality = AskedQuality(fields.part("metric", _METRICS))
    counts = fields.value("counts")
    # It checks the rest itself.
    quality.__setstate__(
        {
            "_counts": counts,
            "_weights": fields.value("weights"),
            "_squares": fields.value("squares"),
            "_losses": fields.array("losses").tolist(),
            "_has_risen": fields.flag("has_risen"),
            "_half_way": fields.value("half_way"),
            "n_drifts": fields.count("n_drifts"),
        }
    )
    if max(counts) > LARGEST_COUNT:
        fields.refuse("counts", "are too large")
    return quality


register(AskedQuality, _encode_quality, _decode_quality)

"""What asked labels say of all events, and what they do not."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import metrics as river_metrics
from river import utils

from river_oa3 import metrics
from river_oa3.monitor import AskedQuality, Estimate

MEASURES = ["sensitivity", "specificity", "precision", "weighted_sum", "weighted_cost"]

_probabilities = st.floats(0.01, 1.0)
asked_labels = st.lists(st.tuples(st.booleans(), st.booleans(), _probabilities), max_size=80)


def fed(labels, metric=None):
    quality = AskedQuality(metric)
    for label in labels:
        quality.update(*label)
    return quality


def some_labels(n=40, probability=0.2):
    """Of each ten: three hits, a miss, two false alarms, four passes."""
    ten = [(True, True)] * 3 + [(True, False)] + [(False, True)] * 2 + [(False, False)] * 4
    return [(*label, probability) for label in ten * (n // 10)]


@given(
    labels=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=60, max_size=120),
    alpha=st.floats(0, 1),
)
def test_labels_that_were_all_asked_for_give_the_metric_itself(labels, alpha):
    labels += [(True, True), (True, False), (False, True), (False, False)] * 15
    for metric, scale in [
        (metrics.WeightedSum(alpha), 1),
        (metrics.WeightedCost(3, 2), len(labels)),
        (metrics.Sensitivity(), 1),
        (metrics.Specificity(), 1),
        (river_metrics.Precision(), 1),
    ]:
        quality = fed([(*label, 1.0) for label in labels], metric)
        for label in labels:
            metric.update(*label)
        expected = pytest.approx(metric.get() / scale)
        assert quality.get() == expected
        # And nothing is left to doubt.
        assert quality.interval() == (expected, expected)


def test_a_label_counts_by_the_inverse_of_its_probability():
    hits = [(True, True, 0.5)] * 20
    misses = [(True, False, 0.1)] * 4
    assert fed(hits + misses, metrics.Sensitivity()).get() == pytest.approx(40 / (40 + 40))


def test_equal_probabilities_give_the_shares_of_the_labels():
    quality = fed(some_labels(100))
    assert quality.estimate("sensitivity").value == pytest.approx(30 / 40)
    assert quality.estimate("specificity").value == pytest.approx(40 / 60)
    assert quality.estimate("precision").value == pytest.approx(30 / 50)
    assert quality.estimate("weighted_sum").value == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert quality.estimate("weighted_cost").value == pytest.approx(0.9 * 0.1 + 0.1 * 0.2)


@given(labels=asked_labels, level=st.floats(0.01, 0.999))
def test_every_interval_holds_its_estimate_and_stays_in_range(labels, level):
    quality = fed(labels + some_labels(40))
    for measure in MEASURES:
        estimate = quality.estimate(measure, level)
        assert estimate is None or 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert quality.interval() == quality.estimate()[1:]


@given(labels=asked_labels)
def test_surer_intervals_are_wider(labels):
    quality = fed(labels + some_labels(40))
    for measure in MEASURES:
        if quality.is_enough(measure):
            inner, outer = quality.estimate(measure, 0.8), quality.estimate(measure, 0.99)
            assert outer.low <= inner.low <= inner.high <= outer.high


def test_more_labels_make_intervals_narrower():
    few, many = (fed(some_labels(n)).interval() for n in (100, 1000))
    assert many[1] - many[0] < 0.5 * (few[1] - few[0])


def test_rarer_asking_makes_intervals_wider():
    often, rarely = (fed(some_labels(100, p)).interval() for p in (0.5, 0.05))
    assert rarely[1] - rarely[0] > 1.2 * (often[1] - often[0])


def test_no_miss_among_the_labels_is_no_proof_that_there_is_none():
    quality = fed([(True, True, 0.5)] * 20 + [(False, False, 0.05)] * 20, metrics.Sensitivity())
    assert quality.get() == 1.0
    low, high = quality.interval()
    assert 0.3 < low < 0.9
    assert high == 1.0


def test_metric_decides_what_is_told():
    labels = some_labels(100)
    for metric, measure in [
        (None, "weighted_sum"),
        (metrics.WeightedCost(), "weighted_cost"),
        (metrics.Sensitivity(), "sensitivity"),
        (metrics.Specificity(), "specificity"),
        (river_metrics.Precision(), "precision"),
    ]:
        quality = fed(labels, metric)
        assert quality.get() == quality.estimate(measure).value
        assert quality.to_dict()["metric"] == measure


def test_metric_brings_its_weights():
    labels = some_labels(100)
    assert fed(labels, metrics.WeightedSum(1.0)).get() == pytest.approx(30 / 40)
    assert fed(labels, metrics.WeightedCost(5, 0)).get() == pytest.approx(5 * 0.1)


def test_metric_itself_is_left_alone():
    metric = metrics.WeightedSum()
    fed(some_labels(), metric)
    assert metric.cm.total_weight == 0


@pytest.mark.parametrize("metric", [river_metrics.F1(), metrics.WeightedSum, "sensitivity", 0.5])
def test_other_metrics_are_refused(metric):
    with pytest.raises(TypeError, match="metric must be"):
        AskedQuality(metric)


def test_metric_of_another_class_is_refused():
    with pytest.raises(ValueError, match="pos_val must be True"):
        AskedQuality(metrics.WeightedSum(pos_val="spam"))


def test_fifteen_labels_of_each_class_are_enough():
    quality = AskedQuality()
    for _ in range(15):
        assert quality.get() is None
        assert quality.interval() is None
        assert not quality.is_enough()
        assert quality.summary.startswith("Too few labels to say: ")
        quality.update(True, True, 0.5)
        quality.update(False, True, 0.5)
    assert quality.is_enough()
    assert isinstance(quality.estimate(), Estimate)
    assert quality.summary.startswith("The weighted sum is ")


def test_each_measure_needs_labels_of_the_classes_it_looks_at():
    positives = fed([(True, False, 0.5)] * 15)
    assert {m for m in MEASURES if positives.is_enough(m)} == {"sensitivity"}
    negatives = fed([(False, False, 0.5)] * 15)
    assert {m for m in MEASURES if negatives.is_enough(m)} == {"specificity"}
    alarms = fed([(True, False, 0.5)] * 15 + [(False, True, 0.5)] * 14)
    assert not alarms.is_enough("precision")


def test_effective_size_is_that_of_labels_of_equal_weight():
    assert AskedQuality().effective_sample_size == 0.0
    assert fed(some_labels(40)).effective_sample_size == pytest.approx(40)
    # One label stands for as many events as the other hundred together.
    heavy = fed([(False, False, 1.0)] * 100 + [(False, False, 0.01)])
    assert heavy.effective_sample_size == pytest.approx(200**2 / (100 + 100**2))


def test_labels_are_counted():
    quality = fed(some_labels(40))
    assert (quality.n_labels, quality.n_positives) == (40, 16)


@pytest.mark.parametrize("labels", [[], some_labels(10), some_labels(100)])
def test_dict_is_json_and_says_what_the_methods_say(labels):
    quality = fed(labels)
    told = json.loads(json.dumps(quality.to_dict(), allow_nan=False))
    assert list(told["measures"]) == MEASURES
    for measure, numbers in told["measures"].items():
        estimate = quality.estimate(measure)
        assert numbers["enough"] == (estimate is not None) == quality.is_enough(measure)
        expected = estimate or (None, None, None)
        assert (numbers["estimate"], numbers["low"], numbers["high"]) == expected
    assert told["n_labels"] == quality.n_labels
    assert told["effective_sample_size"] == quality.effective_sample_size
    assert told["drift_detected"] is False
    assert told["summary"] == quality.summary


def test_representation_is_the_summary():
    quality = fed(some_labels(100))
    assert quality.summary in repr(quality)


@pytest.mark.parametrize("probability", [0.0, -0.1, 1.0001, math.nan, math.inf, Decimal("NaN")])
def test_probabilities_outside_of_their_range_are_refused(probability):
    quality = AskedQuality()
    with pytest.raises(ValueError, match="probability must be"):
        quality.update(True, True, probability)
    assert quality.n_labels == 0


@pytest.mark.parametrize("probability", ["0.5", None, [0.5]])
def test_probabilities_that_are_no_numbers_are_refused(probability):
    with pytest.raises(TypeError, match="probability must be a number"):
        AskedQuality().update(True, True, probability)


@pytest.mark.parametrize("label", ["spam", None, 2, -1, math.nan])
def test_labels_that_are_no_labels_are_refused(label):
    quality = AskedQuality()
    for labels in [(label, True), (True, label)]:
        with pytest.raises(ValueError, match="a label is True or False"):
            quality.update(*labels, 0.5)
    assert quality.n_labels == 0


def test_labels_and_probabilities_of_other_types_are_taken():
    plain, other = AskedQuality(), AskedQuality()
    plain.update(True, False, 1.0)
    plain.update(False, True, 0.5)
    other.update(np.True_, 0, 1)
    other.update(0.0, np.int64(1), np.float32(0.5))
    assert plain.to_dict() == other.to_dict()


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, math.nan])
def test_levels_outside_of_their_range_are_refused(level):
    with pytest.raises(ValueError, match="level must be"):
        fed(some_labels()).interval(level)


def test_unknown_measures_are_refused():
    with pytest.raises(ValueError, match="measure must be one of sensitivity, "):
        AskedQuality().estimate("accuracy")


def test_smallest_probabilities_leave_finite_numbers():
    quality = fed(some_labels(40) + [(True, False, 5e-324)] * 3)
    assert all(math.isfinite(number) for number in quality.estimate("sensitivity"))


def test_rolling_quality_is_that_of_the_newest_labels():
    newest = some_labels(100)
    rolling = utils.Rolling(AskedQuality, window_size=100)
    for label in [(True, False, 0.013)] * 50 + newest:
        rolling.update(*label)
    assert rolling.obj.n_labels == 100
    assert rolling.obj.estimate("weighted_sum") == pytest.approx(fed(newest).estimate())


def test_labels_that_are_all_taken_back_leave_nothing():
    quality = AskedQuality()
    for probability in (0.1, 0.3):
        quality.update(True, True, probability)
    for probability in (0.3, 0.1):
        quality.revert(True, True, probability)
    assert quality.to_dict() == AskedQuality().to_dict()

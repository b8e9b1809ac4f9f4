"""The paper's metrics, by hand, against scikit-learn, and in river's own company."""

from __future__ import annotations

import math
import pickle
import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets, evaluate, linear_model, preprocessing, utils
from river import metrics as river_metrics
from sklearn import metrics as sklearn_metrics

from river_oa3 import metrics

# Of 4 positives 3 are found, of 5 negatives 2 are let pass.
OUTCOMES = [(True, True)] * 3 + [(True, False)] + [(False, False)] * 2 + [(False, True)] * 3

METRICS = {
    "sum": (partial(metrics.WeightedSum, alpha_pos=0.7), 0.7 * 3 / 4 + 0.3 * 2 / 5),
    "cost": (partial(metrics.WeightedCost, cost_fn=5.0, cost_fp=0.5), 5.0 * 1 + 0.5 * 3),
    "sensitivity": (partial(metrics.Sensitivity), 3 / 4),
    "specificity": (partial(metrics.Specificity), 2 / 5),
}
each_metric = pytest.mark.parametrize(
    "make", [make for make, _ in METRICS.values()], ids=list(METRICS)
)
each_value = pytest.mark.parametrize(("make", "value"), METRICS.values(), ids=METRICS)

outcomes = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30)
# Weights with an exact sum, so that taking one back leaves what was there before.
weights = st.integers(0, 40).map(lambda eighths: eighths / 8)
weighted_outcomes = st.lists(st.tuples(st.booleans(), st.booleans(), weights), max_size=30)


def updated(metric, updates):
    for update in updates:
        metric.update(*update)
    return metric


def random_outcomes(seed, n=300):
    rng = random.Random(seed)
    y_true = [rng.random() < 0.2 for _ in range(n)]
    y_pred = [y if rng.random() < 0.7 else not y for y in y_true]
    return y_true, y_pred, [rng.uniform(0.1, 5.0) for _ in range(n)]


# Values


@each_value
def test_metric_has_the_hand_computed_value(make, value):
    assert updated(make(), OUTCOMES).get() == pytest.approx(value)


def test_weighted_sum_of_equal_parts_is_balanced_accuracy():
    metric = updated(metrics.WeightedSum(), OUTCOMES)
    assert metric.get() == pytest.approx(updated(river_metrics.BalancedAccuracy(), OUTCOMES).get())


def test_costs_are_the_papers_by_default():
    assert updated(metrics.WeightedCost(), OUTCOMES).get() == pytest.approx(0.9 * 1 + 0.1 * 3)


@pytest.mark.parametrize("kind", [int, np.bool_, np.int64])
@each_value
def test_other_kinds_of_true_and_false_count_as_well(make, value, kind):
    metric = make()
    for y_true, y_pred in OUTCOMES:
        metric.update(kind(y_true), kind(y_pred))
    assert metric.get() == pytest.approx(value)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
class TestAgainstScikitLearn:
    @staticmethod
    def both(make, score, seed, weighted):
        y_true, y_pred, w = random_outcomes(seed)
        w = w if weighted else [1.0] * len(w)
        metric = updated(make(), zip(y_true, y_pred, w, strict=True))
        return metric.get(), score(y_true, y_pred, sample_weight=w)

    def test_sensitivity_is_recall(self, seed, weighted):
        ours, theirs = self.both(metrics.Sensitivity, sklearn_metrics.recall_score, seed, weighted)
        assert ours == pytest.approx(theirs)

    def test_specificity_is_recall_of_the_negatives(self, seed, weighted):
        def recall_of_negatives(y_true, y_pred, sample_weight):
            return sklearn_metrics.recall_score(
                y_true, y_pred, pos_label=False, sample_weight=sample_weight
            )

        ours, theirs = self.both(metrics.Specificity, recall_of_negatives, seed, weighted)
        assert ours == pytest.approx(theirs)

    def test_weighted_sum_is_balanced_accuracy(self, seed, weighted):
        ours, theirs = self.both(
            metrics.WeightedSum, sklearn_metrics.balanced_accuracy_score, seed, weighted
        )
        assert ours == pytest.approx(theirs)

    def test_cost_is_that_of_the_confusion_matrix(self, seed, weighted):
        def cost(y_true, y_pred, sample_weight):
            (_, false_alarms), (missed, _) = sklearn_metrics.confusion_matrix(
                y_true, y_pred, sample_weight=sample_weight
            )
            return 7.0 * missed + 2.0 * false_alarms

        ours, theirs = self.both(lambda: metrics.WeightedCost(7.0, 2.0), cost, seed, weighted)
        assert ours == pytest.approx(theirs)


# One class only, or none


@each_metric
def test_metric_of_nothing_is_0(make):
    assert make().get() == 0.0


@pytest.mark.parametrize(
    ("seen", "alpha_pos", "value"),
    [(True, 0.7, 0.7), (False, 0.7, 0.3)],
    ids=["only positives", "only negatives"],
)
def test_class_not_seen_adds_nothing_to_the_weighted_sum(seen, alpha_pos, value):
    metric = updated(metrics.WeightedSum(alpha_pos), [(seen, seen)] * 4)
    assert metric.get() == pytest.approx(value)


def test_sensitivity_is_0_without_positives():
    assert updated(metrics.Sensitivity(), [(False, False), (False, True)]).get() == 0.0


def test_specificity_is_0_without_negatives():
    assert updated(metrics.Specificity(), [(True, False), (True, True)]).get() == 0.0


@pytest.mark.parametrize(("seen", "cost"), [(True, 5.0), (False, 0.5)])
def test_cost_of_one_class_is_that_of_its_mistakes(seen, cost):
    metric = metrics.WeightedCost(cost_fn=5.0, cost_fp=0.5)
    assert updated(metric, [(seen, not seen), (seen, seen)]).get() == cost


@each_metric
def test_metric_of_nothing_can_be_printed(make):
    assert repr(make()).startswith(type(make()).__name__)


# Updates taken back


@each_metric
@given(past=weighted_outcomes, update=st.tuples(st.booleans(), st.booleans(), weights))
def test_update_then_revert_is_the_identity(make, past, update):
    metric = updated(make(), past)
    before = metric.get()
    metric.update(*update)
    metric.revert(*update)
    assert metric.get() == before


@each_metric
@given(past=weighted_outcomes)
def test_nothing_is_left_when_everything_is_reverted(make, past):
    metric = updated(make(), past)
    for update in past:
        metric.revert(*update)
    assert metric.get() == 0.0


@each_metric
@given(past=outcomes)
def test_rolling_metric_is_that_of_the_newest_events(make, past):
    rolling = updated(utils.Rolling(make.func, window_size=7, **make.keywords), past)
    assert rolling.get() == pytest.approx(updated(make(), past[-7:]).get())


# Weights


@each_metric
@given(past=outcomes)
def test_weight_of_three_is_three_events(make, past):
    tripled = updated(make(), [outcome for outcome in past for _ in range(3)])
    weighted = updated(make(), [(*outcome, 3.0) for outcome in past])
    assert weighted.get() == pytest.approx(tripled.get())


@each_metric
def test_event_of_no_weight_is_no_event(make):
    metric = updated(make(), OUTCOMES)
    before = metric.get()
    metric.update(True, False, w=0.0)
    assert metric.get() == before


# Together with others


def test_metrics_add_up_to_a_list_of_their_values():
    both = metrics.WeightedSum() + metrics.WeightedCost(5.0, 0.5) + metrics.Sensitivity()
    assert updated(both, OUTCOMES).get() == pytest.approx([0.575, 6.5, 0.75])


@pytest.mark.parametrize("others", [1, 2, 3], ids=lambda n: f"a matrix of {n + 1} metrics")
@each_value
def test_confusion_matrix_in_common_changes_no_value(make, value, others):
    cm = river_metrics.ConfusionMatrix()
    together = make(cm=cm) + river_metrics.Accuracy(cm=cm)
    for _ in range(others - 1):
        together = together + river_metrics.F1(cm=cm)
    assert updated(together, OUTCOMES).get()[0] == pytest.approx(value)


def test_two_costs_with_one_confusion_matrix_are_not_doubled():
    cm = river_metrics.ConfusionMatrix()
    both = metrics.WeightedCost(1.0, 0.0, cm=cm) + metrics.WeightedCost(0.0, 1.0, cm=cm)
    assert updated(both, OUTCOMES).get() == [1.0, 3.0]


def test_metric_adds_to_rivers_own():
    both = river_metrics.Accuracy() + metrics.WeightedCost(5.0, 0.5)
    assert updated(both, OUTCOMES).get() == pytest.approx([5 / 9, 6.5])


@each_metric
def test_metric_does_not_add_to_one_for_regression(make):
    with pytest.raises(ValueError, match="not compatible"):
        make() + river_metrics.MAE()


def test_metric_that_needs_probabilities_may_stand_beside():
    both = metrics.WeightedCost(5.0, 0.5) + river_metrics.LogLoss()
    both.update(True, {False: 0.8, True: 0.2})
    assert both.get() == pytest.approx([5.0, -math.log(0.2)])


@each_value
def test_positive_class_can_have_a_name(make, value):
    named = {True: "spam", False: "ham"}
    metric = make(pos_val="spam")
    for y_true, y_pred in OUTCOMES:
        metric.update(named[y_true], named[y_pred])
    assert metric.get() == pytest.approx(value)


@each_value
def test_all_classes_but_the_positive_one_are_negative(make, value):
    metric = make(pos_val="spam")
    others = iter(["ham", "news", "junk"] * 10)
    for outcome in OUTCOMES:
        metric.update(*["spam" if positive else next(others) for positive in outcome])
    assert metric.get() == pytest.approx(value)


# As river's own metrics


@each_metric
def test_metric_survives_pickling(make):
    metric = updated(make(), OUTCOMES)
    twin = pickle.loads(pickle.dumps(metric))
    assert updated(twin, OUTCOMES[:4]).get() == updated(metric, OUTCOMES[:4]).get()


@each_metric
def test_clone_starts_from_nothing(make):
    assert updated(make(), OUTCOMES).clone().get() == 0.0


@each_value
def test_clone_keeps_the_parameters(make, value):
    assert updated(make().clone(), OUTCOMES).get() == pytest.approx(value)


@each_metric
def test_clone_leaves_the_metric_alone(make):
    metric = updated(make(), OUTCOMES)
    before = metric.get()
    updated(metric.clone(), [(True, False), (False, True)])
    assert metric.get() == before


@each_metric
def test_metric_is_rivers_binary_metric(make):
    assert isinstance(make(), river_metrics.base.BinaryMetric)


@each_metric
def test_metric_works_with_classifiers(make):
    assert make().works_with(linear_model.LogisticRegression())


@each_metric
def test_metric_does_not_work_with_regressors(make):
    assert not make().works_with(linear_model.LinearRegression())


@each_metric
def test_better_is_the_one_with_fewer_mistakes(make):
    good = updated(make(), [(True, True), (False, False), (True, True), (False, False)])
    bad = updated(make(), [(True, False), (False, True), (True, True), (False, False)])
    assert good.is_better_than(bad)


@each_metric
def test_evaluator_computes_it_from_labels(make):
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    twin = model.clone()
    metric = evaluate.progressive_val_score(datasets.Phishing().take(300), model, make())
    expected = make()
    for x, y in datasets.Phishing().take(300):
        expected.update(y, twin.predict_one(x))
        twin.learn_one(x, y)
    assert metric.get() == pytest.approx(expected.get())


# In print


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (100.0, "100"),
        (10.0, "10"),
        (1.0, "1"),
        (0.5, "0.5"),
        (120.25, "120.25"),
        (2_000_000.0, "2,000,000"),
    ],
)
def test_cost_is_shown_in_full(cost, shown):
    metric = updated(metrics.WeightedCost(cost_fn=cost), [(True, False)])
    assert repr(metric) == f"WeightedCost: {shown}"


def test_cost_of_nothing_is_shown_as_0():
    assert repr(metrics.WeightedCost()) == "WeightedCost: 0"


def test_cost_is_shown_in_full_among_others():
    both = metrics.WeightedSum() + metrics.WeightedCost(cost_fn=100.0)
    updated(both, [(True, False), (False, False)])
    assert repr(both) == "WeightedSum: 50.00%\nWeightedCost: 100"


def test_cost_is_shown_in_full_by_str():
    assert str(updated(metrics.WeightedCost(100.0), [(True, False)])) == "WeightedCost: 100"


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        (metrics.WeightedSum(), "WeightedSum: 57.50%"),
        (metrics.Sensitivity(), "Sensitivity: 75.00%"),
        (metrics.Specificity(), "Specificity: 40.00%"),
    ],
)
def test_shares_are_shown_in_percent(metric, shown):
    assert repr(updated(metric, OUTCOMES)) == shown


# Parameters out of range


@pytest.mark.parametrize("alpha_pos", [-0.1, 1.1, math.nan, math.inf])
def test_weight_of_sensitivity_outside_its_range_is_refused(alpha_pos):
    with pytest.raises(ValueError, match="alpha_pos"):
        metrics.WeightedSum(alpha_pos=alpha_pos)


@pytest.mark.parametrize("alpha_pos", ["0.5", None])
def test_weight_of_sensitivity_that_is_no_number_is_refused(alpha_pos):
    with pytest.raises(TypeError, match="alpha_pos"):
        metrics.WeightedSum(alpha_pos=alpha_pos)


@pytest.mark.parametrize("name", ["cost_fn", "cost_fp"])
@pytest.mark.parametrize("cost", [-1.0, math.nan, math.inf])
def test_cost_that_is_negative_or_not_finite_is_refused(name, cost):
    with pytest.raises(ValueError, match=name):
        metrics.WeightedCost(**{name: cost})


@pytest.mark.parametrize("name", ["cost_fn", "cost_fp"])
@pytest.mark.parametrize("cost", ["1", None])
def test_cost_that_is_no_number_is_refused(name, cost):
    with pytest.raises(TypeError, match=name):
        metrics.WeightedCost(**{name: cost})


@pytest.mark.parametrize(("alpha_pos", "value"), [(0, 2 / 5), (1, 3 / 4)])
def test_all_the_weight_may_be_on_one_class(alpha_pos, value):
    assert updated(metrics.WeightedSum(alpha_pos), OUTCOMES).get() == pytest.approx(value)

"""What events teach without their labels, from sums: the same as one by one."""

from __future__ import annotations

import functools
import math
import operator
import random

import numpy as np
import pyarrow as pa
import pytest
from arrow_events import as_maps
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import ActiveLearner, AutoOA3Classifier, budget
from river_oa3._core.category import Category
from river_oa3.scoring import Observed, Scorer, rows_of_columns, rows_of_maps

TOLERANCE = 1e-9

# How many events count in full; then those so far count by half.
WINDOW = 8000

values = st.floats(-1e6, 1e6).filter(bool)
events = st.lists(st.dictionaries(st.sampled_from("abcdef"), values, max_size=5), max_size=30)
TAME = st.floats(-2.0, 5.0).filter(bool)


def tame_events(names, values=TAME):
    """Events without values so far off that they count as nearer ones."""
    return st.lists(st.dictionaries(st.sampled_from(names), values, max_size=5), max_size=30)


def observed_of(model, xs, kind=None):
    scorer, rows = Scorer(model), rows_of_maps(as_maps(xs, kind))
    return scorer.observed(rows, scorer.score(rows))


def scaling(model):
    """n, mean and var of each feature, by name."""
    state = model.classifier._core.__getstate__()
    columns = zip(state["n"], state["mean"], state["var"], strict=True)
    return dict(zip(state["names"], columns, strict=True)), state["t"], state["clock"]


def assert_scaled_alike(one, other):
    (features, *counts), (wanted, *wanted_counts) = scaling(one), scaling(other)
    assert counts == pytest.approx(wanted_counts, rel=TOLERANCE)
    assert features.keys() == wanted.keys()
    for name, seen in wanted.items():
        assert features[name][:2] == pytest.approx(seen[:2], rel=TOLERANCE, abs=TOLERANCE)
        scale = seen[2] + seen[1] ** 2
        assert features[name][2] == pytest.approx(seen[2], abs=TOLERANCE * scale + 1e-300)


def started(**params):
    """An active learner that has seen and learned a little, the same each time."""
    model = ActiveLearner(AutoOA3Classifier(**params), budget=10, seed=1)
    for i in range(20):
        x = {"a": float(i % 7) - 2.5, "b": 0.1 * i + 1.0}
        model.predict_one(x)
        model.learn_one(x, i % 3 == 0)
    return model


def one_by_one(model, xs):
    for x in xs:
        model.classifier.observe_one(x)
    return model


def taught(model, *parts):
    sums = [observed_of(model, part) for part in parts]
    functools.reduce(operator.add, sums).teach(model)
    return model


@given(events, st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_partitions_or_their_order(xs, chance):
    model = started()
    whole = observed_of(model, xs)
    cuts = sorted(chance.randrange(len(xs) + 1) for _ in range(3))
    bounds = zip([0, *cuts], [*cuts, len(xs)], strict=True)
    parts = [observed_of(model, xs[start:stop]) for start, stop in bounds]
    chance.shuffle(parts)
    added = functools.reduce(operator.add, parts, Observed())
    assert added.events == whole.events == len(xs)
    assert added.rows == pytest.approx(whole.rows, rel=TOLERANCE, abs=TOLERANCE)
    assert added.features.keys() == whole.features.keys()
    for name, seen in whole.features.items():
        scale = seen[2] + seen[1] ** 2
        assert added.features[name] == pytest.approx(seen, rel=TOLERANCE, abs=TOLERANCE * scale)


@given(tame_events("ab"), tame_events("ab"))
def test_scaling_is_that_of_observing_one_by_one(first, second):
    assert_scaled_alike(taught(started(), first, second), one_by_one(started(), first + second))


@given(tame_events("abcdef", st.sampled_from([1.0, -1.0])))
def test_an_empty_model_is_taught_as_one_by_one(xs):
    fresh = [ActiveLearner(AutoOA3Classifier()) for _ in range(2)]
    assert_scaled_alike(taught(fresh[0], xs), one_by_one(fresh[1], xs))


@pytest.mark.parametrize("wild", [1e9, -1e9, 1e200])
def test_wild_values_move_the_scale_no_further_than_one_by_one(wild):
    chance = random.Random(5)
    xs = [{"a": wild if i % 50 == 7 else chance.gauss(0, 2), "b": 2.0} for i in range(200)]
    (batch, *_), (single, *_) = (scaling(teach(started(), xs)) for teach in (taught, one_by_one))
    assert batch["a"][2] <= single["a"][2]
    assert batch["a"][0] == single["a"][0]


def test_gaps_are_counted_as_one_by_one():
    xs = [{"a": None if i % 3 else 1.0, "b": 2.0, "never": math.nan} for i in range(30)]
    counted = [
        teach(started(), xs).classifier._core.__getstate__() for teach in (taught, one_by_one)
    ]
    for state in counted:
        assert dict(zip(state["names"], state["gaps"], strict=True)) == {"a": 20.0, "b": 0.0}


def test_categories_are_taught_by_their_values():
    xs = [{"colour": colour} for colour in ("red", "green", "red", None)]
    model = ActiveLearner(AutoOA3Classifier())
    observed_of(model, xs, pa.string()).teach(model)
    assert_scaled_alike(model, one_by_one(ActiveLearner(AutoOA3Classifier()), xs))
    assert Category("colour", "red") in scaling(model)[0]


def test_counters_stand_where_predictions_would_have_brought_them():
    xs = [{"a": 1.0 + i} for i in range(50)]
    model, single = started(), started()
    taught(model, xs)
    for x in xs:
        single.predict_one(x)
    assert (model.n_seen, model._taught) == (single.n_seen, single._taught)


def test_a_dense_feature_gets_its_bins():
    xs = [
        {"a": float(i % 9), "rare": 1.0} if i % 5 == 0 else {"a": float(i % 9)} for i in range(60)
    ]
    models = [taught(ActiveLearner(), xs), one_by_one(ActiveLearner(), xs)]
    states = [model.classifier._core.__getstate__() for model in models]
    binned = [
        {name for name, bins in zip(state["names"], state["bins_of"], strict=True) if bins >= 0}
        for state in states
    ]
    assert binned[0] == binned[1] == {"a"}


def test_old_events_count_for_half_where_they_would_one_by_one():
    chance = random.Random(4)
    first = [{"a": chance.gauss(5, 1)} for _ in range(WINDOW - 20)]
    then = [{"a": chance.gauss(1, 1), "b": 1.0} for _ in range(100)]
    model, single = started(), one_by_one(started(), first + then)
    taught(model, first)
    taught(model, then)
    (features, *counts), (wanted, *wanted_counts) = scaling(model), scaling(single)
    assert counts == wanted_counts == [WINDOW / 2 + 100, WINDOW + 100]
    for name in ("a", "b"):
        n, mean, var = features[name]
        wanted_n, wanted_mean, wanted_var = wanted[name]
        assert n == pytest.approx(wanted_n)
        # One by one a block of values may end within the batch.
        assert mean == pytest.approx(wanted_mean, abs=0.1 * wanted_var**0.5)
        assert var == pytest.approx(wanted_var, rel=0.1)


def test_a_batch_across_many_halvings_counts_as_one_by_one():
    xs = [{"a": 1.0 + i % 2} for i in range(5 * WINDOW + 123)]
    model, single = taught(started(), xs), one_by_one(started(), xs)
    assert scaling(model)[1:] == scaling(single)[1:]
    assert scaling(model)[0]["a"] == pytest.approx(scaling(single)[0]["a"], rel=1e-3)
    assert scaling(model)[0]["b"][0] == pytest.approx(scaling(single)[0]["b"][0], rel=TOLERANCE)


def test_hundreds_of_halvings_leave_what_one_by_one_leaves_of_old_events():
    events = 100 * WINDOW + 123
    sums = Observed(
        events, {"a": (float(events), 2.0, 0.25, 0.0)}, (1.0 * events, 0.0, 0.0, 0.0, 0.0)
    )
    model = started()
    sums.teach(model)
    features, t, clock = scaling(model)
    assert clock == 20 + events
    assert WINDOW / 2 <= t < WINDOW
    assert features["a"] == pytest.approx((t, 2.0, 0.25), rel=1e-6)
    assert features["b"][0] < 1e-5


def test_a_model_after_any_batch_can_be_stored_and_goes_on_alike():
    model = taught(started(), [{"a": 1e200}, {"c": 1.0}], [{f"f{i}": 1.0} for i in range(40)])
    state = model.classifier._core.__getstate__()
    again = AutoOA3Classifier()
    again._core.__setstate__(state)
    for x in ({"a": 2.0, "b": 1.0}, {"f3": 1.0}):
        assert again.margin_one(x) == model.classifier.margin_one(x)


# More features than a model may know


def test_more_new_features_than_fit_leave_the_most_frequent():
    model = ActiveLearner(AutoOA3Classifier(max_features=8))
    xs = [{f"rare{i}": 1.0, "often": 2.0} for i in range(50)]
    taught(model, xs)
    features = scaling(model)[0]
    assert features["often"] == (50.0, 2.0, 0.0)
    assert len(features) == 6


def test_old_features_make_way_and_those_of_the_batch_stay():
    model = ActiveLearner(AutoOA3Classifier(max_features=8))
    one_by_one(model, [{f"old{i}": 1.0} for i in range(8)])
    model.classifier.learn_one({"old0": 1.0}, True)
    weight = model.classifier.weights["old0"]
    taught(model, [{"old0": 1.0, "new0": 1.0}, {"new1": 1.0, "new2": 1.0}])
    assert {"old0", "new0", "new1", "new2"} <= scaling(model)[0].keys()
    assert model.classifier.weights["old0"] == weight != 0.0


# Learners that scale nothing


def test_the_papers_learners_count_events_and_learn_nothing():
    from river_oa3 import OA3DiagClassifier

    model = ActiveLearner(OA3DiagClassifier(), budget=budget.TotalBudget(5))
    scorer = Scorer(model)
    rows = rows_of_columns({"a": pa.array(np.arange(5.0))}, is_raw=False)
    scorer.observed(rows, scorer.score(rows)).teach(model)
    assert (model.n_seen, model.classifier.weights) == (5, {})

"""Laws of AutoOA3: they hold whatever the stream, the scale and the accidents."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from auto_streams import (
    AUTO_QUESTIONS,
    answers,
    auto_trained,
    raw_events,
    raw_streams,
    told_while_learning,
)
from bad_values import NOT_LABELS, NOT_MAPPINGS, assert_refused
from copies import each_copy
from hypothesis import given, settings
from hypothesis import strategies as st
from learners import state
from river import compose, preprocessing

from river_oa3 import ActiveLearner, AutoOA3Classifier, budget, metrics

# Finite, whatever the scale

extreme_numbers = st.sampled_from(
    [5e-324, 1e-310, 1e-200, 1e-155, 1e-8, 1.0, 1e8, 1e150, 1e155, 1e300, 1.7976931348623157e308]
)
extreme_values = extreme_numbers | extreme_numbers.map(lambda value: -value) | st.just(0)
extreme_events = st.dictionaries(st.sampled_from("abcdef"), extreme_values, max_size=5)
extreme_weights = st.sampled_from([0.0, 5e-324, 1e-300, 1e-3, 1.0, 1e3, 1e150, 1e300, 1e308])
extreme_streams = st.lists(
    st.tuples(extreme_events, st.none() | st.booleans(), extreme_weights), max_size=40
)


def numbers_of(model):
    """Every number that a model stores."""
    held = model._core.__getstate__()
    return {name: part for name, part in held.items() if not isinstance(part, (list, str))}


def assert_finite(model, x):
    bad = [name for name, part in numbers_of(model).items() if not np.isfinite(part).all()]
    assert not bad
    assert math.isfinite(model.margin_one(x))
    assert 0 < model.variance_one(x) < math.inf
    assert -0.5 <= model.confidence_one(x) < 0
    odds = model.predict_proba_one(x)
    assert 0 <= odds[True] <= 1
    assert 0 <= odds[False] <= 1
    assert odds[True] + odds[False] == pytest.approx(1.0, abs=1e-12)


@given(stream=extreme_streams)
@settings(max_examples=200)
def test_nothing_is_ever_not_finite(stream):
    model = AutoOA3Classifier()
    for x, y, w in stream:
        assert_finite(model, x)
        if y is None:
            model.observe_one(x)
        else:
            model.learn_one(x, y, w)
        assert_finite(model, x)


@given(stream=extreme_streams, seed=st.integers(0, 9))
def test_nothing_is_ever_not_finite_inside_an_active_learner(stream, seed):
    model = ActiveLearner(seed=seed)
    for x, y, w in stream:
        model.predict_one(x)
        if y is not None:
            model.learn_one(x, y, w=w)
        assert_finite(model.classifier, x)


@given(stream=extreme_streams)
def test_what_was_learned_at_any_scale_can_be_stored(stream):
    model = AutoOA3Classifier()
    for x, y, w in stream:
        model.learn_one(x, bool(y), w)
    twin = pickle.loads(pickle.dumps(model))
    assert twin._core.__getstate__()["names"] == model._core.__getstate__()["names"]
    assert [twin.margin_one(x) for x, *_ in stream] == [model.margin_one(x) for x, *_ in stream]


# What is missing is not there

ZEROS = {"zero": 0, "zero-float": -0.0, "false": False, "numpy-false": np.bool_(False)}
MISSING = {
    "nan": math.nan,
    "numpy-nan": np.float64("nan"),
    "numpy-float32-nan": np.float32("nan"),
    "numpy-float16-nan": np.float16("nan"),
    "decimal-nan": Decimal("NaN"),
    "decimal-signalling-nan": Decimal("sNaN"),
    "NA": pd.NA,
    "NaT": pd.NaT,
}


def with_some(value, stream, data):
    """The stream with this value in some places, and with nothing there."""
    names = ["a", "b", "colour", 7, "never seen"]
    places = [data.draw(st.sets(st.sampled_from(names))) for _ in stream]
    there = [
        (x | dict.fromkeys(place, value), *rest)
        for (x, *rest), place in zip(stream, places, strict=True)
    ]
    absent = [
        ({name: value for name, value in x.items() if name not in place}, *rest)
        for (x, *rest), place in zip(stream, places, strict=True)
    ]
    return there, absent


@pytest.mark.parametrize("zero", ZEROS.values(), ids=ZEROS)
@given(stream=raw_streams, data=st.data())
@settings(max_examples=15)
def test_zero_is_an_absent_value(zero, stream, data):
    there, absent = with_some(zero, stream, data)
    one, other = AutoOA3Classifier(), AutoOA3Classifier()
    assert told_while_learning(one, there) == told_while_learning(other, absent)
    assert state(one) == state(other)


@pytest.mark.parametrize("nothing", MISSING.values(), ids=MISSING)
@given(stream=raw_streams, data=st.data())
@settings(max_examples=15)
def test_missing_value_is_the_same_whatever_says_so(nothing, stream, data):
    there, _ = with_some("missing", stream, data)
    said, said_otherwise = (
        [
            ({name: word if value == "missing" else value for name, value in x.items()}, *rest)
            for x, *rest in there
        ]
        for word in (nothing, math.nan)
    )
    one, other = AutoOA3Classifier(), AutoOA3Classifier()
    assert told_while_learning(one, said) == told_while_learning(other, said_otherwise)
    assert state(one) == state(other)


@given(stream=raw_streams, data=st.data())
def test_order_of_keys_changes_nothing(stream, data):
    shuffled = [
        ({name: x[name] for name in data.draw(st.permutations(list(x)))}, *rest)
        for x, *rest in stream
    ]
    one, other = AutoOA3Classifier(), AutoOA3Classifier()
    assert told_while_learning(one, stream) == told_while_learning(other, shuffled)
    assert one.weights == other.weights


# A copy is the model


@each_copy
@given(stream=raw_streams, data=st.data())
@settings(max_examples=40)
def test_stream_cut_in_two_by_a_copy_is_the_uncut_one(duplicate, stream, data):
    cut = data.draw(st.integers(0, len(stream)), label="cut")
    model, head = AutoOA3Classifier(), AutoOA3Classifier()
    uncut = told_while_learning(model, stream)
    told = told_while_learning(head, stream[:cut])
    tail = duplicate(head)
    told += told_while_learning(tail, stream[cut:])
    assert told == uncut
    assert tail.weights == model.weights


@each_copy
def test_long_stream_copied_every_few_events_is_the_uncut_one(duplicate):
    events = list(raw_events(700, seed=2))
    copied, told = AutoOA3Classifier(), []
    for start in range(0, len(events), 37):
        copied = duplicate(copied)
        told += told_while_learning(copied, events[start : start + 37])
    assert told == told_while_learning(AutoOA3Classifier(), events)


@pytest.mark.parametrize("cut", [0, 3, 40, 300])
def test_active_learner_cut_by_a_pickle_goes_on_alike(cut):
    events = [(x, y) for x, y, _ in raw_events(400, seed=3)]

    def decisions(model, part):
        told = []
        for x, y in part:
            told.append((*model.predict_one(x), model.last_query))
            if told[-1][1]:
                model.learn_one(x, y)
        return told

    model, head = ActiveLearner(budget=80, seed=4), ActiveLearner(budget=80, seed=4)
    uncut = decisions(model, events)
    told = decisions(head, events[:cut])
    told += decisions(pickle.loads(pickle.dumps(head)), events[cut:])
    assert told == uncut
    assert model.n_asked == 80


# Questions change nothing


@pytest.mark.parametrize("question", AUTO_QUESTIONS)
@given(stream=raw_streams)
@settings(max_examples=15)
def test_question_changes_nothing(question, stream):
    model = AutoOA3Classifier()
    told_while_learning(model, stream[:-1])
    before = state(model)
    for _ in range(2):
        getattr(model, question)(stream[-1][0] | {"never seen": 1.0, "nor this": "text"})
        assert model.weights is not None
    assert state(model) == before


@pytest.mark.parametrize("question", ["predict_many", "predict_proba_many"])
def test_question_about_many_changes_nothing(question):
    model = auto_trained()
    before = state(model)
    getattr(model, question)(pd.DataFrame([x for x, *_ in raw_events(30, seed=8)]))
    assert state(model) == before


@given(stream=raw_streams)
def test_event_is_positive_where_its_margin_is_not_negative(stream):
    model = AutoOA3Classifier()
    for x, y, w in stream:
        assert model.predict_one(x) is (model.margin_one(x) >= 0)
        model.learn_one(x, bool(y), w)


@given(stream=raw_streams)
def test_question_in_between_changes_no_later_answer(stream):
    """What a question leaves in the buffers is not taken for what was observed."""
    asked, quiet = AutoOA3Classifier(), AutoOA3Classifier()
    for x, y, w in stream:
        asked.predict_one({"other": 3.0, "colour": "red"})
        asked.observe_one(x)
        asked.margin_one({"a": -1.0, "another": "text"})
        asked._core.learn_one(x, bool(y), w, True)
        quiet.learn_one(x, bool(y), w)
    assert asked.weights == quiet.weights
    assert answers(asked, {"a": 1.0}) == answers(quiet, {"a": 1.0})


def test_without_any_label_all_is_negative():
    model = AutoOA3Classifier()
    for x, *_ in raw_events(50):
        assert model.predict_one(x) is False
        model.observe_one(x)


def test_event_of_weight_zero_is_observed_and_not_learned():
    weightless, observed = auto_trained(), auto_trained()
    x = {"a": 3.0, "new": 1.0}
    weightless.learn_one(x, True, 0.0)
    observed.observe_one(x)
    assert state(weightless) == state(observed)


def test_learning_is_observing_and_then_learning():
    one, other = AutoOA3Classifier(), AutoOA3Classifier()
    for x, y, w in raw_events(300, seed=4):
        one.learn_one(x, y, w)
        other.observe_one(x)
        other._core.learn_one(x, y, w, True)
    assert state(one) == state(other)


# Variances

FORGETTING, SURPRISE, PRIOR = 0.01, 0.5, 3.0


def forgotten(sigma, share):
    return 1 / ((1 - share) / sigma + share / PRIOR)


@given(stream=raw_streams)
def test_no_variance_exceeds_the_prior_and_labels_raise_none_but_by_forgetting(stream):
    model = AutoOA3Classifier()
    for x, y, w in stream:
        model.observe_one(x)
        before = numbers_of(model)
        model._core.learn_one(x, bool(y), w, True)
        after = numbers_of(model)
        # The fast learner forgets up to half when it is surprised, and then as the slow one does.
        fast = forgotten(before["fast_sigma"], SURPRISE)
        for name, most in (("sigma", before["sigma"]), ("fast_sigma", fast)):
            assert (after[name] <= np.minimum(PRIOR, forgotten(most, FORGETTING)) + 1e-12).all()
            assert (after[name] > 0).all()
        assert (after["bins"][:, 1::2] <= PRIOR + 1e-12).all()
        assert (after["intercept"][1::2] <= PRIOR + 1e-12).all()


@given(stream=raw_streams)
def test_label_lowers_the_variance_of_the_slow_learner_along_its_event(stream):
    model = AutoOA3Classifier()
    for x, y, _ in stream:
        model.observe_one(x)
        leader = numbers_of(model)["leader"]
        before = model._core.judge_observed_one(x)[-3]
        model._core.learn_one(x, bool(y), 1.0, True)
        after = model._core.judge_observed_one(x)[-3]
        if leader == numbers_of(model)["leader"] == 0:
            assert after <= before / (1 - FORGETTING) + 1e-12


# What is refused leaves everything as it was

REFUSED = {
    "infinity": (ValueError, {"a": 1.0, "culprit": math.inf, "fresh": 1.0}),
    "numpy-infinity": (ValueError, {"fresh": "text", "culprit": np.float32("-inf")}),
    "decimal-infinity": (ValueError, {"culprit": Decimal("Infinity"), "fresh": 1.0}),
    "too-large-int": (OverflowError, {"fresh": 1.0, "culprit": 10**400}),
    "datetime": (TypeError, {"fresh": "text", "culprit": pd.Timestamp("2020-01-01")}),
    "list": (TypeError, {"fresh": "text", "culprit": [1.0]}),
    "bytes": (TypeError, {"fresh": "text", "culprit": b"text"}),
    "dict": (TypeError, {"fresh": "text", "culprit": {"a": 1}}),
    "complex": (TypeError, {"fresh": "text", "culprit": 1j}),
    "too many": (ValueError, {f"fresh{i}": 1.0 for i in range(60)}),
}
each_refused = pytest.mark.parametrize(("error", "x"), REFUSED.values(), ids=REFUSED)
ALL_DOORS = [*AUTO_QUESTIONS, "observe_one", "learn_one"]


def enter(model, door, x):
    return model.learn_one(x, True) if door == "learn_one" else getattr(model, door)(x)


@each_refused
@pytest.mark.parametrize("door", ALL_DOORS)
def test_refused_event_leaves_the_learner_as_it_was(error, x, door):
    model = auto_trained(max_features=50)
    assert_refused(model, error, "culprit|60 features", enter, model, door, x)


@pytest.mark.parametrize("door", ALL_DOORS)
@pytest.mark.parametrize("x", NOT_MAPPINGS.values(), ids=NOT_MAPPINGS)
def test_event_that_is_no_mapping_is_refused(door, x):
    model = auto_trained()
    assert_refused(model, TypeError, None, enter, model, door, x)


@pytest.mark.parametrize("label", NOT_LABELS.values(), ids=NOT_LABELS)
def test_label_that_is_no_label_is_refused(label):
    model = auto_trained()
    assert_refused(model, ValueError, "label", model.learn_one, {"a": 1.0, "fresh": "b"}, label)


BAD_WEIGHTS = {"negative": -1.0, "nan": math.nan, "inf": math.inf, "text": "1", "None": None}
each_bad_weight = pytest.mark.parametrize("w", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)


@each_bad_weight
def test_weight_that_is_no_weight_is_refused(w):
    model = auto_trained()
    error = (ValueError, TypeError)
    assert_refused(model, error, "weight", model.learn_one, {"a": 1.0, "fresh": "b"}, True, w)


def active(in_pipeline=False):
    """An active learner with a past, a budget, and a label that it waits for."""
    classifier = AutoOA3Classifier(max_features=50)
    if in_pipeline:
        classifier = compose.Discard("nothing") | preprocessing.StatImputer() | classifier
    model = ActiveLearner(classifier, budget=budget.RateBudget(0.5, 20), seed=3)
    for x, y, _ in raw_events(40, seed=5):
        _, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)
    model.predict_one({"a": 1.0, "colour": "red"})
    return model


@each_refused
@pytest.mark.parametrize("in_pipeline", [False, True], ids=["bare", "in a pipeline"])
@pytest.mark.parametrize(
    "door", ["predict_one", "predict_proba_one", "query_probability", "learn_one"]
)
def test_refused_event_leaves_the_active_learner_as_it_was(error, x, door, in_pipeline):
    """Budget, counters, generator and transformers too."""
    model = active(in_pipeline)
    assert_refused(model, error, "culprit|60 features", enter, model, door, x)


@pytest.mark.parametrize("in_pipeline", [False, True], ids=["bare", "in a pipeline"])
@pytest.mark.parametrize("label", ["spam", -1, None, math.nan], ids=repr)
def test_refused_label_leaves_the_active_learner_as_it_was(label, in_pipeline):
    model = active(in_pipeline)
    assert_refused(model, ValueError, "label", model.learn_one, {"a": 1.0, "fresh": "b"}, label)


@each_bad_weight
def test_refused_weight_leaves_the_active_learner_as_it_was(w):
    model = active()
    error = (ValueError, TypeError)
    assert_refused(model, error, "weight", model.learn_one, {"a": 1.0, "fresh": "b"}, True, w=w)


@pytest.mark.parametrize("objective", [metrics.WeightedSum(0.3), metrics.WeightedCost(2, 5)])
def test_model_that_refused_much_learns_on_as_one_that_refused_nothing(objective):
    one, other = AutoOA3Classifier(objective), AutoOA3Classifier(objective)
    for x, y, w in raw_events(100, seed=6):
        with pytest.raises(ValueError, match="culprit"):
            one.learn_one(x | {"another": "text", "culprit": math.inf}, y, w)
        one.learn_one(x, y, w)
        other.learn_one(x, y, w)
    assert state(one) == state(other)

"""A state that is let in stays one that is let in, whatever it learns, and can be stored again."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from auto_streams import auto_trained, raw_events
from learners import sparse_events, trained

from river_oa3 import (
    AutoOA3Classifier,
    OA3Classifier,
    OA3DiagClassifier,
    SOA3Classifier,
    SSOA3Classifier,
    metrics,
)

LEARNERS = [OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier]


def state_of(model):
    return model._core.__getstate__()


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def loaded(model, state):
    twin = type(model)()
    twin._core.__setstate__(state)
    return twin


AUTO = auto_trained(150)
HELD = state_of(AUTO)


@pytest.mark.parametrize(
    ("part", "place", "bad"),
    [
        ("recalled", (0, 3), 1e6),  # a step beyond the weight of its label
        ("recalled", (0, 2), 0.0),  # a weight that cannot have made the step
        ("threshold", 5, 1e9),  # hits
        ("threshold", 8, 1e9),  # log odds
        ("calibration", 2, 1e12),  # a precision
        ("calibration", 3, 1e6),  # a precision that is none with those beside it
        ("n", 0, 0.0),
    ],
)
def test_number_that_learning_would_blow_up_is_refused(part, place, bad):
    with pytest.raises(ValueError, match=f"damaged: '{part}'"):
        loaded(AUTO, HELD | {part: changed(HELD[part], place, bad)})


STRAINED = {
    "weights": {"mu": np.full_like(HELD["mu"], 1e60), "fast_mu": np.full_like(HELD["mu"], -1e60)},
    "short rows": {"squares": 1e-250},
    "long rows": {"squares": 1e305},
    "heavy labels": {"recalled": changed(HELD["recalled"], (slice(None), 2), 1e290)},
    "many events": {"t": 2.0**53, "clock": 2.0**53},
    "wide values": {"mean": HELD["mean"] * 0 + 1e150, "var": HELD["var"] * 0 + 1e300},
}


@pytest.mark.parametrize("change", STRAINED.values(), ids=STRAINED)
def test_auto_at_its_limits_can_be_stored_after_it_has_learned(change):
    model = loaded(AUTO, HELD | change)
    for x, y, w in raw_events(60, seed=4):
        model.predict_proba_one(x)
        model.learn_one(x, y, w)
        assert math.isfinite(model.margin_one(x))
    pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("costs", [(1e308, 1.0), (1.0, 1e308), (1e308, 1e308), (5e-324, 1e308)])
def test_prices_of_any_size_give_margins(costs):
    model = AutoOA3Classifier(metrics.WeightedCost(*costs))
    for x, y, w in raw_events(100):
        model.learn_one(x, y, w)
        assert math.isfinite(model.margin_one(x))


@pytest.mark.parametrize("learner", LEARNERS)
def test_weights_longer_than_all_steps_together_are_refused(learner):
    model = trained(learner)
    state = state_of(model)
    with pytest.raises(ValueError, match=r"damaged: its weights have the length .* 'reach' is"):
        loaded(model, state | {"mu": changed(state["mu"], 0, 1e9)})


@pytest.mark.parametrize("learner", [SOA3Classifier, SSOA3Classifier])
def test_directions_that_are_not_at_right_angles_are_refused(learner):
    model = trained(learner)
    state = state_of(model)
    with pytest.raises(ValueError, match="'U' does not hold directions at right angles"):
        loaded(model, state | {"U": changed(state["U"], (0, 0), 2.0)})


@pytest.mark.parametrize("learner", [SOA3Classifier, SSOA3Classifier])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6, 1e60])
def test_directions_of_a_long_stream_are_at_right_angles_enough(learner, scale):
    model = learner()
    for x, y in sparse_events(3000):
        model.learn_one({name: scale * value for name, value in x.items()}, y)
    loaded(model, state_of(model))

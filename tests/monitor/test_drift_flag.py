"""The flag for mistakes that become more frequent, and what is stored of it."""

from __future__ import annotations

import copy
import math
import pickle
import random

import pytest

from river_oa3.monitor import AskedQuality, stored


def labels(rng, n, error_rate, probability=0.1):
    """A fifth is positive."""
    for _ in range(n):
        y = rng.random() < 0.2
        yield y, y != (rng.random() < error_rate), probability


def feed(quality, stream):
    """The flag after each label."""
    raised = []
    for label in stream:
        quality.update(*label)
        raised.append(quality.drift_detected)
    return raised


def test_steady_mistakes_seldom_raise_it():
    n_drifts = 0
    for seed in range(20):
        quality = AskedQuality()
        feed(quality, labels(random.Random(seed), 1000, 0.2))
        n_drifts += quality.n_drifts
    assert n_drifts <= 5


def test_more_mistakes_raise_it_within_a_hundred_labels():
    for seed in range(10):
        rng, quality = random.Random(seed), AskedQuality()
        feed(quality, labels(rng, 500, 0.1))
        quality.n_drifts = 0
        assert any(feed(quality, labels(rng, 100, 0.5)))
        assert quality.n_drifts == 1
        assert "Mistakes have become more frequent." in quality.summary
        assert quality.to_dict()["drift_detected"] is True


def test_fewer_mistakes_do_not_raise_it():
    for seed in range(10):
        rng, quality = random.Random(seed), AskedQuality()
        feed(quality, labels(rng, 300, 0.5))
        before = quality.n_drifts
        feed(quality, labels(rng, 300, 0.05))
        assert quality.n_drifts == before


def test_it_stays_up_until_mistakes_are_rarer_again():
    rng, quality = random.Random(0), AskedQuality()
    feed(quality, labels(rng, 500, 0.1))
    feed(quality, labels(rng, 100, 0.5))
    assert all(feed(quality, labels(rng, 200, 0.5)))
    feed(quality, labels(rng, 400, 0.1))
    assert not quality.drift_detected
    assert quality.n_drifts == 1


def test_heavy_mistakes_count_for_more_than_light_ones():
    before = list(labels(random.Random(0), 600, 0.1))

    def raised_by(probability):
        quality = AskedQuality()
        feed(quality, before)
        right, wrong = (True, True, 0.1), (True, False, probability)
        return any(feed(quality, [wrong, right, right, right] * 50))

    assert raised_by(0.04)
    assert not raised_by(1.0)


def test_one_mistake_of_any_weight_is_no_drift():
    quality = AskedQuality()
    feed(quality, [(False, False, 0.5)] * 300 + [(True, False, 1e-6)] + [(False, False, 0.5)] * 50)
    assert quality.n_drifts == 0


def long_stream():
    rng = random.Random(3)
    return [
        *labels(rng, 2500, 0.1),
        *labels(rng, 700, 0.4, probability=0.03),
        *labels(rng, 300, 0.1, probability=0.9),
    ]


def test_copies_at_any_moment_go_on_like_the_original():
    stream = long_stream()
    whole = AskedQuality()
    expected = feed(whole, stream)
    assert whole.n_drifts > 0
    for copied in (copy.deepcopy, lambda quality: pickle.loads(pickle.dumps(quality))):
        quality, raised = AskedQuality(), []
        for start in range(0, len(stream), 127):
            quality = copied(quality)
            raised += feed(quality, stream[start : start + 127])
        assert raised == expected
        assert quality.to_dict() == whole.to_dict()


def test_state_is_plain_and_bounded():
    quality = AskedQuality()
    feed(quality, long_stream())

    def size(value):
        if isinstance(value, list):
            return sum(map(size, value))
        assert type(value) in (bool, int, float, str)
        return 1

    state = {name: value for name, value in vars(quality).items() if name != "metric"}
    assert size(list(state.values())) <= 2100


def test_attributes_of_one_set_on_another_make_it_the_same():
    stream = long_stream()
    one, other = AskedQuality(), AskedQuality()
    feed(one, stream[:3000])
    for name, value in vars(one).items():
        setattr(other, name, copy.deepcopy(value))
    assert feed(one, stream[3000:]) == feed(other, stream[3000:])
    assert one.to_dict() == other.to_dict()


def test_the_same_labels_again_give_the_same():
    one, other = AskedQuality(), AskedQuality()
    assert feed(one, long_stream()) == feed(other, long_stream())
    assert one.to_dict() == other.to_dict()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_counts", [1, 2, 3]),
        ("_counts", [1, 2, 3, "4"]),
        ("_counts", [-1, 2, 3, 4]),
        ("_weights", [0.0, 0.0, 0.0, 0.0]),
        ("_weights", [math.nan] * 4),
        ("_squares", [math.inf] * 4),
        ("_squares", None),
        ("_losses", [0.0] * 2001),
        ("_losses", [5.0]),
        ("_losses", [True]),
        ("_half_way", -1.0),
        ("_has_risen", 1),
        ("n_drifts", -1),
    ],
)
def test_damaged_states_are_refused(name, value):
    quality = AskedQuality()
    feed(quality, long_stream())
    stored.check(vars(quality))
    setattr(quality, name, value)
    with pytest.raises(ValueError, match="damaged"):
        pickle.loads(pickle.dumps(quality))

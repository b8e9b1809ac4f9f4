"""A stored AutoOA3 that cannot be one is refused by the name of its damaged part."""

from __future__ import annotations

import math

import numpy as np
import pytest
from auto_streams import auto_trained, raw_events

from river_oa3 import AutoOA3Classifier

HELD = auto_trained(150)._core.__getstate__()
ARRAYS = [name for name, part in HELD.items() if isinstance(part, np.ndarray)]
NUMBERS = [name for name in HELD if name not in (*ARRAYS, "names", "format")]
each_array = pytest.mark.parametrize("part", ARRAYS)


def load(**change):
    model = AutoOA3Classifier()
    model._core.__setstate__(HELD | change)
    return model


def test_sound_state_is_loaded():
    twin, model = load(), auto_trained(150)
    assert [twin.margin_one(x) for x, *_ in raw_events(9)] == [
        model.margin_one(x) for x, *_ in raw_events(9)
    ]


@each_array
def test_array_of_another_shape_is_refused(part):
    for damaged in (
        HELD[part][..., :-1],
        HELD[part][:-1],
        HELD[part][None],
        HELD[part].ravel()[:0],
    ):
        with pytest.raises(ValueError, match="damaged"):
            load(**{part: damaged})


@each_array
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_number_that_is_not_finite_is_refused_in_any_place(part, bad):
    for place in range(0, HELD[part].size, max(1, HELD[part].size // 20)):
        damaged = HELD[part].astype(float)
        damaged.flat[place] = bad
        with pytest.raises(ValueError, match=rf"damaged: .*{part.removesuffix('_parts')}"):
            load(**{part: damaged})


OUT_OF_RANGE = [
    *(("n", bad) for bad in (-1.0, 1e9)),
    *(("var", bad) for bad in (-1.0,)),
    *(("last", bad) for bad in (-1.0, 1e9)),
    *((part, bad) for part in ("sigma", "fast_sigma") for bad in (-0.5, 3.5)),
    *(("bins_of", bad) for bad in (-2, 10**6)),
    *(("mu", bad) for bad in (1e200,)),
    *(("recalled", bad) for bad in (-1.0, 0.5, 1e9)),
    *(("recalled_parts", bad) for bad in (-1e6, 0.5, 1e6)),
]


@pytest.mark.parametrize(("part", "bad"), OUT_OF_RANGE)
def test_number_out_of_range_is_refused_by_name(part, bad):
    damaged = HELD[part].copy()
    damaged.flat[0] = bad
    with pytest.raises(ValueError, match=rf"damaged: .*{part.removesuffix('_parts')}"):
        load(**{part: damaged})


@pytest.mark.parametrize("part", NUMBERS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, None, "1"], ids=repr)
def test_number_that_is_none_is_refused_by_name(part, bad):
    with pytest.raises(ValueError, match=f"damaged: .*{part}"):
        load(**{part: bad})


def test_part_that_is_missing_is_refused_by_name():
    for part in HELD:
        model = AutoOA3Classifier()
        with pytest.raises(ValueError, match=rf"'{part}' is missing"):
            model._core.__setstate__({name: HELD[name] for name in HELD if name != part})
        assert model.weights == {}

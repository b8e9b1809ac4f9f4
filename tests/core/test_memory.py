"""What a model holds in memory, and what it refuses to."""

from __future__ import annotations

import gc
import pickle
import sys

import pytest

from river_oa3 import OA3Classifier, SSOA3Classifier


def size_of_name_table(names):
    table = {name: slot for slot, name in enumerate(names)}
    return sys.getsizeof(table) + sum(
        sys.getsizeof(name) + sys.getsizeof(slot) for name, slot in table.items()
    )


def test_ssoa3_holds_a_sketch_column_and_little_more_per_feature():
    features, sketch_size = 1_000_000, 5
    model = SSOA3Classifier(sketch_size=sketch_size)
    for start in range(0, features, 10_000):
        model.learn_one({f"f{i}": 0.01 for i in range(start, start + 10_000)}, True)
    names = model.weights
    assert len(names) == features
    numbers = model._raw_memory_usage - size_of_name_table(names)
    assert numbers < (sketch_size + 2) * 8 * features


@pytest.fixture(scope="module")
def too_wide():
    return {f"g{i}": 1.0 for i in range(2_000_000)}


def test_covariance_that_would_not_fit_is_refused_with_a_way_out(too_wide):
    with pytest.raises(MemoryError) as refusal:
        OA3Classifier().learn_one(too_wide, True)
    message = str(refusal.value).replace(",", "").replace("_", "")
    assert all(part in message for part in ("2000000", str(8 * 2_000_000**2), "SSOA3"))


def test_refusal_leaves_the_model_as_it_was(too_wide):
    model = OA3Classifier()
    model.learn_one({"a": 1.0, "b": -1.0}, True)
    before = pickle.dumps(model)
    with pytest.raises(MemoryError):
        model.learn_one(too_wide, True)
    assert pickle.dumps(model) == before


def test_growing_doubles_the_rows_once_per_doubling_of_the_features():
    model, capacities = SSOA3Classifier(), []
    for i in range(5000):
        model.learn_one({f"f{i}": 1.0}, True)
        (rows,) = (part for part in gc.get_referents(model._core) if hasattr(part, "capacity"))
        if not capacities or rows.capacity != capacities[-1]:
            capacities.append(rows.capacity)
    assert capacities == [16 * 2**k for k in range(10)]

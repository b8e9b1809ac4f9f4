"""Loading takes memory for what is there, not for what a file says is there."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from model_files import trained
from mutations import parts_of

from river_oa3 import ActiveLearner, AutoOA3Classifier, OA3DiagClassifier, SSOA3Classifier, files
from river_oa3.files.archive import write_archive

MOST_FOR_ANY_FILE, MOST_FOR_OURS = 60, 10
SPARE = 2**20
N = 20_000


def peak(content):
    tracemalloc.start()
    try:
        model = files.from_bytes(content)
    except files.FileError:
        model = None
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return model, most


def forged(name, step=None, names=None):
    entries = parts_of(files.to_bytes(trained(name)))
    model = json.loads(entries["model.json"])
    if names is not None:
        model["state"]["names"] = names
    if step is not None:
        model["classifier"]["steps"][0]["step"] = step
    text = json.dumps(model, separators=(",", ":")).encode()
    return write_archive({**entries, "model.json": text})


FEATURES = list(range(N))
DENSE = {
    "empty lists": forged("OA3Diag", names=[[]] * N),
    "small objects": forged("OA3Diag", names=[{"": 0}] * N),
    "tuples in tuples": forged(
        "OA3Diag", names=[{"$tuple": [{"$tuple": []}, i]} for i in FEATURES]
    ),
    "scalers": forged(
        "MinMaxScaler",
        step={"kind": "MinMaxScaler", "names": FEATURES, "min": [1] * N, "max": [1] * N},
    ),
    "empty sets": forged(
        "OneHotEncoder",
        step={
            **{"kind": "OneHotEncoder", "drop_zeros": False, "drop_first": False, "fixed": False},
            **{"names": FEATURES, "values": [[]] * N, "zeros": []},
        },
    ),
}


@pytest.mark.parametrize("content", DENSE.values(), ids=DENSE)
def test_file_made_to_take_memory_takes_no_more_than_documented(content):
    _, most = peak(content)
    assert most < MOST_FOR_ANY_FILE * len(content) + SPARE


@pytest.mark.parametrize("learner", [OA3DiagClassifier, SSOA3Classifier, AutoOA3Classifier])
def test_file_of_ours_takes_less(learner):
    model = ActiveLearner(learner())
    for start in range(0, N, 20):
        model.learn_one({f"feature {i}": 1.0 for i in range(start, start + 20)}, start % 40 == 0)
    content = files.to_bytes(model)
    loaded, most = peak(content)
    assert len(loaded.classifier.weights) == N
    assert most < MOST_FOR_OURS * len(content) + SPARE


def test_number_that_asks_for_memory_gets_none():
    content = forged("OA3Diag", names=[{"$decimal": "1E+999999999"}])
    _, most = peak(content)
    assert most < MOST_FOR_ANY_FILE * len(content) + SPARE

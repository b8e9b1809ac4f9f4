"""The full and the diagonal learner, compiled and plain, repeat the authors' published code.

The traces in `golden` hold every margin before the update and every decision of that code, run
with the uniform random numbers stored beside them.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import reference

from river_oa3 import OA3Classifier, OA3DiagClassifier

LEARNERS = {
    "compiled": {"OA3": OA3Classifier, "OA3diag": OA3DiagClassifier},
    "plain": {"OA3": reference.OA3, "OA3diag": reference.OA3Diagonal},
}
TRACES = {
    path.stem: json.loads(path.read_text())
    for path in sorted((Path(__file__).parent.parent / "golden").glob("*.json"))
}
RUNS = [
    pytest.param((code, stream, number), id=f"{code}-{stream}-{run['learner']}-{run['metric']}")
    for code in LEARNERS
    for stream, trace in TRACES.items()
    for number, run in enumerate(trace["runs"])
]


def as_learner(model):
    """A classifier under the names by which the reference's active loop calls a learner."""
    if isinstance(model, reference.Learner):
        return model
    return SimpleNamespace(
        margin=model.margin_one, confidence=model.confidence_one, learn=model.learn_one
    )


def covariance(model):
    return model.covariance() if isinstance(model, reference.Learner) else model._core.covariance()


@pytest.fixture(scope="module", params=RUNS)
def replay(request):
    code, stream, number = request.param
    trace = TRACES[stream]
    golden = trace["runs"][number]
    parameters = dict(golden["params"])
    query = {key: parameters.pop(key) for key in ("delta_pos", "delta_neg", "budget")}
    model = LEARNERS[code][golden["learner"]](**parameters)
    margins, asked, uniforms_used = reference.active_loop(
        as_learner(model), trace["events"], trace["uniforms"], **query
    )
    return SimpleNamespace(
        golden=golden, model=model, margins=margins, asked=asked, uniforms_used=uniforms_used
    )


def test_every_margin_is_repeated(replay):
    assert replay.margins == pytest.approx(replay.golden["margins"], rel=0, abs=1e-12)


def test_every_decision_is_repeated(replay):
    assert replay.asked == [bool(asked) for asked in replay.golden["asked"]]


def test_as_many_uniforms_are_used(replay):
    assert replay.uniforms_used == replay.golden["uniforms_used"]


def test_weights_end_the_same(replay):
    assert replay.model.weights == pytest.approx(replay.golden["weights"], rel=0, abs=1e-12)


def test_covariance_diagonal_ends_the_same(replay):
    diagonal = dict(zip(replay.model.weights, covariance(replay.model).diagonal(), strict=True))
    assert diagonal == pytest.approx(replay.golden["covariance_diagonal"], rel=0, abs=1e-12)


@pytest.mark.parametrize("stream", TRACES)
def test_traces_have_decisions_both_ways(stream):
    assert all(0 < sum(run["asked"]) < len(run["asked"]) for run in TRACES[stream]["runs"])

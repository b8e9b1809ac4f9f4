"""What executors find does not depend on how events are ordered and split."""

from __future__ import annotations

import json
import math
import random
import types

import pyarrow as pa
import pytest
from arrow_events import as_maps
from batch_runs import labelled_events, learner
from hypothesis import given, settings
from hypothesis import strategies as st

from river_oa3 import OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier
from river_oa3.budget import Pace
from river_oa3.pending.batches import share_of
from river_oa3.scoring import Scorer
from river_oa3.scoring.record_batches import Features, rows_of
from river_oa3.scoring.spending import Spending
from river_oa3.spark.proposals import found_in, proposing, reading_events
from river_oa3.spark.sums import Sums
from river_oa3.spark.workers import Model, scorer_of

EVENTS = labelled_events(120, seed=2)
KINDS = [None, OA3Classifier, OA3DiagClassifier, SOA3Classifier, SSOA3Classifier]


def trained(make):
    model = learner(classifier=make and make())
    for x, y in labelled_events(150, seed=9).values():
        if model.predict_one(x)[1]:
            model.learn_one(x, y)
    return model


def record_batch(ids, with_texts):
    x = as_maps([EVENTS[i][0] for i in ids])
    if not with_texts:
        return pa.RecordBatch.from_arrays([pa.array(ids), x], names=["id", "x"])
    values = [[float(i) * 1.1, f"colour {i % 7}"] for i in ids]
    columns = [pa.array(column) for column in zip(*values, strict=True)]
    return pa.RecordBatch.from_arrays([pa.array(ids), *columns], names=["id", "v", "colour"])


def found(model, partitions, with_texts=False, most=math.inf):
    """What the driver makes of events in partitions, each of some batches of Arrow's."""
    sent = types.SimpleNamespace(value=Model.of(model))
    features = Features(("v", "colour"), False) if with_texts else Features(("x",), True)
    rows = []
    for partition in partitions:
        propose = proposing(sent, "id", features, 7, True, most)
        for batch in propose(record_batch(ids, with_texts) for ids in partition if ids):
            rows += [tuple(row.values()) for row in batch.to_pylist()]
    return found_in(rows)


@st.composite
def partitions(draw):
    ids = list(EVENTS)
    random.Random(draw(st.integers(0, 10**6))).shuffle(ids)
    cuts = sorted(draw(st.lists(st.integers(0, len(ids)), max_size=6)))
    parts = [ids[a:b] for a, b in zip([0, *cuts], [*cuts, len(ids)], strict=True)]
    size = draw(st.integers(1, 3))
    return [parts[start : start + size] for start in range(0, len(parts), size)]


@pytest.mark.parametrize(("make", "with_texts"), [(None, True), *((kind, False) for kind in KINDS)])
def test_all_that_is_found_is_the_same_to_the_last_bit(make, with_texts):
    model = trained(make)
    whole = found(model, [[list(EVENTS)]], with_texts)

    @settings(max_examples=20, deadline=None)
    @given(partitions())
    def check(parts):
        assert found(model, parts, with_texts) == whole

    check()
    assert len(whole.proposals) > 10
    assert whole.observed.events == len(EVENTS)


@settings(max_examples=40, deadline=None)
@given(partitions(), st.floats(0.5, 60.0))
def test_what_executors_leave_out_would_not_have_been_asked_about(parts, most):
    model = trained(None)
    every, few = (found(model, parts, most=each) for each in (math.inf, most))
    share = share_of(most, every.expected)

    def taken(proposals):
        return [each for each in proposals if each.uniform <= share * each.query_probability]

    assert few._replace(proposals=[]) == every._replace(proposals=[])
    assert taken(few.proposals) == taken(every.proposals)


def test_executors_send_few_proposals_of_many_events():
    model, ids = trained(None), list(EVENTS)
    every = found(model, [[ids[:60], ids[60:]]])
    few = found(model, [[ids[:60], ids[60:]]], most=5.0)
    assert 0 < len(few.proposals) < 12 < len(every.proposals)


def test_executors_ask_at_the_pace_of_the_driver_whatever_their_clocks_show():
    model = trained(None)
    batch = record_batch(list(EVENTS), False)
    rows = rows_of(batch, Features(("x",), True), True)
    asking = [
        scorer_of(Model.of(model, Spending(can_ask, Pace(rate, 0.2)))).score(rows).query_probability
        for can_ask, rate in ((True, 0.01), (True, 0.3), (False, 0.3))
    ]
    assert 0.0 < asking[0].sum() < asking[1].sum()
    assert asking[2].sum() == 0.0


LONG_IDS = ["d" * 2501, "d" * 2499, "\u00e9" * 417, "\n" * 1250]
FITTING_IDS = ["e", "d" * 2498, "\u00e9" * 416, "\n" * 1249]


@pytest.mark.parametrize("propose", [True, False])
def test_ids_that_the_store_would_not_keep_are_found_by_what_they_take_there(propose):
    ids, features = [*LONG_IDS, *FITTING_IDS], Features(("v",), False)
    batch = pa.RecordBatch.from_pydict({"id": ids, "v": [1.0] * len(ids)})
    if propose:
        sent = types.SimpleNamespace(value=Model.of(trained(None)))
        run = proposing(sent, "id", features, 7, True, math.inf)
    else:
        run = reading_events("id", features, True, True)
    rows = [row for part in run([batch]) for row in part.to_pylist()]
    assert [json.loads(row["id"]) for row in rows if row["kind"] == "error"] == LONG_IDS


def test_exact_sums_are_those_of_one_process_but_for_rounding():
    model = trained(None)
    scorer = Scorer(model)
    rows = rows_of(record_batch(list(EVENTS), False), Features(("x",), True), True)
    scores = scorer.score(rows)
    exact, rounded = Sums.of(rows, scores, True).observed, scorer.observed(rows, scores)
    assert exact.rows == pytest.approx(rounded.rows, rel=1e-13)
    assert exact.features.keys() == rounded.features.keys()
    for name, seen in exact.features.items():
        assert seen == pytest.approx(rounded.features[name], rel=1e-12, abs=1e-12)


def test_a_value_that_never_changes_has_no_variance():
    batch = pa.RecordBatch.from_arrays([pa.array([0.1 + 1.7e9] * 1000)], names=["v"])
    rows = rows_of(batch, Features(("v",), False), True)
    sums = Sums.of(rows, Scorer(trained(None)).score(rows), True)
    assert sums.observed.features == {"v": (1000.0, 0.1 + 1.7e9, 0.0, 0.0)}


def test_sums_survive_the_way_to_the_driver():
    rows = rows_of(record_batch(list(EVENTS), True), Features(("v", "colour"), False), True)
    sums = Sums.of(rows, Scorer(trained(None)).score(rows), True)
    for each in (sums, Sums()):
        assert Sums.from_json(json.loads(json.dumps(each.to_json()))) == each

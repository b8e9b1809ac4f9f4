"""Active learners, budgets and pending labels that were stored by earlier versions go on."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from services import SERVICES, story

STORED = sorted((Path(__file__).parents[1] / "stored" / "active").glob("*.pickle"))
N_STORED = 60  # as in make.py beside the files

each_stored_file = pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)


def loaded(stored):
    return pickle.loads(stored.read_bytes())


def flat(told):
    events, pending, n_expired = told
    return [number for event in events for number in event] + pending + [n_expired]


def test_each_service_of_the_first_version_is_stored():
    assert {path.stem for path in STORED} >= {f"format1_{name}" for name in SERVICES}


@each_stored_file
@pytest.mark.parametrize("again", [False, True], ids=["loaded", "stored again"])
def test_stored_service_goes_on_as_it_would_have(stored, again):
    service = loaded(stored)
    if again:
        service = pickle.loads(pickle.dumps(service))
    expected = json.loads(stored.with_suffix(".json").read_text())
    name = stored.stem.split("_", 1)[1]
    told = story(service, name, range(N_STORED, N_STORED + len(expected[0])))
    assert flat(told) == pytest.approx(flat(expected), rel=1e-9)


@each_stored_file
def test_stored_learner_shows_its_newest_decision(stored):
    model = loaded(stored).model
    probability, asked = model.last_query
    assert (0.0 <= probability <= 1.0, type(asked), model.refund_token) == (True, bool, None)


WINDOWS = [path for path in STORED if path.stem.endswith(("_events", "_time"))]


@pytest.mark.parametrize("stored", WINDOWS, ids=lambda path: path.stem)
def test_stored_asks_give_their_labels_back_to_the_window_they_were_paid_in(stored):
    service = loaded(stored)
    limit = service.model.budget
    before = limit.left
    tokens = [ask.refund_token for ask in service]
    for token in tokens:
        service.model.refund(token)
    assert 0 < limit.left - before == tokens.count(limit.refund_token)

"""`POST /labels`: learned at once, or after a while in which an answer can be taken back."""

from __future__ import annotations

import pytest
from river import naive_bayes
from serving import wait_until

from river_oa3 import ActiveLearner, AutoOA3Classifier, PendingLabels, Schema, query

NEVER = 1e5


def learned(running):
    return running.get("/progress").json()["learned"]


def label(running, event_id, value, **more):
    return running.post("/labels", {"id": event_id, "label": value, **more})


@pytest.fixture
def patient(serve):
    """A service that has asked about `a` and `b`, and learns nothing that can be taken back."""
    running = serve(store=True, undo=NEVER)
    running.event("a")
    running.event("b")
    return running


def test_a_label_is_learned_at_once(patient):
    assert label(patient, "a", True).json() == {"id": "a", "state": "learned"}
    assert learned(patient) == 1
    assert patient.open_ids == ["b"]


@pytest.mark.parametrize("wrap", [lambda batch: batch, lambda batch: {"labels": batch}])
def test_labels_come_in_batches_too(patient, wrap):
    batch = [{"id": "a", "label": True}, {"id": "x", "label": True}, {"id": "b", "label": 0}]
    first, unknown, last = patient.post("/labels", wrap(batch)).json()["results"]
    assert (first["state"], last["state"]) == ("learned", "learned")
    assert unknown["error"]["field"] == "labels[1].id"
    assert unknown["status"] == 404
    assert learned(patient) == 2


def test_a_label_that_comes_again_is_learned_once(patient):
    label(patient, "a", True)
    assert label(patient, "a", True).status_code == 200
    assert learned(patient) == 1


def test_another_label_than_was_learned_is_refused(patient):
    label(patient, "a", True)
    refused = label(patient, "a", False)
    assert (refused.status_code, refused.json()["error"]["field"]) == (409, "label")


def test_a_label_for_an_unknown_id_is_not_found_with_a_word_on_which_are(patient):
    answer = label(patient, "nobody", True)
    assert (answer.status_code, answer.json()["error"]["field"]) == (404, "id")
    message = answer.json()["error"]["message"]
    assert "was never asked for, or has expired" in message
    assert "keep others" in message
    assert "answered with ask true" in message


def test_a_label_in_words_is_refused_with_what_to_send(patient):
    error = label(patient, "a", "fraud").json()["error"]
    assert error["message"] == 'must be true or false (or 1 or 0), not "fraud"'


def test_labels_of_more_than_two_classes_are_those_of_the_classifier(serve):
    model = ActiveLearner(naive_bayes.GaussianNB(), query.FirstComeQuery(), seed=1)
    running = serve(PendingLabels(model))
    for i, kind in enumerate(["ham", "spam", "eggs"]):
        running.event(f"e{i}")
        assert label(running, f"e{i}", kind).json()["state"] == "learned"
    described = running.get("/openapi.json").json()["components"]["schemas"]["Label"]
    assert {"type": "string", "maxLength": 200} in described["properties"]["label"]["anyOf"]


@pytest.mark.parametrize("wraps", [False, True])
def test_one_is_true_to_the_end_in_a_pipeline_too(serve, wraps):
    """A label that is neither True nor False would not count in the quality."""
    classifier = AutoOA3Classifier()
    if wraps:
        classifier = Schema({"amount": "number"}) | classifier
    running = serve(PendingLabels(ActiveLearner(classifier, query.FirstComeQuery(), seed=1)))
    running.event("a")
    label(running, "a", 1)
    assert running.get("/quality").json()["n_labels"] == 1


@pytest.mark.parametrize("number", [7, -(2**63), 2**63 - 1])
def test_a_whole_number_is_the_same_id_however_it_is_written(stored, number):
    stored.event(number)
    written = b'{"id":%d.0,"label":true}' % number if abs(number) < 2**53 else None
    body = written or {"id": number, "label": True}
    assert stored.post("/labels", body).json() == {"id": number, "state": "learned"}


@pytest.mark.parametrize("value", [2, -1, "spam"])
def test_a_label_that_the_model_does_not_know_leaves_the_ask_open(patient, value):
    answer = label(patient, "a", value)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "label")
    assert patient.open_ids == ["a", "b"]


def test_an_answer_that_is_not_final_can_be_taken_back(patient):
    answer = label(patient, "a", True, final=False).json()
    assert answer == {"id": "a", "state": "answered", "undo_seconds": NEVER}
    assert patient.open_ids == ["b"]
    assert patient.post("/labels/withdraw", {"id": "a"}).json() == {"id": "a", "state": "open"}
    assert patient.open_ids == ["a", "b"]
    assert learned(patient) == 0


def test_an_answer_that_is_not_final_can_be_given_anew(patient):
    label(patient, "a", True, final=False)
    label(patient, "a", False, final=False)
    (ask,) = patient.get("/asks", params={"state": "answered"}).json()["asks"]
    assert ask["answer"] is False


def test_a_final_label_replaces_an_answer_that_waits(patient):
    label(patient, "a", True, final=False)
    assert label(patient, "a", False).json()["state"] == "learned"
    (ask,) = patient.get("/asks", params={"state": "learned"}).json()["asks"]
    assert ask["answer"] is False


def test_what_was_learned_cannot_be_taken_back(patient):
    label(patient, "a", True)
    assert patient.post("/labels/withdraw", {"id": "a"}).status_code == 409


def test_what_was_never_asked_cannot_be_taken_back(patient):
    assert patient.post("/labels/withdraw", {"id": "nobody"}).status_code == 404


def test_taking_back_what_was_not_answered_changes_nothing(patient):
    assert patient.post("/labels/withdraw", {"id": "a"}).json()["state"] == "open"


def test_answers_are_learned_by_themselves_when_their_time_has_come(serve):
    running = serve(undo=0.2)
    running.event("a")
    running.event("b")
    label(running, "a", True, final=False)
    assert learned(running) == 0
    wait_until(lambda: learned(running) == 1)
    assert running.open_ids == ["b"]


def test_an_answer_taken_back_is_not_learned_when_its_time_comes(serve):
    running = serve(undo=0.2)
    running.event("a")
    running.event("b")
    label(running, "a", True, final=False)
    running.post("/labels/withdraw", {"id": "a"})
    label(running, "b", True, final=False)
    wait_until(lambda: learned(running) == 1)
    assert running.open_ids == ["a"]


def test_answers_that_waited_when_the_service_ended_are_learned_by_the_next(serve):
    running = serve(store=True, undo=NEVER)
    running.event("a")
    label(running, "a", True, final=False)
    running.stop()
    after = serve(store=True, undo=0.1)
    wait_until(lambda: learned(after) == 1)


def test_a_weight_reaches_the_store(patient):
    label(patient, "a", True, weight=2.5, final=False)
    assert patient.app.state.worker._session._pending["a"].weight == 2.5


@pytest.mark.parametrize("store", [False, True])
def test_an_answer_sent_again_with_another_weight_takes_its_place(serve, store):
    running = serve(store=store, undo=NEVER)
    running.event("a")
    pending = running.app.state.worker._session._pending
    for weight in (2.5, 4.0, None):
        label(running, "a", True, weight=weight, final=False)
        assert (pending["a"].answer, pending["a"].weight) == (True, weight)


def test_a_final_label_replaces_the_weight_of_an_answer_that_waits(patient):
    label(patient, "a", True, weight=2.5, final=False)
    label(patient, "a", True, weight=4.0)
    pending = patient.app.state.worker._session._pending
    assert (pending["a"].state, pending["a"].weight) == ("learned", 4.0)


def test_an_answer_sent_again_as_it_was_keeps_its_time(patient):
    label(patient, "a", True, weight=2.5, final=False)
    (before,) = patient.get("/asks", params={"state": "answered"}).json()["asks"]
    label(patient, "a", True, weight=2.5, final=False)
    (after,) = patient.get("/asks", params={"state": "answered"}).json()["asks"]
    assert after["answered_at"] == before["answered_at"]


def test_an_answer_of_a_person_whose_ask_somebody_else_has_is_refused(serve):
    running = serve(lease=0.05)
    running.event("a")
    assert running.lease("ada")["id"] == "a"
    wait_until(lambda: running.lease("bob") is not None)
    answer = label(running, "a", True, who="ada", final=False)
    assert (answer.status_code, answer.json()["error"]["field"]) == (409, "id")
    assert label(running, "a", True, who="bob", final=False).status_code == 200


def test_an_answer_after_the_lease_counts_if_nobody_else_came(serve):
    running = serve(lease=0.0)
    running.event("a")
    running.lease("ada")
    assert label(running, "a", True, who="ada").status_code == 200

"""Labels that come before their events: kept within their room, and learned when asked for."""

from __future__ import annotations

import pytest
from batch_runs import STREAM, in_batches, labelled_events, learner, opened, run_batch, state_of
from durable_services import make_format_1, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from river_oa3 import budget
from river_oa3.pending.batches import PendingBatches
from river_oa3.pending.early import EarlyLabels
from river_oa3.pending.early_table import early_labels

EVENTS = labelled_events(300, seed=4)
BATCHES = in_batches(EVENTS, 50)
LATEST, LABELS = 3, 40


def limit():
    return budget.TotalBudget(LABELS)


def shifted(shifts):
    """The labels of each batch, where each comes so many batches after its event."""
    found = [{} for _ in range(len(BATCHES) + LATEST)]
    for number, ids in enumerate(BATCHES):
        for event_id in ids:
            shift = shifts[event_id % len(shifts)]
            found[max(0, number + shift)][event_id] = EVENTS[event_id][1]
    return [dict(sorted(labels.items())) for labels in found]


def run(batches, labels, first=0):
    for number, known in enumerate(labels[first:], start=first):
        ids = BATCHES[number] if number < len(BATCHES) else []
        run_batch(batches, number, ids, EVENTS, known, one_by_one=20)
    return batches


def together():
    """The run in which each label comes with its event."""
    return run(PendingBatches(learner(limit())), shifted([0]))


def shifts(least, most):
    return st.lists(st.integers(least, most), min_size=1, max_size=13)


def kept(url):
    """What the store has, the oldest first."""
    found = sorted(rows(url, early_labels), key=lambda row: row["number"])
    return [(int(row["event_id"]), row["label"]) for row in found]


# Laws


@settings(max_examples=25, deadline=None)
@given(shifts(-len(BATCHES), 0))
def test_labels_that_come_early_are_learned_as_those_that_come_with_their_events(shifts):
    early = run(PendingBatches(learner(limit())), shifted(shifts))
    assert state_of(early.model) == state_of(together().model)


@settings(max_examples=25, deadline=None)
@given(shifts(-LATEST, LATEST))
def test_each_label_that_was_asked_for_is_learned_once_whenever_it_comes(shifts):
    batches = PendingBatches(learner(limit()))
    asked, learned = [], []
    for number, known in enumerate(shifted(shifts)):
        ids = BATCHES[number] if number < len(BATCHES) else []
        batch = run_batch(batches, number, ids, EVENTS, known, one_by_one=20)
        asked += [ask.event_id for ask in batch.asks]
        learned += [(ask.event_id, ask.answer) for ask in batch._learned]
    assert sorted(learned) == [(event_id, EVENTS[event_id][1]) for event_id in sorted(asked)]
    model = batches.model
    assert model.n_learned == model.n_asked == model._budget._spent == len(set(asked))
    # As much is spent as by the run in which labels come with their events: all of it.
    assert model.n_asked == together().model.n_asked == LABELS


@settings(max_examples=15, deadline=None)
@given(
    shifts(-LATEST, LATEST),
    st.sets(st.integers(0, len(BATCHES))),
    st.sets(st.integers(0, len(BATCHES))),
    st.sampled_from([0, 7, 60, 10_000]),
)
def test_a_run_that_is_killed_learns_the_early_labels_of_the_uninterrupted_run(
    tmp_path_factory, shifts, restarts, kills, room
):
    folder, labels = tmp_path_factory.mktemp("kills"), shifted(shifts)
    urls = [f"sqlite:///{folder}/{name}.db" for name in ("whole", "killed")]
    whole = run(opened(urls[0], limit(), early_labels=room), labels)
    batches = opened(urls[1], limit(), early_labels=room)
    for number, known in enumerate(labels):
        if number in restarts:
            batches.close()
            batches = opened(urls[1], limit(), early_labels=room)
        ids = BATCHES[number] if number < len(BATCHES) else []
        if number in kills:
            batch = batches.begin(STREAM, number)
            batch.learn(known)
            batch.one_by_one((i, EVENTS[i][0]) for i in ids)
            batches.reopen()
        run_batch(batches, number, ids, EVENTS, known, one_by_one=20)
    assert state_of(batches.model) == state_of(whole.model)
    assert kept(urls[1]) == kept(urls[0])
    assert len(kept(urls[0])) <= room
    for each in (whole, batches):
        each.close()


steps = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 12), st.booleans(), max_size=8),
        st.lists(st.integers(0, 12), max_size=3, unique=True),
    ),
    max_size=8,
)


@given(st.integers(0, 6), steps)
def test_the_newest_labels_are_kept_and_a_table_that_is_changed_alike_has_the_same(room, steps):
    early, table, wanted = EarlyLabels(room), [], []
    for labels, used in steps:
        changes = early.change(labels, used)
        table = [each for each in table if each.number >= changes.first]
        table = [each for each in table if each.number not in changes.gone] + changes.new
        wanted = [pair for pair in wanted if pair[0] not in labels and pair[0] not in used]
        wanted = (wanted + list(labels.items()))[-room:] if room else []
        assert [(each.event_id, each.label) for each in table] == wanted
        assert {i: early.get(i) for i in range(13) if early.get(i) is not None} == dict(wanted)
        early = EarlyLabels(room, table)


# In a store


def all_early(batches, labels=None):
    """A first batch of labels alone, those of the first events."""
    known = {i: EVENTS[i][1] for i in BATCHES[0]} if labels is None else labels
    run_batch(batches, 0, [], EVENTS, known)
    return known


def test_a_label_that_came_a_batch_early_is_learned_with_its_event(url):
    batches = opened(url)
    known = all_early(batches)
    assert (batches.model.n_learned, kept(url)) == (0, list(known.items()))
    batch = run_batch(batches, 1, BATCHES[0], EVENTS, {})
    asked = [ask.event_id for ask in batch.asks]
    assert [ask.event_id for ask in batch._learned] == asked
    assert 0 < batches.model.n_learned == batches.pending.count("learned") == len(asked)
    assert kept(url) == [pair for pair in known.items() if pair[0] not in asked]
    batches.close()


def test_a_label_that_came_early_is_learned_after_a_restart(url):
    batches = opened(url)
    all_early(batches)
    batches.close()
    again = opened(url)
    run_batch(again, 1, BATCHES[0], EVENTS, {})
    assert again.model.n_learned == again.model.n_asked > 0
    again.close()


def test_of_two_labels_the_newer_one_is_learned(url):
    batches = opened(url)
    all_early(batches, dict.fromkeys(BATCHES[0], True))
    run_batch(batches, 1, [], EVENTS, dict.fromkeys(BATCHES[0], False))
    assert len(kept(url)) == len(BATCHES[0])
    # And of two where one comes with the event.
    batch = run_batch(batches, 2, BATCHES[0], EVENTS, dict.fromkeys(BATCHES[0][:5], True))
    answers = {ask.event_id: ask.answer for ask in batch._learned}
    assert answers == {ask.event_id: ask.event_id in BATCHES[0][:5] for ask in batch.asks}
    assert set(answers.values()) == {True, False}
    assert not {event_id for event_id, _ in kept(url)} & answers.keys()
    batches.close()


def test_old_labels_make_way_for_newer_ones(url):
    batches = opened(url, early_labels=60)
    all_early(batches)
    run_batch(batches, 1, [], EVENTS, {i: EVENTS[i][1] for i in BATCHES[1]})
    assert [event_id for event_id, _ in kept(url)] == BATCHES[0][-10:] + BATCHES[1]
    run_batch(batches, 2, [], EVENTS, {i: EVENTS[i][1] for i in range(100, 300)})
    assert [event_id for event_id, _ in kept(url)] == list(range(240, 300))
    batches.close()


def test_a_smaller_room_has_the_newest_after_a_restart(url):
    batches = opened(url)
    all_early(batches)
    batches.close()
    again = opened(url, early_labels=5)
    run_batch(again, 1, [], EVENTS, {250: True})
    assert [event_id for event_id, _ in kept(url)] == [*BATCHES[0][-4:], 250]
    again.close()


def test_without_room_none_is_kept(url):
    batches = opened(url, early_labels=0)
    all_early(batches)
    run_batch(batches, 1, BATCHES[0], EVENTS, {})
    assert (kept(url), batches.model.n_learned) == ([], 0)
    assert batches.model.n_asked > 0
    batches.close()


def test_a_store_without_the_table_is_given_one(url):
    batches = opened(url)
    run_batch(batches, 0, BATCHES[0], EVENTS)
    batches.close()
    make_format_1(url, early_labels)
    again = opened(url)
    run_batch(again, 1, [], EVENTS, {i: EVENTS[i][1] for i in BATCHES[1]})
    assert [event_id for event_id, _ in kept(url)] == BATCHES[1]
    again.close()


def test_a_batch_that_was_not_finished_keeps_no_label(url):
    batches = opened(url)
    batches.begin(STREAM, 0).learn({1: True})
    batches.reopen()
    assert (kept(url), len(batches._early)) == ([], 0)
    batches.close()


@pytest.mark.parametrize("room", [-1, 1.5, True, None])
def test_a_room_that_is_no_number_is_refused(room):
    with pytest.raises(ValueError, match="early_labels must be a whole number"):
        PendingBatches(learner(), early_labels=room)

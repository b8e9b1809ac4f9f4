"""Streams in chunks: written, scaled, replayed and fitted as whole ones are."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest
from commands import events, write_libsvm

from river_oa3 import ActiveLearner, AutoOA3Classifier, datasets
from river_oa3.budget import RateBudget
from river_oa3.datasets import DataError, chunk_writer
from river_oa3.datasets.chunk_writer import ChunkWriter, EncodedRows
from river_oa3.datasets.large_libsvm import read_large_libsvm
from river_oa3.datasets.paper_rows import rows_for_paper
from river_oa3.experiments import Goal, Plan, compare, replay, runner
from river_oa3.experiments.fitting import fit
from river_oa3.experiments.methods import AUTO, METHODS, Setting, build
from river_oa3.experiments.output.progress import Progress
from river_oa3.experiments.peers import PEERS
from river_oa3.experiments.sizing import sized
from river_oa3.experiments.stream_replay import GivenUniforms, Replay, uniforms
from river_oa3.experiments.tasks import Part, Streams, Task, order_of, run_task
from river_oa3.query import FirstComeQuery

N = 240


@pytest.fixture(scope="module")
def whole():
    X, y = events(N, seed=5)
    return datasets.stream("whole", X + 3.0 * (X != 0), y)


@pytest.fixture
def in_chunks(whole, tmp_path, monkeypatch):
    """The same events in chunks on disk, written so many at once."""

    def build(in_order=False, at_once=50):
        monkeypatch.setattr(chunk_writer, "IN_MEMORY", 10)
        monkeypatch.setattr(chunk_writer, "CHUNK", 150)
        folder = tmp_path / f"{in_order}-{at_once}"
        kept = ChunkWriter("whole", folder, N, whole.nonzeros, in_order)
        for start in range(0, N, at_once):
            X = whole.X[start : start + at_once]
            y = whole.y[start : start + at_once]
            kept.add(EncodedRows(X.data, X.indices, np.diff(X.indptr), y), len(whole.names))
        return kept.finish(whole.names)

    return build


def as_rows(stream):
    return sorted((sorted(x.items()), y) for x, y in stream.events())


def all_rows(chunked):
    found = [as_rows(chunked.chunk(k)) for k in range(len(chunked.rows))]
    return sorted(row for chunk in found for row in chunk)


def test_every_row_is_in_one_chunk(whole, in_chunks):
    chunked = in_chunks()
    assert len(chunked.rows) > 2
    assert all_rows(chunked) == as_rows(whole)


def test_chunks_do_not_depend_on_how_many_rows_came_at_once(in_chunks):
    one, other = in_chunks(at_once=50), in_chunks(at_once=17)
    for k in range(len(one.rows)):
        assert list(one.chunk(k).events()) == list(other.chunk(k).events())


def test_chunks_that_have_no_row_are_empty(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 1)
    monkeypatch.setattr(chunk_writer, "CHUNK", 1)
    kept = ChunkWriter("few", tmp_path / "few", 3, 40)
    X = whole.X[:3]
    kept.add(EncodedRows(X.data, X.indices, np.diff(X.indptr), whole.y[:3]), len(whole.names))
    few = kept.finish(whole.names)
    assert few.rows.count(0) >= 37
    walked = [chunk for chunk, _ in rows_for_paper(few).walk(3, np.random.default_rng(0))]
    assert sum(len(chunk) for chunk in walked) == 3


def test_rows_in_order_stay_in_order(whole, in_chunks):
    chunks = [chunk for chunk, _ in in_chunks(in_order=True).walk(N, None)]
    assert [event for chunk in chunks for event in chunk.events()] == list(whole.events())


def test_what_is_known_of_all_events_is_known_of_the_chunks(whole, in_chunks):
    chunked = in_chunks()
    known = (len(chunked), chunked.positives, chunked.negatives, chunked.nonzeros, chunked.n_empty)
    assert known == (N, whole.positives, whole.negatives, whole.nonzeros, whole.n_empty)


@pytest.mark.parametrize("in_order", [True, False])
def test_features_that_no_event_has_are_counted_nowhere(whole, tmp_path, monkeypatch, in_order):
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 10)
    monkeypatch.setattr(chunk_writer, "CHUNK", 150)
    X = whole.X.copy()
    X.resize(N, len(whole.names) + 1)
    X.data[::7] = np.nan
    stream = datasets.Stream("wide", X, whole.y, [*whole.names, "never"])
    kept = ChunkWriter("wide", tmp_path / "wide", N, stream.nonzeros, in_order)
    kept.add(EncodedRows(X.data, X.indices, np.diff(X.indptr), whole.y), len(stream.names))
    chunked = kept.finish(stream.names)
    assert chunked.n_features == stream.n_features == whole.n_features
    assert rows_for_paper(chunked).n_features == rows_for_paper(stream).n_features


@pytest.mark.parametrize("options", [{}, {"as_in_paper": True}, {"as_they_are": True}])
def test_rows_of_chunks_are_prepared_as_those_of_the_whole(whole, in_chunks, options):
    expected = rows_for_paper(whole, **options)
    found = rows_for_paper(in_chunks(in_order=True), **options)
    rows = [event for chunk, _ in found.walk(N, None) for event in chunk.events()]
    for (x, y), (wanted, label) in zip(rows, expected.events(), strict=True):
        assert y == label
        assert x == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"as_in_paper": True, "intercept": True}])
def test_rows_that_are_scaled_on_disk_once_are_those_that_are_scaled_at_each_reading(
    in_chunks, options
):
    scaled = rows_for_paper(in_chunks(), **options)
    once = chunk_writer.written_out(scaled)
    assert (once.is_as_written, scaled.is_as_written) == (True, False)
    for k in range(len(scaled.rows)):
        assert list(once.chunk(k).events()) == list(scaled.chunk(k).events())
        assert once.chunk(k).names == scaled.chunk(k).names


def test_scaling_on_a_full_disk_is_said(in_chunks, monkeypatch):
    def full(folder, number, rows):
        raise OSError(28, os.strerror(28))

    scaled = rows_for_paper(in_chunks())
    monkeypatch.setattr(chunk_writer, "_append", full)
    with pytest.raises(DataError, match=r"No space left.*choose another --output"):
        chunk_writer.written_out(scaled)


def test_a_random_walk_takes_each_event_once(whole, in_chunks):
    chunked = in_chunks()
    taken = [
        (sorted(x.items()), y)
        for chunk, order in chunked.walk(N, np.random.default_rng(1))
        for x, y in chunk.events(order)
    ]
    assert sorted(taken) == as_rows(whole)


def test_a_walk_ends_after_so_many_events(in_chunks):
    walk = in_chunks().walk(100, np.random.default_rng(1))
    assert sum(len(order) for _, order in walk) == 100


def test_a_folder_that_cannot_be_made_is_said(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 10)
    monkeypatch.setattr(chunk_writer, "CHUNK", 150)
    (tmp_path / "taken").write_text("")
    kept = ChunkWriter("whole", tmp_path / "taken" / "x", N, whole.nonzeros)
    with pytest.raises(DataError, match="choose another --output"):
        kept.add(EncodedRows(whole.X.data, whole.X.indices, np.diff(whole.X.indptr), whole.y), 6)


# LIBSVM


def test_a_large_libsvm_file_has_the_events_of_a_small_one(tmp_path, monkeypatch):
    X, y = events(N, seed=5)
    path = write_libsvm(tmp_path / "large.libsvm", X, np.where(y, 1, -1))
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 10)
    monkeypatch.setattr(chunk_writer, "CHUNK", 150)
    chunked = read_large_libsvm(path, tmp_path / "chunks")
    assert all_rows(chunked) == as_rows(datasets.open_stream(path))


def test_indices_far_apart_cost_by_their_number(tmp_path):
    path = tmp_path / "far.libsvm"
    path.write_text("1 5:1 60000000:2\n-1 7:1\n")
    stream = read_large_libsvm(path, tmp_path / "chunks")
    assert sorted(stream.names) == [5, 7, 60000000]


@pytest.mark.parametrize(
    ("line", "said"), [("1 1:inf", "event 2"), ("1 x:1", "line 2"), ("a 1:1", "line 2")]
)
def test_a_bad_line_of_a_large_file_is_named(tmp_path, line, said):
    path = tmp_path / "bad.libsvm"
    path.write_text(f"-1 1:1\n{line}\n")
    with pytest.raises(DataError, match=said):
        read_large_libsvm(path, tmp_path / "chunks")


# Replays


@pytest.mark.parametrize("method", [AUTO, *METHODS])
@pytest.mark.parametrize("cuts", [(1,), (100,), (3, 90, 91, 200)])
def test_a_replay_in_parts_is_the_replay_at_once(whole, method, cuts):
    stream = rows_for_paper(whole)
    order = np.random.default_rng(3).permutation(N)
    numbers, checkpoints = uniforms(4, N), [1, 50, 100, 239, N]

    def model():
        return build(method, Setting(30, 3.0, probability=0.2), {}, seed=1)

    at_once = replay(model(), stream, order, numbers, checkpoints)
    parts = Replay(model(), GivenUniforms(numbers), checkpoints)
    for part in np.split(order, cuts):
        parts.go_on(stream, part)
    found = parts.outcome()
    assert found.asked.tolist() == at_once.asked.tolist()
    assert found.uniforms_used == at_once.uniforms_used
    assert [each.tolist() for each in found.counts] == [each.tolist() for each in at_once.counts]
    assert found.checkpoints.tolist() == checkpoints


@pytest.mark.parametrize("method", [AUTO, "CSOAL"])
def test_chunks_in_order_are_replayed_as_the_whole(whole, in_chunks, method):
    task = Task(method, (), Setting(30, 3.0), Part(0, N, None), (100, N))
    one, other = (run_task(stream, 7, task) for stream in (whole, in_chunks(in_order=True)))
    assert [each.tolist() for each in one.counts] == [each.tolist() for each in other.counts]


def test_a_long_run_tells_of_every_chunk(in_chunks):
    chunked, told = in_chunks(), []
    task = Task(AUTO, (), Setting(30, 3.0), Part(0, N, 2), (N,))
    run_task(chunked, 7, task, went_on=told.append)
    assert sorted(told) == sorted(chunked.rows)


def test_processes_tell_how_far_they_are_before_a_run_has_ended(in_chunks, monkeypatch):
    seen = []
    move_to = Progress.move_to
    monkeypatch.setattr(runner, "LOOK", 0.001)
    monkeypatch.setattr(
        Progress, "move_to", lambda self, *done: (seen.append(done), move_to(self, *done))
    )
    long = [Task("ARF", (), Setting(N, 3.0), Part(0, N, k), (N,)) for k in range(2)]
    with runner.ProcessRunner(in_chunks(), jobs=1) as processes:
        total = sum(task.seconds(processes.stream) for task in long)
        ended = list(processes.run(long, "on a board"))
    assert len(ended) == 2
    assert any(0 < events < N for _, events in seen)
    assert max(seconds for seconds, _ in seen) <= total * 1.001


def test_chunks_in_random_orders_are_replayed_to_the_end(in_chunks):
    task = Task(AUTO, (), Setting(30, 3.0), Part(0, N, 2), (100, N))
    run = run_task(in_chunks(), 7, task)
    assert sum(np.array(run.final)[:4]) == N
    assert run.final.labels == 30


def test_auto_with_every_label_is_replayed_as_single_events(whole):
    replayed = replay(ActiveLearner(AutoOA3Classifier(), FirstComeQuery(), seed=1), whole)
    model = ActiveLearner(AutoOA3Classifier(), FirstComeQuery(), seed=1)
    right = 0
    for x, y in whole.events():
        label, ask = model.predict_one(x)
        assert ask
        model.learn_one(x, y)
        right += label == y
    assert replayed.asked.all()
    assert replayed.true_positives[-1] + replayed.true_negatives[-1] == right


# What is exported, river's learners, and the size of a comparison


@pytest.mark.parametrize("method", [AUTO, "OA3-diag"])
def test_a_fitted_model_has_learned_every_label_in_an_order_that_was_compared(whole, small, method):
    scaled = rows_for_paper(whole)
    plan = Plan(24, Goal("sum"), (method,), permutations=1)
    stream = whole if method == AUTO else scaled
    comparison = compare(scaled, plan, whole)
    model, counts = fit(comparison, method, stream)[1:]
    single = build(method, comparison.setting, comparison.parameters[method], 0).classifier
    right = 0
    for x, y in stream.events(order_of(stream, comparison.parts(method)[0], plan.seed)):
        right += single.predict_one(x) == y
        single.learn_one(x, y)
    assert (sum(counts[:4]), counts.true_positives + counts.true_negatives) == (N, right)
    assert (model.n_seen, model.n_learned) == (N, N)
    assert isinstance(model.budget, RateBudget)
    assert model.budget.rate == 0.1
    for x, _ in list(stream.events())[:20]:
        assert model.classifier.margin_one(x) == pytest.approx(single.margin_one(x), abs=1e-6)


@pytest.mark.parametrize("method", PEERS)
def test_a_learner_of_river_never_has_more_labels_than_the_budget(whole, method):
    run = run_task(whole, 3, Task(method, (), Setting(12, 1.0), Part(0, N, 0), (60, N)))
    assert run.final.labels <= 12
    assert sum(np.array(run.final)[:4]) == N
    assert len(run.counts.labels) == 2


def size(whole, wanted, **more):
    return sized(Streams(whole, whole), 10**8, 10**6, 1, wanted, **more)


def test_what_takes_too_long_is_left_out_but_for_auto(whole):
    found = size(whole, (AUTO, *METHODS))
    assert AUTO in found.methods
    assert found.left_out
    assert found.runs == 5


def test_what_somebody_named_is_not_left_out(whole):
    found = size(whole, ("OA3", "CSOAL"), methods_given=True, runs_given=3)
    assert (found.methods, found.runs, found.left_out) == (("OA3", "CSOAL"), 3, ())


def test_a_small_stream_has_all_methods_and_twenty_orders(whole):
    found = sized(Streams(whole, whole), N, 24, 1, (AUTO, *METHODS))
    assert (found.methods, found.runs) == ((AUTO, *METHODS), 20)


def test_a_covariance_of_thousands_of_features_takes_long_by_the_labels_alone(whole):
    wide = dataclasses.replace(whole, names=list(range(3000)))
    few, many = (METHODS["OA3"].seconds(wide, 10**6, share) for share in (0.01, 1.0))
    assert few < many / 20


def test_the_time_that_is_told_has_the_labels_that_are_bought_afterwards(whole):
    found = size(whole, ("CSOAL",), methods_given=True, runs_given=3)
    assert found.seconds > 2 * 3 * METHODS["CSOAL"].seconds(whole, 10**8, 0.01)

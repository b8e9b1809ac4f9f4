"""An active stream is the same batches in one process, and goes on from its checkpoint."""

from __future__ import annotations

import datetime as dt
import math
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spark_runs
from batch_runs import labelled_events, learner, opened, run_batch, state_of
from durable_services import rows
from messy_tables import KINDS, messy_rows
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F
from river import preprocessing
from spark_runs import BATCHES, EVENTS, LABELS, frames, labels_of_batch, limit, run_stream

from river_oa3 import ActiveLearner, AutoOA3Classifier, OA3DiagClassifier, Schema, budget
from river_oa3.query import FirstComeQuery
from river_oa3.spark import ActiveStream
from river_oa3.spark import stream as spark_stream


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return spark_runs.write_files(tmp_path_factory.mktemp("files"))


def url_of(path):
    return f"sqlite:///{path}/asks.db"


def asked_ids(url):
    return [int(row["event_id"]) for row in rows(url)]


def test_a_stream_asks_and_learns_as_the_same_batches_in_one_process(spark, folder, tmp_path):
    stream = run_stream(spark, folder, url_of(tmp_path), tmp_path / "checkpoint")
    single = opened(f"sqlite:///{tmp_path}/single.db", limit())
    for number, ids in enumerate(BATCHES):
        labels = dict(sorted(labels_of_batch(number).items()))
        run_batch(single, number, ids, EVENTS, labels, one_by_one=2000)
    assert asked_ids(url_of(tmp_path)) == asked_ids(f"sqlite:///{tmp_path}/single.db")
    weights, *counts = state_of(stream.model)
    wanted, *wanted_counts = state_of(single.model)
    assert weights == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert counts[:2] == wanted_counts[:2]
    # Both ways were taken: one by one while there were few labels, and by proposals.
    assert single.is_warm
    assert 200 < stream.model.n_learned <= stream.model.n_asked == LABELS


def test_a_stream_goes_on_from_its_checkpoint(spark, folder, tmp_path):
    whole = run_stream(spark, folder, f"sqlite:///{tmp_path}/whole.db", tmp_path / "whole")

    class Ended(Exception):
        pass

    def end_at(batch):
        def then(frame, number):
            if number == batch:
                raise Ended

        return then

    url, checkpoint = url_of(tmp_path), tmp_path / "checkpoint"
    for batch in (1, 5):
        with pytest.raises(StreamingQueryException, match="Ended"):
            run_stream(spark, folder, url, checkpoint, then=end_at(batch))
    again = run_stream(spark, folder, url, checkpoint)
    assert state_of(again.model) == state_of(whole.model)
    assert asked_ids(url) == asked_ids(f"sqlite:///{tmp_path}/whole.db")


def test_partitions_do_not_matter(spark, folder, tmp_path):
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "split")]
    whole = run_stream(spark, folder, urls[0], tmp_path / "whole")
    split = run_stream(spark, folder, urls[1], tmp_path / "split", partitions=3)
    assert state_of(split.model) == state_of(whole.model)
    assert asked_ids(urls[1]) == asked_ids(urls[0])


def test_raw_rows_are_asked_about_and_learned_as_they_are(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(spark_stream, "ONE_BY_ONE", 60)
    rows = {row["payment"]: row for row in messy_rows(150)}
    for row in rows.values():
        row["when"] = row["when"].replace(tzinfo=dt.UTC)
    texts = [{k: None if v is None else str(v) for k, v in row.items()} for row in rows.values()]
    labels = {"payment": list(rows), "is_fraud": [row["fate"] == "fraud" for row in rows.values()]}
    schema, states = Schema(KINDS), []
    for way, table in (("typed", list(rows.values())), ("texts", texts)):
        folder = tmp_path / way
        folder.mkdir()
        write_batch(folder, "events", 0, pa.Table.from_pylist(table))
        write_batch(folder, "labels", 0, labels)
        events = spark.read.parquet(f"{folder}/events").schema
        model = learner(budget.TotalBudget(100), classifier=schema | AutoOA3Classifier())
        stream = ActiveStream(model, store=url_of(folder), id="payment")
        query = stream.start(
            one_by_one(spark, folder, "events", events),
            one_by_one(spark, folder, "labels", "payment string, is_fraud boolean"),
            checkpoint=f"{folder}/checkpoint",
            label="is_fraud",
            trigger={"availableNow": True},
        )
        query.awaitTermination()
        learned = list(stream.pending.asks("learned"))
        # Both ways were taken: one by one, and by proposals.
        assert min(ask.event_id for ask in learned) < "p-000060" < learned[-1].event_id
        for ask in learned:
            assert schema.transform_one(ask.x) == schema.transform_one(rows[ask.event_id])
            assert ask.x.keys() == KINDS.keys()
        last = stream.model.classifier["AutoOA3Classifier"]
        states.append((last.weights, stream.model.n_seen, [ask.event_id for ask in learned]))
        stream.close()
    assert states[0] == states[1]
    assert states[0][1] == 150


def test_steps_between_schema_and_classifier_are_refused_for_a_stream(tmp_path):
    model = Schema({"a": "number"}) | preprocessing.StandardScaler() | OA3DiagClassifier()
    with pytest.raises(TypeError, match="without further steps"):
        ActiveStream(model, store=url_of(tmp_path))


def test_labels_that_come_a_batch_before_their_events_are_learned_with_them(spark, tmp_path):
    known = labelled_events(60)
    for number in range(3):
        events = [i for i in known if i // 30 == number - 1]
        write_batch(tmp_path, "events", number, {"id": events, "a": [x_of(i) for i in events]})
        labels = {i: y for i, (_, y) in known.items() if i // 30 == number}
        columns = {"id": list(labels), "label": list(labels.values())}
        write_batch(tmp_path, "labels", number, columns)
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path))
    labels = one_by_one(spark, tmp_path, "labels", "id bigint, label boolean")
    run_one(stream, one_by_one(spark, tmp_path, "events", "id bigint, a double"), tmp_path, labels)
    learned = {ask.event_id: ask.answer for ask in stream.pending.asks("learned")}
    assert learned == {i: known[i][1] for i in asked_ids(url_of(tmp_path))}
    assert {i // 30 for i in learned} == {0, 1}
    stream.close()


def test_batches_are_handed_on_with_the_scores_of_their_events(spark, folder, tmp_path):
    seen = {}

    def then(frame, number):
        seen[number] = frame.select("id", "label", "query_probability").collect()

    run_stream(spark, folder, url_of(tmp_path), tmp_path / "checkpoint", then=then)
    assert [sorted(row["id"] for row in seen[i]) for i in range(len(BATCHES))] == BATCHES
    spent = [row["query_probability"] for row in seen[len(BATCHES) - 1]]
    assert set(spent) == {0.0}


def test_nothing_that_was_broadcast_is_left_behind(spark, folder, tmp_path):
    def then(frame, number):
        frame.count()

    broadcasts = spark.sparkContext._temp_dir
    before = os.listdir(broadcasts)
    run_stream(spark, folder, url_of(tmp_path), tmp_path / "checkpoint", then=then)
    assert os.listdir(broadcasts) == before


# Events that come twice


def test_events_of_one_id_are_asked_about_once_however_they_are_delivered(
    spark, tmp_path, monkeypatch
):
    monkeypatch.setattr(spark_stream, "ONE_BY_ONE", 25)  # which cuts events of one id apart
    twice = [(i, value) for i in range(40) for value in (x_of(i), -x_of(i), x_of(i))]
    asked, states = [], []
    for way, values in (("forth", twice), ("back", twice[::-1])):
        folder = tmp_path / way
        frame = spark.createDataFrame(values, "id bigint, a double").repartition(3)
        frame.write.parquet(f"{folder}/in")
        events = spark.readStream.schema("id bigint, a double").parquet(f"{folder}/in")
        stream = ActiveStream(learner(limit()), store=url_of(folder))
        run_one(stream, events, folder)
        asked.append([(ask.event_id, ask.x) for ask in stream.pending])
        states.append(state_of(stream.model))
        stream.close()
    ids = [event_id for event_id, _ in asked[0]]
    assert len(ids) == len(set(ids))
    # Both ways were taken: one by one, and by proposals.
    assert min(ids) < 8 < max(ids)
    assert asked[0] == asked[1]
    assert states[0] == states[1]


def x_of(i):
    return EVENTS[i][0]["a"]


def test_an_event_that_comes_again_later_is_not_asked_about_again(spark, tmp_path):
    ids = list(range(40))
    columns = {"id": ids, "a": [x_of(i) for i in ids]}
    for number in range(2):
        write_batch(tmp_path, "in", number, columns)
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path))
    run_one(stream, one_by_one(spark, tmp_path, "in", "id bigint, a double"), tmp_path)
    asked = asked_ids(url_of(tmp_path))
    assert len(asked) == len(set(asked)) == stream.model._budget._spent > 10
    stream.close()


# What one process refuses


def one_file(spark, folder, values, schema):
    spark.createDataFrame(values, schema).write.parquet(f"{folder}/in")
    return spark.readStream.schema(schema).parquet(f"{folder}/in")


def write_batch(folder, kind, number, columns):
    """A file that is a batch of its own: files are read in the order of their age."""
    path = folder / kind / f"{number}.parquet"
    path.parent.mkdir(exist_ok=True)
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path)
    os.utime(path, (1_700_000_000 + number,) * 2)


def one_by_one(spark, folder, kind, schema):
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{folder}/{kind}")


def run_one(stream, events, tmp_path, labels=None):
    query = stream.start(
        events, labels, checkpoint=f"{tmp_path}/checkpoint", trigger={"availableNow": True}
    )
    query.awaitTermination()


BAD = [("a", 1.0), ("b", math.inf), (None, 2.0), ("d" * 2501, 3.0), ("e", 4.0)]


def test_refused_events_are_left_out_and_noted(spark, tmp_path):
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path), on_error="mark")
    run_one(stream, one_file(spark, tmp_path, BAD, "id string, v double"), tmp_path)
    errors = dict(stream.errors)
    assert errors.keys() == {"b", None, "d" * 2501}
    assert errors["b"].startswith("feature 'v' is inf, not a finite number")
    assert "ids that are text or whole numbers, not None" in errors[None]
    assert "too long for a store" in errors["d" * 2501]
    assert stream.model.n_seen == 2
    stream.close()


def test_refused_events_are_left_out_of_what_executors_score(spark, tmp_path):
    spent = learner(budget.TotalBudget(0))  # with no label left, nothing goes one by one
    stream = ActiveStream(spent, store=url_of(tmp_path), on_error="mark")
    run_one(stream, one_file(spark, tmp_path, BAD, "id string, v double"), tmp_path)
    assert dict(stream.errors).keys() == {"b", None, "d" * 2501}
    assert (stream.model.n_seen, stream.model.classifier._core.counts[0]) == (2, 2)
    stream.close()


def test_a_refused_event_ends_the_query_with_the_reason(spark, tmp_path):
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path))
    events = one_file(spark, tmp_path, BAD[:2], "id string, v double")
    with pytest.raises(StreamingQueryException, match="event 'b': feature 'v' is inf"):
        run_one(stream, events, tmp_path)
    assert rows(url_of(tmp_path)) == []
    stream.close()


def test_a_stream_is_started_again_after_a_batch_that_failed(spark, tmp_path):
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path))
    events = one_file(spark, tmp_path, BAD[:2], "id string, v double")
    for _ in range(2):
        with pytest.raises(StreamingQueryException, match="event 'b': feature 'v' is inf"):
            run_one(stream, events, tmp_path)
    run_one(stream, events.filter("id = 'a'"), tmp_path)
    assert stream.model.n_seen == 1
    stream.close()


def test_a_stream_runs_one_query_at_a_time(spark, tmp_path):
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path))
    events = one_file(spark, tmp_path, BAD[:1], "id string, v double")
    query = stream.start(events, checkpoint=f"{tmp_path}/checkpoint")
    try:
        with pytest.raises(RuntimeError, match="a query of this stream is running"):
            stream.start(events, checkpoint=f"{tmp_path}/other")
    finally:
        query.stop()
    stream.close()


def test_an_event_too_large_for_the_model_is_noted_on_the_driver(spark, tmp_path):
    model = learner(limit(), classifier=OA3DiagClassifier())
    stream = ActiveStream(model, store=url_of(tmp_path), on_error="mark")
    run_one(stream, one_file(spark, tmp_path, [(1, 1e200), (2, 1.0)], "id int, v double"), tmp_path)
    ((event_id, words),) = stream.errors
    assert event_id == 1
    assert "would overflow the model" in words
    stream.close()


def test_answers_of_people_are_learned_without_a_stream_of_labels(spark, tmp_path):
    for number in range(3):
        write_batch(tmp_path, "in", number, {"id": [number], "v": [1.0]})
    model = ActiveLearner(query=FirstComeQuery(), budget=10, seed=1)
    stream = ActiveStream(model, store=url_of(tmp_path))
    query = stream.start(
        one_by_one(spark, tmp_path, "in", "id bigint, v double"),
        checkpoint=f"{tmp_path}/checkpoint",
        trigger={"availableNow": True},
        then=lambda frame, number: number == 1 and stream.pending.answer(0, True),
    )
    query.awaitTermination()
    assert [ask.event_id for ask in stream.pending.asks("learned")] == [0]
    stream.close()


def test_an_answer_that_the_model_refuses_ends_the_query_once(spark, tmp_path):
    for number, i in enumerate((1, 2, 3)):
        write_batch(tmp_path, "in", number, {"id": [i], "v": [1e80 if i == 1 else 1.0]})
    model = ActiveLearner(OA3DiagClassifier(), query=FirstComeQuery(), budget=10, seed=1)
    stream = ActiveStream(model, store=url_of(tmp_path))
    events = one_by_one(spark, tmp_path, "in", "id bigint, v double")

    def start():
        query = stream.start(
            events,
            checkpoint=f"{tmp_path}/checkpoint",
            trigger={"availableNow": True},
            then=lambda frame, number: number == 1 and stream.pending.answer(1, True),
        )
        query.awaitTermination()

    with pytest.raises(StreamingQueryException, match=r"event 1: .*overflow"):
        start()
    start()
    assert [ask.event_id for ask in stream.pending] == [1, 2, 3]
    stream.close()


# What is refused before anything is run


def test_a_store_is_needed():
    with pytest.raises(ValueError, match="store must be a URL"):
        ActiveStream()


def test_budget_and_seed_are_those_of_an_active_learner(tmp_path):
    with pytest.raises(ValueError, match="has its own budget and seed"):
        ActiveStream(learner(), budget=5, store=url_of(tmp_path))


def test_frames_that_do_not_fit_are_refused(spark, folder, tmp_path):
    events, labels = frames(spark, folder)
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path), features="x")
    with pytest.raises(ValueError, match="the labels have no column 'y'"):
        stream.start(events, labels, checkpoint=f"{tmp_path}/c", label="y")
    with pytest.raises(ValueError, match="there is no column 'id'"):
        stream.start(events, labels.withColumnRenamed("id", "key"), checkpoint=f"{tmp_path}/c")
    columns = one_file(spark, tmp_path, [(1, 2.0)], "id bigint, label double")
    other = ActiveStream(learner(limit()), store=f"sqlite:///{tmp_path}/other.db")
    with pytest.raises(ValueError, match="the events have a column 'label'"):
        other.start(columns, labels, checkpoint=f"{tmp_path}/c")
    for name in ("Label", "oa3_is_label", "OA3_lost_id"):
        with pytest.raises(ValueError, match=f"the events have a column '{name}'"):
            other.start(
                columns.withColumnRenamed("label", name), labels, checkpoint=f"{tmp_path}/c"
            )
    stream.close()
    other.close()


def test_ids_that_are_not_compared_letter_by_letter_are_refused(spark, folder, tmp_path):
    events, labels = frames(spark, folder)
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path), features="x")
    collated = F.collate(F.col("id").cast("string"), "UTF8_LCASE")
    with pytest.raises(TypeError, match="'id' is of type string collate UTF8_LCASE"):
        stream.start(events.withColumn("id", collated), labels, checkpoint=f"{tmp_path}/c")
    with pytest.raises(TypeError, match="'id' is of type string collate UTF8_LCASE"):
        stream.start(events, labels.withColumn("id", collated), checkpoint=f"{tmp_path}/c")
    stream.close()


def test_labels_whose_ids_cannot_be_kept_are_noted(spark, tmp_path):
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path), on_error="mark")
    ids = [str(i) for i in range(40)]
    write_batch(tmp_path, "events", 0, {"id": ids, "a": [x_of(i) for i in range(40)]})
    ids += [None, "d" * 2501]
    write_batch(tmp_path, "labels", 0, {"id": ids, "label": [True] * len(ids)})
    labels = one_by_one(spark, tmp_path, "labels", "id string, label boolean")
    run_one(stream, one_by_one(spark, tmp_path, "events", "id string, a double"), tmp_path, labels)
    assert dict(stream.errors).keys() == {None, "d" * 2501}
    assert stream.model.n_learned == stream.model.n_asked > 5
    stream.close()


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_label_whose_id_does_not_fit_is_that_of_no_event(spark, tmp_path, ansi):
    write_batch(tmp_path, "events", 0, {"id": pa.array([1, 2], pa.int32()), "a": [1.0, 2.0]})
    write_batch(tmp_path, "labels", 0, {"id": [2**32 + 1, 2], "label": [True, True]})
    model = ActiveLearner(query=FirstComeQuery(), budget=10, seed=1)
    stream = ActiveStream(model, store=url_of(tmp_path), on_error="mark")
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        labels = one_by_one(spark, tmp_path, "labels", "id bigint, label boolean")
        run_one(stream, one_by_one(spark, tmp_path, "events", "id int, a double"), tmp_path, labels)
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)
    assert [ask.event_id for ask in stream.pending.asks("learned")] == [2]
    ((event_id, words),) = stream.errors
    assert event_id == str(2**32 + 1)
    assert "of type int" in words
    stream.close()


def test_a_label_that_is_none_ends_the_query_by_its_id(spark, tmp_path):
    events = labelled_events(5)
    values = [(i, x["a"]) for i, (x, _) in events.items()]
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path))
    frame = one_file(spark, tmp_path, values, "id bigint, a double")
    spark.createDataFrame([(3, 2)], "id bigint, label int").write.parquet(f"{tmp_path}/labels")
    labels = spark.readStream.schema("id bigint, label int").parquet(f"{tmp_path}/labels")
    with pytest.raises(StreamingQueryException, match="event 3: a label is True or False"):
        run_one(stream, frame, tmp_path, labels)
    stream.close()


def test_columns_of_any_name_are_taken(spark, tmp_path):
    known = labelled_events(60)
    ids = list(known)
    columns = {"the.id": ids, "a.b": [x_of(i) for i in ids], "`c`": [1.0 * (i % 3) for i in ids]}
    write_batch(tmp_path, "events", 0, columns)
    write_batch(tmp_path, "labels", 0, {"the.id": ids, "is.it": [y for _, y in known.values()]})
    stream = ActiveStream(learner(limit()), store=url_of(tmp_path), id="the.id")
    query = stream.start(
        one_by_one(spark, tmp_path, "events", "`the.id` bigint, `a.b` double, ```c``` double"),
        one_by_one(spark, tmp_path, "labels", "`the.id` bigint, `is.it` boolean"),
        checkpoint=f"{tmp_path}/checkpoint",
        label="is.it",
        trigger={"availableNow": True},
    )
    query.awaitTermination()
    learned = {ask.event_id: ask.answer for ask in stream.pending.asks("learned")}
    assert learned == {i: known[i][1] for i in asked_ids(url_of(tmp_path))}
    assert {"a.b", "`c`"} == {name for ask in stream.pending.asks("learned") for name in ask.x}
    stream.close()

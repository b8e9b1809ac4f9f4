"""Frames are scored as single events are, and what is wrong is said in the same words."""

from __future__ import annotations

import datetime as dt
import math
import os
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from arrow_events import meant
from batch_runs import labelled_events
from learners import LEARNERS, sparse_events, trained
from messy_tables import messy_model, messy_rows, scores_of
from pyspark.errors import PythonException, StreamingQueryException
from pyspark.sql import functions as F
from pyspark.sql import types as T

from river_oa3 import ActiveLearner, AutoOA3Classifier, OA3Classifier, Schema
from river_oa3.spark import score, workers

NEW = ["label", "probability", "margin", "variance", "query_probability"]
COLUMNS = T.StructType(
    [
        T.StructField("id", T.StringType()),
        T.StructField("a", T.DoubleType()),
        T.StructField("count", T.IntegerType()),
        T.StructField("price", T.DecimalType(10, 2)),
        T.StructField("flag", T.BooleanType()),
        T.StructField("colour", T.StringType()),
        T.StructField("nothing", T.NullType()),
    ]
)
EVENTS = [
    ("e0", 1.5, 3, Decimal("2.50"), True, "red", None),
    ("e1", None, 0, None, False, None, None),
    ("e2", math.nan, None, Decimal("-7.25"), None, "green", None),
    ("e3", 0.0, -2, Decimal("0.00"), True, "never seen", None),
    ("e4", 1e200, 5, Decimal("1.00"), True, "", None),
]


@pytest.fixture(scope="module")
def model():
    model = ActiveLearner(AutoOA3Classifier(), budget=100, seed=1)
    for i in range(60):
        x = {"a": i % 7 - 2.0, "count": i % 5, "flag": i % 2 == 0, "price": 0.5 * (i % 11)}
        x["colour"] = ["red", "green", "blue"][i % 3]
        model.predict_one(x)
        model.learn_one(x, i % 4 == 0)
    return model


def single(model, x):
    classifier = model.classifier
    return (
        classifier.predict_one(x),
        classifier.predict_proba_one(x)[True],
        classifier.margin_one(x),
        classifier.variance_one(x),
        model.query_probability(x),
    )


def assert_scored(rows, model, events):
    assert len(rows) == len(events)
    for row in rows:
        found = [row[name] for name in NEW]
        assert found == pytest.approx(single(model, events[row["id"]]), rel=1e-12, abs=1e-12)


def test_columns_of_all_kinds_are_scored_as_single_events(spark, model):
    rows = score(spark.createDataFrame(EVENTS, COLUMNS), model, "id").collect()
    events = {row[0]: dict(zip(COLUMNS.names[1:], row[1:], strict=True)) for row in EVENTS}
    assert_scored(rows, model, {i: meant(x) for i, x in events.items()})
    assert rows[0].asDict().keys() == {*COLUMNS.names, *NEW}
    assert [row["price"] for row in rows] == [row[3] for row in EVENTS]


@pytest.mark.parametrize("classifier", [AutoOA3Classifier, *LEARNERS], ids=lambda c: c.__name__)
def test_a_map_is_scored_as_single_events(spark, classifier):
    model = ActiveLearner(trained(classifier), seed=1)
    events = {i: x for i, (x, _) in enumerate(sparse_events(60))} | {60: {}}
    frame = spark.createDataFrame(list(events.items()), "id bigint, x map<string,double>")
    assert_scored(score(frame, model, "id", "x").collect(), model, events)


def test_a_map_of_texts_is_scored_as_categories(spark, model):
    events = {0: {"colour": "red"}, 1: {"colour": None}, 2: {}}
    frame = spark.createDataFrame(list(events.items()), "id int, x map<string,string>")
    assert_scored(score(frame, model, "id", "x").collect(), model, events)


def test_a_streaming_frame_is_scored(spark, model, tmp_path):
    events = {i: x for i, (x, _) in labelled_events(50).items()}
    known = [(i, x["a"], x["b"]) for i, x in events.items()]
    frame = spark.createDataFrame(known, "id int, a double, b double")
    frame.write.parquet(f"{tmp_path}/in")
    stream = spark.readStream.schema(frame.schema).parquet(f"{tmp_path}/in")
    writer = score(stream, model, "id").writeStream.format("memory").queryName("scored")
    writer.trigger(availableNow=True).start().awaitTermination()
    rows = spark.table("scored").collect()
    assert_scored(rows, model, {i: {"a": x["a"], "b": x["b"]} for i, x in events.items()})


def test_a_classifier_alone_is_taken_and_so_are_some_of_the_columns(spark, model):
    frame = spark.createDataFrame(EVENTS, COLUMNS)
    row = score(frame, model.classifier, "id", ["a", "colour"]).first()
    assert row["margin"] == pytest.approx(model.classifier.margin_one({"a": 1.5, "colour": "red"}))


def test_numbers_that_are_sent_together_are_scored_as_single_events(spark, model):
    frame = spark.createDataFrame(EVENTS, COLUMNS).filter("id <> 'none'")
    rows = score(frame, model, "id", keep=["id"]).collect()
    events = {row[0]: dict(zip(COLUMNS.names[1:], row[1:], strict=True)) for row in EVENTS}
    assert_scored(rows, model, {i: meant(x) for i, x in events.items()})
    assert rows[0].asDict().keys() == {"id", *NEW}


def test_names_of_any_kind_are_taken(spark):
    rows = [(1, 2.0, 3.0, 4.0)]
    names = ["the.id", "a.b", "`c`", "oa3_numbers"]
    model = ActiveLearner(AutoOA3Classifier())
    for i in range(20):
        model.classifier.learn_one({name: float(i % 3) for name in names[1:]}, i % 2 == 0)
    frame = spark.createDataFrame(rows, names).filter("1 = 1 or `the.id` > 0")
    for keep in (None, ["the.id"], ["a.b"]):
        row = score(frame, model, "the.id", keep=keep).first()
        margin = model.classifier.margin_one(dict(zip(names[1:], rows[0][1:], strict=True)))
        assert row["margin"] == pytest.approx(margin, rel=1e-12)


# Raw rows, which a model with a schema takes


RAW = (
    "payment string, when timestamp, amount double, age int, country string, is_new boolean, "
    "note string, version bigint, fate string"
)


@pytest.fixture(scope="module")
def raw_model():
    return messy_model(messy_rows(300, seed=1))


@pytest.fixture(scope="module")
def raw_rows():
    rows = messy_rows(80)
    for row in rows:
        row["when"] = row["when"].replace(tzinfo=dt.UTC)
    rows[7] |= dict.fromkeys(("when", "amount", "is_new", "note"))
    rows[9]["amount"] = math.nan
    return rows


@pytest.fixture
def far_away(spark):
    """A session whose clock is five hours behind."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/Bogota")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)


def assert_scored_as_rows(found, model, rows):
    assert len(found) == len(rows)
    by_name = {row["payment"]: row for row in rows}
    for row in found:
        assert {name: row[name] for name in NEW} == scores_of(model, by_name[row["payment"]])


@pytest.mark.parametrize("is_kept", [True, False])
def test_raw_columns_are_scored_as_the_model_says_row_by_row(
    spark, far_away, raw_model, raw_rows, is_kept
):
    frame = spark.createDataFrame([tuple(row.values()) for row in raw_rows], RAW)
    keep = None if is_kept else ["payment"]
    scored = score(frame, raw_model, prefix="" if is_kept else "oa3_", keep=keep)
    found = [
        {name.removeprefix("oa3_"): value for name, value in row.asDict().items()}
        for row in scored.collect()
    ]
    assert_scored_as_rows(found, raw_model, raw_rows)
    if is_kept:
        assert found[0].keys() == {*raw_rows[0], *NEW}
        assert scored.agg(F.sum("age")).first() == frame.agg(F.sum("age")).first()


@pytest.mark.parametrize("kind", ["timestamp_ntz", "string"])
def test_a_date_without_a_zone_is_taken_as_it_is_written(
    spark, far_away, raw_model, raw_rows, kind
):
    naive = [dict(row) for row in raw_rows]
    for row in naive:
        row["when"] = row["when"] and row["when"].replace(tzinfo=None)
        if kind == "string":
            row["when"] = row["when"] and str(row["when"])
    schema = RAW.replace("timestamp", kind)
    frame = spark.createDataFrame([tuple(row.values()) for row in naive], schema)
    assert_scored_as_rows(score(frame, raw_model).collect(), raw_model, naive)


def test_days_and_whole_numbers_of_any_length_keep_what_they_are(spark):
    kinds = {"day": "date", "code": "category", "price": "number"}
    model = ActiveLearner(Schema(kinds) | AutoOA3Classifier(), seed=1)
    rows = [
        {"day": dt.date(2024, 1, 1 + i), "code": 2**62 + i % 3, "price": Decimal(i) / 8}
        for i in range(20)
    ]
    for i, row in enumerate(rows):
        model.predict_one(row)
        model.learn_one(row, i % 3 == 0)
    frame = spark.createDataFrame(
        [tuple(row.values()) for row in rows], "day date, code bigint, price decimal(10,3)"
    )
    for row in score(frame, model).collect():
        event = {name: row[name] for name in kinds}
        assert {name: row[name] for name in NEW} == scores_of(model, event)


def test_texts_of_a_file_are_read_by_workers_themselves(spark, raw_model, raw_rows, tmp_path):
    texts = [
        {name: None if value is None else str(value) for name, value in row.items()}
        for row in raw_rows
    ]
    pq.write_table(pa.Table.from_pylist(texts), tmp_path / "rows.parquet")
    frame = spark.read.parquet(str(tmp_path))
    for direct in (True, False):
        found = score(frame, raw_model, direct=direct).collect()
        assert_scored_as_rows(found, raw_model, texts)


def test_dates_of_a_file_are_left_to_spark(spark, raw_model, raw_rows, tmp_path):
    pq.write_table(pa.Table.from_pylist(raw_rows), tmp_path / "rows.parquet")
    frame = spark.read.parquet(str(tmp_path))
    with pytest.raises(ValueError, match="column 'when' is of type timestamp"):
        score(frame, raw_model, direct=True)
    assert_scored_as_rows(score(frame, raw_model).collect(), raw_model, raw_rows)
    # Where no date is needed, nothing stands in the way.
    amounts = Schema({"amount": "number"}) | AutoOA3Classifier()
    assert score(frame, amounts, keep=["payment"], direct=True).count() == len(raw_rows)


def test_a_raw_row_that_cannot_be_read_is_marked_or_ends_the_query(spark, raw_model):
    rows = [("p1", "12.50"), ("p2", "much"), ("p3", None)]
    frame = spark.createDataFrame(rows, "payment string, amount string")
    words = "column 'amount' holds 'much', not a number"
    found = score(frame, raw_model, on_error="mark").collect()
    assert [row["error"] for row in found] == [None, words, None]
    with pytest.raises(PythonException, match=f"ValueError: event 'p2': {words}"):
        score(frame, raw_model, "payment").collect()
    with pytest.raises(PythonException, match=f"ValueError: an event: {words}"):
        score(frame, raw_model).collect()


def test_a_frame_of_another_table_is_refused_before_anything_is_run(spark, raw_model, model):
    frame = spark.createDataFrame([("x", 1.0)], "id string, length double")
    with pytest.raises(ValueError, match=r"none of the columns that the model knows.*'length'"):
        score(frame, raw_model)
    with pytest.raises(ValueError, match=r"none of the features that the model knows.*'length'"):
        score(frame, model)
    with pytest.raises(ValueError, match="leave features out"):
        score(frame, raw_model, features=["length"])


# What one process refuses


def words_of(model, x):
    with pytest.raises((ValueError, TypeError)) as refused:
        model.predict_one(x)
    return str(refused.value)


def test_a_refused_event_is_marked_in_the_words_of_one_process(spark, model):
    frame = spark.createDataFrame([(1, 2.0), (2, math.inf), (3, 1.0)], "id int, a double")
    rows = score(frame, model, "id", on_error="mark").orderBy("id").collect()
    words = words_of(AutoOA3Classifier(), {"a": math.inf})
    assert [row["error"] for row in rows] == [None, words, None]
    assert [rows[1][name] for name in NEW] == [None] * 5
    assert None not in [rows[0][name] for name in NEW]


def test_a_refused_event_fails_the_query_in_the_words_of_one_process(spark, model):
    frame = spark.createDataFrame([("x", 2.0), ("y", math.inf)], "id string, a double")
    words = words_of(AutoOA3Classifier(), {"a": math.inf})
    with pytest.raises(PythonException) as failed:
        score(frame, model, "id").collect()
    assert f"ValueError: event 'y': {words}" in str(failed.value)


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_the_papers_learners_refuse_in_the_words_of_one_process(spark, value):
    frame = spark.createDataFrame([(1, value), (2, 1.0)], "id int, f0 double")
    rows = score(frame, trained(OA3Classifier), "id", on_error="mark").orderBy("id").collect()
    assert [row["error"] for row in rows] == [words_of(OA3Classifier(), {"f0": value}), None]


def test_a_streaming_query_fails_with_the_reason(spark, model, tmp_path):
    frame = spark.createDataFrame([(1, math.inf)], "id int, a double")
    frame.write.parquet(f"{tmp_path}/in")
    stream = spark.readStream.schema(frame.schema).parquet(f"{tmp_path}/in")
    query = score(stream, model, "id").writeStream.format("noop").trigger(availableNow=True).start()
    with pytest.raises(StreamingQueryException, match="event 1: feature 'a' is inf"):
        query.awaitTermination()


# What is refused when the query is built


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (dt.datetime(2024, 5, 1), "timestamp", "hour"),
        (dt.date(2024, 5, 1), "date", "dayofweek"),
        ([1.0], "array<double>", "its parts as columns"),
        ((1.0,), "struct<p:double>", r"select\('column.\*'\)"),
        (b"a", "binary", "numbers or a text"),
        ({"a": 1.0}, "map<string,double>", "as the only feature"),
    ],
)
def test_a_column_that_cannot_be_a_feature_is_refused_with_a_remedy(
    spark, model, value, kind, words
):
    frame = spark.createDataFrame([(1, value)], f"id int, when {kind}")
    with pytest.raises(TypeError, match=f"(?s)column 'when' is of type .*{words}"):
        score(frame, model, "id")


@pytest.mark.parametrize("kind", ["map<int,double>", "map<string,array<int>>"])
def test_a_map_of_the_wrong_kind_is_refused(spark, model, kind):
    frame = spark.createDataFrame([], f"id int, x {kind}")
    with pytest.raises(TypeError, match="'x'"):
        score(frame, model, "id", "x")


def test_texts_are_refused_for_the_papers_learners(spark):
    frame = spark.createDataFrame([], "id int, colour string")
    with pytest.raises(TypeError, match="use AutoOA3Classifier"):
        score(frame, OA3Classifier(), "id")


@pytest.mark.parametrize("kind", ["double", "timestamp", "array<int>", "decimal(5,0)"])
def test_an_id_that_is_no_text_or_whole_number_is_refused(spark, model, kind):
    frame = spark.createDataFrame([], f"id {kind}, a double")
    with pytest.raises(TypeError, match=r"the id 'id' is of type .* cast\('string'\)"):
        score(frame, model, "id")


def test_columns_that_are_not_there_are_named(spark, model):
    frame = spark.createDataFrame([], "id int, a double")
    with pytest.raises(ValueError, match="no column 'key'; there are id, a"):
        score(frame, model, "key")
    with pytest.raises(ValueError, match="no column 'b'"):
        score(frame, model, "id", ["a", "b"])
    with pytest.raises(ValueError, match="the id 'id' cannot be a feature"):
        score(frame, model, "id", ["id", "a"])
    with pytest.raises(ValueError, match="the feature 'a' is named more than once"):
        score(frame, model, "id", ["a", "a"])


def test_names_that_are_taken_want_a_prefix(spark, model):
    frame = spark.createDataFrame([(1, 2.0, 0.5)], "id int, a double, margin double")
    with pytest.raises(ValueError, match="the columns margin already"):
        score(frame, model, "id", ["a"])
    row = score(frame, model, "id", ["a"], prefix="oa3_").first()
    assert row["margin"] == 0.5
    assert row["oa3_margin"] == pytest.approx(model.classifier.margin_one({"a": 2.0}))


def test_names_that_differ_in_case_are_taken_too(spark, model):
    frame = spark.createDataFrame([(1, 2.0, 0.5)], "id int, a double, Margin double")
    with pytest.raises(ValueError, match="the columns Margin already"):
        score(frame, model, "id", ["a"])


def test_a_large_model_is_scored_as_a_small_one(spark, model, monkeypatch):
    frame = spark.createDataFrame(EVENTS, COLUMNS)
    expected = score(frame, model, "id").collect()
    monkeypatch.setattr(workers, "MOST_HELD", 0)
    assert repr(score(frame, model, "id").collect()) == repr(expected)


def test_scoring_again_and_again_leaves_nothing_behind(spark, model):
    frame = spark.createDataFrame(EVENTS, COLUMNS)
    folder = spark.sparkContext._temp_dir
    score(frame, model, "id").collect()
    before = os.listdir(folder)
    score(frame, model, "id").collect()
    assert os.listdir(folder) == before


def test_a_model_that_cannot_be_scored_in_batches_is_refused(spark):
    from river import linear_model

    with pytest.raises(TypeError, match="batches are scored by"):
        score(spark.range(1), linear_model.LogisticRegression(), "id")


def test_another_way_with_errors_is_refused(spark, model):
    with pytest.raises(ValueError, match="'fail' or 'mark', not 'skip'"):
        score(spark.range(1), model, "id", on_error="skip")


def test_an_empty_frame_gives_an_empty_frame(spark, model):
    frame = spark.createDataFrame([], "id int, a double")
    assert score(frame, model, "id").count() == 0


def test_scores_can_be_filtered_like_any_column(spark, model):
    frame = spark.range(100).withColumn("a", F.rand(seed=1))
    scored = score(frame, model, "id")
    n = scored.filter(F.col("margin") >= 0).count()
    assert n == scored.filter("label").count()

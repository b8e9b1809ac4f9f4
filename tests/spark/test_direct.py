"""Workers that read files themselves find what Spark would have sent to them."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from river_oa3 import AutoOA3Classifier
from river_oa3.spark import plain_files, score

SCHEMA = (
    "id long, tiny byte, small short, middle int, large long, single float, double double, "
    "flag boolean, text string"
)
ROWS = [
    (i, i % 100 - 50, 3 * i, -7 * i, 2**40 + i, i / 3, i / 7, i % 3 == 0, "abc"[i % 3] + "é")
    for i in range(300)
] + [(300, *[None] * 8), (301, 0, 0, 0, 0, math.nan, math.nan, False, "")]


@pytest.fixture(scope="module")
def model():
    model = AutoOA3Classifier()
    for i, *values in ROWS[:200]:
        x = dict(zip([part.split()[0] for part in SCHEMA.split(", ")][1:], values, strict=True))
        model.learn_one(x, i % 4 == 0)
    return model


@pytest.fixture(scope="module")
def folder(spark, tmp_path_factory):
    """Files under a name that has to be quoted in a URL."""
    path = tmp_path_factory.mktemp("files") / "100 % of #1 é"
    spark.createDataFrame(ROWS, SCHEMA).repartition(3).write.parquet(str(path))
    return str(path)


def both_ways(frame, model, *args, **options):
    direct = score(frame, model, *args, **options, direct=True)
    through = score(frame, model, *args, **options, direct=False)
    assert direct.schema == through.schema
    assert "Scan parquet" in plan_of(through)
    assert "Scan parquet" not in plan_of(direct)
    return [sorted(map(repr, each.collect())) for each in (direct, through)]


def plan_of(frame):
    return frame._jdf.queryExecution().executedPlan().toString()


@pytest.mark.parametrize("keep", [None, ["id"]])
def test_columns_of_all_kinds_are_read_alike(spark, model, folder, keep):
    direct, through = both_ways(spark.read.parquet(folder), model, "id", keep=keep)
    assert direct == through
    assert len(direct) == len(ROWS)


def test_some_columns_in_another_order_are_read_alike(spark, model, folder):
    frame = spark.read.parquet(folder).select("text", "double", "id")
    direct, through = both_ways(frame, model, "id", keep=["text"])
    assert direct == through
    assert "Row(text=" in direct[0]
    assert "double" not in direct[0]


@pytest.mark.parametrize("keep", [None, ["id"]])
def test_maps_are_read_alike(spark, model, tmp_path, keep):
    rows = [(f"e{i}", {"double": i / 3, f"new{i % 5}": 1.0}) for i in range(50)] + [("last", {})]
    spark.createDataFrame(rows, "id string, x map<string,double>").write.parquet(f"{tmp_path}/m")
    direct, through = both_ways(spark.read.parquet(f"{tmp_path}/m"), model, "id", "x", keep=keep)
    assert direct == through


def test_files_of_other_makers_are_read_alike(spark, model, tmp_path):
    table = pa.table(
        {
            "id": pa.array([1, 2, 3], pa.uint32()),
            "text": pa.array(["a", None, "b"]).dictionary_encode(),
            "middle": pa.array([1, 2, None], pa.uint8()),
        }
    )
    pq.write_table(table, tmp_path / "one.parquet")
    direct, through = both_ways(spark.read.parquet(str(tmp_path)), model, "id")
    assert direct == through


def test_files_that_have_grown_columns_are_read_alike(spark, model, tmp_path):
    pq.write_table(pa.table({"id": [1], "double": [1.0]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"ID": [2]}), tmp_path / "1.parquet")
    whole = pa.array([3], pa.int32())
    pq.write_table(pa.table({"id": whole, "double": whole}), tmp_path / "2.parquet")
    frame = spark.read.schema("id long, double double").parquet(str(tmp_path))
    direct, through = both_ways(frame, model, "id")
    assert direct == through


def test_many_groups_of_rows_are_each_read_once(spark, model, tmp_path):
    table = pa.table({"id": range(5000), "double": [i / 9 for i in range(5000)]})
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=100)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    spark.conf.set("spark.sql.files.openCostInBytes", "100")
    try:
        scored = score(spark.read.parquet(str(tmp_path)), model, "id", direct=True)
        assert scored.rdd.getNumPartitions() > 2
        assert sorted(row["id"] for row in scored.select("id").collect()) == list(range(5000))
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
        spark.conf.unset("spark.sql.files.openCostInBytes")


def test_a_refused_event_is_named_and_marked_alike(spark, model, tmp_path):
    pq.write_table(pa.table({"id": [1, 2], "double": [1.0, math.inf]}), tmp_path / "one.parquet")
    frame = spark.read.parquet(str(tmp_path))
    direct, through = both_ways(frame, model, "id", on_error="mark")
    assert direct == through
    assert "feature 'double' is inf" in direct[1]
    with pytest.raises(PySparkException, match="ValueError: event 2: feature 'double' is inf"):
        score(frame, model, "id", direct=True).collect()


def other_frames():
    """Frames that are more than files, and what is said of each."""
    yield "filtered", lambda spark, path: spark.read.parquet(path).filter("id > 3"), "Filter"
    yield "limited", lambda spark, path: spark.read.parquet(path).limit(3), "Limit"
    yield (
        "computed",
        lambda spark, path: spark.read.parquet(path).withColumn("double", F.col("double") + 1),
        "computed",
    )
    yield (
        "renamed",
        lambda spark, path: spark.read.parquet(path).select(
            "id", F.col("double").alias("single"), F.col("single").alias("double")
        ),
        "computed",
    )
    yield "made", lambda spark, path: spark.range(3).withColumn("double", F.lit(1.0)), "computed"
    yield "of numbers", lambda spark, path: spark.range(3), r"more than files \(Range\)"
    yield (
        "with an option",
        lambda spark, path: spark.read.option("pathGlobFilter", "*-00000-*").parquet(path),
        "the option pathglobfilter",
    )
    yield (
        "of two",
        lambda spark, path: spark.read.parquet(path).union(spark.read.parquet(path)),
        "Union",
    )
    yield (
        "a stream",
        lambda spark, path: spark.readStream.schema(SCHEMA).parquet(path),
        "it is a stream",
    )


@pytest.mark.parametrize(("make", "words"), [pytest.param(*o, id=i) for i, *o in other_frames()])
def test_a_frame_that_is_more_than_files_is_left_to_spark(spark, model, folder, make, words):
    frame = make(spark, folder)
    with pytest.raises(ValueError, match=f"workers cannot read the frame themselves: .*{words}"):
        score(frame, model, "id", direct=True)
    if not frame.isStreaming:
        assert score(frame, model, "id").count() == frame.count()


def test_a_file_that_is_read_twice_is_left_to_spark(spark, model, folder):
    frame = spark.read.parquet(folder, folder)
    assert score(frame, model, "id").count() == 2 * len(ROWS)
    with pytest.raises(ValueError, match="read more than once"):
        score(frame, model, "id", direct=True)


def test_a_table_is_left_to_spark(spark, model, tmp_path):
    frame = spark.createDataFrame([(1, 2.0)], "id int, double double")
    frame.write.option("path", f"{tmp_path}/t").saveAsTable("events_of_a_table")
    try:
        with pytest.raises(ValueError, match="it is a table"):
            score(spark.table("events_of_a_table"), model, "id", direct=True)
    finally:
        spark.sql("drop table events_of_a_table")


def test_a_frame_that_was_scored_before_it_is_kept_is_not_read_again(spark, model, folder):
    frame = spark.read.parquet(folder)
    score(frame, model, "id", direct=True)
    frame.cache()
    try:
        with pytest.raises(ValueError, match="more than files"):
            score(frame, model, "id", direct=True)
    finally:
        frame.unpersist()


def test_files_that_only_spark_can_read_are_left_to_it(spark, model, tmp_path):
    pq.write_table(pa.table({"id": [1], "text": ["a"]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"id": [2], "text": [b"b"]}), tmp_path / "1.parquet")
    frame = spark.read.schema("id long, text string").parquet(str(tmp_path))
    with pytest.raises(ValueError, match="has column 'text' of type binary"):
        score(frame, model, "id", direct=True)
    assert score(frame, model, "id").count() == 2


def test_a_worker_that_cannot_read_a_file_says_who_may(spark, model, tmp_path, monkeypatch):
    monkeypatch.setattr(plain_files, "_CHECKED", 0)
    pq.write_table(pa.table({"id": [2], "text": [b"b"]}), tmp_path / "1.parquet")
    frame = spark.read.schema("id long, text string").parquet(str(tmp_path))
    with pytest.raises(PySparkException, match=r"type binary, .* with direct=False"):
        score(frame, model, "id").collect()


def test_a_kept_frame_is_not_read_again(spark, model, folder):
    frame = spark.read.parquet(folder).cache()
    try:
        with pytest.raises(ValueError, match="more than files"):
            score(frame, model, "id", direct=True)
    finally:
        frame.unpersist()


def test_folders_that_are_columns_are_left_to_spark(spark, model, tmp_path):
    frame = spark.createDataFrame(
        [(1, 2.0, "x"), (2, 3.0, "y")], "id int, double double, text string"
    )
    frame.write.partitionBy("text").parquet(f"{tmp_path}/parts")
    frame = spark.read.parquet(f"{tmp_path}/parts")
    with pytest.raises(ValueError, match="the names of folders"):
        score(frame, model, "id", direct=True)
    assert {row["text"] for row in score(frame, model, "id").collect()} == {"x", "y"}


@pytest.mark.parametrize("kind", ["decimal(5,2)", "map<string,decimal(5,2)>"])
def test_types_that_are_stored_in_many_ways_are_left_to_spark(spark, model, tmp_path, kind):
    spark.createDataFrame([], f"id int, double {kind}").write.parquet(f"{tmp_path}/x")
    frame = spark.read.parquet(f"{tmp_path}/x")
    with pytest.raises(ValueError, match="column 'double' is of type"):
        score(frame, model, "id", "double", direct=True)


def test_another_format_is_left_to_spark(spark, model, tmp_path):
    spark.createDataFrame([(1, 2.0)], "id int, double double").write.orc(f"{tmp_path}/x")
    with pytest.raises(ValueError, match="not plain Parquet"):
        score(spark.read.orc(f"{tmp_path}/x"), model, "id", direct=True)


@pytest.mark.parametrize("value", ["true", "TRUE"])
def test_a_setting_that_changes_what_is_read_leaves_it_to_spark(spark, model, folder, value):
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", value)
    try:
        with pytest.raises(ValueError, match="ignoreCorruptFiles is set"):
            score(spark.read.parquet(folder), model, "id", direct=True)
    finally:
        spark.conf.unset("spark.sql.files.ignoreCorruptFiles")


def test_a_file_that_goes_or_changes_ends_the_query_with_the_reason(spark, model, tmp_path):
    path = Path(tmp_path / "one.parquet")
    pq.write_table(pa.table({"id": [1], "double": [1.0]}), path)
    scored = score(spark.read.parquet(str(path)), model, "id", direct=True)
    pq.write_table(pa.table({"id": range(500), "double": [1.0] * 500}), path)
    with pytest.raises(PySparkException, match=r"one\.parquet has changed since it was found"):
        scored.collect()
    path.unlink()
    with pytest.raises(PySparkException, match=r"No such file .*one\.parquet"):
        scored.collect()


def test_columns_that_are_not_to_be_kept_are_named(spark, model, folder):
    frame = spark.read.parquet(folder)
    with pytest.raises(ValueError, match="there is no column 'else' to keep"):
        score(frame, model, "id", keep=["id", "else"])

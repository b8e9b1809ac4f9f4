"""`river-oa3 score --engine spark` writes what one process writes, and says what is wrong alike."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from auto_streams import auto_trained

import river_oa3
from river_oa3 import ActiveLearner, AutoOA3Classifier, Schema, cli
from river_oa3.commands.score import reason_in


@pytest.fixture
def score(spark, tmp_path, capsys):
    river_oa3.save(auto_trained(), tmp_path / "model.oa3")

    def run(table, engine, output, *options):
        pq.write_table(table, tmp_path / "data.parquet")
        words = ["score", tmp_path / "data.parquet", tmp_path / "model.oa3", "--engine", engine]
        code = cli.main([str(word) for word in (*words, "--output", tmp_path / output, *options)])
        return code, capsys.readouterr()

    return run


def test_both_engines_write_the_same(score, tmp_path):
    table = pa.table(
        {"id": range(100), "a": [0.1 * i for i in range(100)], "colour": ["red"] * 100}
    )
    for engine in ("local", "spark"):
        code, said = score(table, engine, engine)
        assert (code, said.out.splitlines()[0]) == (0, "100 events scored")
    local, spark = (
        pq.read_table(tmp_path / engine).sort_by("id").to_pylist() for engine in ("local", "spark")
    )
    assert local == spark


def test_both_engines_refuse_in_the_same_words(score, tmp_path):
    table = pa.table({"id": ["x"], "a": [math.inf]})
    said = [score(table, engine, engine) for engine in ("local", "spark")]
    assert [code for code, _ in said] == [2, 2]
    assert said[0][1].err == said[1][1].err != ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.parquet", "model.oa3"]


def test_folders_that_are_columns_are_so_in_both_engines(spark, tmp_path, capsys):
    river_oa3.save(auto_trained(), tmp_path / "model.oa3")
    for colour in ("red", "green"):
        (tmp_path / "data" / f"colour={colour}").mkdir(parents=True)
        table = pa.table(
            {"id": [f"{colour}{i}" for i in range(5)], "a": [0.1 * i for i in range(5)]}
        )
        pq.write_table(table, tmp_path / "data" / f"colour={colour}" / "0.parquet")
    for engine in ("local", "spark"):
        words = ["score", tmp_path / "data", tmp_path / "model.oa3", "--engine", engine]
        assert cli.main([str(word) for word in (*words, "--output", tmp_path / engine)]) == 0
    capsys.readouterr()
    local, spark = (
        pq.read_table(tmp_path / engine).sort_by("id").to_pylist() for engine in ("local", "spark")
    )
    assert local == spark
    assert {row["colour"] for row in local} == {"red", "green"}


@pytest.mark.parametrize("kind", ["ValueError", "TypeError", "UnicodeDecodeError"])
def test_the_reason_is_found_in_what_spark_says(kind):
    said = f"An exception was thrown from the Python worker:\nTraceback\n  x\n{kind}: it is so\n"
    assert reason_in(said) == "it is so"
    assert reason_in("[PATH_NOT_FOUND] no such path\nmore") == "[PATH_NOT_FOUND] no such path"


def test_times_in_nanoseconds_which_spark_does_not_read_are_refused_with_a_remedy(
    spark, tmp_path, capsys
):
    model = ActiveLearner(Schema({"when": "date"}) | AutoOA3Classifier(), budget=1, seed=1)
    river_oa3.save(model, tmp_path / "model.oa3")
    when = pa.array([0, 1], pa.timestamp("ns"))
    pq.write_table(pa.table({"when": when}), tmp_path / "rows.parquet")
    words = ["score", tmp_path / "rows.parquet", tmp_path / "model.oa3", "--engine", "spark"]
    assert cli.main(list(map(str, words))) == 2
    assert "write the file with coerce_timestamps='us'" in capsys.readouterr().err

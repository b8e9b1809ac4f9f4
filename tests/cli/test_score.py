"""`river-oa3 score` writes events with their scores, whole or not at all."""

from __future__ import annotations

import datetime as dt
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from auto_streams import auto_trained
from batch_runs import labelled_events
from learners import trained

import river_oa3
from river_oa3 import ActiveLearner, OA3Classifier, cli
from river_oa3.scoring import files

EVENTS = {f"e{i}": x for i, (x, _) in labelled_events(250).items()}
RESULTS = ["label", "probability", "margin", "variance", "query_probability"]


@pytest.fixture
def model(tmp_path):
    model = ActiveLearner(auto_trained(), budget=10, seed=1)
    river_oa3.save(model, tmp_path / "model.oa3")
    return model


@pytest.fixture
def score(tmp_path, model, capsys):
    """Write a table, run the command on it, and give what it says and has written."""

    def run(table, *options):
        if table is not None:
            pq.write_table(table, tmp_path / "data.parquet", row_group_size=100)
        words = ["score", tmp_path / "data.parquet", tmp_path / "model.oa3", *options]
        code = cli.main([str(word) for word in words])
        return code, capsys.readouterr()

    return run


def columns(**more):
    kind = {"a": [x["a"] for x in EVENTS.values()], "b": [x["b"] for x in EVENTS.values()]}
    return pa.table({"id": list(EVENTS), **kind, **more})


def maps():
    kind = pa.map_(pa.string(), pa.float64())
    events = pa.array([list(x.items()) for x in EVENTS.values()], kind)
    return pa.table({"id": list(EVENTS), "x": events})


def written(tmp_path, name="data.scored.parquet"):
    return pq.read_table(tmp_path / name).to_pylist()


def assert_scored(rows, model, events):
    assert [row["id"] for row in rows] == list(events)
    for row, x in zip(rows, events.values(), strict=True):
        assert row["margin"] == pytest.approx(model.classifier.margin_one(x), rel=1e-12)
        assert row["query_probability"] == pytest.approx(model.query_probability(x), rel=1e-12)
        assert row["label"] == model.classifier.predict_one(x)


def test_columns_are_scored(score, model, tmp_path):
    code, said = score(columns())
    assert (code, said.err) == (0, "")
    assert said.out.startswith("250 events scored\n")
    assert_scored(written(tmp_path), model, {i: {k: x[k] for k in "ab"} for i, x in EVENTS.items()})


def test_a_map_is_scored_in_pieces(score, model, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ROWS", 7)
    code, _ = score(maps(), "--features", "x", "--output", tmp_path / "out.parquet")
    assert code == 0
    assert_scored(written(tmp_path, "out.parquet"), model, EVENTS)


def test_a_folder_of_files_is_scored(score, model, tmp_path):
    (tmp_path / "data.parquet").mkdir()
    for i, part in enumerate((maps()[:100], maps()[100:])):
        pq.write_table(part, tmp_path / "data.parquet" / f"{i}.parquet")
    code, _ = score(None, "--features", "x")
    assert code == 0
    assert_scored(written(tmp_path), model, EVENTS)


def test_some_columns_and_another_id_are_taken(score, model, tmp_path):
    table = columns(ignored=[dt.datetime(2024, 5, 1)] * 250).rename_columns(
        ["key", "a", "b", "ignored"]
    )
    code, _ = score(table, "--id", "key", "--features", "a, b", "--prefix", "oa3_")
    assert code == 0
    row = written(tmp_path)[0]
    x = {name: EVENTS["e0"][name] for name in "ab"}
    assert row["oa3_margin"] == pytest.approx(model.classifier.margin_one(x), rel=1e-12)
    assert row["ignored"] == dt.datetime(2024, 5, 1)


def test_an_empty_file_gives_an_empty_file(score, tmp_path):
    code, said = score(columns()[:0])
    assert (code, said.out.splitlines()[0]) == (0, "0 events scored")
    assert written(tmp_path) == []


# Bad input


BAD = pa.table({"id": ["x", "y", "z"], "a": [1.0, math.inf, 2.0]})


def test_a_refused_event_ends_all_and_leaves_nothing(score, tmp_path):
    code, said = score(BAD)
    assert code == 2
    assert said.err.startswith("river-oa3: event 'y': feature 'a' is inf, not a finite number")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.parquet", "model.oa3"]


def test_a_refused_event_can_be_marked(score, tmp_path):
    code, _ = score(BAD, "--on-error", "mark")
    assert code == 0
    rows = written(tmp_path)
    assert [row["error"] is None for row in rows] == [True, False, True]
    assert [rows[1][name] for name in RESULTS] == [None] * 5


def test_what_is_there_is_not_written_over(score, tmp_path):
    (tmp_path / "data.scored.parquet").write_text("kept")
    code, said = score(columns())
    assert code == 2
    assert "is there already" in said.err
    assert (tmp_path / "data.scored.parquet").read_text() == "kept"


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (columns(), ["--id", "key"], "there is no column 'key'; there are id, a, b"),
        (columns(), ["--features", "a,c"], "there is no column 'c'"),
        (columns(), ["--features", "id,a"], "the id 'id' cannot be a feature"),
        (columns(margin=[0.0] * 250), [], "the columns margin already"),
        (columns(when=[dt.date(2024, 5, 1)] * 250), [], "column 'when' is of type date32"),
        (maps(), [], "give a map as the only feature"),
        (columns(), ["--output", "no/such/folder/out.parquet"], "cannot write"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(
    score, tmp_path, table, options, words
):
    code, said = score(table, *options)
    assert code == 2
    assert words in said.err
    assert not (tmp_path / "data.scored.parquet").exists()


def test_files_that_cannot_be_read_are_named(score, tmp_path):
    code, said = score(None)
    assert code == 2
    assert "cannot read" in said.err
    (tmp_path / "data.parquet").write_text("id,a\n1,2\n")
    code, said = score(None)
    assert code == 2
    assert "as Parquet" in said.err
    (tmp_path / "model.oa3").unlink()
    code, said = score(columns())
    assert code == 2
    assert "model.oa3" in said.err


def test_texts_are_refused_for_the_papers_learners(score, tmp_path):
    river_oa3.save(trained(OA3Classifier), tmp_path / "model.oa3")
    code, said = score(columns(colour=["red"] * 250))
    assert code == 2
    assert "use AutoOA3Classifier" in said.err


def test_a_damaged_file_is_not_the_fault_of_the_output(score, tmp_path):
    pq.write_table(columns(), tmp_path / "data.parquet")
    content = bytearray((tmp_path / "data.parquet").read_bytes())
    content[4:400] = bytes(396)
    (tmp_path / "data.parquet").write_bytes(content)
    code, said = score(None)
    assert code == 2
    assert "cannot read the events: " in said.err
    assert "--output" not in said.err

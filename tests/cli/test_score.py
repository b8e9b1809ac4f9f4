"""`river-oa3 score` writes events with their scores, whole or not at all."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from auto_streams import auto_trained
from batch_runs import labelled_events
from learners import trained
from messy_tables import WRITERS, messy_model, messy_rows, scores_of, write_csv_rows

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


def test_a_map_is_scored_in_chunks(score, model, tmp_path, monkeypatch):
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


# Raw rows, which a model with a schema takes


ROWS = messy_rows(120)
READERS = {
    ".csv": lambda path: list(csv.DictReader(path.open(newline=""))),
    ".jsonl": lambda path: [json.loads(line) for line in path.open()],
    ".parquet": lambda path: pq.read_table(path).to_pylist(),
}


@pytest.fixture
def raw_score(tmp_path, capsys):
    """Write the model and run the command on a file."""
    model = messy_model(messy_rows(300, seed=1))
    river_oa3.save(model, tmp_path / "model.oa3")

    def run(name, *options):
        code = cli.main(["score", str(tmp_path / name), str(tmp_path / "model.oa3"), *options])
        return code, capsys.readouterr()

    return run, river_oa3.load(tmp_path / "model.oa3")


@pytest.mark.parametrize("kind", WRITERS)
def test_raw_rows_are_scored_as_the_model_says_row_by_row(raw_score, tmp_path, kind):
    run, model = raw_score
    WRITERS[kind](tmp_path / f"rows{kind}", ROWS)
    code, said = run(f"rows{kind}")
    assert (code, said.err) == (0, "")
    assert said.out.splitlines()[0] == "120 events scored"
    rows = READERS[kind](tmp_path / f"rows{kind}")
    found = READERS[kind](tmp_path / f"rows.scored{kind}")
    assert len(found) == len(rows)
    for row, scored in zip(rows, found, strict=True):
        # All columns are there as they were, the label among them, which is no feature.
        assert {name: scored.pop(name) for name in row} == row
        if kind == ".csv":
            scored = {k: v if k == "label" else float(v) for k, v in scored.items()}
        expected = scores_of(model, row)
        if kind == ".csv":
            expected["label"] = str(expected["label"]).lower()
        assert scored == expected


def test_the_label_column_changes_nothing(raw_score, tmp_path):
    run, _ = raw_score
    write_csv_rows(tmp_path / "rows.csv", ROWS)
    write_csv_rows(tmp_path / "blank.csv", [{**row, "fate": ""} for row in ROWS])
    for name in ("rows", "blank"):
        assert run(f"{name}.csv")[0] == 0
    scored, blank = (READERS[".csv"](tmp_path / f"{name}.scored.csv") for name in ("rows", "blank"))
    assert [{**row, "fate": ""} for row in scored] == blank


def test_tables_with_tabs_and_packed_ones_are_scored(raw_score, tmp_path):
    run, model = raw_score
    write_csv_rows(tmp_path / "rows.tsv", ROWS, delimiter="\t")
    content = write_csv_rows(tmp_path / "rows.csv", ROWS, delimiter=";").read_bytes()
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(content))
    for name, output, separator in (
        ("rows.tsv", "rows.scored.tsv", "\t"),
        ("packed.csv.gz", "packed.scored.csv", ";"),
    ):
        assert run(name)[0] == 0
        with (tmp_path / output).open(newline="") as file:
            first = next(csv.DictReader(file, delimiter=separator))
        assert float(first["margin"]) == scores_of(model, ROWS[0])["margin"]


@pytest.mark.parametrize(
    ("encoding", "options"),
    [("latin-1", ("--encoding", "latin-1")), ("utf-16", ())],
)
@pytest.mark.parametrize("kind", [".csv", ".jsonl"])
def test_texts_in_another_encoding_are_scored(raw_score, tmp_path, kind, encoding, options):
    run, model = raw_score
    rows = [{**row, "note": "bezahlt in Köln"} for row in ROWS]
    path = tmp_path / f"rows{kind}"
    WRITERS[kind](path, rows)
    path.write_bytes(path.read_text().replace("\\u00f6", "ö").encode(encoding))
    assert run(path.name, *options)[0] == 0
    found = READERS[kind](tmp_path / f"rows.scored{kind}")
    assert [row["note"] for row in found] == ["bezahlt in Köln"] * len(rows)
    assert [float(row["margin"]) for row in found] == [
        scores_of(model, row)["margin"] for row in rows
    ]


def test_an_encoding_is_for_texts_alone(raw_score, tmp_path):
    run, _ = raw_score
    WRITERS[".parquet"](tmp_path / "rows.parquet", ROWS)
    for more in ((), ("--engine", "spark")):
        code, said = run("rows.parquet", "--encoding", "latin-1", *more)
        assert code == 2
        assert "--encoding is for texts" in said.err


def test_lines_of_json_keep_all_that_they_hold(raw_score, tmp_path):
    run, _ = raw_score
    rows = ['{"id": 12345678901234567890, "amount": 1.50}', "", '{"amount": 1e1 }', '{"age":7}']
    (tmp_path / "rows.jsonl").write_text("\ufeff" + "\r\n".join(rows))
    assert run("rows.jsonl", "--prefix", "oa3_")[0] == 0
    lines = (tmp_path / "rows.scored.jsonl").read_text().splitlines()
    starts = [line.partition(', "oa3_label": ')[0] for line in lines]
    assert starts == [row[:-1].rstrip() for row in rows if row]
    assert [set(json.loads(line)) - {"id", "amount", "age"} for line in lines] == [
        {f"oa3_{name}" for name in RESULTS}
    ] * 3


def test_a_folder_of_raw_rows_is_scored_beside_it_under_its_whole_name(raw_score, tmp_path):
    run, model = raw_score
    (tmp_path / "events.v2").mkdir()
    for i, part in enumerate((ROWS[:50], ROWS[50:])):
        WRITERS[".parquet"](tmp_path / "events.v2" / f"{i}.parquet", part)
    assert run("events.v2")[0] == 0
    found = written(tmp_path, "events.v2.scored.parquet")
    assert [row["margin"] for row in found] == [scores_of(model, row)["margin"] for row in ROWS]


@pytest.mark.parametrize(("kind", "place"), [(".csv", "line 4"), (".jsonl", "line 3")])
def test_a_row_that_cannot_be_read_is_named_by_its_place(raw_score, tmp_path, kind, place):
    run, _ = raw_score
    rows = [dict(row) for row in ROWS[:5]]
    rows[2]["amount"] = "much"
    WRITERS[kind](tmp_path / f"rows{kind}", rows)
    code, said = run(f"rows{kind}")
    words = "column 'amount' holds 'much', not a number"
    assert code == 2
    assert said.err == f"river-oa3: {tmp_path}/rows{kind}, {place}: {words}\n"
    assert not (tmp_path / f"rows.scored{kind}").exists()
    assert run(f"rows{kind}", "--on-error", "mark")[0] == 0
    found = READERS[kind](tmp_path / f"rows.scored{kind}")
    nothing = "" if kind == ".csv" else None
    assert [row["error"] for row in found] == [nothing, nothing, words, nothing, nothing]
    assert [found[2][name] for name in RESULTS] == [nothing] * 5


@pytest.mark.parametrize("kind", WRITERS)
def test_rows_of_another_table_are_refused(raw_score, tmp_path, kind):
    run, _ = raw_score
    rows = [{"id": 1, "length": 2.0, "width": 3.0}] * 2
    WRITERS[kind](tmp_path / f"rows{kind}", rows)
    code, said = run(f"rows{kind}")
    assert code == 2
    assert "none of the columns that the model knows: " in said.err
    assert "'when', 'amount'" in said.err
    assert "'length', 'width'" in said.err
    assert not (tmp_path / f"rows.scored{kind}").exists()


def test_columns_that_a_table_lacks_are_named(raw_score, tmp_path):
    run, model = raw_score
    rows = [{k: v for k, v in row.items() if k not in ("age", "note")} for row in ROWS]
    write_csv_rows(tmp_path / "rows.csv", rows)
    code, said = run("rows.csv")
    assert code == 0
    assert said.err == f"river-oa3: {tmp_path}/rows.csv lacks 'age', 'note': missing in every row\n"
    found = READERS[".csv"](tmp_path / "rows.scored.csv")
    assert float(found[0]["margin"]) == scores_of(model, rows[0])["margin"]


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("rows.csv", ["--features", "amount"], "leave features out"),
        ("rows.jsonl", ["--features", "amount"], "leave features out"),
        ("rows.csv", ["--output", "out.parquet"], "scores of CSV are written as plain CSV"),
        ("rows.csv", ["--output", "out.csv.gz"], "scores of CSV are written as plain CSV"),
        ("rows.csv", ["--id", "key"], "there is no column 'key'"),
        ("rows.csv", ["--engine", "spark"], "Spark scores Parquet"),
        ("none.csv", [], "no such file"),
    ],
)
def test_what_cannot_be_done_with_raw_rows_is_said(raw_score, tmp_path, name, options, words):
    run, _ = raw_score
    WRITERS[".csv"](tmp_path / "rows.csv", ROWS)
    WRITERS[".jsonl"](tmp_path / "rows.jsonl", ROWS)
    before = sorted(tmp_path.iterdir())
    code, said = run(name, *options)
    assert code == 2
    assert words in said.err
    assert sorted(tmp_path.iterdir()) == before


def test_names_of_scores_that_are_taken_are_refused(raw_score, tmp_path):
    run, _ = raw_score
    for kind in WRITERS:
        WRITERS[kind](tmp_path / f"rows{kind}", [{**row, "label": 1} for row in ROWS])
        code, said = run(f"rows{kind}")
        assert code == 2
        assert "the columns label already: give another prefix" in said.err


@pytest.mark.parametrize("kind", [".csv", ".jsonl"])
def test_a_model_without_a_schema_takes_no_texts_for_numbers(score, tmp_path, kind):
    path = WRITERS[kind](tmp_path / f"rows{kind}", [{"a": 1.5}])
    assert cli.main(["score", str(path), str(tmp_path / "model.oa3")]) == 2


def test_a_model_without_a_schema_refuses_features_that_it_has_not_learned(score, tmp_path):
    code, said = score(pa.table({"id": [1], "length": [1.0], "width": [2.0]}))
    assert code == 2
    assert "none of the features that the model knows: it knows " in said.err
    assert "the table has 'length', 'width'" in said.err
    kind = pa.map_(pa.string(), pa.float64())
    table = pa.table({"id": [1], "x": pa.array([[("length", 1.0)]], kind)})
    code, said = score(table, "--features", "x")
    assert code == 2
    assert "the table has 'length'" in said.err
    assert not (tmp_path / "data.scored.parquet").exists()


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

"""`river-oa3 compare` on a stranger's table: seen, prepared, decided, exported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from commands import MEASURED, Small, command
from messy_tables import ROWS, WRITERS, messy_rows, write_csv_rows

from river_oa3 import load
from river_oa3.commands import compare_data, compare_output
from river_oa3.datasets import DataError, chunk_writer, files, preparation
from river_oa3.experiments.output import files as output_files
from river_oa3.experiments.output.text import to_the_left
from river_oa3.experiments.peers import PEERS

QUICK = ("--label", "fate", "--permutations", 5, "--methods", "AutoOA3,CSOAL", "--budget", "10%")


@pytest.fixture(scope="module")
def rows():
    return messy_rows()


def compared(folder, path, *more):
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        quick = [*QUICK[:2], *QUICK[4:]] if "--in-order" in more else QUICK
        return command(folder, "compare", path, *quick, "--jobs", 1, *more)


@pytest.fixture(scope="module")
def table(tmp_path_factory, rows):
    return write_csv_rows(tmp_path_factory.mktemp("messy") / "payments.csv", rows)


@pytest.fixture(scope="module")
def ended(table, tmp_path_factory):
    return compared(tmp_path_factory.mktemp("out"), table)


# One command, and nothing refused


def test_a_messy_table_is_compared_at_once(ended):
    assert (ended.code, ended.err) == (0, "")


def test_the_profile_comes_first_with_what_was_done(ended):
    profile = ended.out.split("\n\n")[1]
    for part in (
        "payment",
        "left out, an id",
        "version",
        "constant",
        "date",
        "or missing",
    ):
        assert part in profile


def test_the_profile_is_whole_where_it_does_not_go_to_a_terminal(ended):
    lines = ended.out.split("\n\n")[1].splitlines()
    for done in ended.json["preparation"]["done"].values():
        assert any(line.endswith(done) for line in lines)


def test_the_profile_is_as_wide_as_the_terminal():
    rows = [["column", "what was done"], ["a" * 20, "word " * 30], ["b", "short"]]
    lines = to_the_left(rows, 60).splitlines()
    assert [len(line) for line in lines] == [35, 60, 60, 27]
    assert lines[2] == f"{'a' * 20}  {('word ' * 30)[:35]}..."
    assert to_the_left(rows, 200) == to_the_left(rows)
    assert max(map(len, to_the_left(rows, 10).splitlines())) == 26


def test_the_profile_is_kept_beside_the_results(ended):
    kept = ended.json["preparation"]
    assert kept["profile"]["rows"] == ROWS
    assert set(kept["left_out"]) == {"payment", "version"}


def test_the_label_of_words_has_the_rarer_one_as_positive(ended, rows):
    positives = sum(row["fate"] == "fraud" for row in rows)
    assert ended.json["data"]["positives"] == positives
    assert "positive is 'fraud'" in ended.out


def test_a_decision_is_printed_and_written(ended):
    assert re.search(r"^Use (AutoOA3|CSOAL)", ended.out, re.MULTILINE)
    assert ended.json["words"][0] in ended.out


def test_a_constant_answer_and_all_labels_stand_below_the_methods(ended):
    assert re.search(r"^constant answer +50\.00", ended.out, re.MULTILINE)
    assert re.search(rf"^all labels .* {ROWS}$", ended.out, re.MULTILINE)


def test_the_page_has_the_profile_and_the_exported_model(ended):
    page = (ended.folder / "compare-payments.html").read_text()
    for part in ("payment", "is_new", "answer_file(load, sys.argv)", "Use "):
        assert part in page


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_kind_of_file_gives_the_same_decisions(suffix, rows, ended, tmp_path):
    path = WRITERS[suffix](tmp_path / f"payments{suffix}", rows)
    other = compared(tmp_path / "out", path)
    assert other.results == ended.results
    fitted = [(each.folder / "model.oa3").read_bytes() for each in (ended, other)]
    assert fitted[0] == fitted[1]


def test_chunks_on_disk_are_compared_and_taken_away(table, tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 500)
    monkeypatch.setattr(chunk_writer, "CHUNK", 1000)
    ended = compared(tmp_path / "out", table)
    assert ended.code == 0
    assert "chunks on disk" in ended.out
    assert not [name for name in ended.files if name.startswith(".")]
    assert ended.json["data"]["events"] == ROWS


def test_chunks_in_order_give_what_memory_gives(table, tmp_path, monkeypatch):
    whole = compared(tmp_path / "a", table, "--in-order")
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 500)
    monkeypatch.setattr(chunk_writer, "CHUNK", 1000)
    chunks = compared(tmp_path / "b", table, "--in-order")
    assert "chunks on disk" in chunks.out
    assert chunks.results == whole.results


# Options


def prepared(ended):
    return ended.json["preparation"]


def test_drop_leaves_columns_out(table, tmp_path):
    ended = compared(tmp_path, table, "--drop", "amount,age", "--drop", "note")
    assert {"amount", "age", "note"} <= set(prepared(ended)["left_out"])


def test_keep_keeps_an_id(table, tmp_path):
    assert "payment" not in prepared(compared(tmp_path, table, "--keep", "payment"))["left_out"]


def test_category_takes_a_number_as_a_category(table, tmp_path):
    done = prepared(compared(tmp_path, table, "--category", "age"))["done"]
    assert "category" in done["age"]


@pytest.mark.parametrize(("text", "about"), [("25%", 100), ("150", 150)])
def test_sample_takes_a_part_of_the_rows(table, tmp_path, text, about):
    events = compared(tmp_path, table, "--sample", text).json["data"]["events"]
    assert events == about if text == "150" else 60 < events < 140


def test_peers_adds_rivers_learners_and_hands_none_of_them_over(table, tmp_path):
    ended = compared(tmp_path, table, "--peers")
    assert list(ended.json["methods"]) == ["AutoOA3", "CSOAL", *PEERS]
    assert ended.json["model"]["method"] in ("AutoOA3", "CSOAL")
    assert ended.json["curve"]["method"] in ("AutoOA3", "CSOAL")


def test_raw_warns_of_a_column_that_drowns_the_others(rows, tmp_path):
    huge = [{**row, "code": 1e9 + i} for i, row in enumerate(rows)]
    path = write_csv_rows(tmp_path / "huge.csv", huge)
    loud = compared(tmp_path / "a", path, "--raw", "--keep", "code")
    assert re.search("WARNING: column 'code' has more than 99 %", loud.out)
    assert "99 %" not in compared(tmp_path / "b", path, "--keep", "code").out


def test_a_column_that_leaks_the_label_is_warned_of(rows, tmp_path):
    leaky = [{**row, "refund": float(row["fate"] == "fraud")} for row in rows]
    ended = compared(tmp_path / "out", write_csv_rows(tmp_path / "leaky.csv", leaky))
    (warning,) = [line for line in ended.out.splitlines() if line.startswith("WARNING")]
    assert "'refund'" in warning
    assert "--drop" in warning
    assert ended.json["warnings"] == [warning.removeprefix("WARNING: ")]


def test_methods_at_chance_are_warned_of_and_no_model_is_exported(tmp_path):
    rng = np.random.default_rng(3)
    noise = [
        {"a": float(x), "fate": "fraud" if y else "ok"}
        for x, y in zip(rng.normal(size=600), rng.random(600) < 0.2, strict=True)
    ]
    ended = compared(
        tmp_path / "out", write_csv_rows(tmp_path / "noise.csv", noise), "--permutations", 8
    )
    assert "Use none of them yet" in ended.out
    assert "model.py" not in ended.files


# The exported model


def run_model(folder, *arguments):
    return subprocess.run(
        [sys.executable, "model.py", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_the_model_goes_on_learning_within_its_rate(ended, rows):
    model = load(ended.folder / "model.oa3")
    for row in rows:
        _, ask = model.predict_one(row)
        if ask:
            model.learn_one(row, row["fate"] == "fraud")
    assert 0 < model.n_asked <= 1 + 0.1 * ROWS


def test_a_fresh_model_is_a_clone(ended, rows):
    model = load(ended.folder / "model.oa3").clone()
    model.predict_one(rows[0])
    assert (model.n_learned, model.n_seen) == (0, 1)


def test_the_lines_that_are_printed_work(ended, rows):
    lines = ended.out[ended.out.index("from model import") :]
    assert len(lines.splitlines()) == 3
    code = f"row, true_label = {rows[0]!r}, True\n{lines}print(label, ask)"
    code = f"import datetime\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ended.folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


HOSTILE = [
    'a"b',
    "c'd",
    "</script><script>alert(1)</script>",
    "{x}",
    "$\\frac{",
    "import os\nos",
    '"""',
    "=2+2",
]


def test_hostile_names_and_values_stay_text(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {**{name: float(rng.normal() + (i % 4 == 0)) for name in HOSTILE},
         "word": HOSTILE[int(rng.integers(len(HOSTILE)))],
         "fate": '"""' if i % 4 == 0 else "</td>"}
        for i in range(200)
    ]  # fmt: skip
    path = write_csv_rows(tmp_path / "hostile.csv", rows)
    ended = compared(tmp_path / "out", path)
    assert (ended.code, ended.err) == (0, "")
    done = run_model(ended.folder, path)
    assert (done.returncode, done.stderr) == (0, "")
    page = (ended.folder / "compare-hostile.html").read_text()
    assert "<script" not in page.replace("&lt;script", "")


# What is wrong with a table


def test_all_problems_come_at_once_with_their_remedies(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("a,b,outcome\n1,inf,x\n2,3,y\n4,5,x\n")
    ended = command(tmp_path / "out", "compare", path, "--drop", "zzz")
    assert (ended.code, ended.folder.exists()) == (2, False)
    for part in (
        "2 problems" if "3 problems" not in ended.err else "3 problems",
        "--label",
        "'zzz'",
        "--drop",
    ):
        assert part in ended.err


BAD = {
    "one class": ("a,label\n1,0\n2,0\n", [], "one class"),
    "budget of 0": ("a,label\n1,0\n2,1\n", ["--budget", "0"], "--budget 0"),
    "too many fields": ("a,label\n1,0\n2,1,9\n", [], "line 3"),
    "no label in a row": ("a,label\n1,0\n2,\n3,1\n", [], "label"),
    "an unknown sample": ("a,label\n1,0\n2,1\n", ["--sample", "most"], "--sample"),
    "no rows": ("a,label\n", [], "bad.csv"),
}


@pytest.mark.parametrize("problem", BAD)
def test_a_bad_table_is_refused_in_one_line_and_nothing_is_written(problem, tmp_path):
    text, options, said = BAD[problem]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    ended = command(tmp_path / "out", "compare", path, *options)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert said in ended.err
    assert not ended.folder.exists()


@pytest.mark.parametrize("option", ["label", "drop", "keep", "category"])
def test_options_about_columns_are_refused_where_there_is_no_table(option, tmp_path):
    ended = command(tmp_path / "out", "compare", "Shuttle", f"--{option}", "x")
    assert (ended.code, ended.folder.exists()) == (2, False)
    assert f"leave --{option} out" in ended.err


def test_no_positive_in_the_first_tenth_is_warned_of(rows, tmp_path):
    late = sorted(rows, key=lambda row: row["fate"] == "fraud")
    ended = compared(tmp_path / "out", write_csv_rows(tmp_path / "late.csv", late))
    assert re.search(r"WARNING: no positive event among the first", ended.out)


def test_a_file_that_changes_between_the_passes_is_refused(table, tmp_path, monkeypatch):
    path = tmp_path / "moving.csv"
    path.write_bytes(table.read_bytes())
    schema_of = preparation.schema_of

    def change_and_go_on(*arguments):
        with path.open("a") as file:
            file.write("more\n")
        return schema_of(*arguments)

    monkeypatch.setattr(compare_data.preparation, "schema_of", change_and_go_on)
    ended = compared(tmp_path / "out", path)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "changed while it was read" in ended.err


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(table, tmp_path, monkeypatch):
    def full(self, content):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(output_files.Path, "write_bytes", full)
    ended = compared(tmp_path / "out", table)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "No space left" in ended.err
    assert ended.files == []


@pytest.mark.parametrize("name", ["model.py", "model.oa3"])
def test_a_disk_that_is_full_at_the_model_keeps_the_numbers_and_no_half_of_it(
    table, tmp_path, monkeypatch, name
):
    write = output_files.Path.write_bytes

    def full(self, content):
        if name in self.name:
            raise OSError(28, os.strerror(28))
        return write(self, content)

    monkeypatch.setattr(output_files.Path, "write_bytes", full)
    ended = compared(tmp_path / "out", table)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert ended.files == ["compare-payments.csv", "compare-payments.json"]


def test_a_disk_that_is_full_while_rows_are_kept_is_said(table, tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 500)
    monkeypatch.setattr(chunk_writer, "CHUNK", 1000)
    monkeypatch.setattr(
        chunk_writer, "chunk_files", lambda folder, number: {"data": folder / "x" / "y"}
    )
    ended = compared(tmp_path / "out", table)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "cannot keep the prepared events" in ended.err
    assert not ended.folder.exists()


def test_the_json_holds_nothing_that_json_does_not_know(ended):
    def refuse(word):
        raise ValueError(word)

    json.loads(ended.path("json").read_text(), parse_constant=refuse)


def test_measured_times_are_all_that_differs_between_two_runs(ended, table, tmp_path):
    again = compared(tmp_path, table)
    assert MEASURED
    assert again.results == ended.results
    assert (again.folder / "model.py").read_text() == (ended.folder / "model.py").read_text()


def test_a_sample_that_is_no_amount_is_refused():
    for text in ("0", "0%", "100%", "1.5", "-3", "", "nan"):
        with pytest.raises(DataError, match="--sample"):
            compare_data.sample_of(text)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mispelt.csv", "no such file"),
        ("", "is a folder"),
        ("sales.xlsx", "save it as CSV, Parquet or JSON lines"),
    ],
)
def test_what_is_no_table_is_said_whatever_the_options_are(name, said, tmp_path):
    (tmp_path / "sales.xlsx").write_bytes(b"PK")
    ended = command(tmp_path / "out", "compare", tmp_path / name, "--label", "fate")
    assert (ended.code, ended.folder.exists()) == (2, False)
    assert said in ended.err


def test_one_problem_is_told_with_the_file_and_the_column(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,fate\n1,ok\n2,ok\n3,ok\n")
    ended = command(tmp_path / "out", "compare", path, "--label", "fate", "--keep", "a")
    assert f"{path}: column 'fate': every event is of the one class ok" in ended.err


def test_an_interrupt_while_the_model_is_fitted_keeps_the_results(table, tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare_output, "fit", interrupted)
    ended = compared(tmp_path / "out", table)
    assert (ended.code, "before the model was fitted" in ended.err) == (1, True)
    assert {"compare-payments.json", "compare-payments.html"} <= set(ended.files)
    assert "model.py" not in ended.files


def test_a_folder_is_not_a_table(tmp_path):
    ended = command(tmp_path / "out", "compare", tmp_path)
    assert ended.code == 2
    assert "folder" in ended.err
    with pytest.raises(DataError, match="folder"):
        files.check(tmp_path)

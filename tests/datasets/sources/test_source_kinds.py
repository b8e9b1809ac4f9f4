"""Which data are tables, and that all kinds of table tell the same of the same rows."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data_helpers import refused, written
from hypothesis import given
from hypothesis import strategies as st
from source_helpers import rows_of

from river_oa3.datasets.sources import open_source


@pytest.mark.parametrize("name", ["toy", "toy.npz", "toy.libsvm", "toy.txt", "toy.svm.gz"])
def test_a_file_of_another_kind_is_no_table(tmp_path, name):
    assert open_source(written(tmp_path, name, "1 1:1\n")) is None


@pytest.mark.parametrize("data", [[({"a": 1}, True)], {"a": 1}, 5, None])
def test_data_of_another_kind_are_no_table(data):
    assert open_source(data) is None


def test_a_path_may_be_a_text_and_start_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    written(tmp_path, "toy.csv", "a,b\n1,2\n")
    assert rows_of(open_source("~/toy.csv")) == [{"a": "1", "b": "2"}]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson.gz"])
def test_what_is_no_file_is_refused(tmp_path, suffix):
    path = tmp_path / f"toy{suffix}"
    with refused("no such file", str(path)):
        open_source(path)
    path.mkdir()
    with refused(str(path), "is a folder", "name a file in it"):
        open_source(path)
    path = written(path, f"empty{suffix}", "")
    with refused(str(path), "is empty", "get the file again"):
        open_source(path)


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_reading_can_stop_at_any_batch(tmp_path, kind):
    """A thread that still reads would bring the process down, or keep the file open."""
    path = tmp_path / f"toy.{kind}"
    if kind == "parquet":
        pq.write_table(pa.table({"a": range(2_000_000)}), path)
    elif kind == "csv":
        path.write_text("a\n" + "".join(f"{i}\n" for i in range(2_000_000)))
    else:
        path.write_text('{"a": 1}\n' * 50_000)
    script = (
        "from river_oa3.datasets.sources import open_source\n"
        f"batches = [open_source({str(path)!r}).batches() for _ in range(5)]\n"
        "for each in batches: next(each)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_pyarrow_is_needed_only_where_a_table_is_read():
    script = (
        "import sys\n"
        "sys.modules['pyarrow'] = None\n"
        "from river_oa3.datasets.sources import open_source\n"
        "assert open_source('toy.npz') is None\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
# An empty text is a gap in CSV, and a value elsewhere.
TEXTS = st.none() | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 8))
    columns = {"a text": [draw(TEXTS) for _ in range(n)]}
    # The names in a CSV file are without the blanks around them.
    names = st.lists(NAMES.map(str.strip).filter(lambda name: name != "a text"), unique=True)
    for name in draw(names):
        values = draw(st.sampled_from([TEXTS, NUMBERS]))
        columns[name] = [draw(values) for _ in range(n)]
    return columns


@given(columns=tables())
def test_the_same_rows_are_the_same_in_every_kind_of_file(tmp_path_factory, columns):
    folder = tmp_path_factory.mktemp("same")
    lines = list(zip(*columns.values(), strict=True))
    rows = [dict(zip(columns, line, strict=True)) for line in lines]
    with open(folder / "toy.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([columns, *lines])
    (folder / "toy.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    types = {
        name: pa.float64() if any(isinstance(v, float) for v in values) else pa.string()
        for name, values in columns.items()
    }
    arrays = [pa.array(values, types[name]) for name, values in columns.items()]
    pq.write_table(pa.table(arrays, names=list(columns)), folder / "toy.parquet")
    assert rows_of(folder / "toy.jsonl") == rows
    assert rows_of(folder / "toy.parquet") == rows
    assert [
        {
            name: float(text) if text is not None and types[name] == pa.float64() else text
            for name, text in row.items()
        }
        for row in rows_of(folder / "toy.csv")
    ] == rows

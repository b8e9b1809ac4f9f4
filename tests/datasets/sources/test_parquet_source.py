"""Parquet files, in chunks."""

from __future__ import annotations

import datetime as dt
import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data_helpers import refused, written
from source_helpers import rows_of, types_of

from river_oa3.datasets.sources import open_source


def saved(folder, table, **options):
    pq.write_table(table, folder / "toy.parquet", **options)
    return folder / "toy.parquet"


def test_columns_keep_their_types(tmp_path):
    table = pa.table(
        {
            "whole": [1, None],
            "flag": [True, False],
            "text": ["x", ""],
            "day": [dt.date(2020, 1, 1), None],
            "list": [[1], [2, 3]],
            "raw": [b"\xff", b""],
        }
    )
    source = open_source(saved(tmp_path, table))
    assert rows_of(source) == table.to_pylist()
    (types,) = types_of(source)
    assert [types[name] for name in ("whole", "flag", "day", "raw")] == [
        "int64",
        "bool",
        "date32[day]",
        "binary",
    ]
    assert (source.kind, source.name, source.columns) == ("Parquet", "toy", table.column_names)


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["x", None, "x"]).dictionary_encode(),
        pa.array(["x", None, "x"], pa.large_string()),
        pa.array(["x", None, "x"], pa.large_string()).dictionary_encode(),
    ],
)
def test_texts_are_strings_however_they_are_stored(tmp_path, values):
    source = open_source(saved(tmp_path, pa.table({"a": values})))
    assert types_of(source) == [{"a": "string"}]
    assert [row["a"] for row in rows_of(source)] == ["x", None, "x"]


def test_a_parquet_file_is_read_as_often_as_is_needed(tmp_path):
    source = open_source(saved(tmp_path, pa.table({"a": range(10)})))
    assert rows_of(source) == rows_of(source) == [{"a": i} for i in range(10)]


@pytest.mark.parametrize("group", [1_000, 150_000])
def test_a_batch_is_small_whatever_the_row_groups(tmp_path, group):
    path = saved(tmp_path, pa.table({"a": range(150_000)}), row_group_size=group)
    batches = list(open_source(path).batches())
    assert sum(batch.n for batch in batches) == 150_000
    assert max(batch.n for batch in batches) <= 65_536
    assert batches[-1].done == 1.0


def test_long_rows_come_in_smaller_batches(tmp_path):
    texts = [chr(97 + i % 26) * 40_000 + str(i) for i in range(4_000)]
    path = saved(tmp_path, pa.table({"a": texts}), use_dictionary=False)
    batches = list(open_source(path).batches())
    assert max(batch.n for batch in batches) < 2_000


def test_a_row_is_placed_by_its_number(tmp_path):
    path = saved(tmp_path, pa.table({"a": [1, 2]}))
    assert open_source(path).where(1, "a") == f"{path}, event 2, column 'a'"


def test_columns_of_one_name_are_refused_in_parquet(tmp_path):
    table = pa.table([[1], [2], [3]], names=["a", "y", "a"])
    with refused("toy.parquet", "'a' (2 times)", "rename"):
        open_source(saved(tmp_path, table))


def test_a_text_that_is_not_utf_8_is_refused_by_event_and_column(tmp_path):
    raw = pa.array([b"x", None, b"caf\xe9"])
    texts = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    path = saved(tmp_path, pa.table({"a": texts}))
    with refused(f"{path}, event 3, column 'a'", "UTF-8", "write the table again"):
        rows_of(path)


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    with refused("toy.parquet has no events"):
        open_source(saved(tmp_path, pa.table({"a": pa.array([], pa.int64())})))


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_what_is_no_parquet_is_refused(tmp_path, content):
    with refused("toy.parquet", "as Parquet", "check the file"):
        open_source(written(tmp_path, "toy.parquet", content))


def test_a_parquet_file_that_is_cut_is_refused(tmp_path):
    path = saved(tmp_path, pa.table({"a": range(10_000)}))
    path.write_bytes(path.read_bytes()[:-5_000])
    with refused("toy.parquet", "as Parquet", "get it again"):
        open_source(path)


def test_a_parquet_file_with_damaged_pages_is_refused(tmp_path):
    path = saved(tmp_path, pa.table({"a": [str(i) for i in range(10_000)]}))
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * 2_000 + content[2_004:])
    source = open_source(path)
    with refused("toy.parquet", "as Parquet", "get it again"):
        rows_of(source)


def test_a_packed_parquet_file_is_refused(tmp_path):
    path = saved(tmp_path, pa.table({"a": [1]}))
    with refused("toy.parquet.gz", "unpack it"):
        open_source(written(tmp_path, "toy.parquet.gz", gzip.compress(path.read_bytes())))

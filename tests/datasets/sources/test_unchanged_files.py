"""A file must stay as it is from the first look to the last row of the last pass."""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data_helpers import refused, written
from source_helpers import rows_of

from river_oa3.datasets.sources import csv_chunks, json_lines, open_source, parquet_file

KINDS = ["csv", "parquet", "jsonl"]


@pytest.fixture(params=KINDS)
def path(request, tmp_path, monkeypatch):
    """A file of several batches."""
    monkeypatch.setattr(csv_chunks, "LONGEST", 1_000)
    monkeypatch.setattr(json_lines, "_BATCH_ROWS", 100)
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 100)
    return table(tmp_path, request.param, 1_000)


def table(folder, kind, rows):
    path = folder / f"toy.{kind}"
    if kind == "parquet":
        pq.write_table(pa.table({"a": range(rows)}), path)
    elif kind == "csv":
        path.write_text("a\n" + "".join(f"{i}\n" for i in range(rows)))
    else:
        path.write_text("".join(json.dumps({"a": i}) + "\n" for i in range(rows)))
    return path


def append(path):
    with open(path, "ab") as file:
        file.write(b"1\n")


def replace(path):
    other = written(path.parent, "other", path.read_bytes())
    # Of one size and one time with the first: only another file.
    found = os.stat(path)
    os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns))
    os.replace(other, path)


def overwrite(path):
    found = os.stat(path)
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


def cut(path):
    os.truncate(path, 10)


@pytest.mark.parametrize("change", [append, replace, overwrite, cut, os.remove])
def test_a_change_between_batches_is_refused(path, change):
    batches = open_source(path).batches()
    next(batches)
    change(path)
    with refused(str(path), "changed while it was read", "copy it"):
        list(batches)


@pytest.mark.parametrize("change", [append, replace, overwrite, cut, os.remove])
def test_a_change_between_passes_is_refused(path, change):
    source = open_source(path)
    assert len(rows_of(source)) == 1_000
    change(path)
    with refused(str(path), "changed while it was read"):
        next(source.batches())


def test_a_change_after_the_last_batch_is_refused(path):
    batches = open_source(path).batches()
    for batch in batches:
        if batch.start + batch.n == 1_000:
            append(path)
            break
    with refused("changed while it was read"):
        next(batches)


def test_a_change_is_refused_when_a_row_is_looked_for(tmp_path):
    source = open_source(table(tmp_path, "csv", 10))
    append(source.path)
    with refused("changed while it was read"):
        source.where(3)


def test_a_file_that_is_only_looked_at_may_be_read(path):
    source = open_source(path)
    os.chmod(path, 0o600)
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns))
    assert len(rows_of(source)) == 1_000

"""Tables are read in memory that does not grow with them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from river_oa3.datasets.sources import csv_chunks, open_source, parquet_file


def most_held(path):
    """The most bytes that pyarrow holds at any batch of a file, and Python at any time."""
    source = open_source(path)
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        arrows = max(pa.total_allocated_bytes() - before for _ in source.batches())
        return arrows + tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pa.table({f"f{j}": rng.normal(size=200_000) for j in range(5)})


def test_a_csv_file_is_never_held_as_a_whole(tmp_path, table, monkeypatch):
    monkeypatch.setattr(csv_chunks, "LONGEST", 65_536)
    pa.csv.write_csv(table, tmp_path / "toy.csv")
    assert (tmp_path / "toy.csv").stat().st_size > 10_000_000
    assert most_held(tmp_path / "toy.csv") < 1_000_000


def test_a_row_group_of_a_parquet_file_is_never_held_as_a_whole(tmp_path, table, monkeypatch):
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 1_000)
    path = tmp_path / "toy.parquet"
    pq.write_table(table, path, row_group_size=200_000, data_page_size=16_384, use_dictionary=False)
    assert path.stat().st_size > 7_000_000
    assert most_held(path) < 2_000_000

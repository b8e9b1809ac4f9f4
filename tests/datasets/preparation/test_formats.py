"""One table gives the same whether it is read from CSV, Parquet or JSON lines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from prepared import rows_of

from river_oa3.datasets.preparation import Options, profile, schema_of
from river_oa3.datasets.sources import open_source

N = 3000


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(2)
    start = np.datetime64("2020-01-01T00:00:00")
    frame = pd.DataFrame(
        {
            "order_id": np.arange(N) + 1000,
            "amount": random.lognormal(3.0, 2.0, N),
            "age": random.integers(18, 90, N),
            "rate": np.round(random.normal(size=N), 2),
            "country": random.choice(["FR", "DE", "NA", "US"], N),
            "merchant": [f"m{i}" for i in random.integers(0, 1500, N)],
            "note": [f"paid {i} times this week" for i in random.integers(0, 2000, N)],
            "opened": start + random.integers(0, 10**8, N).astype("timedelta64[s]"),
            "day": start + random.integers(0, 900, N).astype("timedelta64[D]"),
            "new": random.random(N) < 0.3,
            "version": "v1",
        }
    )
    for name in ("amount", "country", "opened", "merchant", "note"):
        frame.loc[random.random(N) < 0.05, name] = None
    frame["label"] = np.where(random.random(N) < 0.1, "fraud", "ok")
    return frame


@pytest.fixture(scope="module")
def sources(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet", index=False, row_group_size=700)
    texts = frame.astype({"opened": str, "day": str}).replace({"opened": {"NaT": None}})
    texts.to_json(folder / "t.jsonl", orient="records", lines=True, double_precision=15)
    return {suffix: open_source(folder / f"t.{suffix}") for suffix in ("csv", "parquet", "jsonl")}


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(sample=0.2),
        Options(sample=700, category=("age", "new"), keep=("order_id",)),
    ],
    ids=["default", "share", "rows"],
)
def test_csv_and_parquet_give_the_same(sources, options):
    first, second = (profile(sources[suffix], options) for suffix in ("csv", "parquet"))
    assert [column.kind for column in first.columns.values()] == [
        column.kind for column in second.columns.values()
    ]
    one, other = schema_of(first, options), schema_of(second, options)
    assert one.schema == other.schema
    assert (one.warnings, one.done) == (other.warnings, other.done)
    assert rows_of(one, sources["csv"]) == rows_of(other, sources["parquet"])


def test_csv_and_parquet_give_the_same_profile(sources):
    first, second = (profile(sources[suffix], Options()) for suffix in ("csv", "parquet"))
    one, other = first.as_json(), second.as_json()
    for column in (*one["columns"], *other["columns"]):
        # As it stands in the file: a date may be spelled in many ways.
        if column["kind"] == "date":
            del column["example"]
    for mine, others in zip(one.pop("columns"), other.pop("columns"), strict=True):
        assert mine == others
    assert one == other


def test_json_lines_give_the_same_kinds(sources):
    first, second = (profile(sources[suffix], Options()) for suffix in ("csv", "jsonl"))
    kinds = [{name: column.kind for name, column in p.columns.items()} for p in (first, second)]
    assert kinds[0] == kinds[1]

"""Batches of every kind, and what the tests do with them."""

import random

import pytest

# The core needs none of them.
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

COLUMNS = [f"f{i}" for i in range(8)]


def random_rows(n, columns=COLUMNS, seed=1):
    """Rows of a frame, a third of the cells zero, with labels that a line nearly separates."""
    rng = random.Random(seed)
    rows = [{c: rng.choice([0.0, 1.0, 1.0]) * rng.gauss(0, 1) for c in columns} for _ in range(n)]
    labels = [sum(x.values()) + rng.gauss(0, 0.3) > 0 for x in rows]
    return rows, labels


def pandas_batch(rows, labels, name="target"):
    return pd.DataFrame(rows), pd.Series(labels, name=name, dtype=bool)


def polars_batch(rows, labels, name="target"):
    return pl.DataFrame(rows), pl.Series(name, labels, dtype=pl.Boolean)


def pyarrow_batch(rows, labels, name="target"):
    return pa.Table.from_pylist(rows), pa.chunked_array([pa.array(labels, pa.bool_())])


BACKENDS = {"pandas": pandas_batch, "polars": polars_batch, "pyarrow": pyarrow_batch}
each_backend = pytest.mark.parametrize("batch", BACKENDS.values(), ids=BACKENDS)


def column(native, name):
    """A column of any of the three kinds of frame, as a list."""
    values = native[name]
    return values.to_pylist() if isinstance(native, pa.Table) else list(values)


def as_list(series):
    return series.to_pylist() if isinstance(series, pa.ChunkedArray) else list(series)


def learned_row_by_row(model, rows, labels, weights=None):
    for x, y, w in zip(rows, labels, weights or [1.0] * len(rows), strict=True):
        model.learn_one(x, y, w)
    return model


def assert_same_model(model, twin, probes):
    """Equal to the last bit, in weights, margins and variances."""
    assert model.weights == twin.weights
    assert [model.margin_one(x) for x in probes] == [twin.margin_one(x) for x in probes]
    assert [model.variance_one(x) for x in probes] == [twin.variance_one(x) for x in probes]


def frame_of(kind, columns):
    if kind.startswith("pandas"):
        return pd.DataFrame(columns)
    return pl.DataFrame(columns) if kind.startswith("polars") else pa.table(columns)

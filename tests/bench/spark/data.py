"""Files of events, dense columns or maps, and a model that has learned such events."""

from __future__ import annotations

import typing
from collections.abc import Hashable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from river_oa3.auto import AutoOA3Classifier
from river_oa3.scoring import rows_of_columns, rows_of_maps

__all__ = ["SHAPES", "model_of", "write"]

COLUMNS, NAMES, ENTRIES = 40, 300, 12
SHAPES = {
    "dense": f"{COLUMNS} columns of numbers",
    "map": f"a map of {ENTRIES} of {NAMES} names",
}

ROWS_PER_FILE = 250_000
LABELS = 2000


def write(folder: Path, shape: str, n: int) -> Path:
    """So many events in files of one size; what is there already is taken."""
    target = folder / f"{shape}-{n}"
    if not target.exists():
        draft = folder / f".{shape}-{n}.part"
        draft.mkdir(parents=True, exist_ok=True)
        for number, start in enumerate(range(0, n, ROWS_PER_FILE)):
            size = min(ROWS_PER_FILE, n - start)
            pq.write_table(_table(shape, start, size), draft / f"{number:04}.parquet")
        draft.rename(target)
    return target


def model_of(shape: str) -> AutoOA3Classifier:
    """A model with a past."""
    model, table = AutoOA3Classifier(), _table(shape, -LABELS, LABELS)
    batch = table.combine_chunks().to_batches()[0]
    if shape == "map":
        rows = rows_of_maps(batch.column("x"))
    else:
        rows = rows_of_columns({name: batch.column(name) for name in table.schema.names[1:]})
    chance = np.random.default_rng(1)
    for i in range(LABELS):
        x: dict[Hashable, typing.Any] = rows.event(i)
        total = sum(float(value) for value in x.values())
        model.learn_one(x, bool(total + chance.normal() > 8.0))
    return model


def _table(shape: str, start: int, n: int) -> pa.Table:
    chance = np.random.default_rng(abs(start))
    ids = pa.array(np.arange(start, start + n))
    if shape == "dense":
        values = np.round(chance.normal(size=(COLUMNS, n)) + 0.2, 3)
        return pa.table({"id": ids, **{f"f{j}": column for j, column in enumerate(values)}})
    names = pa.array([f"f{j}" for j in range(NAMES)])
    # Of each stretch of names, one: no name twice in an event.
    stretch = NAMES // ENTRIES
    chosen = np.arange(ENTRIES) * stretch + chance.integers(0, stretch, size=(n, ENTRIES))
    keys = names.take(pa.array(chosen.reshape(-1)))
    values = pa.array(np.round(chance.exponential(size=n * ENTRIES), 3))
    offsets = pa.array(np.arange(0, n * ENTRIES + 1, ENTRIES, dtype=np.int32))
    return pa.table({"id": ids, "x": pa.MapArray.from_arrays(offsets, keys, values)})

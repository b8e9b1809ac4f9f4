"""What the tests of tables share: tables in memory, and their rows as dicts."""

from __future__ import annotations

import contextlib

import numpy as np
import pyarrow as pa
import pytest

from river_oa3._core.category import Category
from river_oa3.datasets.preparation import Options, Problems, profile, schema_of
from river_oa3.datasets.sources import Batch, Cells, Source
from river_oa3.schema.batch import Encoder


class Memory(Source):
    """A table in memory that comes in batches of any size; rows may lack a column."""

    path = None
    name = "toy"
    kind = "frame"

    def __init__(self, columns, batch=1000, absent=None):
        arrays = {
            name: cells if isinstance(cells, pa.Array) else pa.array(cells)
            for name, cells in columns.items()
        }
        self.columns = list(arrays)
        self._arrays = arrays
        self._batch = batch
        self._absent = {name: np.asarray(rows) for name, rows in (absent or {}).items()}

    def batches(self, problems=None):
        rows = len(next(iter(self._arrays.values())))
        for start in range(0, rows, self._batch):
            n = min(self._batch, rows - start)
            yield Batch(start, n, self._cells(start, n), (start + n) / rows)

    def _cells(self, start, n):
        found = {}
        for name, array in self._arrays.items():
            values, absent = array.slice(start, n), self._absent.get(name)
            if absent is None:
                found[name] = Cells(values, None)
            else:
                having = np.setdiff1d(np.arange(n), absent - start)
                found[name] = Cells(values.take(pa.array(having)), having)
        return found


def labels(rows):
    """One positive row in four, the first among them."""
    return [row % 4 == 0 for row in range(rows)]


def table(cells, **options):
    """A table with one column `a`, and labels."""
    cells = cells if isinstance(cells, pa.Array) else pa.array(cells)
    return Memory({"a": cells, "y": labels(len(cells))}, **options)


def column_of(cells, options=None, **form):
    """What is found in one column that stands beside another one."""
    n = len(cells)
    columns = {"a": cells, "b": [row % 3 + 0.5 for row in range(n)], "y": labels(n)}
    return profile(Memory(columns, **form), options or Options()).columns["a"]


def prepared(source, options=None):
    options = options or Options()
    return schema_of(profile(source, options), options)


def rows_of(found, source):
    """The encoded rows as a model is given them: categories by name and value, None for a gap."""
    rows = []
    encoder = Encoder(found.schema)
    for some in found.encoded(source, encoder):
        assert not np.isinf(some.data).any()
        assert some.data.all()
        assert some.indices.dtype == np.int32
        stops = np.cumsum(some.counts)
        for start, stop in zip(stops - some.counts, stops, strict=True):
            indices = some.indices[start:stop]
            assert (np.diff(indices) > 0).all()
            entries = zip(indices, some.data[start:stop].tolist(), strict=True)
            rows.append(dict(_entry(encoder.names[j], value) for j, value in entries))
    return rows


def _entry(name, value):
    if isinstance(name, Category):
        assert value == 1.0
        return name.name, name.value
    return name, None if value != value else value


def encoded(cells, options=None, **form):
    """The encoded rows of one column, kept whatever it looks like."""
    source = table(cells, **form)
    return rows_of(prepared(source, options or Options(keep=("a",))), source)


def without_zeros(x):
    return {name: value for name, value in x.items() if value != 0.0}


@contextlib.contextmanager
def problems(*parts):
    """Expect problems, each of which holds one of these parts, in this order."""
    with pytest.raises(Problems) as caught:
        yield
    found = caught.value.problems
    assert len(found) == len(parts), found
    for part, problem in zip(parts, found, strict=True):
        assert part in problem

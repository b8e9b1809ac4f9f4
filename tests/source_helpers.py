"""What the tests of tables that are read in chunks share."""

from __future__ import annotations

import numpy as np

from river_oa3.datasets.sources import open_source


def rows_of(source):
    """Every row as a dict, in which a column that the row lacks is not there."""
    if not hasattr(source, "batches"):
        source = open_source(source)
    rows = []
    for batch in source.batches():
        assert batch.start == len(rows)
        assert batch.n > 0
        assert 0 < batch.done <= 1
        found = [{} for _ in range(batch.n)]
        for name, (values, having) in batch.columns.items():
            which = np.arange(batch.n) if having is None else having
            for row, value in zip(which.tolist(), values.to_pylist(), strict=True):
                found[row][name] = value
        rows += found
    return rows


def types_of(source):
    """The types of each column, batch by batch."""
    return [
        {name: str(cells.values.type) for name, cells in batch.columns.items()}
        for batch in source.batches()
    ]

"""Iterables of (dict, label), as river's datasets are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse

from river_oa3.datasets.encode import Columns, Table
from river_oa3.datasets.errors import DataError, short_repr


def read_pairs(rows: Iterable[tuple[Mapping[Any, Any], Any]]) -> Table:
    """Every event of an iterable, which must end; a text becomes a column "name=text" of ones."""
    columns = Columns()
    labels: list[Any] = []
    data, indices, indptr = array("d"), array("i"), array("q", [0])
    for event, row in enumerate(rows, start=1):
        x, label = _pair(event, row)
        for feature, value in x.items():
            if type(value) is float:
                column, number = columns.number(feature), value
            else:
                column, number = columns.entry(event, feature, value)
            if number != 0.0:
                indices.append(column)
                data.append(number)
        labels.append(label)
        indptr.append(len(indices))
    X = scipy.sparse.csr_array(
        (np.array(data), np.array(indices), np.array(indptr)),
        shape=(len(labels), len(columns.names)),
    )
    return Table(X, labels, columns.names)


def _pair(event: int, row: Any) -> tuple[Mapping[Any, Any], Any]:
    if isinstance(row, tuple | list) and len(row) == 2 and isinstance(row[0], Mapping):
        return row[0], row[1]
    raise DataError(
        f"event {event} is {short_repr(row)}: give pairs of a dict, name -> number, and a label"
    )

"""Scores as further columns of Arrow's record batches."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from river_oa3.scoring.rows import Packed, Rows, rows_of_columns, rows_of_maps
from river_oa3.scoring.scorer import Scorer, Scores

__all__ = ["RESULTS", "Features", "check_names", "check_prefix", "refuse", "rows_of", "with_scores"]

RESULTS: dict[str, pa.DataType] = {
    "label": pa.bool_(),
    "probability": pa.float64(),
    "margin": pa.float64(),
    "variance": pa.float64(),
    "query_probability": pa.float64(),
}


class Features(typing.NamedTuple):
    """The columns of features: one each, or a single map from names to values."""

    columns: tuple[str, ...]
    is_map: bool
    # Those that come together, as the lists of one further column.
    packed: tuple[str, ...] = ()
    packed_as: str = ""


def check_names(features: Sequence[str], id: str) -> None:
    """Refuse a feature that is named twice, or is the id."""
    if id in features:
        raise ValueError(f"the id {id!r} cannot be a feature")
    for i, name in enumerate(features):
        if name in features[:i]:
            raise ValueError(f"the feature {name!r} is named more than once")


def check_prefix(prefix: str, columns: Sequence[str], is_case_sensitive: bool = True) -> None:
    """Refuse a prefix that gives names which are there already."""
    names = [prefix + name for name in (*RESULTS, "error")]
    if is_case_sensitive:
        taken = [name for name in columns if name in names]
    else:
        taken = [name for name in columns if name.lower() in map(str.lower, names)]
    if taken:
        raise ValueError(
            f"the frame has the columns {', '.join(taken)} already: give another prefix, such as "
            "prefix='oa3_'"
        )


def rows_of(batch: pa.RecordBatch, features: Features, is_raw: bool) -> Rows:
    """The features of a batch as sparse rows."""
    if features.is_map:
        return rows_of_maps(batch.column(features.columns[0]), is_raw)
    packed = None
    if features.packed:
        places = tuple(map(features.columns.index, features.packed))
        packed = Packed(batch.column(features.packed_as), features.packed, places)
    alone = [name for name in features.columns if name not in features.packed]
    columns = {name: batch.column(name) for name in alone}
    if not features.columns:
        empty = np.zeros(batch.num_rows + 1, dtype=np.int64)
        return Rows(np.empty(0), np.empty(0, dtype=np.int32), empty, [], {})
    return rows_of_columns(columns, is_raw, packed)


def with_scores(
    batch: pa.RecordBatch,
    scorer: Scorer,
    id: str,
    features: Features,
    prefix: str,
    marks: bool,
    kept: Sequence[str] | None = None,
) -> pa.RecordBatch:
    """Add what a model thinks of each event.

    Parameters
    ----------
    batch
        The events.
    scorer
        Scores them.
    id
        The column of ids.
    features
        The columns of features.
    prefix
        What the names of the new columns begin with.
    marks
        Whether an event that is refused gets the reason in a column, instead of a `ValueError`.
    kept
        The columns of the batch that stay; all by default.

    """
    scores = scorer.score(rows_of(batch, features, scorer.is_raw))
    if scores.errors and not marks:
        refuse(batch, id, scores)
    kept = batch.schema.names if kept is None else kept
    columns = [*map(batch.column, kept), *_columns(scores, batch.num_rows, marks)]
    names = [*kept, *(prefix + name for name in RESULTS)]
    return pa.RecordBatch.from_arrays(columns, names + [prefix + "error"] * marks)


def refuse(batch: pa.RecordBatch, id: str, scores: Scores) -> typing.NoReturn:
    """Raise the reason for the first event that is refused."""
    row = min(scores.errors)
    raise ValueError(f"event {batch.column(id)[row].as_py()!r}: {scores.errors[row]}")


def _columns(scores: Scores, n: int, marks: bool) -> Iterator[pa.Array]:
    refused = None
    if scores.errors:
        refused = np.zeros(n, dtype=bool)
        refused[list(scores.errors)] = True
    for name, kind in RESULTS.items():
        yield pa.array(getattr(scores, name), type=kind, mask=refused)
    if marks and scores.errors:
        yield pa.array([scores.errors.get(row) for row in range(n)], type=pa.string())
    elif marks:
        yield pa.nulls(n, pa.string())

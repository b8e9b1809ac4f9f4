"""Scores as further columns of Arrow's record batches."""

from __future__ import annotations

import typing
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from river_oa3.schema import Schema
from river_oa3.scoring.rows import Packed, Rows, rows_of_columns, rows_of_maps, rows_of_table
from river_oa3.scoring.scorer import Scorer, Scores

__all__ = [
    "RESULTS",
    "Features",
    "check_known",
    "check_names",
    "check_prefix",
    "columns_of",
    "features_by",
    "id_among",
    "knows_any",
    "refuse",
    "rows_of",
    "with_scores",
]

RESULTS: dict[str, pa.DataType] = {
    "label": pa.bool_(),
    "probability": pa.float64(),
    "margin": pa.float64(),
    "variance": pa.float64(),
    "query_probability": pa.float64(),
}


class Features(typing.NamedTuple):
    """The columns of features: one each, a single map from names to values, or raw ones."""

    columns: tuple[str, ...]
    is_map: bool
    # Those that come together, as the lists of one further column.
    packed: tuple[str, ...] = ()
    packed_as: str = ""
    # By which the model reads the columns itself.
    schema: Schema | None = None


def features_by(
    schema: Schema, columns: Sequence[str], features: str | Sequence[str] | None
) -> Features:
    """The columns that a model with a schema knows, of those that there are."""
    if features is not None:
        raise ValueError(
            "the model says itself which columns are its features, by its Schema: leave features "
            "out"
        )
    wanted = [name for name, column in schema.columns.items() if column.kind != "left out"]
    found = [name for name in wanted if name in columns]
    if not found:
        raise _of_another_table("column", wanted, columns)
    return Features(tuple(found), False, schema=schema)


def id_among(columns: Sequence[str], id: str | None) -> str | None:
    """The column of ids: the one that is named, or else `id`, if there is one."""
    if id is None:
        return "id" if "id" in columns else None
    if id not in columns:
        raise ValueError(f"there is no column {id!r}; there are {', '.join(columns)}")
    return id


def knows_any(scorer: Scorer, features: Iterable[Hashable]) -> bool:
    """Whether a model without a schema has learned one of these features, or none at all."""
    known = _learned(scorer)
    return not known or not known.isdisjoint(features)


def check_known(scorer: Scorer, features: Sequence[str]) -> None:
    """Refuse features of which a model without a schema has learned none, if it has learned any."""
    if features and not knows_any(scorer, features):
        raise _of_another_table("feature", sorted(map(str, _learned(scorer))), features)


def _learned(scorer: Scorer) -> set[Hashable]:
    weights = scorer.classifier.weights
    return {name[0] if type(name) is tuple else name for name in weights}


def _of_another_table(what: str, known: Sequence[str], found: Sequence[str]) -> ValueError:
    return ValueError(
        f"this table has none of the {what}s that the model knows: it knows {_some(known)}; the "
        f"table has {_some(found)}"
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10:,} more"


def check_names(features: Sequence[str], id: str | None) -> None:
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
            f"there are the columns {', '.join(taken)} already: give another prefix for the new "
            "ones, such as 'oa3_'"
        )


def rows_of(batch: pa.RecordBatch, features: Features, is_raw: bool) -> Rows:
    """The features of a batch as sparse rows."""
    if features.schema is not None:
        return rows_of_table(features.schema, columns_of(batch, features), batch.num_rows)
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


def columns_of(batch: pa.RecordBatch, features: Features) -> dict[str, pa.Array]:
    """The columns of features, those that come together too."""
    columns = {name: batch.column(name) for name in features.columns if name not in features.packed}
    if features.packed:
        numbers = batch.column(features.packed_as).flatten()
        n = len(features.packed)
        for j, name in enumerate(features.packed):
            columns[name] = numbers.take(pa.array(np.arange(j, len(numbers), n)))
    return columns


def with_scores(
    batch: pa.RecordBatch,
    scorer: Scorer,
    id: str | None,
    features: Features,
    prefix: str,
    marks: bool,
    kept: Sequence[str] | None = None,
    where: Callable[[int], str] | None = None,
) -> pa.RecordBatch:
    """Add what a model thinks of each event.

    Parameters
    ----------
    batch
        The events.
    scorer
        Scores them.
    id
        The column of ids, if there is one.
    features
        The columns of features.
    prefix
        What the names of the new columns begin with.
    marks
        Whether an event that is refused gets the reason in a column, instead of a `ValueError`.
    kept
        The columns of the batch that stay; all by default.
    where
        The place of a row of the batch, by which it is named if it has no id.

    """
    if features.schema is not None:
        scores = scorer.score_table(columns_of(batch, features), batch.num_rows)
    else:
        scores = scorer.score(rows_of(batch, features, scorer.is_raw))
    if scores.errors and not marks:
        refuse(batch, id, scores.errors, where)
    kept = batch.schema.names if kept is None else kept
    columns = [*map(batch.column, kept), *_columns(scores, batch.num_rows, marks)]
    names = [*kept, *(prefix + name for name in RESULTS)]
    return pa.RecordBatch.from_arrays(columns, names + [prefix + "error"] * marks)


def refuse(
    batch: pa.RecordBatch,
    id: str | None,
    errors: Mapping[int, str],
    where: Callable[[int], str] | None = None,
) -> typing.NoReturn:
    """Raise the reason for the first event that is refused."""
    row = min(errors)
    if id is not None:
        event = f"event {batch.column(id)[row].as_py()!r}"
    else:
        event = "an event" if where is None else where(row)
    raise ValueError(f"{event}: {errors[row]}")


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

"""What runs on executors: batches of Arrow's in, scores out, no dictionary per row."""

from __future__ import annotations

import hashlib
import typing
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from river_oa3 import files
from river_oa3.active import ActiveLearner
from river_oa3.scoring import Rows, Scorer, Scores, rows_of_columns, rows_of_maps

if typing.TYPE_CHECKING:
    from river_oa3.spark.columns import Features

__all__ = ["RESULTS", "Model", "adding_scores", "rows_of", "scorer_of"]

RESULTS: dict[str, pa.DataType] = {
    "label": pa.bool_(),
    "probability": pa.float64(),
    "margin": pa.float64(),
    "variance": pa.float64(),
    "query_probability": pa.float64(),
}

# Models of this process, by their checksum: a worker serves many tasks.
_scorers: dict[bytes, Scorer] = {}
_MOST_SCORERS = 2


class Model(typing.NamedTuple):
    """A model as it is sent: the content of its file, and the checksum of that."""

    content: bytes
    digest: bytes

    @classmethod
    def of(cls, model: typing.Any) -> Model:
        if isinstance(model, ActiveLearner):
            # What it draws by and what it has counted is of no use to who scores.
            model = ActiveLearner(model.classifier, model._query, model._budget, seed=0)
        content = files.to_bytes(model)
        return cls(content, hashlib.sha256(content).digest())


def scorer_of(model: Model) -> Scorer:
    """The scorer of a model, made once per process."""
    scorer = _scorers.get(model.digest)
    if scorer is None:
        while len(_scorers) >= _MOST_SCORERS:
            del _scorers[next(iter(_scorers))]
        loaded = files.from_bytes(model.content)
        if not isinstance(loaded, ActiveLearner):
            loaded = ActiveLearner(loaded)
        scorer = _scorers[model.digest] = Scorer(loaded)
    return scorer


def rows_of(batch: pa.RecordBatch, features: Features, is_raw: bool) -> Rows:
    """The features of a batch as sparse rows."""
    if features.is_map:
        return rows_of_maps(batch.column(features.columns[0]), is_raw)
    columns = {name: batch.column(name) for name in features.columns}
    if not columns:
        empty = np.zeros(batch.num_rows + 1, dtype=np.int64)
        return Rows(np.empty(0), np.empty(0, dtype=np.int32), empty, [], {})
    return rows_of_columns(columns, is_raw)


def adding_scores(
    sent: typing.Any, id: str, features: Features, prefix: str, marks: bool
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` takes to add scores to the columns of a frame.

    Parameters
    ----------
    sent
        The broadcast model.
    id
        The column of ids.
    features
        The columns of features.
    prefix
        What the names of the new columns begin with.
    marks
        Whether an event that is refused gets the reason in a column, instead of ending the query.

    """

    def add(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        scorer = scorer_of(sent.value)
        for batch in batches:
            rows = rows_of(batch, features, scorer.is_raw)
            scores = scorer.score(rows)
            if scores.errors and not marks:
                refuse(batch, id, scores)
            columns = [*batch.columns, *_columns(scores, batch.num_rows, marks)]
            names = [*batch.schema.names, *(prefix + name for name in RESULTS)]
            yield pa.RecordBatch.from_arrays(columns, names + [prefix + "error"] * marks)

    return add


def refuse(batch: pa.RecordBatch, id: str, scores: Scores) -> typing.NoReturn:
    """End the query with the reason for the first event that is refused."""
    row = min(scores.errors)
    raise ValueError(f"event {batch.column(id)[row].as_py()!r}: {scores.errors[row]}")


def _columns(scores: Scores, n: int, marks: bool) -> Iterator[pa.Array]:
    refused = None
    if scores.errors:
        refused = np.zeros(n, dtype=bool)
        refused[list(scores.errors)] = True
    for name, kind in RESULTS.items():
        yield pa.array(getattr(scores, name), type=kind, mask=refused)
    if marks:
        yield pa.array([scores.errors.get(row) for row in range(n)], type=pa.string())

"""What runs on executors: batches of Arrow's in, scores out, no dictionary per row."""

from __future__ import annotations

import hashlib
import typing
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import SparkSession

from river_oa3 import files
from river_oa3.active import ActiveLearner
from river_oa3.scoring import Scorer
from river_oa3.scoring.parquet_parts import Files
from river_oa3.scoring.record_batches import Features, with_scores
from river_oa3.scoring.spending import Spending
from river_oa3.spark.sessions import is_connect

__all__ = ["Model", "adding_scores", "reading", "renaming", "scorer_of", "to_send"]

# Models of this process, by their checksum: a worker serves many tasks.
_scorers: dict[bytes, Scorer] = {}
_MOST_SCORERS = 2

# What takes fewer bytes is sent with each task.
MOST_HELD = 2**19


class Model(typing.NamedTuple):
    """A model as it is sent: the content of its file, and a checksum of all that is sent.

    What its budget says may be sent with it: a task that is tried again, on another machine and at
    another time, then scores alike.
    """

    content: bytes
    digest: bytes
    spending: Spending | None = None

    @classmethod
    def of(cls, model: typing.Any, spending: Spending | None = None) -> Model:
        if type(model) is ActiveLearner:  # river's isinstance looks into pipelines
            # What it draws by and what it has counted is of no use to who scores.
            model = ActiveLearner(model.classifier, model._query, model._budget, seed=0)
        content = files.to_bytes(model)
        digest = hashlib.sha256(content + repr(spending).encode()).digest()
        return cls(content, digest, spending)


class Held(typing.NamedTuple):
    """A model that goes with the function that needs it."""

    value: Model


def to_send(session: SparkSession, model: Model) -> Held | Broadcast[Model]:
    """A model as something that workers can read: a broadcast one stays until Spark ends."""
    if len(model.content) < MOST_HELD or is_connect(session):
        return Held(model)
    return session.sparkContext.broadcast(model)


def scorer_of(model: Model) -> Scorer:
    """The scorer of a model, made once per process."""
    scorer = _scorers.get(model.digest)
    if scorer is None:
        while len(_scorers) >= _MOST_SCORERS:
            del _scorers[next(iter(_scorers))]
        scorer = Scorer(files.from_bytes(model.content), model.spending)
        _scorers[model.digest] = scorer
    return scorer


Batches = Iterable[pa.RecordBatch]


def reading(
    files: Files, then: Callable[[Batches], Iterator[pa.RecordBatch]]
) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` takes to read files in the worker, given the numbers of tasks."""

    def read(numbers: Batches) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for task in batch.column(0).to_pylist():
                try:
                    yield from files.read(task)
                except TypeError as error:
                    raise TypeError(f"{error}: Spark may read it, with direct=False") from None

    return lambda numbers: then(read(numbers))


def renaming(
    names: list[str], then: Callable[[Batches], Iterator[pa.RecordBatch]]
) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` takes to give columns the names that they had in their frame."""
    return lambda batches: then(batch.rename_columns(names) for batch in batches)


def adding_scores(
    sent: typing.Any, id: str | None, features: Features, prefix: str, marks: bool, kept: list[str]
) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` takes to add scores to the columns of a frame.

    Parameters
    ----------
    sent
        The broadcast model.
    id
        The column of ids, if there is one.
    features
        The columns of features.
    prefix
        What the names of the new columns begin with.
    marks
        Whether an event that is refused gets the reason in a column, instead of ending the query.
    kept
        The columns of the frame that stay.

    """

    def add(batches: Batches) -> Iterator[pa.RecordBatch]:
        scorer = scorer_of(sent.value)
        for batch in batches:
            yield with_scores(batch, scorer, id, features, prefix, marks, kept)

    return add

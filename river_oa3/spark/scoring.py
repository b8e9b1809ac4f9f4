from __future__ import annotations

import typing
from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from river_oa3.scoring import Scorer
from river_oa3.scoring.parquet_parts import Files
from river_oa3.scoring.record_batches import RESULTS, Features, check_prefix, id_among
from river_oa3.spark.columns import features_of
from river_oa3.spark.packing import packed
from river_oa3.spark.plain_files import NotPlainError, files_behind
from river_oa3.spark.workers import Model, adding_scores, reading, renaming, to_send

__all__ = ["score", "through_java"]


def score(
    frame: DataFrame,
    model: typing.Any,
    id: str | None = None,
    features: str | Sequence[str] | None = None,
    on_error: typing.Literal["fail", "mark"] = "fail",
    prefix: str = "",
    keep: Sequence[str] | None = None,
    direct: bool | None = None,
) -> DataFrame:
    """Add what a model thinks of each event to a frame, batch or streaming.

    A model that starts with a `Schema` takes the raw columns of the table that it was made for, as
    `predict_one` takes its rows: texts, numbers, booleans, dates and timestamps. A timestamp is
    taken in UTC, whatever the time zone of the session; one without a zone (TIMESTAMP_NTZ), a date
    and a text as they are written. So keep the hours of a text such as "2024-01-31 18:05" by
    leaving it a text, or by casting it to TIMESTAMP_NTZ. Columns that the model does not know, the
    label among them, are no features.

    New columns are `label`, `probability` (of a positive), `margin`, `variance` and
    `query_probability`, that with which an active learner would ask for the label. Nothing is
    learned, drawn or spent.

    Parameters
    ----------
    frame
        The events, one per row.
    model
        A learner of this package, a pipeline from a `Schema` to one, or an `ActiveLearner` around
        either.
    id
        The column of ids, by which an event that is refused is named. The default is `id`, if there
        is such a column.
    features
        Of a model without a `Schema`: the columns of features (numbers, texts, nulls), or the one
        column that is a map from names to values. The default is all columns but the id.
    on_error
        What becomes of an event that one process would refuse: "fail" ends the query with the
        reason, "mark" writes it in a column `error` and leaves the scores of that event empty.
    prefix
        What the names of the new columns begin with, where the frame has such names already.
    keep
        The columns of the frame that stay beside the new ones. The default is all of them; each
        that stays is sent to Python and back.
    direct
        Whether workers read the files of the frame themselves, which takes a fraction of the time:
        columns need not be sent from Java to Python. It can be done where the frame is nothing but
        Parquet files (or some of their columns: numbers, texts, maps of them) in folders that the
        driver and the workers see under the same path. True raises a `ValueError` that says what is
        in the way, False leaves all reading to Spark; by default it is done where it can be. The
        files are those that are there now, and Spark's `input_file_name` knows nothing of them. On
        Spark Connect all reading is left to Spark.

    Notes
    -----
    Spark Connect is tested with a server of Spark 4 on the same machine, and the frames that it
    reads from files; on a cluster its workers need this package too.

    Examples
    --------

    ```python
    from river_oa3 import load
    from river_oa3.spark import local_session, score

    spark = local_session()
    events = spark.read.parquet("payments.parquet")
    score(events, load("model.oa3"), id="payment").write.parquet("scored.parquet")
    ```

    """
    if on_error not in ("fail", "mark"):
        raise ValueError(f"on_error must be 'fail' or 'mark', not {on_error!r}")
    id = id_among(frame.columns, id)
    found = features_of(frame.schema, Scorer(model), id, features)
    kept = frame.columns if keep is None else list(keep)
    missing = [name for name in kept if name not in frame.columns]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r} to keep")
    schema = _schema(frame, kept, prefix, on_error == "mark")
    sent = to_send(frame.sparkSession, Model.of(model))
    if direct is not False:
        alone = [*kept] if id is None else [id, *kept]
        needed = list(dict.fromkeys([*alone, *found.columns]))
        files = _files(frame, needed, frozenset(needed).difference(alone), direct)
        if files is not None:
            tasks = frame.sparkSession.range(0, len(files.tasks), 1, len(files.tasks))
            add = adding_scores(sent, id, found, prefix, on_error == "mark", kept)
            return tasks.mapInArrow(reading(files, add), schema)
    return through_java(frame, sent, id, found, on_error == "mark", prefix, kept)


def through_java(
    frame: DataFrame,
    sent: typing.Any,
    id: str | None,
    features: Features,
    marks: bool,
    prefix: str = "",
    kept: list[str] | None = None,
) -> DataFrame:
    """Add scores to any frame, which Spark reads.

    Parameters
    ----------
    frame
        The frame.
    sent
        The model, as workers can read it.
    id
        The column of ids, if there is one.
    features
        The features.
    marks
        Whether an event that is refused gets the reason in a column.
    prefix
        What the names of the new columns begin with.
    kept
        The columns that stay; all by default.

    """
    kept = frame.columns if kept is None else kept
    schema = _schema(frame, kept, prefix, marks)
    through = packed(frame, features, [*kept] if id is None else [id, *kept])
    add = adding_scores(sent, id, through.features, prefix, marks, kept)
    return through.frame.mapInArrow(renaming(through.names, add), schema)


def _schema(frame: DataFrame, kept: list[str], prefix: str, marks: bool) -> T.StructType:
    """The columns that stay, and the new ones."""
    is_case_sensitive = frame.sparkSession.conf.get("spark.sql.caseSensitive") or ""
    check_prefix(prefix, kept, is_case_sensitive.lower() == "true")
    added = [T.StructField(prefix + "label", T.BooleanType())]
    added += [T.StructField(prefix + name, T.DoubleType()) for name in list(RESULTS)[1:]]
    added += [T.StructField(prefix + "error", T.StringType())] * marks
    return T.StructType([*(frame.schema[name] for name in kept), *added])


def _files(
    frame: DataFrame, columns: list[str], encoded: frozenset[str], is_wanted: bool | None
) -> Files | None:
    """The files that workers can read; None, or the reason, where they cannot."""
    try:
        return files_behind(frame, columns, encoded)
    except NotPlainError as error:
        if is_wanted:
            raise ValueError(f"workers cannot read the frame themselves: {error}") from None
        return None

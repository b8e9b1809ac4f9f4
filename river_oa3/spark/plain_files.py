"""Frames that are nothing but Parquet files, which workers can read without Java's help."""

from __future__ import annotations

import os
import typing
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, types

from river_oa3.scoring.parquet_parts import Files, columns_in, parts_of
from river_oa3.spark.sessions import is_connect

__all__ = ["NotPlainError", "files_behind"]

_KINDS: dict[type[types.DataType], pa.DataType] = {
    types.BooleanType: pa.bool_(),
    types.ByteType: pa.int8(),
    types.ShortType: pa.int16(),
    types.IntegerType: pa.int32(),
    types.LongType: pa.int64(),
    types.FloatType: pa.float32(),
    types.DoubleType: pa.float64(),
    types.StringType: pa.string(),
}

_FILES = "org.apache.spark.sql.execution.datasources"
# Files as they lie in a folder; other indexes, of formats on top of Parquet, know of deleted rows.
_INDEXES = {f"{_FILES}.InMemoryFileIndex", f"{_FILES}.CatalogFileIndex"}
_FORMAT = f"{_FILES}.parquet.ParquetFileFormat"

# Settings with which Spark reads a file otherwise than as it is.
_SETTINGS = (
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.parquet.binaryAsString",
    "spark.sql.parquet.fieldId.read.enabled",
)

# So many files are looked at before; the others, where they are read.
_CHECKED = 1000

# Rows in a batch, where Spark is told to set no limit.
_ROWS = 10_000


class NotPlainError(ValueError):
    """Why a frame has to be read by Spark."""


def files_behind(frame: DataFrame, columns: list[str], encoded: frozenset[str]) -> Files:
    """The files of a frame that is nothing but columns of them; a `NotPlainError` for another.

    Parameters
    ----------
    frame
        The frame.
    columns
        The columns that are read.
    encoded
        Those that may come with a dictionary of their texts.

    """
    if is_connect(frame.sparkSession):
        raise NotPlainError("Spark Connect does not say which files are behind it")
    schema = pa.schema([pa.field(name, _kind(frame.schema[name])) for name in columns])
    relation = _relation(frame)
    conf = frame.sparkSession.conf
    for name in _SETTINGS:
        if _is_set(conf.get(name)):
            raise NotPlainError(f"{name} is set")
    is_case_sensitive = _is_set(conf.get("spark.sql.caseSensitive"))
    paths = [_path(uri) for uri in relation.location().inputFiles()]
    if not paths:
        raise NotPlainError("there are no files")
    if len(set(paths)) < len(paths):
        raise NotPlainError("a file of it is read more than once")
    try:
        sizes = {path: os.stat(path).st_size for path in paths}
        for path in paths[:_CHECKED]:
            columns_in(pq.read_schema(path), schema, is_case_sensitive, path)
    except (OSError, TypeError, ValueError) as error:
        raise NotPlainError(str(error)) from None
    settings = frame.sparkSession._jsparkSession.sessionState().conf()
    tasks = parts_of(
        sizes,
        frame.sparkSession.sparkContext.defaultParallelism,
        settings.filesMaxPartitionBytes(),
        settings.filesOpenCostInBytes(),
    )
    n_rows = int(conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") or 0)
    return Files(tasks, schema, n_rows if n_rows > 0 else _ROWS, is_case_sensitive, encoded)


def _kind(field: types.StructField) -> pa.DataType:
    kind = field.dataType
    if field.metadata:
        raise NotPlainError(f"column {field.name!r} is more than what the files hold of it")
    if isinstance(kind, types.MapType) and type(kind.keyType) is types.StringType:
        value = _KINDS.get(type(kind.valueType))
        found = value and pa.map_(pa.string(), value)
    else:
        found = _KINDS.get(type(kind))
    if found is None:
        raise NotPlainError(f"column {field.name!r} is of type {kind.simpleString()}")
    return found


def _relation(frame: DataFrame) -> typing.Any:
    """The files that Spark's plan reads, where it does nothing else."""
    if frame.isStreaming:
        raise NotPlainError("it is a stream")
    # That of a new frame: one that is there already may be older than what is cached.
    plan = frame.select("*")._jdf.queryExecution().optimizedPlan()
    if _class(plan) == "Project":
        chosen = plan.projectList()
        if any(_class(chosen.apply(i)) != "AttributeReference" for i in range(chosen.size())):
            raise NotPlainError("columns of it are computed")
        plan = plan.child()
    if _class(plan) != "LogicalRelation":
        raise NotPlainError(f"it is more than files ({plan.nodeName()})")
    if plan.catalogTable().isDefined():
        raise NotPlainError("it is a table, whose files may be others when the query is run")
    relation = plan.relation()
    if _class(relation) != "HadoopFsRelation":
        raise NotPlainError("it does not come from files")
    if (
        relation.fileFormat().getClass().getName() != _FORMAT
        or relation.location().getClass().getName() not in _INDEXES
    ):
        raise NotPlainError("its files are not plain Parquet")
    if not relation.partitionSchema().isEmpty():
        raise NotPlainError("columns of it are the names of folders")
    options = relation.options().keySet()
    further = {name for name in map(str, _each(options)) if name.lower() not in ("path", "paths")}
    if further:
        raise NotPlainError(f"it is read with the option {min(further)}")
    return relation


def _path(uri: str) -> str:
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc:
        raise NotPlainError(f"its files are at {parts.scheme}:, not in folders of this machine")
    return unquote(parts.path)


def _is_set(value: str | None) -> bool:
    return (value or "").strip().lower() == "true"


def _class(found: typing.Any) -> str:
    name: str = found.getClass().getSimpleName()
    return name


def _each(found: typing.Any) -> typing.Iterator[typing.Any]:
    iterator = found.iterator()
    while iterator.hasNext():
        yield iterator.next()

"""Tables in files of any size, scored in this process a piece at a time."""

from __future__ import annotations

import json
import secrets
import shutil
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from river_oa3.datasets import DataError
from river_oa3.datasets import files as packed_files
from river_oa3.datasets.sources import Source, open_source
from river_oa3.schema import Schema
from river_oa3.schema.batch import as_python
from river_oa3.scoring.record_batches import (
    RESULTS,
    Features,
    check_known,
    check_names,
    check_prefix,
    features_by,
    id_among,
    knows_any,
    with_scores,
)
from river_oa3.scoring.rows import is_number, is_text
from river_oa3.scoring.scorer import Scorer

__all__ = [
    "columns_lacking",
    "draft_of",
    "features_of",
    "is_parquet",
    "open_events",
    "output_for",
    "score_file",
]

ROWS = 50_000

_KINDS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".parquet": "Parquet",
    ".pq": "Parquet",
}


def is_parquet(path: Path) -> bool:
    """Whether a path is read as Parquet: a folder, and a file of no other format's suffix."""
    return path.is_dir() or _KINDS.get(packed_files.parted(path)[1], "Parquet") == "Parquet"


def open_events(path: Path, encoding: str | None = None) -> ds.Dataset | Source:
    """A table in a file, of texts in this encoding, or a folder of Parquet files."""
    if not is_parquet(path):
        return typing.cast(Source, open_source(path, encoding))
    if encoding is not None:
        raise DataError(f"--encoding is for texts, and {path} is Parquet: leave it out")
    try:
        # Folders named column=value are a column, as Spark has it.
        folders = "hive" if path.is_dir() else None
        found = ds.dataset(path, format="parquet", partitioning=folders)
        found.count_rows()  # reads the end of each file, and nothing else
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"cannot read {path} as Parquet: {str(error).splitlines()[0]}") from None
    return found


def output_for(path: Path) -> Path:
    """Where the scores of a file or a folder go by default: beside it, in the same format."""
    path = path.resolve()
    name, suffix = packed_files.parted(path)
    if suffix not in _KINDS:
        name, suffix = path.name, ".parquet"
    return path.with_name(f"{name}.scored{'.parquet' if path.is_dir() else suffix}")


def columns_lacking(events: ds.Dataset | Source, model: typing.Any) -> list[str]:
    """Some of the columns that a model's schema knows: those that a table does not have."""
    schema = Scorer(model).schema
    columns = events.columns if isinstance(events, Source) else events.schema.names
    if schema is None or columns is None:
        return []
    known = [
        name
        for name, column in schema.columns.items()
        if column.kind != "left out" and not column.sparse
    ]
    lacking = [name for name in known if name not in columns]
    return lacking if len(lacking) < len(known) else []


def features_of(
    schema: pa.Schema, scorer: Scorer, id: str | None, features: str | Sequence[str] | None
) -> Features:
    """Find the features in a schema; a `TypeError` for a column that cannot be one.

    Parameters
    ----------
    schema
        The columns.
    scorer
        What is to score them.
    id
        The column of ids, which is not a feature unless the model says so.
    features
        The columns of features, or the one that is a map. None takes all but the id.

    """
    if scorer.schema is not None:
        return features_by(scorer.schema, schema.names, features)
    if isinstance(features, str):
        kind = _type(schema, features)
        if pa.types.is_map(kind):
            if not is_text(kind.key_type):
                raise TypeError(
                    f"the map {features!r} has keys of type {kind.key_type}: names are texts"
                )
            _check(features, kind.item_type, scorer.is_raw)
            return Features((features,), True)
        features = [features]
    if features is None:
        features = [name for name in schema.names if name != id]
    for name in features:
        _check(name, _type(schema, name), scorer.is_raw)
    check_names(features, id)
    check_known(scorer, features)
    return Features(tuple(features), False)


def score_file(
    events: ds.Dataset | Source,
    model: typing.Any,
    output: Path,
    id: str | None = None,
    features: str | Sequence[str] | None = None,
    marks: bool = False,
    prefix: str = "",
    progress: Callable[[int, float], None] | None = None,
) -> int:
    """Write events with their scores to a file of the same format, whole or not at all.

    Parameters
    ----------
    events
        What `open_events` gives.
    model
        What a `Scorer` takes. Only one with a `Schema` knows what the texts of a CSV file are.
    output
        The file, which must not be there yet.
    id
        The column of ids. The default is `id`, if there is one.
    features
        The columns of features, or the one that is a map. The default is all columns but the id;
        a model with a `Schema` has its own.
    marks
        Whether an event that is refused gets the reason in a column, instead of ending all.
    prefix
        What the names of the new columns begin with.
    progress
        Called with the number of events of each piece, and the share of the table that is done.

    Returns
    -------
    The number of events.

    """
    scorer = Scorer(model)
    kind = events.kind if isinstance(events, Source) else "Parquet"
    if kind != "Parquet" and scorer.schema is None:
        raise DataError(
            f"the model has no Schema that says what the columns of {kind} are: score Parquet, "
            "whose columns have types, or save the model with a Schema before it, schema | model"
        )
    is_packed = output.suffix.lower() in packed_files.COMPRESSED
    if is_packed or _KINDS.get(packed_files.parted(output)[1], kind) != kind:
        raise DataError(f"scores of {kind} are written as plain {kind}: choose another --output")
    score = _score_lines if kind == "JSON lines" else _score_columns
    n_events = 0
    with draft_of(output) as draft:
        for n, done in score(events, scorer, draft, id, features, marks, prefix):
            n_events += n
            if progress is not None:
                progress(n, done)
    return n_events


# Of each piece that was scored: how many events it had, and the share of the table that is done.
_Progress = Iterator[tuple[int, float]]


def _score_columns(
    events: typing.Any,
    scorer: Scorer,
    draft: Path,
    id: str | None,
    features: str | Sequence[str] | None,
    marks: bool,
    prefix: str,
) -> _Progress:
    """Score a table whose columns are known before it is read."""
    columns = events.schema if isinstance(events, ds.Dataset) else _texts(events.columns)
    id = id_among(columns.names, id)
    found = features_of(columns, scorer, id, features)
    check_prefix(prefix, columns.names)
    added = [pa.field(prefix + name, kind) for name, kind in RESULTS.items()]
    added += [pa.field(prefix + "error", pa.string())] * marks
    schema = pa.schema([*columns, *added])
    # What a map has is known only when it has been read.
    names: set[typing.Any] | None = set() if found.is_map else None
    with _writer(draft, events, schema) as writer:
        for piece, where, done in _pieces(events):
            if piece.num_rows:
                scored = with_scores(piece, scorer, id, found, prefix, marks, where=where)
                writer.write_batch(scored.cast(schema))
            if names is not None:
                names.update(as_python(piece.column(found.columns[0]).keys.unique()))
                names = None if knows_any(scorer, names) else names
            yield piece.num_rows, done
    check_known(scorer, sorted(map(str, names or ())))


def _texts(columns: list[str]) -> pa.Schema:
    return pa.schema([(name, pa.string()) for name in columns])


def _writer(draft: Path, events: typing.Any, schema: pa.Schema) -> typing.Any:
    if isinstance(events, ds.Dataset):
        return pq.ParquetWriter(draft, schema)
    return pc.CSVWriter(draft, schema, write_options=pc.WriteOptions(delimiter=events.separator))


def _pieces(events: typing.Any) -> Iterator[tuple[pa.RecordBatch, Callable[[int], str], float]]:
    """Rows, where each of them is, and the share of the table up to there."""
    if isinstance(events, Source):
        for batch in events.batches():
            values = [cells.values for cells in batch.columns.values()]
            piece = pa.RecordBatch.from_arrays(values, list(batch.columns))
            yield piece, _within(events, batch.start), batch.done
        return
    n_rows, start = events.count_rows(), 0
    try:
        # Little is read ahead: memory stays the same however long the file is.
        for piece in events.to_batches(batch_size=ROWS, batch_readahead=2, fragment_readahead=1):
            first = start
            start += piece.num_rows
            yield piece, _numbered(first), start / max(1, n_rows)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"cannot read the events: {str(error).splitlines()[0]}") from None


def _numbered(start: int) -> Callable[[int], str]:
    return lambda row: f"event {start + row + 1}"


def _within(events: Source, start: int) -> Callable[[int], str]:
    return lambda row: events.where(start + row)


def _score_lines(
    events: typing.Any,
    scorer: Scorer,
    draft: Path,
    id: str | None,
    features: str | Sequence[str] | None,
    marks: bool,
    prefix: str,
) -> _Progress:
    """Score JSON lines: each is written as it is, with the scores as further keys."""
    schema = typing.cast(Schema, scorer.schema)
    if features is not None:
        features_by(schema, [], features)
    names = [prefix + name for name in RESULTS]
    lines = events.lines()
    with open(draft, "wb") as output:
        for batch in events.batches():
            check_prefix(prefix, list(batch.columns))
            scores = scorer.score_table(batch.columns, batch.n)
            if scores.errors and not marks:
                row = min(scores.errors)
                raise DataError(f"{events.where(batch.start + row)}: {scores.errors[row]}")
            columns = [getattr(scores, name).tolist() for name in RESULTS]
            nothing = [None] * len(names)
            for row, values in enumerate(zip(*columns, strict=True)):
                error = scores.errors.get(row)
                found = dict(zip(names, values if error is None else nothing, strict=True))
                if marks:
                    found[prefix + "error"] = error
                start = next(lines)[:-1].rstrip()
                between = b"" if start == b"{" else b", "
                output.write(start + between + json.dumps(found)[1:].encode() + b"\n")
            yield batch.n, batch.done


@contextmanager
def draft_of(output: Path) -> Iterator[Path]:
    """A path to write to, which becomes `output` if all goes well, and else is taken away."""
    if output.exists():
        raise DataError(f"{output} is there already: remove it, or choose another --output")
    draft = output.with_name(f".{output.name}.{secrets.token_hex(8)}.part")
    try:
        yield draft
        draft.rename(output)
    except OSError as error:
        raise DataError(
            f"cannot write {output} ({error.strerror or error}): choose another --output"
        ) from None
    finally:
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            draft.unlink(missing_ok=True)


def _type(schema: pa.Schema, name: str) -> pa.DataType:
    if name not in schema.names:
        raise ValueError(f"there is no column {name!r}; there are {', '.join(schema.names)}")
    return schema.field(name).type


def _check(name: str, kind: pa.DataType, is_raw: bool) -> None:
    if is_number(kind) or (is_raw and is_text(kind)):
        return
    if is_text(kind):
        remedy = "use AutoOA3Classifier, which takes texts as categories, or encode it before"
    elif pa.types.is_temporal(kind):
        remedy = "take numbers of it, such as the hour and the day of the week"
    elif pa.types.is_map(kind):
        remedy = "give a map as the only feature"
    else:
        remedy = "turn it into numbers or a text"
    raise TypeError(
        f"column {name!r} is of type {kind} and cannot be a feature: {remedy}, or name the other "
        "columns as features"
    )

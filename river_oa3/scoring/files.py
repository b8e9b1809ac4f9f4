"""Files of events of any size, scored in this process a piece at a time."""

from __future__ import annotations

import secrets
import shutil
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from river_oa3.datasets import DataError
from river_oa3.scoring.record_batches import (
    RESULTS,
    Features,
    check_names,
    check_prefix,
    with_scores,
)
from river_oa3.scoring.rows import is_number, is_text
from river_oa3.scoring.scorer import Scorer

__all__ = ["draft_of", "features_of", "open_events", "score_file"]

ROWS = 50_000


def open_events(path: Path) -> ds.Dataset:
    """A Parquet file, or a folder of them."""
    try:
        # Folders named column=value are a column, as Spark has it.
        folders = "hive" if path.is_dir() else None
        found = ds.dataset(path, format="parquet", partitioning=folders)
        found.count_rows()  # reads the end of each file, and nothing else
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"cannot read {path} as Parquet: {str(error).splitlines()[0]}") from None
    return found


def features_of(
    schema: pa.Schema, id: str, features: str | Sequence[str] | None, is_raw: bool
) -> Features:
    """Find the features in a schema; a `TypeError` for a column that cannot be one.

    Parameters
    ----------
    schema
        The columns.
    id
        The column of ids, which is not a feature.
    features
        The columns of features, or the one that is a map. None takes all but the id.
    is_raw
        Whether the model takes texts.

    """
    _type(schema, id)
    if isinstance(features, str):
        kind = _type(schema, features)
        if pa.types.is_map(kind):
            if not is_text(kind.key_type):
                raise TypeError(
                    f"the map {features!r} has keys of type {kind.key_type}: names are texts"
                )
            _check(features, kind.item_type, is_raw)
            return Features((features,), True)
        features = [features]
    if features is None:
        features = [name for name in schema.names if name != id]
    for name in features:
        _check(name, _type(schema, name), is_raw)
    check_names(features, id)
    return Features(tuple(features), False)


def score_file(
    events: ds.Dataset,
    model: typing.Any,
    output: Path,
    id: str = "id",
    features: str | Sequence[str] | None = None,
    marks: bool = False,
    prefix: str = "",
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write events with their scores to a Parquet file, whole or not at all.

    Parameters
    ----------
    events
        What `open_events` gives.
    model
        A learner of this package, or an `ActiveLearner` around one.
    output
        The file, which must not be there yet.
    id
        The column of ids.
    features
        The columns of features, or the one that is a map. The default is all columns but the id.
    marks
        Whether an event that is refused gets the reason in a column, instead of ending all.
    prefix
        What the names of the new columns begin with.
    progress
        Called with the number of events of each piece.

    Returns
    -------
    The number of events.

    """
    scorer = Scorer(model)
    found = features_of(events.schema, id, features, scorer.is_raw)
    check_prefix(prefix, events.schema.names)
    added = [pa.field(prefix + name, kind) for name, kind in RESULTS.items()]
    added += [pa.field(prefix + "error", pa.string())] * marks
    schema = pa.schema([*events.schema, *added])
    n_events = 0
    with draft_of(output) as draft, pq.ParquetWriter(draft, schema) as writer:
        for piece in _pieces(events):
            if piece.num_rows:
                scored = with_scores(piece, scorer, id, found, prefix, marks)
                writer.write_batch(scored.cast(schema))
                n_events += piece.num_rows
                if progress is not None:
                    progress(piece.num_rows)
    return n_events


def _pieces(events: ds.Dataset) -> Iterator[pa.RecordBatch]:
    # Little is read ahead: memory stays the same however long the file is.
    pieces = events.to_batches(batch_size=ROWS, batch_readahead=2, fragment_readahead=1)
    try:
        yield from pieces
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"cannot read the events: {str(error).splitlines()[0]}") from None


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

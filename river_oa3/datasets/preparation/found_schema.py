"""From what is in a table to its schema, and from its rows to events: the second pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from river_oa3.datasets.chunk_writer import EncodedRows
from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.preparation.advice import warnings_of
from river_oa3.datasets.preparation.choice import left_out
from river_oa3.datasets.preparation.column_profile import ColumnProfile, Looks
from river_oa3.datasets.preparation.label_scan import is_positive
from river_oa3.datasets.preparation.options import Options
from river_oa3.datasets.preparation.profile import Profile, Progress
from river_oa3.datasets.preparation.row_sample import taker
from river_oa3.datasets.sources import Batch, Source
from river_oa3.schema import Column, Schema
from river_oa3.schema.batch import Encoder
from river_oa3.schema.column import Kind
from river_oa3.schema.values import GAPS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FoundSchema", "schema_of"]

_KINDS: dict[Looks, Kind] = {
    "number": "number",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "category": "category",
    "text": "text",
}
# About how many values one of them becomes.
_SIZES: dict[Kind, int] = {"date": 2, "time": 2, "text": 12}


@dataclass(frozen=True, kw_only=True)
class FoundSchema:
    """What the columns of a table are, and why some of them are no features."""

    schema: Schema
    profile: Profile
    left_out: dict[str, str]
    """Columns that are no features, and why."""
    warnings: list[str]

    @property
    def values_per_row(self) -> int:
        """About how many values a row becomes."""
        return sum(_SIZES.get(column.kind, 1) for column in self._features.values())

    @property
    def done(self) -> dict[str, str]:
        """What became of each column, in a few words."""
        columns = self.profile.columns
        made = {name: _line(column, columns[name]) for name, column in self._features.items()}
        left = {name: f"left out, {reason}" for name, reason in self.left_out.items()}
        return {name: made.get(name) or left[name] for name in [*columns, *self.profile.dropped]}

    @property
    def _features(self) -> dict[str, Column]:
        columns = self.schema.columns.items()
        return {name: column for name, column in columns if column.kind != "left out"}

    def as_json(self) -> dict[str, Any]:
        """The profile, the schema and what became of each column, as JSON knows it."""
        columns = self.schema.columns.items()
        return {
            "profile": self.profile.as_json(),
            "schema": {name: column.as_json() for name, column in columns},
            "done": self.done,
            "left_out": self.left_out,
            "warnings": self.warnings,
        }

    def encoded(
        self, source: Source, encoder: Encoder, progress: Progress | None = None
    ) -> Iterator[EncodedRows]:
        """The rows of the table as events; those of the sample where one was asked for."""
        taken = taker(self.profile.below, self.profile.seed)
        for batch in source.batches():
            mask = taken(batch.n)
            rows = None if mask is None else np.flatnonzero(mask)
            y = self._labels(batch)
            yield _encoded(batch, rows, source, encoder, y if rows is None else y[rows])
            if progress is not None:
                progress(batch.done, batch.start + batch.n)

    def _labels(self, batch: Batch) -> NDArray[np.bool_]:
        label = self.profile.label
        cells = batch.columns.get(label)
        if cells is None or cells.rows is not None:
            raise DataError(f"events without the label {short_repr(label)}: fill it in")
        return is_positive(cells.values, set(self.profile.positive))


def schema_of(profile: Profile, options: Options) -> FoundSchema:
    """What the columns of a table are; the label is none of them."""
    reasons = dict.fromkeys(profile.dropped, "as asked for by --drop")
    columns: dict[str, Column] = {}
    for name, column in profile.columns.items():
        reason = left_out(column, options)
        if reason is not None:
            reasons[name] = reason
        columns[name] = Column("left out") if reason else _column(column, options)
    kept = [profile.columns[name] for name in columns if name not in reasons]
    return FoundSchema(
        schema=Schema(columns),
        profile=profile,
        left_out=reasons,
        warnings=warnings_of(profile, kept, options),
    )


def _column(found: ColumnProfile, options: Options) -> Column:
    is_sparse = found.absent > 0
    if found.name in options.category:
        # Of what reads as numbers or flags, the same words are gaps as if it were taken so.
        is_read = found.looks in ("number", "boolean", "time") and found.gaps > 0
        gaps = tuple(sorted(GAPS - {""})) if is_read else ()
        return Column("category", gaps=gaps, sparse=is_sparse)
    if found.dates is not None:
        dates = found.dates
        return Column(
            "date",
            day_first=dates.day_first,
            form=dates.form,
            hours=dates.has_hours,
            sparse=is_sparse,
        )
    if found.looks == "number":
        return Column("number", decimal=found.decimal, gaps=found.gap_words, sparse=is_sparse)
    return Column(_KINDS[found.looks], sparse=is_sparse)


def _line(column: Column, found: ColumnProfile) -> str:
    gap = ", or missing" if found.gaps else ""
    if column.kind == "number":
        how = " with a decimal comma" if column.decimal == "," else ""
        words = "".join(f", {word!r} for missing" for word in column.gaps)
        return f"a number{how}{gap}{words}"
    if column.kind == "boolean":
        return f"1 for true, 0 for false{gap}"
    if column.kind == "category":
        return f"a category of {found.distinct_text()} values{gap}"
    if column.kind == "text":
        return "a feature for each word"
    if column.kind == "time":
        return f"hours since midnight, and the hour{gap}"
    hour = " and hour" if column.hours else ""
    forms = {"seconds": " in seconds", "milliseconds": " in milliseconds", "%Y%m%d": " as a number"}
    return f"a date{forms.get(column.form or '', '')}: day of the week{hour}{gap}"


def _encoded(
    batch: Batch,
    rows: NDArray[np.int64] | None,
    source: Source,
    encoder: Encoder,
    y: NDArray[np.bool_],
) -> EncodedRows:
    """The events of these rows of a batch; None for all of them."""
    n = batch.n if rows is None else len(rows)
    errors: dict[int, ValueError] = {}
    encoded = encoder.encode(_cells(batch, rows, encoder.schema.columns), n, errors)
    for row, error in errors.items():
        at = batch.start + (row if rows is None else int(rows[row]))
        raise DataError(f"{source.where(at)}: {error}") from None
    indptr = np.concatenate([[0], np.cumsum(encoded.counts)])
    X = scipy.sparse.csr_array(
        (encoded.data, encoded.indices, indptr), shape=(n, len(encoder.names))
    )
    X.sort_indices()
    return EncodedRows(X.data, X.indices.astype(np.int32, copy=False), encoded.counts, y)


def _cells(
    batch: Batch, rows: NDArray[np.int64] | None, columns: Mapping[str, Any]
) -> dict[str, tuple[pa.Array, NDArray[np.int64] | None]]:
    """The cells of these columns in these rows, with the rows that have them."""
    import pyarrow as pa

    found = {}
    for name in columns:
        cells = batch.columns.get(name)
        if cells is None:
            continue
        if rows is None:
            found[name] = (cells.values, cells.rows)
        elif cells.rows is None:
            found[name] = (cells.values.take(pa.array(rows)), None)
        else:
            _, here, places = np.intersect1d(
                cells.rows, rows, assume_unique=True, return_indices=True
            )
            found[name] = (cells.values.take(pa.array(here)), places)
    return found

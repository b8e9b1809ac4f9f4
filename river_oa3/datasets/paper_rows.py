"""Rows as the paper's methods want them, one by one too, and what spoils rows as they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable

import numpy as np

from river_oa3._core.category import Category
from river_oa3.datasets.chunked import AnyStream, ChunkedStream
from river_oa3.datasets.scaling import Scaling
from river_oa3.datasets.streams import Stream, unique
from river_oa3.fixed_scaler import FixedColumn, FixedScaler

__all__ = ["INTERCEPT", "dominating", "plain_name", "rows_for_paper", "scaler_for_paper"]

INTERCEPT = "intercept"


def rows_for_paper(
    stream: AnyStream,
    *,
    as_they_are: bool = False,
    intercept: bool = False,
    as_in_paper: bool = False,
) -> AnyStream:
    """A stream with gaps filled, every column brought to scale and every row to unit length.

    Where columns are centred an intercept is added, for no method of the paper has one.

    Parameters
    ----------
    stream
        The events as they came.
    as_they_are
        Whether to leave the rows alone.
    intercept
        Whether to add an intercept in any case.
    as_in_paper
        Whether to do no more than the paper does: rows of unit length, columns as they are.

    """
    names = unique([plain_name(name) for name in stream.names])
    plain = dataclasses.replace(stream, names=names).filled()
    if as_they_are or as_in_paper:
        plain = plain.with_intercept() if intercept else plain
        return plain if as_they_are else plain.unit_rows()
    scaling = _scaling(stream)
    scaled = plain.scaled(scaling)
    if intercept or (scaling.dense.any() and INTERCEPT not in plain.names):
        scaled = scaled.with_intercept()
    return scaled.unit_rows()


def scaler_for_paper(
    raw: AnyStream, stream: AnyStream, *, as_they_are: bool = False, as_in_paper: bool = False
) -> FixedScaler:
    """What makes of one event what `rows_for_paper` made of all.

    Parameters
    ----------
    raw
        The events as they came.
    stream
        What `rows_for_paper` made of them.
    as_they_are, as_in_paper
        As it was told.

    """
    gaps = raw.means_and_deviations().gaps if isinstance(raw, Stream) else raw.gaps
    scaling = _scaling(raw)
    if as_they_are or as_in_paper:
        size = len(scaling.centre)
        scaling = Scaling(np.zeros(size), np.ones(size), np.zeros(size, dtype=np.bool_))
    size = len(raw.names)
    columns = [
        FixedColumn(*each)
        for each in zip(
            stream.names,
            scaling.centre.tolist(),
            scaling.scale.tolist(),
            scaling.dense.tolist(),
            strict=False,
        )
    ]
    fills = gaps.fills.tolist()
    flags = zip(gaps.columns.tolist(), columns[size:], strict=True)
    return FixedScaler(
        {name: columns[place]._replace(fill=fills[place]) for place, name in enumerate(raw.names)},
        {raw.names[place]: column for place, column in flags},
        intercept=_has_intercept(raw, stream),
        unit_rows=not as_they_are,
    )


def _scaling(stream: AnyStream) -> Scaling:
    if isinstance(stream, Stream):
        return stream.means_and_deviations().filled().scaling()
    return stream.scaling


def _has_intercept(raw: AnyStream, stream: AnyStream) -> bool:
    if isinstance(stream, ChunkedStream):
        return stream.has_intercept
    return INTERCEPT in stream.names and INTERCEPT not in raw.names


def plain_name(name: Hashable) -> Hashable:
    """The name of a column; a category becomes a text such as "country=FR"."""
    return f"{name.name}={name.value}" if isinstance(name, Category) else name


def dominating(stream: AnyStream) -> Hashable | None:
    """The column that has nearly all of the length of nearly every row, if there is one."""
    sample = stream if isinstance(stream, Stream) else stream.chunk(int(np.argmax(stream.rows)))
    if len(sample.names) < 2 or not sample.nonzeros:
        return None
    filled = np.flatnonzero(np.diff(sample.X.indptr))
    starts = sample.X.indptr[filled]
    with np.errstate(over="ignore", invalid="ignore"):
        squares = sample.X.data**2
        shares = squares / np.repeat(
            np.add.reduceat(squares, starts), np.diff(sample.X.indptr)[filled]
        )
    heavy = sample.X.indices[shares > 0.99]
    counts = np.bincount(heavy, minlength=len(sample.names))
    column = int(np.argmax(counts))
    return sample.names[column] if counts[column] > 0.95 * len(filled) else None

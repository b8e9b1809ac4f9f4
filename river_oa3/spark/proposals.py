"""What executors send to the driver of an active stream: few rows, whatever the events are many."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import typing
from collections.abc import Callable, Hashable, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from river_oa3.files.values import from_json, to_json
from river_oa3.pending.batches import Proposal, share_of
from river_oa3.pending.rows import LONGEST_ID, key_of
from river_oa3.pending.uniforms import EventUniforms
from river_oa3.schema.batch import as_python
from river_oa3.schema.values import plain
from river_oa3.scoring import Observed, Rows, Scores
from river_oa3.scoring.record_batches import Features, columns_of, refuse, rows_of
from river_oa3.spark.sums import Sums
from river_oa3.spark.workers import scorer_of

__all__ = [
    "SCHEMA",
    "Found",
    "FoundEvents",
    "found_events",
    "found_in",
    "proposing",
    "reading_events",
]

SCHEMA = "kind string, id string, content string"

_SENT = pa.schema([("kind", pa.string()), ("id", pa.string()), ("content", pa.string())])


class Found(typing.NamedTuple):
    """What came of a batch: proposals in the order of their ids, and sums over all events."""

    proposals: list[Proposal]
    expected: float
    observed: Observed
    errors: list[tuple[Hashable, str]]


def proposing(
    sent: typing.Any, id: str, features: Features, seed: int, marks: bool, most: float
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` takes to score events, and to send back those that may be asked about.

    Parameters
    ----------
    sent
        The broadcast model.
    id
        The column of ids.
    features
        The columns of features.
    seed
        The seed of decisions.
    marks
        Whether an event that is refused is sent back with the reason, instead of ending the query.
    most
        No more are asked about in the whole batch, on average. So a partition that has so many
        candidates of its own need not send all of them.

    """

    def propose(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        scorer, uniforms = scorer_of(sent.value), EventUniforms(seed)
        sums, share = Sums(), 1.0
        candidates: list[tuple[Hashable, list[typing.Any]]] = []
        for batch in batches:
            rows = rows_of(batch, features, scorer.is_raw)
            scores = scorer.score(rows)
            scores = scores._replace(errors={**scores.errors, **_bad_ids(batch.column(id))})
            if scores.errors and not marks:
                refuse(batch, id, scores.errors)
            ids = batch.column(id).to_pylist()
            rows = _without(rows, scores.errors)
            yield from _sent("error", [(ids[i], words) for i, words in scores.errors.items()])
            sums.add(Sums.of(scorer.counted(rows), scores, scorer.is_raw))
            # The share of the batch is no larger: it only falls as events are added.
            share = share_of(most, sums.expected)
            chosen = _candidates(ids, scores, uniforms, share)
            events = _events(batch, features, rows, [i for i, _ in chosen])
            candidates += [
                (ids[i], [to_json(x), *told]) for (i, told), x in zip(chosen, events, strict=True)
            ]
        yield from _sent("ask", _within(share, candidates))
        yield from _sent("sums", [(None, sums.to_json())])

    return propose


def _candidates(
    ids: list[Hashable], scores: Scores, uniforms: EventUniforms, share: float
) -> list[tuple[int, list[typing.Any]]]:
    """The rows that may be asked about, and what the model thinks of each."""
    found = []
    for i in np.flatnonzero(scores.query_probability > 0.0).tolist():
        if i in scores.errors:
            continue
        chance = float(scores.query_probability[i])
        uniforms.key = key_of(ids[i])
        uniform = uniforms.random()
        if uniform <= share * chance:
            numbers = [scores.probability[i], scores.margin[i], scores.variance[i], chance, uniform]
            found.append((i, [bool(scores.label[i]), *map(float, numbers)]))
    return found


def _events(
    batch: pa.RecordBatch, features: Features, rows: Rows, which: list[int]
) -> list[dict[Hashable, typing.Any]]:
    """Some rows of a batch as the model takes them, of values that a store can keep."""
    if features.schema is None:
        return [rows.event(i) for i in which]
    some = batch.take(pa.array(which, pa.int64()))
    columns = {name: as_python(values) for name, values in columns_of(some, features).items()}
    found = zip(*columns.values(), strict=True)
    return [dict(zip(columns, map(_storable, row), strict=True)) for row in found]


def _storable(value: typing.Any) -> typing.Any:
    # A schema reads the text of a date, or of a time, as the date itself.
    value = plain(value)
    return str(value) if isinstance(value, (dt.date, dt.time)) else value


def _within(
    share: float, candidates: Iterable[tuple[Hashable, list[typing.Any]]]
) -> Iterator[tuple[Hashable, list[typing.Any]]]:
    for event_id, told in candidates:
        *_, chance, uniform = told
        if uniform <= share * chance:
            yield event_id, told


def reading_events(
    id: str, features: Features, is_raw: bool, marks: bool
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What `mapInArrow` takes to send whole events to the driver."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = rows_of(batch, features, is_raw)
            rows = _without(rows, {**rows.errors, **_bad_ids(batch.column(id))})
            ids = batch.column(id).to_pylist()
            if rows.errors and not marks:
                row = min(rows.errors)
                raise ValueError(f"event {ids[row]!r}: {rows.errors[row]}")
            good = [i for i in range(len(rows)) if i not in rows.errors]
            events = map(to_json, _events(batch, features, rows, good))
            yield from _sent("event", zip((ids[i] for i in good), events, strict=True))
            yield from _sent("error", [(ids[i], words) for i, words in rows.errors.items()])

    return read


class FoundEvents(typing.NamedTuple):
    """Whole events in the order of their ids, those that were refused, and the last id of all."""

    events: list[tuple[Hashable, dict[Hashable, typing.Any]]]
    errors: list[tuple[Hashable, str]]
    last: Hashable


def found_events(rows: Iterable[typing.Any]) -> FoundEvents:
    """Put together what `reading_events` has sent."""
    events, errors, ids = [], [], []
    # Two events of one id are taken in the same order however they were delivered.
    for kind, raw_id, content in sorted(rows, key=lambda row: row[2]):
        event_id, told = _id(raw_id), json.loads(content)
        if event_id is not None:
            ids.append(event_id)
        if kind == "error":
            errors.append((event_id, told))
        else:
            events.append((event_id, from_json(told)))
    events.sort(key=lambda each: each[0])
    return FoundEvents(events, errors, max(ids, default=None))


def found_in(rows: Iterable[typing.Any]) -> Found:
    """Put together what executors have sent."""
    proposals, errors, sums = [], [], Sums()
    for kind, event_id, content in sorted(rows, key=lambda row: row[2]):
        told = json.loads(content)
        if kind == "sums":
            sums.add(Sums.from_json(told))
        elif kind == "error":
            errors.append((_id(event_id), told))
        else:
            x, label, *numbers = told
            proposals.append(Proposal(_id(event_id), from_json(x), label, *numbers))
    proposals.sort(key=lambda each: each.event_id)  # type: ignore[arg-type,return-value]  # of one type
    return Found(proposals, sums.expected, sums.observed, errors)


def _id(sent: str | None) -> typing.Any:
    return None if sent is None else json.loads(sent)


def _bad_ids(ids: pa.Array) -> dict[int, str]:
    """Which ids a store cannot keep, and why."""
    bad = ids.is_null()
    if pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type):
        # A byte takes six letters at most, between two quotes.
        bad = pc.or_(
            bad, pc.fill_null(pc.greater(pc.binary_length(ids), (LONGEST_ID - 2) // 6), False)
        )
    errors = {}
    for i in np.flatnonzero(bad.to_numpy(zero_copy_only=False)).tolist():
        try:
            key_of(ids[i].as_py())
        except (TypeError, ValueError) as error:
            errors[i] = str(error)
    return errors


def _without(rows: Rows, errors: dict[int, str]) -> Rows:
    """The same rows, where those that are refused are empty and have a reason."""
    if errors.keys() == rows.errors.keys():
        return rows
    data = rows.data.copy()
    for i in errors:
        data[rows.indptr[i] : rows.indptr[i + 1]] = 0.0
    return dataclasses.replace(rows, data=data, errors=errors)


def _sent(
    kind: str, rows: Iterable[tuple[Hashable | None, typing.Any]]
) -> Iterator[pa.RecordBatch]:
    rows = list(rows)
    if rows:
        ids = [None if event_id is None else json.dumps(event_id) for event_id, _ in rows]
        content = [json.dumps(told) for _, told in rows]
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, pa.string()) for column in ([kind] * len(rows), ids, content)],
            schema=_SENT,
        )

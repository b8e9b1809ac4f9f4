"""What it costs to ask in batches with a model that stands still, beside a single stream."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.datasets import Stream
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.stream_replay import replay
from river_oa3.pending.batches import ONE_BY_ONE, Batch, PendingBatches, Proposal
from river_oa3.scoring import Rows, Scorer
from river_oa3.scoring.spending import Spending

from .quality.contest import GOALS, Case

__all__ = ["BAR", "Compared", "compare", "in_batches"]

# So many points of the balanced sum may be lost.
BAR = 1.0


class Compared(typing.NamedTuple):
    """The balanced sum of a stream with one budget, one value per order."""

    stream: str
    share: float
    labels: int
    n_batches: int
    single: list[float]
    batched: list[float]
    # How many events of each order went one by one all the same.
    one_by_one: list[int]

    @property
    def difference(self) -> float:
        """What is gained by batches, mostly less than nothing."""
        return float(np.mean(self.batched) - np.mean(self.single))

    @property
    def passes(self) -> bool:
        return self.difference >= -BAR


def compare(
    stream: Stream, share: float, n_batches: int, orders: Sequence[int], events: int, seed: int
) -> Compared:
    """Run orders of a stream as single events and in batches, with the same budget."""
    events = min(events, len(stream))
    labels = max(1, round(share * events))
    found = Compared(stream.name, share, labels, n_batches, [], [], [])
    for order in orders:
        case = Case(stream, order, events, seed)
        model = ActiveLearner(AutoOA3Classifier(), budget=labels, seed=case.seed)
        # The draws of a model with this seed, which events that go one by one have too.
        counts = replay(model, stream, case.rows, case.own_numbers).counts
        found.single.append(_score(Counts(*(int(count[-1]) for count in counts))))
        batched, one_by_one = in_batches(case, labels, n_batches)
        found.batched.append(_score(batched))
        found.one_by_one.append(one_by_one)
    return found


def in_batches(case: Case, labels: int, n_batches: int) -> tuple[Counts, int]:
    """Run an order in batches as a stream on Spark would; and how many events went one by one.

    Labels come with their events. An event counts by what it was predicted: by the model before it
    while events go one by one, then by the model at the start of its batch.
    """
    model = ActiveLearner(AutoOA3Classifier(), budget=labels, seed=case.seed)
    batches = PendingBatches(model, early_labels=0)
    y, answers, n_one_by_one = case.y.astype(np.bool_), [], 0
    for number, places in enumerate(np.array_split(np.arange(len(y)), n_batches)):
        batch = batches.begin("stream", number)
        assert batch is not None
        batch.learn(dict(zip(places.tolist(), y[places].tolist(), strict=True)))
        if not batches.is_warm:
            first, places = places[:ONE_BY_ONE], places[ONE_BY_ONE:]
            rows = _rows(case, first)
            events = ((place, rows.event(i)) for i, place in enumerate(first.tolist()))
            answers += batch.one_by_one(events)
            n_one_by_one += len(first)
        if len(places):
            answers += _propose(batch, case, places)
        batch.finish()
    said = np.array(answers, dtype=np.bool_)
    pairs = ((said, y), (said, ~y), (~said, ~y), (~said, y))
    found = [int(np.count_nonzero(a & b)) for a, b in pairs]
    return Counts(*(*found, model.n_asked)), n_one_by_one


def _propose(batch: Batch, case: Case, places: NDArray[np.intp]) -> list[bool]:
    scorer = Scorer(batch.model, Spending.on_batch(batch.model._budget))
    rows = _rows(case, places)
    scores = scorer.score(rows)
    expected = float(scores.query_probability.sum())
    batch.take(
        list(_proposals(case, places, rows, scores)), expected, scorer.observed(rows, scores)
    )
    return typing.cast(list[bool], scores.label.tolist())


def _proposals(
    case: Case, places: NDArray[np.intp], rows: Rows, scores: typing.Any
) -> Iterator[Proposal]:
    numbers = case.numbers[places]
    for i in np.flatnonzero(numbers <= scores.query_probability).tolist():
        seen = (scores.probability, scores.margin, scores.variance, scores.query_probability)
        values = (float(each[i]) for each in (*seen, numbers))
        yield Proposal(int(places[i]), rows.event(i), bool(scores.label[i]), *values)


def _rows(case: Case, places: NDArray[np.intp]) -> Rows:
    part = case.stream.X[case.rows[places]]
    return Rows(
        part.data.astype(np.float64),
        part.indices.astype(np.int32),
        part.indptr.astype(np.int64),
        case.stream.names,
        {},
    )


def _score(counts: Counts) -> float:
    return float(GOALS["sum"].score(counts))

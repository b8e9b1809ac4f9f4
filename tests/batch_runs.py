"""Batches of events through `PendingBatches`, scored in this process as executors would."""

from __future__ import annotations

import random

from arrow_events import as_maps

from river_oa3 import ActiveLearner, AutoOA3Classifier, budget
from river_oa3.pending.batches import PendingBatches, Proposal
from river_oa3.pending.rows import key_of
from river_oa3.pending.uniforms import EventUniforms
from river_oa3.scoring import Scorer, rows_of_maps
from river_oa3.scoring.spending import Spending

STREAM = "stream"
# What a batch gives to the model one by one while it is not warm.
ONE_BY_ONE = 40


def labelled_events(n, seed=0):
    """{id: (x, y)}: two dense features, some rare ones, a fifth positive."""
    chance = random.Random(seed)
    events = {}
    for i in range(n):
        y = chance.random() < 0.2
        x = {"a": chance.gauss(1.5 * y, 1.0), "b": chance.gauss(-1.0 * y, 2.0)}
        x[f"f{chance.randrange(8)}"] = 1.0
        events[i] = (x, y)
    return events


def in_batches(events, size):
    ids = sorted(events)
    return [ids[start : start + size] for start in range(0, len(ids), size)]


def learner(limit=None, seed=7, classifier=None):
    limit = budget.TotalBudget(300) if limit is None else limit
    return ActiveLearner(classifier or AutoOA3Classifier(), budget=limit, seed=seed)


def opened(url, limit=None, **kwargs):
    return PendingBatches(learner(limit), url, **kwargs)


def proposed(model, ids, events, seed):
    """What executors would send of these events: proposals, expected asks, and sums."""
    scorer = Scorer(model, Spending.on_batch(model._budget))
    uniforms = EventUniforms(seed)
    rows = rows_of_maps(as_maps([events[i][0] for i in ids]), scorer.is_raw)
    scores = scorer.score(rows)
    proposals = []
    for row, (event_id, chance) in enumerate(zip(ids, scores.query_probability, strict=True)):
        uniforms.key = key_of(event_id)
        uniform = uniforms.random()
        if uniform <= chance:
            seen = (scores.label, scores.probability, scores.margin, scores.variance)
            label, *numbers = (each[row].item() for each in seen)
            x = rows.event(row)
            proposals.append(Proposal(event_id, x, label, *numbers, float(chance), uniform))
    expected = float(scores.query_probability.sum())
    return proposals, expected, scorer.observed(rows, scores)


def run_batch(batches, number, ids, events, labels=None, stream=STREAM, one_by_one=ONE_BY_ONE):
    """Run a batch as `ActiveStream` does; labels of its own events come with it by default."""
    batch = batches.begin(stream, number)
    if batch is None:
        return None
    batch.learn({i: events[i][1] for i in ids} if labels is None else labels)
    rest = ids
    if not batches.is_warm:
        batch.one_by_one((i, events[i][0]) for i in ids[:one_by_one])
        rest = ids[one_by_one:]
    if rest:
        batch.take(*proposed(batches.model, rest, events, batches.seed))
    batch.finish()
    return batch


def run_all(url, events, size, limit=None, **kwargs):
    """Everything without interruption; the model at the end."""
    batches = opened(url, limit, **kwargs)
    for number, ids in enumerate(in_batches(events, size)):
        run_batch(batches, number, ids, events)
    batches.close()
    return batches.model


def state_of(model):
    """All that must be equal after any faults: what is known, counted and paid."""
    limit = model._budget
    paid = {name: value for name, value in vars(limit).items() if name != "clock"}
    counters = (model.n_seen, model.n_asked, model.n_learned, model._taught)
    rule = model._query._rule.__reduce__()[1]
    return model.classifier.weights, counters, paid, rule

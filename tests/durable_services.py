"""Services with a store, for the tests of what outlives a process."""

from __future__ import annotations

import contextlib
import json

import sqlalchemy as sa
from learners import sparse_events

from river_oa3 import ActiveLearner, AutoOA3Classifier, PendingLabels, budget, query
from river_oa3.pending import tables

EVENTS = sparse_events(400)


def durable(url, labels=10_000, rule=None, classifier=None, seed=5, **kwargs):
    """A service that keeps its asks at `url`, and asks about every event unless a rule is given."""
    limit = budget.TotalBudget(labels) if isinstance(labels, int) else labels
    classifier = AutoOA3Classifier() if classifier is None else classifier
    model = ActiveLearner(classifier, rule or query.FirstComeQuery(), limit, seed)
    return PendingLabels(model, store=url, **kwargs)


def abandoned(service):
    """Let go of a service as a process does that is killed: nothing is written any more."""
    service._store.close()


@contextlib.contextmanager
def restarted(service, url, **kwargs):
    abandoned(service)
    again = durable(url, **kwargs)
    try:
        yield again
    finally:
        abandoned(again)


def change(url, *statements):
    """What somebody does to a store behind the service's back."""
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)
    engine.dispose()


def make_format_1(url, *later_tables):
    """Make a store one of format 1, of a version before some tables came."""
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for table in (tables.passed, *later_tables):
            table.drop(connection)
        standing = json.loads(connection.execute(sa.select(tables.state.c.standing)).scalar_one())
        del standing["asks"]
        old = {"format": 1, "standing": json.dumps(standing)}
        connection.execute(tables.state.update().values(**old))
    engine.dispose()


def rows(url, table=tables.asks):
    """All rows of a table, by somebody who only looks."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found = connection.execute(sa.select(table)).mappings().all()
    engine.dispose()
    return found

"""Services that wait for labels, and what becomes of them: to be stored, and to go on."""

from __future__ import annotations

import datetime as dt

from asking import Clock
from learners import arithmetic_events
from river import preprocessing

from river_oa3 import ActiveLearner, OA3DiagClassifier, PendingLabels, budget, query

HOUR = 3600.0


def serving(classifier, labels, **kwargs):
    rule = query.AsymmetricQuery(1.0, 0.5)
    model = ActiveLearner(classifier, rule, labels, seed=7)
    return PendingLabels(model, time_to_live=8, capacity=6, **({"refund": True} | kwargs))


SERVICES = {
    "total": lambda: serving(OA3DiagClassifier(), 80, refund=False),
    "no_limit": lambda: serving(OA3DiagClassifier(), None),
    "rate": lambda: serving(OA3DiagClassifier(), budget.RateBudget(0.3, window=20)),
    "events": lambda: serving(OA3DiagClassifier(), budget.WindowBudget(4, every=11)),
    "time": lambda: serving(
        OA3DiagClassifier(), budget.WindowBudget(4, dt.timedelta(hours=11), Clock())
    ),
    "scaled": lambda: serving(preprocessing.StandardScaler() | OA3DiagClassifier(), 60),
    "zeros": lambda: serving(OA3DiagClassifier(), 60),
}


def story(service, name, events):
    """What is said of the events of these numbers; every third label comes, four events later."""
    stream, told = list(arithmetic_events(150)), []
    if name == "scaled":
        stream = [({"a": 10.0 + i % 7, "b": float(i * 5 % 11)}, i % 7 > 3) for i in range(150)]
    if name == "zeros":
        # So few that the service is stored, and goes on, before it asks about them.
        events = [i for i in events if i >= 55]
        stream[:75] = [({"a": 0.0}, True)] * 75
    for i in events:
        if name == "time":
            service.model.budget.clock.now = HOUR * i
        label, asked = service.predict_one(i, stream[i][0])
        told.append([label, asked, service.model.last_query.probability])
        if i % 3 == 0 and i - 4 in service:
            service.learn_one(i - 4, stream[i - 4][1])
    return [told, sorted(i for i in events if i in service), service.n_expired]

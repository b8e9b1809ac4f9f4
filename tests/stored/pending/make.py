"""Writes the services of this folder; run with the version whose format is to be kept.

Each file has a service half way through a stream, and a text what it does with the other half.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

from river_oa3 import ActiveLearner, OA3DiagClassifier, PendingLabels, budget

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parents[1]))

from learners import sparse_events  # noqa: E402 - it is beside the tests

EVENTS = sparse_events(200)


def go_on(service, start, stop):
    """The answers of a service whose labels come five events later."""
    answers = []
    for i in range(start, stop):
        answers.append([bool(part) for part in service.predict_one(i, EVENTS[i][0])])
        if i - 5 in service:
            service.learn_one(i - 5, EVENTS[i - 5][1])
    return answers


def main(name):
    model = ActiveLearner(OA3DiagClassifier(), budget=budget.RateBudget(0.4, window=20), seed=3)
    service = PendingLabels(model, time_to_live=7, capacity=4, refund=True)
    go_on(service, 0, 100)
    (FOLDER / f"{name}.pickle").write_bytes(pickle.dumps(service))
    answers = go_on(service, 100, 200)
    end = {"answers": answers, "n_expired": service.n_expired, "pending": len(service)}
    (FOLDER / f"{name}.json").write_text(json.dumps(end))


if __name__ == "__main__":
    main(*sys.argv[1:])

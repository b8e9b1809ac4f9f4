"""The traces of the authors' published code: every margin before the update, every decision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from river_oa3 import OA3Classifier, OA3DiagClassifier

LEARNERS = {"OA3": OA3Classifier, "OA3diag": OA3DiagClassifier}
TRACES = {
    path.stem: json.loads(path.read_text())
    for path in sorted((Path(__file__).parent / "golden").glob("*.json"))
}
RUNS = [
    pytest.param((stream, number), id=f"{stream}-{run['learner']}-{run['metric']}")
    for stream, trace in TRACES.items()
    for number, run in enumerate(trace["runs"])
]


class Uniforms:
    """A generator that gives the numbers of a trace, in their order."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.used = 0

    def random(self):
        self.used += 1
        return self.numbers[self.used - 1]

"""`python -m tests.bench spark` measures both ways on the same files, whose answers agree."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from bench.commands import main
from bench.spark import measure
from bench.spark.runs import ALONE, DIRECT, SENDS, THROUGH_JAVA
from river_oa3.spark.sessions import java_problem

pytestmark = pytest.mark.xdist_group("spark")
OPTIONS = ["--events", "1000", "--repeats", "1"]


def test_the_bars_are_as_stated():
    def passes(way=DIRECT, events=10**6, cores=2, elapsed=1.0, processor=2.5):
        return measure.Measured("map", events, way, cores, 1.0, 1.0, elapsed, processor).passes

    assert passes() is passes(THROUGH_JAVA) is True
    assert passes(processor=2.51) is passes(elapsed=1.01) is passes(cores=1, processor=3) is False
    assert passes(cores=1, elapsed=2.0) is True
    assert passes(events=10**5) is passes(ALONE) is passes(SENDS) is None


def test_answers_that_differ_are_an_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(measure, "WAYS", ((ALONE, 0), (DIRECT, 2)))
    told = {ALONE: 3, DIRECT: 4}

    class Told:
        def __init__(self, path, shape, cores):
            pass

        def run(self, way):
            return {"elapsed": 1.0, "processor": 1.0, "positives": told[way]}

        def close(self):
            pass

    monkeypatch.setattr(measure, "Timed", Told)
    assert main(["spark", *OPTIONS, "--output", str(tmp_path)]) == 2
    assert "finds 4 positives, one process 3" in capsys.readouterr().err


@pytest.mark.skipif(java_problem() is not None, reason="Spark needs Java 17 or newer")
def test_both_ways_are_measured_and_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(measure, "WAYS", tuple(way for way in measure.WAYS if way[1] != 1))
    monkeypatch.setattr(measure, "SHAPES", ("map",))
    assert main(["spark", *OPTIONS, "--output", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ["one process" in lines[0], "Spark, 2 cores" in lines[1]] == [True, True]
    assert "Spark through Java, 2 cores" in lines[2]
    found = json.loads((tmp_path / "spark.json").read_text())["measured"]
    assert [(each["events"], each["cores"], each["passes"]) for each in found] == [
        (1000, 0, None),
        *[(1000, 2, None)] * 4,
    ]
    assert min(each["elapsed"] for each in found) > 0


def test_bad_numbers_of_events_are_refused(capsys):
    for words in ("many", "0", "10,"):
        assert main(["spark", "--events", words]) == 2
        assert "--events must be" in capsys.readouterr().err

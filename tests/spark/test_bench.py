"""`river-oa3 bench spark` measures both ways on the same files, whose answers agree."""

from __future__ import annotations

import json

from river_oa3 import cli
from river_oa3.experiments.bench.spark import measure


def test_both_ways_are_measured_and_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(measure, "CORES", (0, 2))
    monkeypatch.setattr(measure, "SHAPES", ("map",))
    assert cli.main(["bench", "spark", "--events", "1000", "--output", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ["one process" in lines[0], "Spark, 2 cores" in lines[1]] == [True, True]
    found = json.loads((tmp_path / "spark.json").read_text())["measured"]
    assert [(each["events"], each["cores"], each["passes"]) for each in found] == [
        (1000, 0, None),
        (1000, 2, None),
    ]
    assert min(each["elapsed"] for each in found) > 0


def test_bad_numbers_of_events_are_refused(capsys):
    for words in ("many", "0", "10,"):
        assert cli.main(["bench", "spark", "--events", words]) == 2
        assert "--events must be" in capsys.readouterr().err

"""`python -m tests.bench service` measures a real service in a process of its own."""

from __future__ import annotations

import json
import os

import pytest

from bench.commands import main


@pytest.fixture
def same_cores():
    """The command keeps this process on one core."""
    if not hasattr(os, "sched_getaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


def test_the_service_is_measured_one_by_one_and_in_batches(tmp_path, capsys, same_cores):
    assert main(["service", "--seconds", "0.5", "--output", str(tmp_path)]) == 0
    one, many = json.loads((tmp_path / "service.json").read_text())["measured"]
    assert (one["batch"], many["batch"]) == (1, 500)
    for each in (one, many):
        assert each["refused"] == 0
        assert each["events_per_second"] > 50
        assert (
            0.0 < each["at_half"]["median"] <= each["at_half"]["p99"] <= each["at_half"]["longest"]
        )
    assert many["labels"] > 0
    assert "events a second" in capsys.readouterr().out


def test_too_little_time_is_refused(tmp_path, capsys):
    words = ["service", "--seconds", "0", "--output", str(tmp_path)]
    assert main(words) == 2
    assert "--seconds" in capsys.readouterr().err

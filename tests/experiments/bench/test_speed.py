"""`river-oa3 bench speed`: what it measures, and what it makes of it."""

from __future__ import annotations

import json

import pytest

from river_oa3.cli import main
from river_oa3.experiments.bench import speed
from river_oa3.experiments.bench.contenders import BASELINE, CONTENDERS, FLOOR, installed


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speed")
    assert main(["bench", "speed", "--quick", "--output", str(folder)]) == 0
    return folder


def sweep(power):
    values = [10, 100, 1000, 10_000]
    return speed.Sweep("t", "l", values, [{"a": 5.0 * value**power} for value in values])


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_the_exponent_is_that_of_the_growth(power):
    assert speed.exponent(sweep(power), "a") == pytest.approx(power)


def test_two_points_have_no_exponent():
    short = sweep(1.0)._replace(values=[10, 100], times=[{"a": 1.0}, {"a": 2.0}])
    assert speed.exponent(short, "a") is None


def test_who_did_not_take_part_has_no_exponent():
    assert speed.exponent(sweep(1.0), "b") is None


def test_every_installed_contender_is_measured(results):
    cases = json.loads((results / "speed.json").read_text())["cases"]
    measured = {name for times in cases.values() for name in times}
    assert measured == set(installed())


def test_our_learners_and_rivers_are_always_there():
    needed = {name for name, contender in CONTENDERS.items() if contender.needs is None}
    assert needed <= set(installed())
    assert {FLOOR, BASELINE, "OA3", "OA3Diag", "SOA3", "SSOA3"} <= needed


def test_all_times_are_above_zero(results):
    content = json.loads((results / "speed.json").read_text())
    times = [*content["cases"].values(), *(t for s in content["sweeps"] for t in s["times"])]
    assert all(microseconds > 0 for each in times for microseconds in each.values())


def test_machine_and_versions_are_written_down(results):
    machine = json.loads((results / "speed.json").read_text())["machine"]
    assert {"river", "river-oa3", "numpy", "scipy", "python", "processor"} <= set(machine)


def test_the_scaling_lines_are_drawn(results):
    assert (results / "speed.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (results / "speed.svg").read_bytes()


def test_the_table_has_ratios_to_rivers_learner_and_to_the_floor():
    times = {FLOOR: 0.5, BASELINE: 8.0, "SSOA3": 1.0}
    measured = speed.Measured({"sparse": times}, [], {})
    row = next(line for line in speed.table(measured).splitlines() if line.startswith("SSOA3"))
    assert row.split() == ["SSOA3", "1.00", "8.00", "2.0"]

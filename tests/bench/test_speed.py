"""`python -m tests.bench speed`: what it measures, and what it makes of it."""

from __future__ import annotations

import contextlib
import json
import sys

import numpy as np
import pytest
import scipy.sparse
from commands import write_npz

from bench import against, busy, figures, growth
from bench.commands import main, parser
from bench.contenders import BASELINE, CONTENDERS, FLOOR, installed
from bench.events import w8a_events
from bench.speed import SECTIONS


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speed")
    assert main(["speed", "--quick", "--output", str(folder)]) == 0
    return folder


def sweep(power):
    values = [10, 100, 1000, 10_000]
    return growth.Sweep("t", "l", values, [{"a": 5.0 * value**power} for value in values])


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_the_exponent_is_that_of_the_growth(power):
    assert growth.exponent(sweep(power), "a") == pytest.approx(power)


def test_two_points_have_no_exponent():
    short = sweep(1.0)._replace(values=[10, 100], times=[{"a": 1.0}, {"a": 2.0}])
    assert growth.exponent(short, "a") is None


def test_who_did_not_take_part_has_no_exponent():
    assert growth.exponent(sweep(1.0), "b") is None


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
    text = growth.table({"sparse": times})
    row = next(line for line in text.splitlines() if line.startswith("SSOA3"))
    assert row.split() == ["SSOA3", "1.00", "8.00", "2.0"]


# Sections


@pytest.mark.parametrize("name", [name for name in SECTIONS if name not in ("cases", "growth")])
def test_every_section_has_figures_above_zero(results, name):
    found = json.loads((results / "speed.json").read_text())["figures"][name]
    assert found
    assert all(figure["microseconds"] > 0 for figure in found)
    assert all(figure["ratio"] is None or figure["ratio"] > 0 for figure in found)


def test_figures_stand_beside_their_bars():
    found = [figures.Figure("slow", 8.0), figures.Figure("fast", 2.0, 4.0, "at least 3.0")]
    *_, slow, fast = figures.table("a title", found).splitlines()
    assert slow.split() == ["slow", "8.000"]
    assert fast.split() == ["fast", "2.000", "4.00", "at", "least", "3.0"]


def test_a_section_can_be_chosen_alone(tmp_path, capsys):
    options = ("speed", "--quick", "--sections", "active", "--output", str(tmp_path))
    assert main(options) == 0
    content = json.loads((tmp_path / "speed.json").read_text())
    assert (list(content["figures"]), content["cases"], content["sweeps"]) == (["active"], {}, [])
    assert "EntropySampler" in capsys.readouterr().out


def test_an_unknown_section_is_refused_with_those_that_there_are(tmp_path, capsys):
    options = ("speed", "--sections", "fast", "--output", str(tmp_path / "results"))
    assert main(options) == 2
    assert "'fast'" in (error := capsys.readouterr().err)
    assert all(name in error for name in SECTIONS)
    assert not (tmp_path / "results").exists()


def test_a_section_without_its_library_is_refused_by_name(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert main(["speed", "--sections", "batches", "--output", str(tmp_path)]) == 2
    assert "batches needs pandas" in capsys.readouterr().err


def test_the_events_of_w8a_are_used_where_they_are(tmp_path):
    X = scipy.sparse.coo_array(
        (np.ones(64_700), (np.arange(64_700), np.arange(64_700) % 300)), shape=(64_700, 300)
    )
    write_npz(tmp_path / "w8a.npz", X, np.arange(64_700) < 1_933, sparse=True)
    assert w8a_events(str(tmp_path), 3) == (
        "w8a",
        [({"f0": 1.0}, True), ({"f1": 1.0}, True), ({"f2": 1.0}, True)],
    )


def test_events_are_made_up_where_w8a_is_not(tmp_path):
    title, events = w8a_events(str(tmp_path), 500)
    assert (title, len(events)) == ("events made up in the shape of w8a", 500)
    assert 10 < np.mean([len(x) for x, _ in events]) < 14


def test_a_busy_loop_ends_with_its_parent():
    """The process that it is told of is not its parent, as after the end of that one."""
    assert busy._spin(parent=-1) is None


def test_two_commits_are_compared_in_turns(tmp_path, capsys, monkeypatch):
    asked = []

    @contextlib.contextmanager
    def checked_out(revision):
        asked.append(revision)
        yield against.HERE

    monkeypatch.setattr(against, "_checked_out", checked_out)
    monkeypatch.setattr(against, "TURNS", 1)
    options = ["speed", "--quick", "--sections", "active", "--against", "HEAD~1"]
    assert main([*options, "--output", str(tmp_path / "out")]) == 0
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert asked == ["HEAD~1"]
    assert head.split() == ["us", "per", "event", "HEAD~1", "now", "ratio"]
    assert len(lines) == 3
    assert all(0.1 < float(line.split()[-1]) < 10 for line in lines)


def test_a_commit_that_there_is_not_is_refused(capsys):
    assert main(["speed", "--quick", "--sections", "active", "--against", "no-such-commit"]) == 2
    assert "no-such-commit" in capsys.readouterr().err


def test_the_busy_machine_is_a_command_of_its_own():
    assert parser().parse_args(["busy", "--quick"]).sections == "busy"

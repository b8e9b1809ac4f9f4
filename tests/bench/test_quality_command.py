"""`python -m tests.bench quality`: what it says, writes, keeps and refuses."""

from __future__ import annotations

import csv
import dataclasses
import functools
import json

import numpy as np
import pytest
from commands import command, events, write_npz

from bench.commands import main
from bench.quality import running
from bench.quality.registry import CONTENDERS
from river_oa3.experiments.output import plots
from river_oa3.experiments.store import RunStore

bench_command = functools.partial(command, main=main)
SMALL = ("--methods", "CSOAL", "--peers", "LogisticRegression", "--orders", 3, "--jobs", 1)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    write_npz(folder / "dense.npz", *events(150, seed=1))
    write_npz(folder / "sparse.npz", *events(90, 12, seed=2), sparse=True)
    return folder


def quality(folder, data, *more):
    """The command on two small streams of a folder."""
    return bench_command(
        folder,
        *("quality", "--data-dir", data, "--streams", "dense,sparse"),
        *(*SMALL, "--budgets", "5,20", *more),
    )


@pytest.fixture(scope="module")
def ended(data, tmp_path_factory):
    return quality(tmp_path_factory.mktemp("quality"), data)


@pytest.fixture
def here(monkeypatch):
    """Run in this process, and without pictures; remember who ran."""
    ran = []

    class Here:
        def __init__(self, jobs, prepare, arguments):
            prepare(*arguments)

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            pass

        def submit(self, function, parcel):
            ran.extend(parcel)
            future = running.concurrent.futures.Future()
            future.set_result(function(parcel))
            return future

    monkeypatch.setattr(running, "Processes", Here)
    monkeypatch.setattr(plots, "available", lambda: False)
    return ran


def runs_in(ended):
    with (ended.folder / "quality.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def without_time(runs):
    return sorted(tuple(value for key, value in run.items() if key != "seconds") for run in runs)


def test_it_ends_well(ended):
    assert (ended.code, ended.err) == (0, "")


def test_the_first_line_says_which_orders_and_streams_and_versions(ended):
    first = ended.out.splitlines()[0]
    assert first.startswith("orders 0 to 2 of seed 0, at most 20,000 events each, of dense, sparse")
    assert "river 0." in first
    assert "river-oa3 0." in first


def test_it_writes_runs_standings_and_a_picture(ended):
    assert ended.files == [
        "quality-runs.jsonl",
        "quality.csv",
        "quality.json",
        "quality.png",
        "quality.svg",
    ]


def test_every_run_is_in_the_csv_with_a_hard_budget(ended):
    runs = runs_in(ended)
    settings = sum(len(CONTENDERS[name].settings) for name in ("CSOAL", "LogisticRegression"))
    assert len(runs) == settings * 2 * 3 * 2
    sizes = {"dense": 150, "sparse": 90}
    for run in runs:
        assert int(run["labels"]) <= round(float(run["budget"]) * sizes[run["stream"]])
        answers = ("true_positives", "false_positives", "true_negatives", "false_negatives")
        assert sum(int(run[name]) for name in answers) == sizes[run["stream"]]


def test_the_table_has_every_contender_in_three_ways(ended):
    rows = [line.split("  ")[0] for line in ended.out.splitlines()]
    for title in ("CSOAL", "river LogisticRegression"):
        for how in ("defaults", "one best fixed setting", "tuned in hindsight"):
            assert rows.count(f"{title}, {how}") == 2  # sum and cost


def test_the_json_has_the_mean_of_the_runs_of_the_csv(ended):
    content = json.loads((ended.folder / "quality.json").read_text())
    assert content["contest"]["budgets"] == [0.05, 0.2]
    (default,) = [
        each
        for each in content["sum"]["standings"]
        if (each["contender"], each["how"]) == ("CSOAL", "defaults")
    ]
    setting = default["settings"]["dense"][1]
    wanted = ("CSOAL", setting, "0.2")
    found = {
        stream: np.mean(
            [
                float(run["sum"])
                for run in runs_in(ended)
                if (run["contender"], run["setting"], run["budget"]) == wanted
                and run["stream"] == stream
            ]
        )
        for stream in ("dense", "sparse")
    }
    assert default["means"][1] == pytest.approx(np.mean(list(found.values())), abs=1e-3)


def test_what_is_finished_is_not_run_again(ended, data, here):
    again = quality(ended.folder, data)
    assert here == []
    assert again.out.partition("written:")[0] == ended.out.partition("written:")[0]


def test_what_was_interrupted_goes_on(ended, data, here, tmp_path, monkeypatch):
    """Ctrl-C after some runs: they are kept, and the rest gives what an uncut bench gives."""
    keep = RunStore.add
    kept = []

    def interrupted(store, key, run):
        if len(kept) == 100:
            raise KeyboardInterrupt
        kept.append(key)
        keep(store, key, run)

    monkeypatch.setattr(RunStore, "add", interrupted)
    cut = quality(tmp_path, data)
    assert cut.code == 1
    assert "interrupted; 100 finished runs are kept" in cut.err
    assert "python -m tests.bench quality --data-dir" in cut.err
    assert cut.files == ["quality-runs.jsonl"]
    monkeypatch.setattr(RunStore, "add", keep)
    here.clear()
    whole = quality(tmp_path, data)
    assert whole.code == 0
    assert len(here) == len(runs_in(ended)) - 100
    assert without_time(runs_in(whole)) == without_time(runs_in(ended))


def test_another_seed_is_another_bench(ended, data, here, tmp_path):
    other = quality(tmp_path, data, "--seed", 1)
    assert without_time(runs_in(other)) != without_time(runs_in(ended))


def test_one_more_order_runs_that_order_alone(ended, data, here):
    more = quality(ended.folder, data, "--orders", 4)
    assert more.code == 0
    assert {job.order for job in here} == {3}


def test_a_cap_on_events_makes_budgets_smaller(data, here, tmp_path):
    capped = quality(tmp_path, data, "--events", 50, "--orders", 1)
    assert {int(run["labels"]) for run in runs_in(capped)} <= set(range(11))


def test_rivers_own_streams_come_first(here, tmp_path):
    found = bench_command(
        tmp_path,
        *("quality", "--quick", "--methods", "CSOAL", "--peers", "none"),
        *("--orders", 1, "--events", 200),
    )
    assert "of Shuttle, Phishing, Bananas, ImageSegments;" in found.out
    assert found.code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--methods", "OA4"), "there is no method 'OA4': choose from ActiveLearner, OA3"),
        (("--peers", "OA3"), "there is no peer 'OA3': choose from LogisticRegression"),
        (("--methods", "none", "--peers", "none"), "nobody is left to run"),
        (("--streams", "sea"), "there is no stream 'sea': choose from Shuttle"),
        (("--budgets", "0"), "--budgets takes percents above 0 and up to 100, not '0'"),
        (("--budgets", "1,x"), "--budgets takes percents above 0 and up to 100, not 'x'"),
        (("--orders", "0"), "--orders must be 1 or more, not 0"),
        (("--events", "5"), "--events must be 10 or more, not 5"),
        (("--jobs", "0"), "--jobs must be 1 or more, not 0"),
        (("--slow-orders", "0", "--peers", "ARF"), "ARF is slow, and --slow-orders 0"),
        (("--data-dir", "nowhere"), "no such folder: nowhere"),
    ],
    ids=str,
)
def test_refusals_say_what_to_do(options, message, tmp_path):
    ended = bench_command(tmp_path, "quality", *options)
    assert ended.code == 2
    assert message in ended.err


def test_a_folder_without_streams_is_refused(tmp_path):
    ended = bench_command(tmp_path / "results", "quality", "--data-dir", tmp_path)
    assert ended.code == 2
    assert "has no .npz files" in ended.err


def test_a_peer_that_is_not_installed_is_named_with_the_extra(tmp_path, monkeypatch):
    absent = dataclasses.replace(CONTENDERS["VowpalWabbit"], needs="no_such_module")
    monkeypatch.setitem(CONTENDERS, "VowpalWabbit", absent)
    ended = bench_command(tmp_path, "quality", "--peers", "VowpalWabbit")
    assert ended.code == 2
    assert "VowpalWabbit needs no_such_module: pip install 'river-oa3[peers]'" in ended.err

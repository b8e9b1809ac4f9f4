"""`python -m tests.bench batches`: what it says, writes and refuses."""

from __future__ import annotations

import functools
import json

import pytest
from commands import command

from bench.batches import Compared, in_batches
from bench.commands import main
from bench.quality.contest import Case
from bench.quality.streams import open_streams
from river_oa3 import ActiveLearner, AutoOA3Classifier

bench_command = functools.partial(command, main=main)
SMALL = ("batches", "--streams", "Phishing", "--budgets", "5,20", "--orders", 2)


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    return bench_command(tmp_path_factory.mktemp("batches"), *SMALL, "--batches", 50, "--seed", 3)


@pytest.fixture(scope="module")
def written(ended):
    return json.loads((ended.folder / "batches.json").read_text())


def phishing(events):
    (stream,) = open_streams(None, ["Phishing"])
    return Case(stream, 0, events, seed=3)


def test_it_ends_well_and_writes_what_it_says(ended):
    assert (ended.code, ended.err, ended.files) == (0, "", ["batches.json"])


def test_each_budget_has_a_line_with_both_sums_and_a_verdict(ended, written):
    lines = ended.out.splitlines()[:2]
    for line, each in zip(lines, written["compared"], strict=True):
        single, batched = (sum(each[name]) / 2 for name in ("single", "batched"))
        assert f"single {single:.2f}, 50 batches {batched:.2f}, " in line
        assert f"difference {batched - single:+.2f}" in line
        assert line.endswith("PASS" if each["passes"] else "FAIL")
    assert [each["labels"] for each in written["compared"]] == [62, 250]


def test_both_are_far_better_than_a_guess_with_few_labels(written):
    for each in written["compared"]:
        assert min(each["single"] + each["batched"]) > 75.0
        assert each["single"] != each["batched"]


def test_as_long_as_the_model_is_not_warm_batches_are_the_single_stream():
    case = phishing(events=190)
    model = ActiveLearner(AutoOA3Classifier(), budget=190, seed=case.seed)
    said = []
    for x, y in case.stream.events(case.rows):
        label, ask = model.predict_one(x)
        said.append((bool(label), bool(y)))
        if ask:
            model._learn_asked(x, y, model.last_query.probability)
    counts, one_by_one = in_batches(case, 190, 7)
    pairs = [(True, True), (True, False), (False, False), (False, True)]
    assert list(counts) == [*map(said.count, pairs), model.n_asked]
    assert one_by_one == 190 > model.n_asked > 10


def compared(single, batched):
    return Compared("stream", 0.02, 10, 100, single, batched, [0, 0])


def test_one_point_less_on_average_passes_and_more_fails():
    assert compared([90.0, 80.0], [88.0, 80.0]).passes
    assert not compared([90.0, 80.0], [87.9, 80.0]).passes
    assert compared([90.0, 80.0], [95.0, 85.0]).difference == 5.0


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--batches", 0, "--batches must be 1 or more"),
        ("--orders", 0, "--orders must be 1 or more"),
        ("--events", 5, "--events must be 10 or more"),
        ("--budgets", "0", "--budgets takes percents above 0"),
        ("--streams", "none", "there is no stream 'none'"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, option, value, words):
    ended = bench_command(tmp_path, *SMALL, option, value)
    assert ended.code != 0
    assert words in ended.err

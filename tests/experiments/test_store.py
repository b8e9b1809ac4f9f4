"""Finished runs in a file: found again, never mixed up, whoever writes and whatever is cut off."""

from __future__ import annotations

import dataclasses
import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import Recorded
from hypothesis import given, settings
from hypothesis import strategies as st

import river_oa3
from river_oa3 import datasets
from river_oa3.datasets import DataError
from river_oa3.experiments import Counts, store
from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.store import RunStore, fingerprint
from river_oa3.experiments.tasks import OVERFLOW, Part, Run, Task


@pytest.fixture(autouse=True)
def nothing_recorded(monkeypatch):
    monkeypatch.setattr(Recorded, "tasks", [])


def tasks(stream, n=4):
    return [
        Task(
            "CSOAL",
            tuple(METHODS["CSOAL"].parameters.items()),
            Setting(20, 3.0, probability=1 / 6),
            Part(0, len(stream), number),
            (10, len(stream)),
        )
        for number in range(n)
    ]


def run(stream, path, wanted, seed=5, **more):
    return dict(Recorded(stream, 1, seed, store=RunStore(path), **more).run(wanted, "stored"))


def told(runs):
    return {task: run and [each.tolist() for each in run.counts] for task, run in runs.items()}


# Found again


def test_what_was_run_before_is_not_run_again(stream, tmp_path):
    wanted = tasks(stream)
    run(stream, tmp_path / "runs", wanted)
    run(stream, tmp_path / "runs", wanted)
    assert Recorded.tasks == wanted


def test_what_was_run_before_is_what_it_was(stream, tmp_path):
    wanted = tasks(stream)
    first, second = (run(stream, tmp_path / "runs", wanted) for _ in range(2))
    assert told(first) == told(second)
    assert [each.exhausted for each in first.values()] == [second[task].exhausted for task in first]
    assert {task: each.seconds for task, each in first.items()} == {
        task: each.seconds for task, each in second.items()
    }


def test_an_interrupted_run_goes_on_where_it_stopped(stream, tmp_path):
    wanted = tasks(stream, 6)
    runner = Recorded(stream, 1, 5, store=RunStore(tmp_path / "runs"))
    first = dict(itertools.islice(runner.run(wanted, "interrupted"), 2))
    kept = RunStore(tmp_path / "runs").of(stream, 5, False).known(wanted)
    assert told(kept) == told(first)
    Recorded.tasks.clear()
    run(stream, tmp_path / "runs", wanted)
    assert Recorded.tasks == [task for task in wanted if task not in first]


def test_an_overflow_is_kept_as_such(tmp_path):
    huge = datasets.stream("huge", np.full((6, 2), 1e160), [1, 0] * 3)
    wanted = [task._replace(setting=Setting(6, 1.0), checkpoints=(6,)) for task in tasks(huge, 1)]
    for _ in range(2):
        assert list(run(huge, tmp_path / "runs", wanted).values()) == [OVERFLOW]
    assert len(Recorded.tasks) == 1


def test_two_stores_on_one_file_see_what_the_other_adds(stream, tmp_path):
    one, other = (RunStore(tmp_path / "runs").of(stream, 5, False) for _ in range(2))
    (task,) = tasks(stream, 1)
    assert other.known([task]) == {}
    one.keep(task, OVERFLOW)
    assert other.known([task]) == {task: OVERFLOW}


# Never mixed up


def changed(task):
    """Tasks that differ in one thing."""
    setting, part = task.setting, task.part
    yield task._replace(method="PAA", parameters=(("delta", 1.0), ("C", 1.0)))
    yield task._replace(parameters=(("delta", 2.0), ("eta", 1.0)))
    yield from (
        task._replace(setting=dataclasses.replace(setting, **{field.name: 2}))
        for field in dataclasses.fields(setting)
    )
    yield task._replace(part=part._replace(permutation=99))
    yield task._replace(part=part._replace(permutation=None))
    yield task._replace(part=part._replace(stop=100))
    yield task._replace(part=part._replace(start=1))
    yield task._replace(part=part._replace(within=True))
    yield task._replace(checkpoints=(5, 120))


def test_every_part_of_a_task_is_in_its_key(stream, tmp_path):
    kept = RunStore(tmp_path / "runs").of(stream, 5, False)
    (task,) = tasks(stream, 1)
    every = [task, *changed(task)]
    assert len({kept.key(each) for each in every}) == len(every)


def test_seed_and_accounting_are_in_the_key(stream, tmp_path):
    file = RunStore(tmp_path / "runs")
    (task,) = tasks(stream, 1)
    keys = {file.of(stream, seed, accounting).key(task) for seed in (1, 2) for accounting in (0, 1)}
    assert len(keys) == 4


def test_the_version_of_the_package_is_in_the_key(stream, tmp_path, monkeypatch):
    file = RunStore(tmp_path / "runs")
    (task,) = tasks(stream, 1)
    before = file.of(stream, 5, False).key(task)
    monkeypatch.setattr(store, "code_version", lambda: "99.0")
    assert file.of(stream, 5, False).key(task) != before


def test_a_version_in_development_changes_with_the_code(tmp_path):
    """Which is how runs of yesterday's code were taken for today's."""
    package = tmp_path / "river_oa3"
    shutil.copytree(Path(river_oa3.__file__).parent, package)
    command = "from river_oa3.experiments.store import code_version; print(code_version())"

    def version():
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        return subprocess.check_output(
            [sys.executable, "-c", command], text=True, env=environment, cwd=tmp_path
        )

    before = version()
    assert version() == before
    with (package / "auto.py").open("a") as file:
        file.write("# Another day.\n")
    assert (version() != before) == (".dev" in before)


def test_the_data_are_in_the_key(stream):
    other = datasets.stream("small", stream.X.toarray() * 2, stream.y)
    relabelled = dataclasses.replace(stream, y=~stream.y)
    ordered = dataclasses.replace(stream, permutations=np.arange(len(stream))[None, :])
    named = dataclasses.replace(stream, names=[f"g{j}" for j in range(len(stream.names))])
    every = [stream, other, relabelled, ordered, named]
    assert len({fingerprint(each) for each in every}) == len(every)


def test_what_the_data_are_called_is_not_in_the_key(stream):
    assert fingerprint(dataclasses.replace(stream, name="other", note="n")) == fingerprint(stream)


# Whatever is cut off


@settings(max_examples=50)
@given(st.data())
def test_a_file_that_was_cut_off_anywhere_loses_no_whole_line(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("cut") / "runs"
    file = RunStore(path)
    finished = Run(Counts(*(np.array([i, 2 * i]) for i in range(5))), None, 0.25)
    ends = []
    for i in range(3):
        file.add(f"key {i}", finished)
        ends.append(path.stat().st_size)
    size = data.draw(st.integers(0, ends[-1]))
    path.write_bytes(path.read_bytes()[:size])
    whole = {f"key {i}" for i, end in enumerate(ends) if end <= size}
    assert set(RunStore(path).find(f"key {i}" for i in range(3))) == whole
    RunStore(path).add("key 3", finished)
    assert set(RunStore(path).find(f"key {i}" for i in range(4))) == whole | {"key 3"}


@pytest.mark.parametrize(
    "line",
    ["{", "null", "[]", "3", '{"key": "k"}', '{"counts": null}', '{"key":"k","counts":[[1]]}'],
)
def test_a_line_that_is_not_a_run_is_passed_over(tmp_path, line):
    path = tmp_path / "runs"
    path.write_text(line + "\n")
    file = RunStore(path)
    file.add("key", OVERFLOW)
    assert (len(file), file.find(["key"])) == (1, {"key": OVERFLOW})


def test_a_file_that_was_taken_away_is_begun_anew(tmp_path):
    file = RunStore(tmp_path / "runs")
    file.add("one", OVERFLOW)
    assert len(file) == 1
    file.path.unlink()
    assert file.find(["one"]) == {}
    file.add("two", OVERFLOW)
    assert file.find(["one", "two"]) == {"two": OVERFLOW}


def test_a_folder_that_is_not_there_is_refused_with_a_fix(tmp_path):
    with pytest.raises(DataError, match="choose another --output"):
        RunStore(tmp_path / "nowhere" / "runs").add("key", OVERFLOW)


def write_many(path, name):
    file = RunStore(path)
    for i in range(300):
        counts = Counts(*(np.arange(100) + i for _ in range(5)))
        file.add(f"{name} {i}", Run(counts, i, 0.5))


def test_several_processes_may_write_at_once(tmp_path):
    path = tmp_path / "runs"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_many, args=(path, name)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    keys = [f"{name} {i}" for name in "abc" for i in range(300)]
    found = RunStore(path).find(keys)
    assert [found[key].exhausted for key in keys] == list(range(300)) * 3
    assert all(json.loads(line) for line in path.read_text().splitlines() if line)

"""Replays in this process and in others: the same numbers, and what is said when one dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import Recorded, events, threads_of_blas

from river_oa3 import datasets
from river_oa3.experiments.methods import METHODS, Setting
from river_oa3.experiments.processes import Processes
from river_oa3.experiments.runner import ProcessRunner
from river_oa3.experiments.tasks import OVERFLOW, Part, Task, cached_draws, run_task


@pytest.fixture(scope="module")
def real_runner(stream):
    with ProcessRunner(stream, jobs=2, seed=5) as runner:
        yield runner


def some_tasks(stream, methods=("CSOAL", "OA3", "SSOA3"), permutations=3):
    return [
        Task(
            method,
            tuple(METHODS[method].parameters.items()),
            Setting(20, 3.0, probability=1 / 6),
            Part(0, len(stream), number),
            (10, len(stream)),
        )
        for number in range(permutations)
        for method in methods
    ]


def told(runs):
    """What came of tasks, without what a clock measured."""
    return {
        task: (run.exhausted, [each.tolist() for each in run.counts]) for task, run in runs if run
    }


def test_processes_give_what_this_process_gives(real_runner, stream):
    tasks = some_tasks(stream)
    here = Recorded(stream, 1, seed=5)
    assert told(real_runner.run(tasks, "there")) == told(here.run(tasks, "here"))


def test_every_task_comes_back_once(real_runner, stream):
    tasks = some_tasks(stream)
    assert sorted(task for task, _ in real_runner.run(tasks, "all")) == sorted(tasks)


def test_a_runner_that_was_stopped_says_so(stream):
    with ProcessRunner(stream, jobs=1, seed=5) as runner:
        list(runner.run(some_tasks(stream), "to start the worker"))
        runner.stop()
        with pytest.raises(MemoryError, match="--jobs"):
            list(runner.run(some_tasks(stream), "in vain"))


def started(before):
    """The processes that were not there before."""
    return [each for each in multiprocessing.active_children() if each not in before]


def test_a_worker_that_dies_is_an_error_that_says_so():
    """A run of minutes, whose worker is killed as the system does for lack of memory."""
    X, y = events(2000)
    long = datasets.stream("long", X, y)
    tasks = some_tasks(long, ("OA3", "SOA3"), 2_000)
    before = multiprocessing.active_children()
    with ProcessRunner(long, jobs=1, seed=5) as runner:
        runs = runner.run(tasks, "long")
        next(runs)
        (worker,) = started(before)
        worker.kill()
        with pytest.raises(MemoryError, match=r"a worker process ended before its time.*--jobs"):
            list(runs)


def test_nothing_is_left_of_processes_that_are_done(stream):
    before = multiprocessing.active_children()
    with ProcessRunner(stream, jobs=2, seed=5) as runner:
        list(runner.run(some_tasks(stream), "all"))
        assert started(before)
    assert not started(before)


def test_a_worker_does_not_hear_ctrl_c(stream):
    before = multiprocessing.active_children()
    with ProcessRunner(stream, jobs=1, seed=5) as runner:
        list(runner.run(some_tasks(stream), "to start the worker"))
        (worker,) = started(before)
        os.kill(worker.pid, signal.SIGINT)
        tasks = some_tasks(stream)
        assert len(list(runner.run(tasks, "after it"))) == len(tasks)


def test_an_interrupt_while_a_process_starts_comes_when_it_has_started(monkeypatch):
    """As one that another thread is given, where to block it in this one is of no use."""
    ends = []
    start = multiprocessing.get_context("spawn").Process.start

    def interrupted_start(process):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        start(process)
        ends.append("started")

    def interrupt(number, frame):
        ends.append(number)
        raise KeyboardInterrupt

    monkeypatch.setattr(multiprocessing.get_context("spawn").Process, "start", interrupted_start)
    monkeypatch.setattr(signal, "pthread_sigmask", lambda how, mask: set())
    before = signal.signal(signal.SIGTERM, interrupt), signal.signal(signal.SIGINT, interrupt)
    try:
        with Processes(1) as processes, pytest.raises(KeyboardInterrupt):
            processes.submit(abs, -1)
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
    assert ends == ["started", signal.SIGINT]


FOR_EVER = """
import multiprocessing, sys, time
from river_oa3.experiments.processes import Processes

if __name__ == "__main__":
    with Processes(1) as processes:
        processes.submit(abs, -1).result()
        print(*(each.pid for each in multiprocessing.active_children()), flush=True)
        processes.submit(time.sleep, 600).result()
"""


def is_running(pid):
    """Whether a process is there and not only waits to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look into")
def test_a_worker_ends_with_its_parent(tmp_path):
    script = tmp_path / "for_ever.py"
    script.write_text(FOR_EVER)
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    (worker,) = map(int, parent.stdout.readline().split())
    assert is_running(worker)
    parent.kill()
    parent.communicate()
    end = time.monotonic() + 30
    while is_running(worker) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_running(worker)


@pytest.mark.parametrize(("asked", "found"), [(1, ["1"] * 3), (None, [None] * 3)])
def test_a_process_has_as_many_threads_as_asked(asked, found):
    with Processes(1, threads=asked) as processes:
        assert processes.submit(threads_of_blas).result() == found


def test_the_environment_is_left_as_it_was(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with Processes(1) as processes:
        processes.submit(threads_of_blas).result()
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ


def test_a_task_depends_on_its_arguments_alone(stream):
    """Whatever was run before, and with or without orders that were drawn before."""
    tasks = some_tasks(stream)
    draws = cached_draws(stream, 5)
    forth = {task: run_task(stream, 5, task, draws=draws) for task in tasks}
    back = {task: run_task(stream, 5, task) for task in reversed(tasks)}
    assert told(forth.items()) == told(back.items())


def test_no_tasks_are_no_runs(real_runner):
    assert list(real_runner.run([], "nothing")) == []


def test_an_error_in_a_worker_is_raised_here(real_runner, stream):
    (task,) = some_tasks(stream, ("CSOAL",), 1)
    bad = task._replace(setting=Setting(20, -1.0))
    with pytest.raises(ValueError, match="rho"):
        list(real_runner.run([bad], "bad"))


def test_a_method_that_overflows_gives_no_run():
    huge = datasets.stream("huge", np.full((6, 2), 1e160), [1, 0] * 3)
    tasks = some_tasks(huge, ("CSOAL",), 1)
    tasks = [task._replace(setting=Setting(6, 1.0), checkpoints=(6,)) for task in tasks]
    ((_, found),) = Recorded(huge, 1, seed=0).run(tasks, "huge")
    assert found == OVERFLOW


def test_when_the_budget_is_spent_is_the_event_of_the_last_label(stream):
    (task,) = some_tasks(stream, ("OA3-F",), 1)
    ((_, run),) = Recorded(stream, 1, seed=5).run(
        [task._replace(checkpoints=tuple(range(1, 121)))], "one"
    )
    assert run.exhausted == 1 + run.counts.labels.tolist().index(20)


def test_a_budget_that_is_not_spent_has_no_end(stream):
    (task,) = some_tasks(stream, ("OA3-F",), 1)
    task = task._replace(setting=Setting(len(stream), 3.0))
    ((_, run),) = Recorded(stream, 1, seed=5).run([task], "one")
    assert run.exhausted is None

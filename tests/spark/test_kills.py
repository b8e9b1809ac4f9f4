"""Whatever is killed, the budget is exact, no ask is lost or doubled, and the model is the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import spark_runs
import sqlalchemy as sa
from batch_runs import opened, state_of
from durable_services import rows
from spark_runs import LABELS, N_BATCHES, batches_in, limit, run_stream

from river_oa3.pending import tables
from river_oa3.pending.rows import from_text

CLUSTER = "local-cluster[2,1,1024]"
TESTS = Path(spark_runs.__file__).parent


class Run:
    """A stream in a process of its own, and what it has started."""

    def __init__(self, folder, url):
        self.folder, self.url, self.n_starts = folder, url, 0
        self.process, self.known = None, {}
        self.log = Path(folder, "log.txt")

    def start(self):
        self.n_starts += 1
        arguments = [CLUSTER, str(self.folder), self.url, f"{self.folder}/checkpoint"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, spark_runs.__file__, *arguments],
                env=os.environ | {"PYTHONPATH": str(TESTS)},
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )

    @property
    def is_done(self):
        return Path(self.folder, "done.json").exists()

    def family(self):
        """The processes that this run has started, by what they are."""
        found = {"driver": [self.process.pid], "jvm": [], "executor": [], "worker": []}
        try:
            children = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return found
        for child in children:
            try:
                words, born = " ".join(child.cmdline()), child.create_time()
            except psutil.Error:
                continue
            self.known[child.pid] = born
            if "CoarseGrainedExecutorBackend" in words:
                found["executor"].append(child.pid)
            elif "SparkSubmit" in words:
                found["jvm"].append(child.pid)
            elif "pyspark.daemon" in words and child.parent().name() != "java":
                found["worker"].append(child.pid)
        return found

    def kill(self, kind):
        """Kill one of them; says whether there was one."""
        pids = self.family()[kind]
        if kind == "driver":
            pids = [*pids, *self.family()["jvm"]]
        elif pids:
            pids = pids[:1]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return bool(pids)

    def end(self):
        """Wait for the driver, and leave nothing behind."""
        self.process.wait(120)
        for pid, born in self.known.items():
            try:
                left = psutil.Process(pid)
                if left.create_time() == born:
                    left.kill()
            except psutil.NoSuchProcess:
                pass
        self.known.clear()

    def batch(self):
        """The newest batch that is stored; -1 before the first."""
        try:
            (row,) = rows(self.url, tables.state)
        except (ValueError, sa.exc.OperationalError):  # not there yet, or being made
            return -1
        stored = from_text(row["standing"])["batch"]
        return -1 if stored is None else stored[1]

    def wait_for(self, batch, chance):
        """Wait until a batch is stored, and a little longer; says whether it still runs."""
        while self.process.poll() is None and self.batch() < batch:
            time.sleep(0.2)
        time.sleep(chance.uniform(0.0, 2.5 * spark_runs.PAUSE))
        return self.process.poll() is None


# What is killed, after which batch is stored.
PLAN = [("worker", 0), ("executor", 1), ("driver", 4)]


def killed_run(folder, url, plan, seed):
    """Run to the end through all kills; how many of them hit something."""
    chance, run, n_kills = random.Random(seed), Run(folder, url), 0
    run.start()
    try:
        for kind, batch in plan:
            if run.wait_for(batch, chance):
                n_kills += run.kill(kind)
            if kind in ("jvm", "driver") or run.process.poll() is not None:
                run.end()
                run.start()
        while run.process.wait(180) or not run.is_done:
            run.end()
            assert run.n_starts < 2 * len(plan) + 2, run.log.read_text()[-3000:]
            run.start()
    finally:
        if run.process.poll() is None:
            run.family()
            run.process.kill()
        run.end()
    return n_kills


def asks(url):
    return [
        {name: value for name, value in row.items() if name not in ("asked_at", "answered_at")}
        for row in rows(url)
    ]


def check_that_kills_change_nothing(spark, folder, plan, seed):
    """Everything as without kills, in the batches that Spark made; how many kills hit something."""
    urls = [f"sqlite:///{folder}/{name}.db" for name in ("killed", "whole")]
    n_kills = killed_run(spark_runs.write_files(folder), urls[0], plan, seed)
    batches = batches_in(folder / "checkpoint")
    for files in zip(*batches, strict=True):
        assert [number for part in files for number in part] == list(range(N_BATCHES))
    files = spark_runs.write_files(folder / "files", batches)
    whole = run_stream(spark, files, urls[1], folder / "whole")
    killed = opened(urls[0], limit())
    assert asks(urls[0]) == asks(urls[1])
    assert killed.model.n_asked == len(rows(urls[0])) == killed.model._budget._spent == LABELS
    assert state_of(killed.model) == state_of(whole.model)
    killed.close()
    return n_kills


def test_a_stream_whose_processes_are_killed_is_the_uninterrupted_stream(spark, tmp_path):
    assert check_that_kills_change_nothing(spark, tmp_path, PLAN, seed=1) == len(PLAN)


@pytest.mark.slow
@pytest.mark.skipif("OA3_KILLS" not in os.environ, reason="set OA3_KILLS to a number of runs")
@pytest.mark.parametrize("seed", range(int(os.environ.get("OA3_KILLS", "1"))))
def test_many_more_kills_change_nothing(spark, tmp_path, seed):
    chance = random.Random(100 + seed)
    kinds = ["worker", "executor", "jvm", "driver", "executor", "worker", "driver"]
    chance.shuffle(kinds)
    plan = list(zip(kinds, range(-1, 6), strict=True))
    check_that_kills_change_nothing(spark, tmp_path, plan, seed)

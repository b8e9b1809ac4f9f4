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
from spark_runs import LABELS, limit, run_stream

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


def test_a_stream_whose_processes_are_killed_is_the_uninterrupted_stream(spark, tmp_path):
    folder = spark_runs.write_files(tmp_path)
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "killed")]
    whole = run_stream(spark, folder, urls[0], tmp_path / "whole")
    n_kills = killed_run(folder, urls[1], PLAN, seed=1)
    model = opened(urls[1], limit()).model
    assert n_kills == len(PLAN)
    assert asks(urls[1]) == asks(urls[0])
    assert model.n_asked == len(rows(urls[1])) == model._budget._spent == LABELS
    assert state_of(model) == state_of(whole.model)


@pytest.mark.slow
@pytest.mark.skipif("OA3_KILLS" not in os.environ, reason="set OA3_KILLS to a number of runs")
@pytest.mark.parametrize("seed", range(int(os.environ.get("OA3_KILLS", "1"))))
def test_many_more_kills_change_nothing(spark, tmp_path, seed):
    folder = spark_runs.write_files(tmp_path)
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "killed")]
    whole = run_stream(spark, folder, urls[0], tmp_path / "whole")
    chance = random.Random(100 + seed)
    kinds = ["worker", "executor", "jvm", "driver", "executor", "worker", "driver"]
    chance.shuffle(kinds)
    killed_run(folder, urls[1], list(zip(kinds, range(-1, 6), strict=True)), seed)
    assert asks(urls[1]) == asks(urls[0])
    assert state_of(opened(urls[1], limit()).model) == state_of(whole.model)

"""What the tests of the commands share: small data in files, and replays without processes."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import typing
from pathlib import Path

import numpy as np
import paper.command
import pytest
import scipy.sparse
from paper import study, tuned

from river_oa3 import datasets
from river_oa3.cli import main
from river_oa3.experiments import Goal, Plan, compare, replay, runner, tuning
from river_oa3.experiments.methods import METHODS, build
from river_oa3.experiments.output import plots
from river_oa3.experiments.processes import BLAS_SETTINGS
from river_oa3.experiments.runner import SerialRunner
from river_oa3.experiments.stream_replay import uniforms
from river_oa3.experiments.tasks import TUNING, Part, Task, order_of
from river_oa3.experiments.tuning import Search, Stage

SEED = 3
PERMUTATIONS = 3
BUDGET = 20
QUICK = ("--permutations", 1, "--methods", "CSOAL,SSOA3", "--budget", 10, "--jobs", 1)

MEASURED = ("microseconds", "microseconds_deviation")


def events(n=120, features=6, seed=0, share=0.25):
    """Rows and labels that can be learned; the first six rows are empty, two of them positive."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    X = rng.normal(size=(n, features)) * (rng.random((n, features)) < 0.6)
    X[:, 0] += np.where(y, 1.0, -0.6)
    X[:6], y[:6] = 0.0, [True, False, False, True, False, False]
    order = rng.permutation(n)
    return X[order].round(3), y[order]


def write_libsvm(path, X, labels):
    rows = (
        " ".join([f"{label:g}", *(f"{j}:{x:g}" for j, x in enumerate(row, 1) if x)])
        for row, label in zip(X, labels, strict=True)
    )
    path.write_text("\n".join(rows) + "\n")
    return path


def write_csv(path, X, labels, label="label"):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"f{j}" for j in range(X.shape[1])), label])
        writer.writerows([*row, y] for row, y in zip(X.tolist(), labels, strict=True))
    return path


def write_npz(path, X, y, sparse=False, **more):
    """An archive in the form of the project's data folder."""
    labels = np.where(y, 1, -1).astype(np.int8)
    if sparse:
        M = scipy.sparse.csr_array(X)
        parts = {"data": M.data, "indices": M.indices, "indptr": M.indptr, "shape": M.shape}
    else:
        parts = {"X": X}
    np.savez(path, y=labels, **parts, **more)
    return path


def write_parts(folder):
    """Tiny parts of four of the paper's data sets, under the names of the real parts."""
    folder.mkdir(exist_ok=True)
    X, y = events(90, seed=1, share=0.4)
    write_npz(folder / "protein_val.npz", X, y, sparse=True, y_raw=np.where(y, 0, 2))
    write_npz(folder / "sensorless_sub2200.npz", *events(80, seed=2))
    write_npz(folder / "kdd04_bio.npz", *events(100, seed=3))
    write_npz(folder / "iad.npz", *events(70, 12, seed=4), sparse=True)
    return folder


class Recorded(SerialRunner):
    """A runner without processes, which remembers what was run."""

    tasks: typing.ClassVar[list[Task]] = []

    def _run(self, tasks, seconds, progress):
        self.tasks.extend(tasks)
        return super()._run(tasks, seconds, progress)


class Small:
    """Everything small while a patch holds: replays in this process, three values per parameter.

    Pictures, which take a second each, and processes are left out unless asked for.
    """

    def __init__(self, patch, pictures=False, processes=False):
        if not pictures:
            patch.setattr(plots, "available", lambda: False)
        patch.setattr(Recorded, "tasks", [])
        if not processes:
            patch.setattr(runner, "ProcessRunner", Recorded)
        search = Search(exponents=(-1, 0, 1), final=Stage(5))
        for module in (tuning, study, tuned):
            patch.setattr(module, "PAPER", search)
        patch.setattr(study, "SEARCHES", {})

    @property
    def tasks(self):
        """What was run, in order."""
        return Recorded.tasks


@pytest.fixture
def small(monkeypatch):
    return Small(monkeypatch)


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="session")
def stream():
    X, y = events()
    return datasets.stream("small", X, y).unit_rows()


@pytest.fixture(scope="session")
def compared(stream):
    """All methods on the small stream, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        return compare(stream, Plan(20, Goal("sum"), permutations=3, seed=2))


class Ended(typing.NamedTuple):
    """What a command said and left behind."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def files(self):
        return sorted(path.name for path in self.folder.rglob("*"))

    def path(self, suffix):
        (found,) = self.folder.glob(f"*.{suffix}")
        return found

    @property
    def csv(self):
        """The lines of the CSV file, by method."""
        with self.path("csv").open(newline="") as file:
            return {row["method"]: row for row in csv.DictReader(file)}

    @property
    def json(self):
        return json.loads(self.path("json").read_text())

    @property
    def results(self):
        """The lines of the CSV file without what a clock measured."""
        return {
            method: {key: value for key, value in row.items() if key not in MEASURED}
            for method, row in self.csv.items()
        }

    @property
    def table(self):
        """The cells of the printed table, by method and column."""
        lines = self.out.splitlines()
        rule = next(i for i, line in enumerate(lines) if line.startswith("---"))
        heads = [head.strip() for head in lines[rule - 1].split("  ") if head.strip()]
        rows = {}
        for line in lines[rule + 1 :]:
            if not line.strip():
                break
            cells = [cell.strip() for cell in line.split("  ") if cell.strip()]
            rows[cells[0]] = dict(zip(heads[1:], cells[1:], strict=True))
        return rows


def command(folder, *arguments, main=main):
    """Run a command in this process, its results going to `folder`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([*map(str, arguments), "--output", str(folder)])
        except SystemExit as end:  # argparse's way to refuse
            code = end.code
    return Ended(code, out.getvalue(), err.getvalue(), Path(folder))


def paper_command(folder, *arguments):
    """Run `python -m notebooks.paper` likewise."""
    return command(folder, *arguments, main=paper.command.main)


def all_methods(folder, data, jobs, *more):
    return command(
        folder,
        *("compare", data, "--jobs", jobs, "--seed", SEED),
        *("--permutations", PERMUTATIONS, "--budget", BUDGET, *more),
    )


def by_replay(stream, method, setting, number, order=None, **more):
    """The last counts of a method over a permutation, by `experiments.replay` alone."""
    if order is None:
        order = order_of(stream, Part(0, len(stream), number), SEED)
    model = build(method, setting, METHODS[method].parameters, SEED + number)
    numbers = uniforms(SEED * 2 * TUNING + number, len(order))
    return replay(model, stream, order, numbers, **more)


def threads_of_blas():
    """What a worker process may use; here, where a new process can import it by name."""
    return [os.environ.get(name) for name in BLAS_SETTINGS]

"""What the tests of the commands share: small data in files, and replays without processes."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import typing
from pathlib import Path

import numpy as np
import scipy.sparse

from river_oa3.cli import main
from river_oa3.experiments import comparison, lab, plots, running, tuning

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


class InProcess:
    """Workers that replay here and now: what real ones give, without the wait for processes."""

    tasks: typing.ClassVar[list[running.Task]] = []

    def __init__(self, stream, jobs, seed, paper_accounting=False):
        self.stream = stream
        self._settings = {"_stream": stream, "_seed": seed, "_paper_accounting": paper_accounting}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def stop(self):
        pass

    def run(self, tasks, what):
        for name, value in self._settings.items():
            setattr(running, name, value)
        running._draw.cache_clear()
        self.tasks.extend(tasks)
        for task in tasks:
            yield task, running._replay(task)


class Small:
    """Everything small while a patch holds: replays in this process, three values a parameter.

    Pictures, which take a second each, are left out unless asked for.
    """

    def __init__(self, patch, pictures=False):
        if not pictures:
            patch.setattr(plots, "available", lambda: False)
        patch.setattr(InProcess, "tasks", [])
        for module in (comparison, lab):
            patch.setattr(module, "Workers", InProcess)
        patch.setattr(tuning, "EXPONENTS", range(-1, 2))
        patch.setattr(tuning, "COARSE", range(-1, 2, 2))
        patch.setattr(tuning, "MANY", 5)

    @property
    def tasks(self):
        """What was replayed, in order."""
        return InProcess.tasks


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


def command(folder, *arguments):
    """Run a command in this process, its results going to `folder`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([*map(str, arguments), "--output", str(folder)])
        except SystemExit as end:  # argparse's way to refuse
            code = end.code
    return Ended(code, out.getvalue(), err.getvalue(), Path(folder))

"""The same benchmark on two commits in turn, as only figures of one run can be compared."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path

from river_oa3.datasets import DataError
from river_oa3.experiments.output.text import aligned

__all__ = ["Compared", "compare", "table"]

HERE = Path(__file__).parents[2]
TURNS = 3


class Compared(typing.NamedTuple):
    """Microseconds per event of one figure: before, and of the files as they are."""

    what: str
    before: float
    now: float


def compare(revision: str, options: Sequence[str]) -> list[Compared]:
    """The best of some turns of `speed` with these options, on a commit and on what is here."""
    best: dict[str, dict[str, float]] = {}
    with _checked_out(revision) as before:
        for _ in range(TURNS):
            for name, folder in (("before", before), ("now", HERE)):
                times = best.setdefault(name, {})
                for what, microseconds in _measured(folder, options):
                    times[what] = min(microseconds, times.get(what, microseconds))
    return [
        Compared(what, best["before"][what], now)
        for what, now in best["now"].items()
        if what in best["before"]
    ]


def table(revision: str, found: Sequence[Compared]) -> str:
    """A line per figure."""
    rows = [["us per event", revision, "now", "ratio"]]
    for each in found:
        ratio = f"{each.now / each.before:.2f}"
        rows.append([each.what, f"{each.before:.3f}", f"{each.now:.3f}", ratio])
    return aligned(rows)


@contextlib.contextmanager
def _checked_out(revision: str) -> Iterator[Path]:
    """A folder with the package of a commit, compiled in place."""
    with tempfile.TemporaryDirectory(prefix="river-oa3-") as folder:
        path = Path(folder, "before")
        _run("git", "worktree", "add", "--detach", str(path), revision, folder=HERE)
        try:
            _run(sys.executable, "setup.py", "build_ext", "--inplace", folder=path)
            yield path
        finally:
            _run("git", "worktree", "remove", "--force", str(path), folder=HERE)


def _measured(package: Path, options: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The figures of this benchmark with the package of a folder."""
    paths = os.pathsep.join([str(package), str(Path(__file__).parents[1])])
    with tempfile.TemporaryDirectory(prefix="river-oa3-") as output:
        words = [sys.executable, "-P", "-m", "bench", "speed", *options, "--output", output]
        _run(*words, folder=Path(output), PYTHONPATH=paths)
        found = json.loads(Path(output, "speed.json").read_text())
    for case, times in found["cases"].items():
        for contender, microseconds in times.items():
            yield f"{case}: {contender}", microseconds
    for section, figures in found["figures"].items():
        for figure in figures:
            yield f"{section}: {figure['what']}", figure["microseconds"]


def _run(*words: str, folder: Path, **environment: str) -> None:
    ended = subprocess.run(
        words, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )
    if ended.returncode:
        raise DataError(f"{' '.join(words)} failed: {ended.stderr.strip()[-2000:]}")

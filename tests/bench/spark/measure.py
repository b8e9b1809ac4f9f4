"""How scoring on Spark compares with one process, over sizes and shapes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path

from river_oa3.datasets import DataError

from ..spark import runs
from ..spark.data import SHAPES, write
from ..spark.runs import ALONE, DIRECT, READS, SENDS, THROUGH_JAVA

__all__ = ["MOST_PROCESSOR", "Measured", "measure"]

# Processor time per event, over that of one process: no more than this.
MOST_PROCESSOR = 2.5
# From so many events on the bars count: before, starting tasks is what takes the time.
LEAST_EVENTS = 1_000_000
# Each way, and its cores of Spark.
WAYS = (
    (ALONE, 0),
    (DIRECT, 1),
    (DIRECT, 2),
    (THROUGH_JAVA, 1),
    (THROUGH_JAVA, 2),
    (READS, 2),
    (SENDS, 2),
)
# Processor time is counted in so many seconds.
TICK = 0.01


class Measured(typing.NamedTuple):
    """Events of a shape, scored in some way by one process (0 cores) or so many cores of Spark."""

    shape: str
    events: int
    way: str
    cores: int
    elapsed: float
    processor: float
    # Both over those of one process.
    times_elapsed: float
    times_processor: float

    @property
    def passes(self) -> bool | None:
        """Whether the bars are reached; None where there are none."""
        if self.way not in (DIRECT, THROUGH_JAVA) or self.events < LEAST_EVENTS:
            return None
        is_fast = self.cores < 2 or self.times_elapsed <= 1.0
        return self.times_processor <= MOST_PROCESSOR and is_fast


def measure(folder: Path, sizes: Sequence[int], repeats: int) -> Iterator[Measured]:
    """Each way in turn, so often, the same files for all; the answers have to agree.

    What counts is the least time of each: what is not this work, others on the machine have added.
    """
    for n in sizes:
        for shape in SHAPES:
            path = write(folder, shape, n)
            found = _least(path, shape, repeats)
            alone = found[ALONE, 0]
            for (way, cores), each in found.items():
                times = (each[name] / max(TICK, alone[name]) for name in ("elapsed", "processor"))
                yield Measured(shape, n, way, cores, each["elapsed"], each["processor"], *times)


def _least(path: Path, shape: str, repeats: int) -> dict[tuple[str, int], dict[str, float]]:
    """The least times of each way; one turn more comes first, in which code is compiled."""
    least: dict[tuple[str, int], dict[str, float]] = {}
    processes = {cores: Timed(path, shape, cores) for cores in {cores for _, cores in WAYS}}
    try:
        for turn in range(1 + repeats):
            told = {(way, cores): processes[cores].run(way) for way, cores in WAYS}
            alone = told[ALONE, 0]["positives"]
            for which, each in told.items():
                positives = each.pop("positives")
                if positives not in (None, alone):
                    raise DataError(f"{which} finds {positives} positives, one process {alone}")
                if turn:
                    before = least.get(which, each)
                    least[which] = {name: min(before[name], each[name]) for name in each}
    finally:
        for process in processes.values():
            process.close()
    return least


class Timed:
    """A process that runs ways of scoring when it is told to."""

    def __init__(self, path: Path, shape: str, cores: int):
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115  # until `close`
        self._process = subprocess.Popen(
            [sys.executable, "-m", runs.__name__, str(path), shape, str(cores)],
            # Where this package is found, whatever it is called from here.
            env=os.environ | threads | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
        )

    def run(self, way: str) -> dict[str, typing.Any]:
        """What a way took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = ""
        try:
            self._process.stdin.write(way + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            self._said.seek(0)
            raise DataError(f"{way} did not run: {[*self._said, 'no reason given'][-2].strip()}")
        found: dict[str, typing.Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End it."""
        try:
            self._process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()

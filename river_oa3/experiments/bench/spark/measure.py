"""How scoring on Spark compares with one process, over sizes and shapes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path

from river_oa3.datasets import DataError
from river_oa3.experiments.bench.spark import runs
from river_oa3.experiments.bench.spark.data import SHAPES, write

__all__ = ["MOST_PROCESSOR", "Measured", "measure"]

# Processor time per event, over that of one process: no more than this.
MOST_PROCESSOR = 2.5
# From so many events on the bars count: before, starting tasks is what takes the time.
LEAST_EVENTS = 1_000_000
CORES = (0, 1, 2)
# Processor time is counted in so many seconds.
TICK = 0.01


class Measured(typing.NamedTuple):
    """Events of a shape, scored by one process (0 cores) or on so many cores of Spark."""

    shape: str
    events: int
    cores: int
    elapsed: float
    processor: float
    # Both over those of one process.
    times_elapsed: float
    times_processor: float

    @property
    def passes(self) -> bool | None:
        """Whether the bars are reached; None where there are none."""
        if self.cores == 0 or self.events < LEAST_EVENTS:
            return None
        is_fast = self.cores < 2 or self.times_elapsed <= 1.0
        return self.times_processor <= MOST_PROCESSOR and is_fast


def measure(folder: Path, sizes: Sequence[int]) -> Iterator[Measured]:
    """Each way in a process of its own, the same files for all; the answers have to agree."""
    for n in sizes:
        for shape in SHAPES:
            path = write(folder, shape, n)
            found = [_run(path, shape, cores) for cores in CORES]
            alone = found[0]
            for cores, each in zip(CORES, found, strict=True):
                if each["result"][0] != alone["result"][0]:
                    raise DataError(f"{each['result']} is not what one process says: {alone}")
                times = (each[name] / max(TICK, alone[name]) for name in ("elapsed", "processor"))
                yield Measured(shape, n, cores, each["elapsed"], each["processor"], *times)


def _run(path: Path, shape: str, cores: int) -> dict[str, typing.Any]:
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-m", runs.__name__, str(path), shape, str(cores)]
    ended = subprocess.run(command, env=os.environ | threads, capture_output=True, text=True)
    if ended.returncode:
        raise DataError(f"Spark did not run: {ended.stderr.strip().splitlines()[-1]}")
    found: dict[str, typing.Any] = json.loads(ended.stdout.splitlines()[-1])
    return found

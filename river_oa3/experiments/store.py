"""Finished runs in a file, so that what was interrupted goes on where it stopped.

A line of JSON per run, written as it finishes, under a key that has everything the run depends on.
Lines are only ever added, each by one write that begins and ends with a line break: several
processes may add to the file at once, and a line that was cut off spoils no other.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import os
import typing
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import river_oa3
from river_oa3.datasets import DataError, Stream
from river_oa3.experiments.scores import Counts
from river_oa3.experiments.tasks import OVERFLOW, Failure, Run, Task

__all__ = ["RunStore", "code_version"]


class RunStore:
    """The file of finished runs.

    Parameters
    ----------
    path
        The file, which need not be there yet.

    """

    def __init__(self, path: Path):
        self.path = path
        self._read = 0
        # Where in the file the line of a key is.
        self._spans: dict[str, tuple[int, int]] = {}

    def of(self, stream: Stream, seed: int, paper_accounting: bool) -> StreamRuns:
        """The runs on one stream."""
        return StreamRuns(self, (code_version(), fingerprint(stream), seed, paper_accounting))

    def __len__(self) -> int:
        self._look()
        return len(self._spans)

    def find(self, keys: Iterable[str]) -> dict[str, Run | Failure]:
        """The runs under those of the keys that there are."""
        self._look()
        spans = {key: self._spans[key] for key in keys if key in self._spans}
        if not spans:
            return {}
        found = {}
        with self.path.open("rb") as file:
            for key, (start, length) in spans.items():
                file.seek(start)
                found[key] = _run(json.loads(file.read(length)))
        return found

    def add(self, key: str, run: Run | Failure) -> None:
        """Add a run to the file."""
        line = json.dumps({"key": key, **_content(run)}, separators=(",", ":"))
        try:
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                os.write(file, f"\n{line}\n".encode())
            finally:
                os.close(file)
        except OSError as error:
            raise DataError(
                f"cannot write {self.path} ({error.strerror}): choose another --output"
            ) from None

    def _look(self) -> None:
        """Take in the lines that were added since the last look, by this process or another."""
        try:
            with self.path.open("rb") as file:
                if file.seek(0, os.SEEK_END) < self._read:
                    # Somebody took the file away and began another.
                    self._read, self._spans = 0, {}
                file.seek(self._read)
                content = file.read()
        except OSError:
            self._read, self._spans = 0, {}
            return
        start = self._read
        # What comes after the last line break is being written.
        for line in content.splitlines(keepends=True):
            if line.endswith(b"\n"):
                if key := _key_of(line):
                    self._spans[key] = (start, len(line))
                self._read = start + len(line)
            start += len(line)


class StreamRuns(typing.NamedTuple):
    """The finished runs on one stream, with one seed and one way to account for empty events."""

    store: RunStore
    origin: tuple[str, str, int, bool]

    def key(self, task: Task) -> str:
        """A digest of everything that the run of a task depends on."""
        setting = dataclasses.asdict(task.setting)
        content = (
            *self.origin,
            *(task.method, task.parameters, setting, task.part, task.checkpoints),
        )
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]

    def known(self, tasks: Iterable[Task]) -> dict[Task, Run | Failure]:
        """Those of the tasks that were run before, with what came of them."""
        keys = {self.key(task): task for task in tasks}
        return {keys[key]: run for key, run in self.store.find(keys).items()}

    def keep(self, task: Task, run: Run | Failure) -> None:
        """Keep what came of a task."""
        self.store.add(self.key(task), run)


def fingerprint(stream: Stream) -> str:
    """A digest of all that a replay of a stream depends on."""
    digest = hashlib.sha256(repr(stream.X.shape).encode())
    for array in (stream.X.data, stream.X.indices, stream.X.indptr, stream.y):
        digest.update(np.ascontiguousarray(array).tobytes())
    if stream.permutations is not None:
        digest.update(np.ascontiguousarray(stream.permutations, dtype=np.int64).tobytes())
    digest.update(repr(stream.names).encode())
    return digest.hexdigest()


def code_version() -> str:
    """The version of this package; while it is in development, with a digest of its code.

    Such a version says nothing of what changes from day to day, and with it what a run gives.
    """
    version = importlib.metadata.version("river-oa3")
    return f"{version}+{_code_digest()}" if ".dev" in version else version


@functools.cache
def _code_digest() -> str:
    """A digest of every module of the package, as it is imported from here."""
    digest = hashlib.sha256()
    for path in sorted(Path(river_oa3.__path__[0]).rglob("*")):
        if path.suffix in (".py", ".so", ".pyd"):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _content(run: Run | Failure) -> dict[str, typing.Any]:
    """A run as JSON has it: that of a method that overflowed has no counts."""
    if isinstance(run, Failure):
        return {"counts": None}
    counts = [np.asarray(count).tolist() for count in run.counts]
    return {"counts": counts, "exhausted": run.exhausted, "seconds": run.seconds}


def _run(content: dict[str, typing.Any]) -> Run | Failure:
    if content["counts"] is None:
        return OVERFLOW
    counts = Counts(*(np.array(count, dtype=np.int64) for count in content["counts"]))
    return Run(counts, content["exhausted"], content["seconds"])


def _key_of(line: bytes) -> str | None:
    """The key of a line that holds a run; None of any other."""
    try:
        content = json.loads(line)
        _run(content)
        return str(content["key"])
    except (ValueError, TypeError, KeyError):
        return None

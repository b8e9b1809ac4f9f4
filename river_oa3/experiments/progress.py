"""A progress bar with the time left, for people at a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
import typing
from collections.abc import Callable, Iterator

__all__ = ["Progress", "downloading"]

WIDTH = 28


class Progress:
    """A bar on the error stream; silent where that is no terminal.

    Examples
    --------

    >>> from river_oa3.experiments.progress import Progress

    >>> with Progress("replaying", total=2.0) as progress:
    ...     progress.add(1.0)
    ...     progress.add(1.0)

    """

    def __init__(self, what: str, total: float, stream: typing.TextIO | None = None):
        self.what = what
        self.total = total
        self.done = 0.0
        self._stream = sys.stderr if stream is None else stream
        self._visible = self._stream.isatty()
        self._start = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> Progress:
        if self.total > 0:
            self._draw()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._visible:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()

    def add(self, amount: float) -> None:
        """So much more is done."""
        self.move_to(self.done + amount)

    def move_to(self, done: float) -> None:
        """So much is done in all."""
        self.done = done
        if time.monotonic() - self._drawn > 0.1:
            self._draw()

    def line(self) -> str:
        """What the bar looks like now."""
        share = min(1.0, self.done / self.total) if self.total > 0 else 1.0
        filled = int(share * WIDTH)
        bar = "#" * filled + "." * (WIDTH - filled)
        elapsed = time.monotonic() - self._start
        left = f", {_clock(elapsed / share - elapsed)} left" if share > 0 else ""
        return f"{self.what} [{bar}] {share:4.0%}{left}"

    def _draw(self) -> None:
        if self._visible:
            self._drawn = time.monotonic()
            self._stream.write("\r\x1b[2K" + self.line())
            self._stream.flush()


@contextlib.contextmanager
def downloading(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A bar for a download: call what this gives with the bytes that are there, and their total."""
    with Progress(f"downloading {what}", 0.0) as bar:

        def progress(done: int, total: int | None) -> None:
            bar.total = total or 2 * done
            bar.move_to(done)

        yield progress


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"

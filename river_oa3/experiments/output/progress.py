"""How far a computation is: a bar for people at a terminal, a line now and then for a log."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import sys
import threading
import time
import typing
from collections.abc import Callable, Iterator

from river_oa3.experiments.output.text import clock

__all__ = ["Progress", "downloading"]

# Seconds between two lines of a log.
LOG_EVERY = 30.0
# Seconds between two pictures of a bar.
DRAWN_EVERY = 0.1
FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} elapsed, {remaining} left{postfix}"


class Progress:
    """A bar by tqdm on the error stream; without a terminal or tqdm, a line every half minute.

    Nothing is written about what takes less than half a minute where there is no bar.

    Parameters
    ----------
    what
        What is being done.
    total
        How much there is to do, in any unit.
    stream
        Where to write; the error stream unless another is given.

    Examples
    --------

    >>> from river_oa3.experiments.output.progress import Progress

    >>> with Progress("replaying", total=2.0) as progress:
    ...     progress.add(1.0)
    ...     progress.add(1.0)

    """

    def __init__(self, what: str, total: float, stream: typing.TextIO | None = None):
        self.what = what
        self.total = total
        self.done = 0.0
        self.events = 0
        self._stream = sys.stderr if stream is None else stream
        self._has_bar = self._stream.isatty() and importlib.util.find_spec("tqdm") is not None
        self._bar: typing.Any = None
        self._start = self._said = time.monotonic()
        self._ended = threading.Event()
        self._writing = threading.Lock()

    def __enter__(self) -> Progress:
        self._show()
        if not self._has_bar:
            threading.Thread(target=self._keep_saying, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        if self._bar is not None:
            self._bar.close()

    def add(self, amount: float, events: int = 0) -> None:
        """So much more is done, of so many events."""
        self.move_to(self.done + amount, self.events + events)

    def move_to(self, done: float, events: int = 0) -> None:
        """So much is done in all, of so many events."""
        self.done = done
        self.events = events
        self._show()

    @property
    def rate(self) -> str:
        """How many events per second, where events are counted."""
        elapsed = time.monotonic() - self._start
        return f", {self.events / elapsed:,.0f} events/s" if self.events and elapsed > 0 else ""

    def line(self) -> str:
        """What a log says now."""
        share = min(1.0, self.done / self.total) if self.total > 0 else 1.0
        elapsed = time.monotonic() - self._start
        left = f", about {clock(elapsed / share - elapsed)} left" if share > 0 else ""
        return f"{self.what}: {share:.0%} done, {clock(elapsed)} elapsed{left}{self.rate}"

    def _show(self) -> None:
        if self._has_bar:
            if self.total > 0:
                self._bar = self._bar or _bar(self.what, self._stream)
                self._bar.total = self.total
                # tqdm puts a comma before it.
                self._bar.set_postfix_str(self.rate.removeprefix(", "), refresh=False)
                self._bar.update(min(self.done, self.total) - self._bar.n)
            return
        with self._writing:
            if time.monotonic() - self._said >= LOG_EVERY:
                self._said = time.monotonic()
                self._stream.write(self.line() + "\n")
                self._stream.flush()

    def _keep_saying(self) -> None:
        """Let a log see signs of life while one thing takes long."""
        while not self._ended.wait(LOG_EVERY):
            self._show()


def _bar(what: str, stream: typing.TextIO) -> typing.Any:
    """A bar that is wiped away at its end."""
    from tqdm import tqdm

    # A thread of tqdm's own would be one more in a process that starts others.
    tqdm.monitor_interval = 0
    size = shutil.get_terminal_size()
    return tqdm(
        desc=what,
        total=1.0,
        file=stream,
        leave=False,
        bar_format=FORMAT,
        mininterval=DRAWN_EVERY,
        # Every amount counts, however small its unit is.
        miniters=0,
        # Steps of several processes come in bursts: what is left is told by all that went before.
        smoothing=0.0,
        # Where a terminal does not tell its size, tqdm would draw nothing.
        ncols=size.columns,
        nrows=size.lines,
    )


@contextlib.contextmanager
def downloading(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A bar for a download: call what this gives with the bytes that are there, and their total."""
    with Progress(f"downloading {what}", 0.0) as bar:

        def progress(done: int, total: int | None) -> None:
            bar.total = total or 2 * done
            bar.move_to(done)

        yield progress

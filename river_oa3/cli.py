"""The command line: `river-oa3 compare`, `reproduce`, `bench`, `serve`, `score`, `show`."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import shlex
import signal
import sys
import threading
import typing
from collections.abc import Iterator, Sequence

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, 1 when interrupted, or 2 for bad input."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = parser().parse_args(words)
    options.command_line = shlex.join(["river-oa3", *words])
    try:
        with _ends_as_interrupts():
            return int(options.run(options))
    except (ValueError, TypeError, MemoryError) as error:
        print(f"river-oa3: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing may be flushed to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("river-oa3: interrupted; what was written before is kept", file=sys.stderr)
        return 1


@contextlib.contextmanager
def _ends_as_interrupts() -> Iterator[None]:
    """Take the signals that end a process as Ctrl-C: what is finished is kept, pieces go away.

    A scheduler that stops a job, or a terminal that is closed, would leave gigabytes behind.
    """
    is_main = threading.current_thread() is threading.main_thread()
    before = {}
    for name in ("SIGTERM", "SIGHUP") if is_main else ():
        number = getattr(signal, name, None)
        # One that is ignored, as nohup does, stays so.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Command(argparse.ArgumentParser):
    """A command, whose module is imported when it is run: all together take a second and more."""

    def __init__(self, *args: typing.Any, module: str | None = None, **kwargs: typing.Any):
        super().__init__(*args, **kwargs)
        self._module = module

    def parse_known_args(self, args: typing.Any = None, namespace: typing.Any = None) -> typing.Any:
        if self._module is not None:
            module, self._module = self._module, None
            importlib.import_module(f"river_oa3.commands.{module}").add_arguments(self)
        return super().parse_known_args(args, namespace)


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = _Command(
        prog="river-oa3",
        description="Online learning from imbalanced streams with a budget of labels.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, summary in {
        "compare": "all methods on one stream",
        "reproduce": "the paper's tables and figures",
        "bench": "speed and quality beside other libraries",
        "serve": "a model over HTTP, with a page for the annotators",
        "score": "the scores of the events of a file",
        "show": "what a model file holds",
    }.items():
        commands.add_parser(name, help=summary, module=name)
    return parser

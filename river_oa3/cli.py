"""The command line: `river-oa3 compare`, `serve`, `score`, `show`; others run as they do."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import shlex
import signal
import sys
import threading
import traceback
import typing
from collections.abc import Iterator, Sequence

__all__ = ["Command", "main", "parser", "run"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of `river-oa3`, as `run` does."""
    return run(parser(), arguments)


def run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say, by default those of the process.

    The exit code is 0, 1 when interrupted, 2 for bad input, or 3 for an error of the command's own.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    name = parser.prog
    options = parser.parse_args(words)
    options.command_line = f"{name} {shlex.join(words)}"
    try:
        with _ends_as_interrupts():
            return int(options.run(options))
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing may be flushed to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"{name}: interrupted; what was written before is kept", file=sys.stderr)
        return 1
    except Exception as error:
        if options.debug:
            traceback.print_exception(error)
        if isinstance(error, _of_the_input()):
            print(f"{name}: {error}", file=sys.stderr)
            return 2
        print(
            f"{name}: an error of its own, not of what it was given: {type(error).__name__}: "
            f"{error}" + ("" if options.debug else "; --debug shows where"),
            file=sys.stderr,
        )
        return 3


def _of_the_input() -> tuple[type[Exception], ...]:
    """The errors that say what is wrong with a file, an option or the machine."""
    from river_oa3.datasets.errors import DataError
    from river_oa3.files.errors import FileError
    from river_oa3.pending.errors import StoreError

    return DataError, FileError, StoreError, MemoryError, OSError


@contextlib.contextmanager
def _ends_as_interrupts() -> Iterator[None]:
    """Take the signals that end a process as Ctrl-C: what is finished is kept, chunks go away.

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


class Command(argparse.ArgumentParser):
    """A command, whose module is imported when it is run: all together take a second and more."""

    def __init__(self, *args: typing.Any, module: str | None = None, **kwargs: typing.Any):
        super().__init__(*args, **kwargs)
        self.set_defaults(debug=False)
        self._module = module

    def parse_known_args(self, args: typing.Any = None, namespace: typing.Any = None) -> typing.Any:
        if self._module is not None:
            module, self._module = self._module, None
            importlib.import_module(module).add_arguments(self)
            self.add_argument(
                "--debug",
                action="store_true",
                default=argparse.SUPPRESS,
                help="show where in the code an error comes from",
            )
        return super().parse_known_args(args, namespace)


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = Command(
        prog="river-oa3",
        description="Online learning from imbalanced streams with a budget of labels.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, summary in {
        "compare": "all methods on one stream",
        "serve": "a model over HTTP, with a page for the annotators",
        "score": "the scores of the events of a file",
        "show": "what a model file holds",
    }.items():
        commands.add_parser(name, help=summary, module=f"river_oa3.commands.{name}")
    return parser

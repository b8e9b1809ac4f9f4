"""The command line: `river-oa3 compare`, `reproduce`, `bench`, `serve`, `score`, `show`."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence

from river_oa3.commands import bench, compare, reproduce, score, serve, show
from river_oa3.datasets import DataError

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, 1 when interrupted, or 2 for bad input."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = parser().parse_args(words)
    options.command_line = shlex.join(["river-oa3", *words])
    try:
        return int(options.run(options))
    except (DataError, ValueError, TypeError, MemoryError) as error:
        print(f"river-oa3: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing may be flushed to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("river-oa3: interrupted; what was written before is kept", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = argparse.ArgumentParser(
        prog="river-oa3",
        description="Online learning from imbalanced streams with a budget of labels.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    compare.add_arguments(commands.add_parser("compare", help="all methods on one stream"))
    reproduce.add_arguments(commands.add_parser("reproduce", help="the paper's tables and figures"))
    bench.add_arguments(
        commands.add_parser("bench", help="speed and quality beside other libraries")
    )
    serve.add_arguments(commands.add_parser("serve", help="a model behind an address"))
    score.add_arguments(
        commands.add_parser("score", help="what a model thinks of the events of a file")
    )
    show.add_arguments(commands.add_parser("show", help="what a model file holds"))
    return parser

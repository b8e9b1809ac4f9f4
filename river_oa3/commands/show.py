"""`river-oa3 show`: what a model file holds."""

from __future__ import annotations

import argparse
import json
import sys
import typing
from pathlib import Path

from river_oa3.commands.options import at_least
from river_oa3.commands.summary import printable, summary
from river_oa3.datasets import DataError
from river_oa3.files.paths import read_path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Say what a file of river_oa3.save holds: the kind of model, what it has seen, asked and "
        "learned, its budget and its heaviest weights. The file is checked, and nothing in it run."
    )
    parser.set_defaults(run=run)
    parser.add_argument("file", help="a file that river_oa3.save has written")
    parser.add_argument(
        "--weights", type=int, default=10, help="how many weights to show (default: 10)"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(options: argparse.Namespace) -> int:
    """Load the file, and print."""
    n_weights = at_least("weights", options.weights, 0)
    path = Path(options.file)
    try:
        content = read_path(path)
        size = path.stat().st_size
    except OSError as error:
        raise DataError(f"cannot read {path} ({error.strerror})") from None
    lines = {"file": printable(str(path)), "bytes": size, "checksum": "fits"}
    lines |= summary(content, n_weights)
    text = json.dumps(lines, indent=1) if options.json else "\n".join(_texts(lines))
    # A terminal that lacks a letter shows its number.
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0


def _texts(lines: dict[str, typing.Any]) -> typing.Iterator[str]:
    for heading, line in lines.items():
        if not isinstance(line, list):
            yield f"{heading:18} {_number(line) if not isinstance(line, str) else line}"
        elif line:
            yield f"\n{heading}"
            width = max(len(name) for name, _ in line)
            yield from (f"  {name:{width}} {_number(number):>12}" for name, number in line)


def _number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.5g}"

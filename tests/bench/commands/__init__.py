"""`python -m tests.bench`: how fast the learners are, and how well they do, beside others."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from river_oa3 import cli

__all__ = ["main", "parser"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a benchmark."""
    return cli.run(parser(), arguments)


def parser() -> argparse.ArgumentParser:
    """What can be measured."""
    parser = cli.Command(
        prog="python -m tests.bench",
        description="Measure our learners beside river's and those of other libraries.",
    )
    kinds = parser.add_subparsers(required=True, metavar="WHAT")
    for name, summary in {
        "speed": "time per event",
        "busy": "time per event of OA3 on a busy machine",
        "quality": "what few labels are worth",
        "batches": "what asking in batches costs",
        "service": "what the service takes",
        "spark": "what scoring on Spark costs",
    }.items():
        kinds.add_parser(name, help=summary, module=f"{__name__}.{name}")
    return parser

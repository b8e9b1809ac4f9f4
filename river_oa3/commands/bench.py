"""`river-oa3 bench`: how fast the learners are, and how well they do, beside others."""

from __future__ import annotations

import argparse

__all__ = ["add_arguments"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be measured."""
    parser.description = "Measure our learners beside river's and those of other libraries."
    kinds = parser.add_subparsers(required=True, metavar="WHAT")
    for name, summary in {
        "speed": "time per event",
        "quality": "what few labels are worth",
        "batches": "what asking in batches costs",
        "service": "what the service takes",
        "spark": "what scoring on Spark costs",
    }.items():
        kinds.add_parser(name, help=summary, module=f"bench_{name}")

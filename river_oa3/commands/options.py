"""What the commands have in common."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from river_oa3.datasets import DataError

__all__ = [
    "OUTPUT",
    "Arguments",
    "add_common",
    "add_encoding",
    "add_paper_data",
    "at_least",
    "say_written",
]

Arguments = argparse.ArgumentParser | argparse._ArgumentGroup
"""What options are added to."""

OUTPUT = "river_oa3_results"


def add_common(parser: argparse.ArgumentParser) -> None:
    """What both commands that replay streams take."""
    parser.add_argument(
        "--seed", type=int, default=0, help="the random seed (default: %(default)s)"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    parser.add_argument(
        "--output", default=OUTPUT, help="folder for the results (default: %(default)s)"
    )


def add_paper_data(parser: Arguments) -> None:
    """What they take about the paper's data sets."""
    parser.add_argument(
        "--data-dir", help="folder with the paper's data sets (default: RIVER_OA3_DATA)"
    )
    parser.add_argument(
        "--download", action="store_true", help="download data sets that are not there"
    )


def add_encoding(parser: Arguments) -> None:
    """What whatever reads a text takes."""
    parser.add_argument(
        "--encoding",
        help="the encoding of a text, such as latin-1 (default: UTF-8, or what a byte order mark "
        "says)",
    )


def say_written(paths: Sequence[Path]) -> None:
    """Say which files there are, and what is missing for pictures."""
    # model.py takes an option of here, and starts without what draws.
    from river_oa3.experiments.output import plots

    print("\nwritten:", ", ".join(map(str, paths)))
    if not plots.available():
        print("for pictures, install matplotlib: pip install 'river-oa3[plots]'")


def at_least(name: str, value: int, least: int) -> int:
    """The value of an option, unless it is too small."""
    if value < least:
        raise DataError(f"--{name} must be {least} or more, not {value}")
    return value

"""`python -m tests.bench busy`: the section of `speed` on what a busy machine does."""

from __future__ import annotations

import argparse

from . import speed

__all__ = ["add_arguments"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `speed` takes."""
    speed.add_arguments(parser)
    parser.set_defaults(sections="busy")

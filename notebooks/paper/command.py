"""`python -m notebooks.paper`: the paper's tables and figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from river_oa3 import cli, datasets
from river_oa3.commands.options import add_common, add_paper_data, at_least, say_written
from river_oa3.datasets import DataError

from .registry import EXPERIMENTS, EXTRAS
from .reproduction import reproduce
from .study import Study

__all__ = ["add_arguments", "main", "parser", "run"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run experiments."""
    return cli.run(parser(), arguments)


def parser() -> argparse.ArgumentParser:
    """The command, with what it takes."""
    return cli.Command(prog="python -m notebooks.paper", module=__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Run experiments of the paper with its settings, on as many of its data sets as are there, "
        "beside the published figures."
    )
    parser.epilog = "; ".join(
        f"{name}: {each.title}" for name, each in (EXPERIMENTS | EXTRAS).items()
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "experiments",
        nargs="+",
        choices=(*EXPERIMENTS, *EXTRAS, "all"),
        metavar="EXPERIMENT",
        help=f"one or more of {', '.join(EXPERIMENTS)}, or all; beyond the paper: "
        f"{', '.join(EXTRAS)}",
    )
    parser.add_argument(
        "--sets", help="which data sets, with commas between (default: all that are there)"
    )
    parser.add_argument(
        "--permutations",
        type=int,
        help="orders to average over (as in the paper: 20, or 10 on CIFAR-10 and IAD; 3 if quick)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a first result in a minute or two: a part of the events, a smaller grid",
    )
    parser.add_argument(
        "--tuning-events",
        metavar="N[,N,N]",
        help="events to tune on, or all; three numbers are those of the coarse grid, of the better "
        "points with their neighbours, and of the finals (all, fewer where a run takes long)",
    )
    parser.add_argument(
        "--tuning-orders",
        type=int,
        metavar="N",
        help="orders of the events in the finals of the tuning (20, fewer where a run takes long)",
    )
    parser.add_argument(
        "--paper-accounting",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="count events without features as mistakes, as the paper's figures do (default: yes)",
    )
    add_common(parser)
    add_paper_data(parser)


def run(options: argparse.Namespace) -> int:
    """Run the experiments; what is interrupted says how to go on."""
    names = list(EXPERIMENTS) if "all" in options.experiments else options.experiments
    study = Study(
        Path(options.output),
        _sets(options.sets),
        options.data_dir,
        options.download,
        _at_least_one("permutations", options.permutations),
        at_least("seed", options.seed, 0),
        at_least("jobs", options.jobs, 1),
        options.paper_accounting,
        _tuning_events(options.tuning_events),
        _at_least_one("tuning-orders", options.tuning_orders),
        options.quick,
    )
    try:
        with study:
            say_written(reproduce(study, dict.fromkeys(names), _say))
    except KeyboardInterrupt:
        print(
            f"interrupted; {len(study.store):,} finished runs and what was written are "
            f"kept in {study.folder}, and the same command goes on from there:\n"
            f"  {options.command_line}",
            file=sys.stderr,
        )
        return 1
    return 0


def _at_least_one(name: str, value: int | None) -> int | None:
    return None if value is None else at_least(name, value, 1)


def _say(text: str) -> None:
    # At once, also to a file: whoever watches a run of hours wants to see its tables.
    print(text, flush=True)


def _sets(text: str | None) -> list[str] | None:
    """Data sets by name, whatever the case of the letters."""
    if text is None:
        return None
    known = {name.lower(): name for name in datasets.paper.SETS}
    for name in text.split(","):
        if name.strip().lower() not in known:
            raise DataError(
                f"the paper has no data set {name!r}: choose from {', '.join(known.values())}"
            )
    return [known[name.strip().lower()] for name in text.split(",")]


def _tuning_events(text: str | None) -> tuple[int | None, int | None, int | None] | None:
    """The events of the three stages of tuning; None is all of them."""
    if text is None:
        return None
    try:
        stages = [None if part.strip() == "all" else int(part) for part in text.split(",")]
    except ValueError:
        stages = []
    if len(stages) == 1:
        stages *= 3
    if len(stages) != 3 or any(stage is not None and stage < 1 for stage in stages):
        raise DataError(
            f"--tuning-events takes a number of events, or all, or three of them such as "
            f"500,2000,all, not {text!r}"
        )
    coarse, fine, final = stages
    return coarse, fine, final

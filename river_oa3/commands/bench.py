"""`river-oa3 bench`: how fast the learners are."""

from __future__ import annotations

import argparse
import json

from river_oa3.commands.options import OUTPUT, say_written
from river_oa3.experiments.bench import speed
from river_oa3.experiments.bench.pictures import scaling
from river_oa3.experiments.output import plots
from river_oa3.experiments.output.files import results_folder, write_text

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Measure predict + learn per event for our learners, river's, and other libraries where "
        "they are installed, as events, vocabulary and sketch grow."
    )
    parser.set_defaults(run=run)
    parser.add_argument("what", choices=("speed",), help="what to measure")
    parser.add_argument("--quick", action="store_true", help="a rough figure in seconds")
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write."""
    folder = results_folder(options.output)
    measured = speed.measure(speed.QUICK if options.quick else speed.Effort())
    print(", ".join(f"{name} {version}" for name, version in measured.machine.items()))
    print()
    print(speed.table(measured))
    paths = [folder / "speed.json"]
    content = {
        "cases": measured.cases,
        "sweeps": [sweep._asdict() for sweep in measured.sweeps],
        "machine": measured.machine,
    }
    write_text(paths[0], json.dumps(content, indent=1) + "\n")
    if plots.available():
        paths += plots.save(scaling(measured), folder, "speed")
    say_written(paths)
    return 0

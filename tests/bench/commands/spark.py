"""`python -m tests.bench spark`: what scoring on Spark costs beside one process."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from river_oa3.commands.options import OUTPUT
from river_oa3.datasets import DataError
from river_oa3.experiments.output.files import results_folder, write_text
from river_oa3.experiments.output.report import processor, versions

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Score the same Parquet files in one process and on one and two cores of Spark, in turn, "
        "without the start of its session, the least time of each; processor time is that of all "
        "processes. 'Spark' is score as it is: workers read the files themselves. 'Through Java' "
        "is what a frame takes that is more than files; two parts of it are timed on their own."
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--events", default="100000,1000000", help="numbers of events (100000,1000000)"
    )
    parser.add_argument("--repeats", type=int, default=5, help="turns that count (5)")
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write."""
    try:
        sizes = [int(float(word)) for word in options.events.split(",")]
    except ValueError:
        raise DataError("--events must be numbers with commas between them") from None
    if min(sizes) < 1:
        raise DataError("--events must be 1 or more")
    if options.repeats < 1:
        raise DataError("--repeats must be 1 or more")
    try:
        from river_oa3.spark.sessions import java_problem

        from ..spark.measure import measure
    except ImportError as error:
        raise DataError(
            f"this needs the extra 'spark' and psutil: pip install 'river-oa3[spark]' psutil "
            f"({error})"
        ) from None
    problem = java_problem()
    if problem is not None:
        raise DataError(problem)
    folder = results_folder(options.output)
    found = []
    with tempfile.TemporaryDirectory(prefix="river-oa3-") as files:
        for each in measure(Path(files), sizes, options.repeats):
            found.append(each)
            way = each.way + (f", {each.cores} cores" if each.cores else "")
            bar = {None: "", True: "  reached", False: "  NOT REACHED"}[each.passes]
            print(
                f"{each.shape:5} {each.events:>10,} events  {way:29} "
                f"{each.events / each.elapsed:>10,.0f} events/s, processor "
                f"{1e6 * each.processor / each.events:5.2f} us/event ({each.times_processor:.2f} "
                f"times), elapsed {each.elapsed:.2f} s ({each.times_elapsed:.2f} times){bar}",
                flush=True,
            )
    path = folder / "spark.json"
    content = {
        "measured": [each._asdict() | {"passes": each.passes} for each in found],
        "versions": versions() | {"processor": processor()},
    }
    write_text(path, json.dumps(content, indent=1) + "\n")
    print(f"\nwritten: {path}")
    return 0

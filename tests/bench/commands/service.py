"""`python -m tests.bench service`: how many events a second the service takes."""

from __future__ import annotations

import argparse
import json

from river_oa3.commands.options import OUTPUT
from river_oa3.datasets import DataError
from river_oa3.experiments.output.files import results_folder, write_text
from river_oa3.experiments.output.report import processor, versions

from ..service.measure import BARS, MODEL, Measured, measure

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Start the service on one core and load it from another, over loopback: as many events as "
        "it takes, then half of what it has to take, where the time of each answer counts. "
        f"Measured is {MODEL}."
    )
    parser.set_defaults(run=run)
    parser.add_argument("--seconds", type=float, default=10.0, help="per measurement (10)")
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write."""
    if not 0.1 <= options.seconds <= 3600.0:
        raise DataError("--seconds must be from 0.1 to 3600")
    folder = results_folder(options.output)
    measured = measure(options.seconds)
    print(MODEL)
    for each in measured:
        print(_line(each))
    path = folder / "service.json"
    content = {
        "measured": [each._asdict() | {"at_half": each.at_half._asdict()} for each in measured],
        "model": MODEL,
        "versions": versions() | {"processor": processor()},
    }
    write_text(path, json.dumps(content, indent=1) + "\n")
    print(f"\nwritten: {path}")
    return 0


def _line(measured: Measured) -> str:
    how = "one by one" if measured.batch == 1 else f"in batches of {measured.batch}"
    half = measured.at_half
    return (
        f"{how}: {measured.events_per_second:,.0f} events a second (bar {BARS[measured.batch]:,}); "
        f"at {half.events_per_second:,.0f} a second, answers take {half.median:.1f} ms, "
        f"99 of 100 less than {half.p99:.1f} ms, the longest {half.longest:.1f} ms; "
        f"{measured.labels:,} labels learned, {measured.refused} requests refused; "
        f"{'reached' if measured.passes else 'NOT REACHED'}"
    )

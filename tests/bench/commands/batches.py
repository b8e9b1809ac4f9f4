"""`python -m tests.bench batches`: what it costs to ask in batches."""

from __future__ import annotations

import argparse
import json
import typing

import numpy as np

from river_oa3.commands.options import OUTPUT, at_least
from river_oa3.datasets import DataError
from river_oa3.experiments.output.files import results_folder, write_text
from river_oa3.experiments.output.report import versions

from ..commands.quality import add_streams, shares, split
from ..quality.streams import open_streams

if typing.TYPE_CHECKING:
    from ..batches import Compared

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Run ours with its defaults over the same orders of the same streams with the same hard "
        "budgets of labels, as single events and in batches as on Spark, where the model stands "
        "still for a batch: the balanced sum may fall by 1 point."
    )
    parser.set_defaults(run=run)
    add_streams(parser)
    parser.add_argument(
        "--budgets",
        default="2",
        help="percent of the events that may be asked about, with commas between (2)",
    )
    parser.add_argument("--batches", type=int, default=100, help="batches per order (100)")
    parser.add_argument("--orders", type=int, default=5, help="orders per stream (5)")
    parser.add_argument("--events", type=int, help="events of an order at most (all)")
    parser.add_argument("--seed", type=int, default=0, help="makes everything repeatable (0)")
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")


def run(options: argparse.Namespace) -> int:
    """Run, print, and write."""
    n_batches = at_least("batches", options.batches, 1)
    orders = range(at_least("orders", options.orders, 1))
    seed = at_least("seed", options.seed, 0)
    events = 2**62 if options.events is None else at_least("events", options.events, 10)
    budgets = shares(options.budgets)
    wanted = None if options.streams is None else split(options.streams)
    try:
        from ..batches import BAR, compare
    except ImportError as error:
        raise DataError(
            f"this needs the extra 'tables': pip install 'river-oa3[tables]' ({error})"
        ) from None
    folder = results_folder(options.output)
    found = []
    for stream in open_streams(options.data_dir, wanted):
        for share in budgets:
            found.append(compare(stream, share, n_batches, orders, events, seed))
            print(_line(found[-1]), flush=True)
    path = folder / "batches.json"
    content = {
        "bar": BAR,
        "seed": seed,
        "compared": [
            each._asdict() | {"difference": each.difference, "passes": each.passes}
            for each in found
        ],
        "versions": versions(),
    }
    write_text(path, json.dumps(content, indent=1) + "\n")
    print(f"\nwritten: {path}")
    return 0


def _line(each: Compared) -> str:
    apart = np.subtract(each.batched, each.single)
    return (
        f"{each.stream:14} {100 * each.share:g}% ({each.labels:,} labels)  single "
        f"{np.mean(each.single):.2f}, {each.n_batches} batches {np.mean(each.batched):.2f}, "
        f"difference {each.difference:+.2f} (orders {apart.min():+.2f} to {apart.max():+.2f}), "
        f"{np.mean(each.one_by_one):,.0f} events one by one  {'PASS' if each.passes else 'FAIL'}"
    )

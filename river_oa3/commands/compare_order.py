"""In which order `river-oa3 compare` plays events: as somebody asked, else as the data say."""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from river_oa3.commands.options import Arguments
from river_oa3.datasets import Stream, paper
from river_oa3.datasets.opening import is_named
from river_oa3.datasets.preparation import Profile
from river_oa3.datasets.preparation.row_order import row_order
from river_oa3.datasets.sources import Source
from river_oa3.experiments.orders import (
    Order,
    as_given,
    by_rows,
    chosen_time,
    columns_of,
    in_time,
    places_of,
)
from river_oa3.experiments.output.progress import Progress

__all__ = ["add_order_arguments", "asked_for", "order_of_stream", "order_of_table"]


def add_order_arguments(parser: Arguments) -> None:
    """What the command takes about the order of the events."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--time",
        metavar="COLUMN",
        help="play the events in the order of this column, of dates or of numbers (default: a date "
        "column, if there is one; else the order of the file, if neighbouring rows are alike)",
    )
    group.add_argument(
        "--in-order", action="store_true", help="play the events in the order of the file"
    )
    group.add_argument(
        "--shuffle",
        "--permutations",
        dest="shuffle",
        type=int,
        metavar="N",
        help="play N shuffles of the events, as the paper does",
    )


def asked_for(options: argparse.Namespace) -> Order | None:
    """The order that the options name; None where the data decide, or a column does."""
    if options.shuffle is not None:
        return as_given("shuffled", "as asked for by --shuffle")
    if options.in_order:
        return as_given("file", "as asked for by --in-order")
    return None


def order_of_table(
    options: argparse.Namespace, source: Source, profile: Profile
) -> tuple[Order, NDArray[np.int64] | None]:
    """The order of the rows of a table, and the place of each row where they are to be sorted."""
    order = asked_for(options)
    if order is not None:
        return order, None
    with Progress(f"looking for the order of {source.name}", 1.0) as progress:
        found = row_order(source, profile, options.time, progress.move_to)
    is_named = options.time is not None
    chosen = found.times[0] if is_named else chosen_time(found.times)
    if chosen is None:
        return by_rows(found.y, found.columns), None
    others = [each for each in found.times if each is not chosen]
    return in_time(chosen, others, is_named), places_of(chosen)


def order_of_stream(options: argparse.Namespace, stream: Stream) -> Order:
    """The order of the events of a data set that is no table."""
    if (order := asked_for(options)) is not None:
        return order
    if is_named(options.data) and paper.find(options.data) is not None:
        return as_given("shuffled", "as in the paper, of which this is a data set")
    if stream.permutations is not None:
        return as_given("shuffled", "the file brings shuffles of its own")
    return by_rows(stream.y, columns_of(stream.X, stream.names))

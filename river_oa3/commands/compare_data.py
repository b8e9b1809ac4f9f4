"""The data of `river-oa3 compare`: opened, and made ready where they are a stranger's table."""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from river_oa3 import datasets
from river_oa3.commands.compare_order import asked_for, order_of_stream, order_of_table
from river_oa3.commands.options import Arguments, add_encoding
from river_oa3.datasets import DataError, Stream, files, preparation
from river_oa3.datasets.chunk_writer import ChunkWriter, written_out
from river_oa3.datasets.chunked import AnyStream, ChunkedStream
from river_oa3.datasets.large_libsvm import LARGE, read_large_libsvm
from river_oa3.datasets.opening import is_libsvm, is_named
from river_oa3.datasets.preparation import FoundSchema, Options
from river_oa3.datasets.sources import Source, open_source
from river_oa3.experiments.methods import find
from river_oa3.experiments.orders import Order, by_rows
from river_oa3.experiments.output.progress import Progress, downloading
from river_oa3.schema import Column, Schema
from river_oa3.schema.batch import Encoder

__all__ = [
    "Data",
    "add_data_arguments",
    "chunks_folder",
    "opened_table",
    "read",
    "sample_of",
    "scaled_once",
]

FOR_TABLES = ("label", "drop", "keep", "category", "time")
"""Options that name columns, which nothing but a table has."""


@dataclasses.dataclass(frozen=True)
class Data:
    """The events as they are played, and what the columns of their table are, if they have one."""

    stream: AnyStream
    order: Order
    found: FoundSchema | None = None
    source: Source | None = None

    @property
    def positive(self) -> str:
        """What the positive class is called."""
        if self.found is None:
            return "the positive class"
        return " or ".join(map(repr, self.found.profile.positive))

    @property
    def schema(self) -> Schema | None:
        """What turns a row as it came into an event, where that takes anything.

        A data set of numbers with names may well come as texts next time.
        """
        if self.found is not None:
            return self.found.schema
        return _schema_of_numbers(self.stream)


def add_data_arguments(parser: Arguments) -> None:
    """What the command takes about the data."""
    parser.add_argument(
        "data",
        nargs="?",
        default="Shuttle",
        metavar="DATA",
        help="a file (CSV, Parquet, JSON lines, LIBSVM text, npz), a river data set, or one of the "
        f"paper's: {', '.join(datasets.paper.SETS)} (default: Shuttle, which comes with river)",
    )
    parser.add_argument(
        "--label", help="the label column of a table (default: label, target, class or y)"
    )
    parser.add_argument(
        "--positive", help="the class to look for (default: true or 1, else the rarer of two)"
    )
    for name, what in (
        ("drop", "leave these columns out"),
        ("keep", "keep these columns, which look like an id or a constant"),
        ("category", "take these columns as categories, numbers too"),
    ):
        parser.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="COLUMN",
            help=f"{what}; may be repeated, or several with commas between",
        )
    add_encoding(parser)
    parser.add_argument(
        "--decimal",
        choices=(".", ","),
        help="the sign before decimals (default: as the file shows it, which 1,234 alone does not)",
    )
    parser.add_argument(
        "--sample",
        metavar="ROWS",
        help="a first look: so many rows at random, or a share such as 5%% (default: all)",
    )


def table_options(options: argparse.Namespace, columns: list[str] | None) -> Options:
    """What the options say about a table."""
    named = {name: _columns(getattr(options, name), columns) for name in FOR_TABLES[1:4]}
    return Options(
        label=options.label,
        positive=options.positive,
        decimal=options.decimal,
        sample=sample_of(options.sample),
        seed=options.seed,
        **named,
    )


def _columns(texts: list[str], columns: list[str] | None) -> tuple[str, ...]:
    """The columns that are named; a comma stands between two unless a column is called so."""
    known = set(columns or ())
    found = []
    for text in texts:
        # The names in a CSV file have no blanks around them.
        parts = [text] if text in known else text.split(",")
        found += [part if part in known else part.strip() for part in parts if part]
    return tuple(dict.fromkeys(found))


def sample_of(text: str | None) -> float | None:
    """A number of rows, or a share of them."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*(%|percent)?\s*", text)
    try:
        number = float(match.group(1)) if match else float("nan")
    except ValueError:
        number = float("nan")
    if match is not None and match.group(2):
        number /= 100.0
        if 0.0 < number < 1.0:
            return number
    elif number >= 1.0 and number == int(number):
        return number
    raise DataError(
        f"--sample takes a number of rows or a share such as 5%, above 0% and below 100%, not "
        f"{text!r}"
    )


def opened_table(options: argparse.Namespace) -> Source | None:
    """The table that the options name; None where they name anything else."""
    path = Path(options.data).expanduser()
    is_set = is_named(options.data)
    if not is_set and not os.path.isfile(path):
        return None  # which is said where it is opened
    source = None if is_set else open_source(path, options.encoding)
    if source is None and not (is_set or is_libsvm(path) or files.parted(path)[1] == ".npz"):
        raise DataError(
            f"{path} is of a kind that cannot be read: save it as CSV, Parquet or JSON lines, "
            "under a name that ends in .csv, .parquet or .jsonl"
        )
    if source is None:
        for name in (*FOR_TABLES, "encoding", "decimal"):
            if getattr(options, name):
                raise DataError(
                    f"--{name} is for a table, and {options.data} is not a table: leave --{name} "
                    "out"
                )
    return source


@contextmanager
def chunks_folder(output: str) -> Iterator[Path]:
    """Where chunks of a large stream lie while the command runs."""
    folder = Path(output) / f".river-oa3-{secrets.token_hex(8)}"
    is_new = not Path(output).exists()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        # What was made for the chunks alone does not stay behind.
        if is_new and Path(output).is_dir() and not any(Path(output).iterdir()):
            Path(output).rmdir()


def read(options: argparse.Namespace, source: Source | None, folder: Path) -> Data:
    """All events that the options name, in memory or in chunks."""
    if source is None:
        return _data_of_set(options, folder)
    asked = table_options(options, source.columns)
    with Progress(f"looking at {source.name}", 1.0) as progress:
        profile = preparation.profile(source, asked, progress.move_to)
    found = preparation.schema_of(profile, asked)
    order, places = order_of_table(options, source, profile)
    kept = ChunkWriter(
        source.name,
        folder,
        profile.taken,
        profile.taken * found.values_per_row,
        not order.is_shuffled,
        options.seed,
        places,
    )
    encoder = Encoder(found.schema)
    with Progress(f"reading {source.name}", 1.0) as progress:
        for rows in found.encoded(source, encoder, progress.move_to):
            kept.add(rows, len(encoder.names))
    return Data(kept.finish(encoder.names), order, found, source)


def _schema_of_numbers(stream: AnyStream) -> Schema | None:
    """The schema of a data set without a table whose features have names and are all numbers."""
    names = [name for name in stream.names if isinstance(name, str) and "=" not in name]
    if not isinstance(stream, Stream) or not names or len(names) < len(stream.names):
        return None
    # Events are without their zeros, so what an event lacks is a zero and no gap.
    return Schema({name: Column("number", sparse=True) for name in names})


def scaled_once(stream: AnyStream, methods: Sequence[str]) -> AnyStream:
    """A stream for these methods, scaled on disk once where each would scale it for itself."""
    if not isinstance(stream, ChunkedStream) or stream.is_as_written:
        return stream
    if all(find(method).takes_raw for method in methods):
        return stream
    with Progress(f"scaling {stream.name}", 1.0) as progress:
        return written_out(stream, progress.move_to)


def _data_of_set(options: argparse.Namespace, folder: Path) -> Data:
    """A stream of numbers: LIBSVM, npz, or a set by its name."""
    order: list[Order] = []

    def is_in_order(y: NDArray[np.bool_]) -> bool:
        """By the labels: the values of a large file are still to be read."""
        order.append(asked_for(options) or by_rows(y, {}))
        return not order[0].is_shuffled

    stream = _sampled(_stream(options, folder, is_in_order), options)
    if isinstance(stream, Stream):
        order = [order_of_stream(options, stream)]
    return Data(stream, order[0])


def _stream(
    options: argparse.Namespace, folder: Path, is_in_order: Callable[[NDArray[np.bool_]], bool]
) -> AnyStream:
    path = Path(options.data).expanduser()
    if not is_named(options.data) and is_libsvm(path) and os.path.getsize(path) > LARGE:
        files.check(path)
        with Progress(f"reading {path.name}", 1.0) as bar:
            return read_large_libsvm(
                path,
                folder,
                positive=options.positive,
                in_order=is_in_order,
                seed=options.seed,
                progress=bar.move_to,
            )
    with downloading(options.data) as progress:
        return datasets.open_stream(
            options.data,
            positive=options.positive,
            data_dir=options.data_dir,
            download=options.download,
            progress=progress,
        )


def _sampled(stream: AnyStream, options: argparse.Namespace) -> AnyStream:
    sample = sample_of(options.sample)
    if sample is None:
        return stream
    if not isinstance(stream, Stream):
        raise DataError(
            f"--sample takes rows of a table, and {stream.name} is a large LIBSVM file: cut it"
        )
    draws = np.random.default_rng(options.seed).random(len(stream))
    rows = (
        np.flatnonzero(draws < sample)
        if sample < 1.0
        else np.sort(np.argsort(draws, kind="stable")[: int(sample)])
    )
    return datasets.stream(
        stream.name, stream.X[rows], stream.y[rows], names=stream.names, note=stream.note
    )

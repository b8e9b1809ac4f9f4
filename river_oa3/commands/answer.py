"""What `model.py`, which `river-oa3 compare` writes, does with a file of rows."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from river_oa3.active import ActiveLearner
from river_oa3.commands.options import add_encoding
from river_oa3.datasets import DataError, files
from river_oa3.datasets.libsvm import read_libsvm
from river_oa3.datasets.npz import read_npz
from river_oa3.datasets.opening import is_libsvm
from river_oa3.datasets.sources import Source, open_source

__all__ = ["answer_file", "rows_of"]


def answer_file(load: Callable[[], ActiveLearner], words: Sequence[str]) -> int:
    """Print an answer for each row of the file that the command line names; the exit code.

    Parameters
    ----------
    load
        Gives the model.
    words
        The command line, the name of the program first.

    """
    options = _parser(Path(words[0]).name).parse_args(words[1:])
    try:
        _answer(load(), Path(options.file).expanduser(), options.encoding)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output has seen enough; nothing may be flushed to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (DataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 1
    return 0


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python {name}",
        description="Prints for each row of a file the label, its probability, and 'ask' where the "
        "true label is worth its price.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a CSV, TSV, Parquet or JSON lines file, compressed or not, with the columns of the "
        "one that was compared; others are passed over, the label too",
    )
    add_encoding(parser)
    return parser


def _answer(model: ActiveLearner, path: Path, encoding: str | None) -> None:
    files.check(path)
    source = open_source(path, encoding)
    if source is None and encoding is not None:
        raise DataError(f"--encoding is for a table, and {path} is not a table: leave it out")
    rows: Iterator[dict[Any, Any]] = _features(path) if source is None else rows_of(source)
    for number, row in enumerate(rows):
        try:
            probability = model.classifier.predict_proba_one(row).get(True, 0.0)
            label, ask = model.predict_one(row)
        except (ValueError, TypeError) as error:
            where = f"{path}, event {number + 1}" if source is None else source.where(number)
            raise DataError(f"{where}: {error}") from None
        print(label, f"{probability:.4f}", "ask" if ask else "", sep="\t")


def rows_of(source: Source) -> Iterator[dict[str, Any]]:
    """The rows of a table: dicts of column and value, in which a column may be absent."""
    for batch in source.batches():
        rows: list[dict[str, Any]] = [{} for _ in range(batch.n)]
        for name, cells in batch.columns.items():
            numbers = range(batch.n) if cells.rows is None else cells.rows.tolist()
            for number, value in zip(numbers, cells.values.to_pylist(), strict=True):
                rows[number][name] = value
        yield from rows


def _features(path: Path) -> Iterator[dict[int, float]]:
    """The events of a file that names no columns: a dict of index and value."""
    if files.parted(path)[1] == ".npz":
        X = read_npz(path).X
    elif is_libsvm(path):
        X = read_libsvm(path)[0]
    else:
        raise DataError(
            f"{path} is of a kind that cannot be read: save it as CSV, Parquet or JSON lines, "
            "under a name that ends in .csv, .parquet or .jsonl"
        )
    for row in range(X.shape[0]):
        values = X[[row]]
        dense = np.asarray(values.todense() if hasattr(values, "todense") else values).ravel()
        at = np.flatnonzero(dense)
        yield dict(zip(at.tolist(), dense[at].tolist(), strict=True))

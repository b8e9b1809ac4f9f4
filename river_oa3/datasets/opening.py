"""Open data of any kind as a stream."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from river_oa3.datasets import files, paper, river_sets
from river_oa3.datasets.download import Progress
from river_oa3.datasets.encode import Table
from river_oa3.datasets.errors import DataError, short_repr
from river_oa3.datasets.libsvm import read_libsvm
from river_oa3.datasets.npz import read_npz
from river_oa3.datasets.pairs import read_pairs
from river_oa3.datasets.streams import Stream, stream
from river_oa3.datasets.tables import is_frame, read_frame, read_table

if TYPE_CHECKING:
    from river.datasets import base

_TABLES = (".csv", ".tsv", ".parquet", ".pq")
# The last four are LIBSVM's own names for the parts of a set.
_LIBSVM = ("", ".libsvm", ".svm", ".txt", ".t", ".tr", ".val", ".scale")


def open_stream(
    data: Any,
    *,
    label: str | None = None,
    positive: Any = None,
    data_dir: str | Path | None = None,
    download: bool = False,
    progress: Progress | None = None,
    name: str | None = None,
) -> Stream:
    """Load a whole stream: from a file, by name, from a data frame or from an iterable.

    Parameters
    ----------
    data
        A file (.npz, .csv, .tsv, .parquet, or text in LIBSVM's format, compressed or not); the
        name of a set of the paper, or of river, which `river:` before it tells apart; a data set
        of river; a data frame; an iterable of (dict, label) that ends; a `Stream`, which is
        returned as it is.
    label
        The column of the labels in a table; by default the one called label, target, class or y.
    positive
        The positive class. Where none is named, True, 1 and +1 are, and of two other classes the
        rarer one.
    data_dir
        The folder with the paper's sets; else RIVER_OA3_DATA, else river_oa3_data in the user's
        home.
    download
        Whether to fetch a set that is not there.
    progress
        Called while a file of the paper's sets comes, with the bytes that are there and how many
        there will be.
    name
        What to call the stream.

    Examples
    --------

    >>> from river_oa3 import datasets

    >>> datasets.open_stream("river:Phishing")
    Stream(name='Phishing', events=1250, features=9, positives=548)

    >>> mail = [({"words": 3, "from": "home"}, "ham"), ({"words": 90, "from": "shop"}, "spam")]
    >>> stream = datasets.open_stream(mail, positive="spam", name="mail")
    >>> for x, y in stream.events():
    ...     print(x, y)
    {'words': 3.0, 'from=home': 1.0} False
    {'words': 90.0, 'from=shop': 1.0} True

    """
    if isinstance(data, Stream):
        return data
    if isinstance(data, str | os.PathLike):
        known = _named(str(data))
        if isinstance(known, paper.PaperSet):
            _refuse_label(known.name, label)
            found = paper.load(known.name, data_dir, download, progress, positive=positive)
            return found if name is None else _renamed(found, name)
        if known is None:
            return _from_file(Path(data).expanduser(), label, positive, name)
        data = known
    if is_frame(data):
        return _made(name or "frame", read_frame(data, label), positive)
    _refuse_label(type(data).__name__, label)
    if river_sets.is_dataset(data):
        table = river_sets.read_dataset(data, download)
        return _made(name or type(data).__name__, table, positive)
    if isinstance(data, np.ndarray | Mapping | bytes) or scipy.sparse.issparse(data):
        raise DataError(
            f"{short_repr(data)} has no labels: make a stream with "
            "datasets.stream(name, X, labels), or give pairs of a dict and a label"
        )
    if isinstance(data, Iterable):
        return _made(name or "stream", read_pairs(data), positive)
    raise DataError(
        f"{short_repr(data)} is not a stream: give a file, a name, a data frame or pairs of a "
        "dict and a label"
    )


def is_named(data: str) -> bool:
    """Whether a text is the name of a set, not of a file."""
    return _named(data) is not None


def is_libsvm(path: Path) -> bool:
    """Whether this is a file that would be read as LIBSVM's format."""
    return os.path.isfile(path) and files.parted(path)[1] in _LIBSVM


def _named(data: str) -> paper.PaperSet | base.Dataset | None:
    """What a text stands for that is not a file."""
    prefix, _, name = data.rpartition(":")
    if prefix.casefold() == "river":
        dataset = river_sets.find(name)
        if dataset is None:
            raise DataError(
                f"river has no data set {name!r}: those with classes that come with it are "
                f"{', '.join(river_sets.names())}"
            )
        return dataset
    if os.path.isfile(os.path.expanduser(data)):
        return None
    return paper.find(data) or river_sets.find(data)


def _from_file(path: Path, label: str | None, positive: Any, name: str | None) -> Stream:
    if not os.path.exists(path):
        raise DataError(
            f"no such file: {path}; the names that are known are {', '.join(paper.SETS)} and "
            f"river:{', river:'.join(river_sets.names())}"
        )
    files.check(path)
    stem, suffix = files.parted(path)
    title = name or stem
    if suffix in _TABLES:
        return _made(title, read_table(path, label), positive)
    _refuse_label(str(path), label)
    if suffix == ".npz":
        arrays = read_npz(path)
        return stream(
            title,
            arrays.X,
            arrays.labels(positive),
            positive=positive,
            permutations=arrays.permutations,
        )
    if suffix in _LIBSVM:
        X, labels = read_libsvm(path)
        return stream(title, X, labels, positive=positive)
    known = [".npz", *_TABLES, *_LIBSVM[1:]]
    raise DataError(
        f"{path} is of a kind that cannot be read: name it with one of {', '.join(known)}, or "
        "without a suffix if it is in LIBSVM's format"
    )


def _made(name: str, table: Table, positive: Any) -> Stream:
    return stream(name, table.X, table.labels, positive=positive, names=table.names)


def _renamed(found: Stream, name: str) -> Stream:
    return Stream(name, found.X, found.y, found.names, found.note, found.permutations)


def _refuse_label(what: str, label: str | None) -> None:
    if label is not None:
        raise DataError(
            f"--label names a column of a table, and {what} is not a table: leave --label out"
        )

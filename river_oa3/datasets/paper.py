"""The paper's data sets by name: what they are, where they come from, which files hold them."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from river_oa3.datasets.archives import read_ad_data, read_cifar_batch
from river_oa3.datasets.download import Progress, download
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.files import COMPRESSED
from river_oa3.datasets.labels import Labels
from river_oa3.datasets.libsvm import read_libsvm
from river_oa3.datasets.npz import read_npz
from river_oa3.datasets.stream import Stream, stream

__all__ = ["SETS", "PaperSet", "Source", "data_folder", "find", "load"]

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"


class _Content(NamedTuple):
    X: Any
    labels: Labels
    permutations: Any = None


def _from_npz(paths: list[Path], positive: str) -> _Content:
    arrays = read_npz(paths[0])
    return _Content(arrays.X, arrays.labels(positive), arrays.permutations)


def _from_libsvm(paths: list[Path], positive: str) -> _Content:
    """The rows of all files, one after the other, with the columns from index 1 on."""
    parts = [read_libsvm(path) for path in paths]
    width = max(X.shape[1] for X, _ in parts)
    for X, _ in parts:
        X.resize(X.shape[0], width)
    X = scipy.sparse.vstack([X for X, _ in parts], format="csr")
    if not (X.indices == 0).any():
        X = X[:, 1:]
    return _Content(X, np.concatenate([labels for _, labels in parts]))


def _from_ad_data(paths: list[Path], positive: str) -> _Content:
    return _Content(*read_ad_data(paths[0]))


def _from_cifar(paths: list[Path], positive: str) -> _Content:
    return _Content(*read_cifar_batch(paths[0]))


@dataclasses.dataclass(frozen=True)
class Source:
    """Files that hold a set, all of them needed, and what they hold of it.

    Parameters
    ----------
    files
        Their names, in any case; those of LIBSVM may be compressed.
    read
        How to read them.
    positive
        The class that is positive in these files.
    note
        What a result on them has to be called.
    whole
        Whether it is the paper's set: then it must have the paper's numbers.
    drops_rows
        Whether rows with missing values are removed: then a number of rows that is not the
        paper's is noted and not refused.

    """

    files: tuple[str, ...]
    read: Callable[[list[Path], str], _Content]
    positive: str
    note: str = ""
    whole: bool = True
    drops_rows: bool = False


@dataclasses.dataclass(frozen=True)
class PaperSet:
    """One of the paper's data sets.

    Parameters
    ----------
    name
        What the paper calls it.
    rows, features, positives
        Its size in the paper.
    positive
        The class that is taken as positive.
    page
        Where to read about it.
    urls
        What to download; nothing where one has to register first.
    sources
        The files that are looked for, in this order.

    """

    name: str
    rows: int
    features: int
    positives: int
    positive: str
    page: str
    urls: tuple[str, ...]
    sources: tuple[Source, ...]


SETS: dict[str, PaperSet] = {
    known.name: known
    for known in (
        PaperSet(
            name="w8a",
            rows=64_700,
            features=300,
            positives=1_933,
            positive="1",
            page=f"{_LIBSVM}/binary.html#w8a",
            urls=(f"{_LIBSVM}/binary/w8a", f"{_LIBSVM}/binary/w8a.t"),
            sources=(
                Source(("w8a.npz",), _from_npz, "1"),
                Source(("w8a", "w8a.t"), _from_libsvm, "1"),
            ),
        ),
        PaperSet(
            name="protein",
            rows=17_766,
            features=357,
            # The paper prints 1:1.7; its own costs, sensitivities and specificities say 1:1.17.
            positives=8_198,
            positive="0",
            page=f"{_LIBSVM}/multiclass.html#protein",
            urls=(f"{_LIBSVM}/multiclass/protein.bz2",),
            sources=(
                Source(("protein",), _from_libsvm, "0"),
                Source(("protein_val.npz",), _from_npz, "0", "a 16 % part of protein", whole=False),
            ),
        ),
        PaperSet(
            name="Sensorless",
            rows=58_509,
            features=48,
            positives=5_319,
            positive="1",
            page=f"{_LIBSVM}/multiclass.html#Sensorless",
            urls=(f"{_LIBSVM}/multiclass/Sensorless",),
            sources=(
                Source(("Sensorless",), _from_libsvm, "1"),
                Source(
                    ("sensorless_sub2200.npz",),
                    _from_npz,
                    "1",
                    "a 3.8 % sample of Sensorless",
                    whole=False,
                ),
            ),
        ),
        PaperSet(
            name="KDDCUP08",
            rows=102_294,
            features=117,
            positives=623,
            positive="1",
            page="https://www.kdd.org/kdd-cup/view/kdd-cup-2008",
            urls=(),
            sources=(
                Source(("KDDCUP08.npz",), _from_npz, "1"),
                Source(("KDDCUP08",), _from_libsvm, "1"),
                Source(
                    ("kdd04_bio.npz",),
                    _from_npz,
                    "1",
                    "KDD Cup 2004 protein homology in place of KDDCUP08",
                    whole=False,
                ),
            ),
        ),
        PaperSet(
            name="IAD",
            rows=2_410,
            features=1_558,
            positives=408,
            positive="ad.",
            page="https://archive.ics.uci.edu/dataset/51/internet+advertisements",
            urls=("https://archive.ics.uci.edu/static/public/51/internet+advertisements.zip",),
            sources=(
                Source(("ad.data",), _from_ad_data, "ad.", drops_rows=True),
                Source(("internet+advertisements.zip",), _from_ad_data, "ad.", drops_rows=True),
                Source(
                    ("iad.npz",),
                    _from_npz,
                    "1",
                    "all 3,279 rows of IAD, without its three continuous columns",
                    whole=False,
                ),
            ),
        ),
        PaperSet(
            name="CIFAR-10",
            rows=10_000,
            features=3_072,
            positives=1_005,
            positive="0",
            page="https://www.cs.toronto.edu/~kriz/cifar.html",
            urls=("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",),
            sources=tuple(
                Source((file,), read, "0", "training batch 1 of CIFAR-10, class 0")
                for file, read in (
                    ("cifar10_batch1.npz", _from_npz),
                    ("data_batch_1.bin", _from_cifar),
                    ("cifar-10-binary.tar.gz", _from_cifar),
                )
            ),
        ),
    )
}
"""The paper's sets by the names that it gives them."""


def find(name: str) -> PaperSet | None:
    """The paper's set of this name, in any case, with dashes or without, if there is one.

    Examples
    --------

    >>> from river_oa3.datasets import paper

    >>> paper.find("cifar10").rows
    10000

    """
    return next((known for known in SETS.values() if _key(known.name) == _key(name)), None)


def _key(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).casefold()


def data_folder(data_dir: str | Path | None = None) -> Path:
    """The folder of the data: the argument, else RIVER_OA3_DATA, else one in the user's home.

    Examples
    --------

    >>> from river_oa3.datasets import paper

    >>> paper.data_folder("here").name
    'here'

    """
    folder = data_dir or os.environ.get("RIVER_OA3_DATA") or Path("~", "river_oa3_data")
    return Path(folder).expanduser()


def load(
    name: str,
    data_dir: str | Path | None = None,
    download: bool = False,
    progress: Progress | None = None,
    *,
    positive: Any = None,
) -> Stream:
    """Load one of the paper's sets, or what stands in for it: the stream's note says which.

    Parameters
    ----------
    name
        The set's name in the paper, in any case.
    data_dir
        The folder with the files; else RIVER_OA3_DATA, else river_oa3_data in the user's home.
    download
        Whether to fetch the set where the folder does not have the whole of it.
    progress
        Called while a file comes, with the bytes that are there and how many there will be.
    positive
        A positive class that is not the paper's.

    Examples
    --------

    >>> from river_oa3.datasets import paper

    >>> paper.load("KDDCUP08", data_dir="no such folder")
    Traceback (most recent call last):
        ...
    river_oa3.datasets.errors.DataError: KDDCUP08 is not in no such folder: looked for ...

    """
    known = find(name)
    if known is None:
        raise DataError(f"{name!r} is none of the paper's sets: name one of {', '.join(SETS)}")
    folder = data_folder(data_dir)
    source, paths = _look_for(known, folder)
    if download and known.urls and (source is None or not source.whole):
        _fetch(known, folder, progress)
        source, paths = _look_for(known, folder)
    if source is None:
        raise DataError(_absence(known, folder))
    return _read(known, source, paths, positive)


def _look_for(known: PaperSet, folder: Path) -> tuple[Source | None, list[Path]]:
    present = _present(folder)
    for source in known.sources:
        found = [_match(source, file, present) for file in source.files]
        paths = [path for path in found if path is not None]
        if len(paths) == len(found):
            return source, paths
    return None, []


def _present(folder: Path) -> dict[str, Path]:
    try:
        return {path.name.casefold(): path for path in sorted(folder.iterdir()) if path.is_file()}
    except OSError:
        return {}


def _match(source: Source, file: str, present: dict[str, Path]) -> Path | None:
    endings = ("", *COMPRESSED) if source.read is _from_libsvm else ("",)
    return next((path for e in endings if (path := present.get((file + e).casefold()))), None)


def _fetch(known: PaperSet, folder: Path, progress: Progress | None) -> None:
    present = _present(folder)
    for url in known.urls:
        file = url.rpartition("/")[2]
        if file.casefold() not in present:
            download(url, folder / file, progress)


def _absence(known: PaperSet, folder: Path) -> str:
    wanted = ", ".join(" + ".join(source.files) for source in known.sources)
    if known.urls:
        ways = (
            f"--download (download=True in Python) fetches it from {' and '.join(known.urls)}, or "
            "set RIVER_OA3_DATA to the folder that has it"
        )
    else:
        ways = (
            f"register at {known.page} to get it, and set RIVER_OA3_DATA to the folder that has it"
        )
    return f"{known.name} is not in {folder}: looked for {wanted}; {ways}"


def _read(known: PaperSet, source: Source, paths: list[Path], positive: Any) -> Stream:
    chosen = source.positive if positive is None else positive
    content = source.read(paths, chosen)
    result = stream(
        known.name,
        content.X,
        content.labels,
        positive=chosen,
        note=source.note,
        permutations=content.permutations,
    )
    notes = [source.note] if source.note else []
    if source.whole and source.drops_rows and len(result) != known.rows:
        notes.append(f"{len(result):,} complete rows where the paper counts {known.rows:,}")
    elif source.whole:
        _check(known, paths, result, counts_positives=positive is None)
    if positive is not None:
        notes.append(f"class {positive} as positive")
    return dataclasses.replace(result, note="; ".join(notes))


def _check(known: PaperSet, paths: list[Path], found: Stream, counts_positives: bool) -> None:
    rows, features = found.X.shape
    if (
        rows == known.rows
        and features <= known.features
        and (found.positives == known.positives or not counts_positives)
    ):
        return
    raise DataError(
        f"{' + '.join(map(str, paths))} has {rows:,} rows, {features:,} features and "
        f"{found.positives:,} positives, where {known.name} has {known.rows:,}, "
        f"{known.features:,} and {known.positives:,}: it is cut short or another set, so delete it "
        "and get it again"
    )

"""The paper's data sets by name: from the folder of the data, or downloaded into it."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import Any

from river_oa3.datasets.catalogue import CHECKSUMS, SETS, PaperSet
from river_oa3.datasets.download import Progress
from river_oa3.datasets.download import download as download_file
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.local_files import COPIES, STAND_INS
from river_oa3.datasets.paper_files import Content, Source
from river_oa3.datasets.streams import Stream, stream

__all__ = ["SETS", "PaperSet", "Source", "data_folder", "find", "load"]


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
        raise DataError(f"{name!r} is not a set of the paper: name one of {', '.join(SETS)}")
    folder = data_folder(data_dir)
    if download and not _look_for(_whole(known), folder):
        _download(known, folder, progress)
    if found := _look_for(_whole(known), folder):
        return _read(known, *found, positive, is_whole=True)
    if found := _look_for(_stand_ins(known), folder):
        return _read(known, *found, positive, is_whole=False)
    raise DataError(_absence(known, folder))


def _whole(known: PaperSet) -> tuple[Source, ...]:
    copy = COPIES.get(known.name)
    return known.sources if copy is None else (copy, *known.sources)


def _stand_ins(known: PaperSet) -> tuple[Source, ...]:
    stand_in = STAND_INS.get(known.name)
    return () if stand_in is None else (stand_in,)


def _look_for(sources: tuple[Source, ...], folder: Path) -> tuple[Source, list[Path]] | None:
    present = _present(folder)
    found = ((source, source.find_in(present)) for source in sources)
    return next(((source, paths) for source, paths in found if paths), None)


def _present(folder: Path) -> dict[str, Path]:
    try:
        return {path.name.casefold(): path for path in sorted(folder.iterdir()) if path.is_file()}
    except OSError:
        return {}


def _download(known: PaperSet, folder: Path, progress: Progress | None) -> None:
    present = _present(folder)
    for url in known.urls:
        file = url.rpartition("/")[2]
        if file.casefold() not in present:
            download_file(url, folder / file, progress, CHECKSUMS.get(url))


def _absence(known: PaperSet, folder: Path) -> str:
    wanted = ", ".join(" + ".join(source.files) for source in _whole(known))
    if stand_ins := ", ".join(file for source in _stand_ins(known) for file in source.files):
        wanted = f"{wanted}, or in its place {stand_ins}"
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


def _read(
    known: PaperSet, source: Source, paths: list[Path], positive: Any, *, is_whole: bool
) -> Stream:
    chosen = source.positive if positive is None else positive
    content = source.read(paths, chosen)
    result = stream(
        known.name,
        content.X,
        content.labels,
        positive=chosen,
        permutations=content.permutations,
    )
    notes = [source.note] if source.note else []
    if is_whole and source.drops_rows and len(result) != known.rows:
        notes.append(f"{len(result):,} complete rows where the paper counts {known.rows:,}")
    elif is_whole:
        _check(known, paths, content, result, counts_positives=positive is None)
    if positive is not None:
        notes.append(f"class {positive} as positive")
    return dataclasses.replace(result, note="; ".join(notes))


def _check(
    known: PaperSet, paths: list[Path], content: Content, found: Stream, *, counts_positives: bool
) -> None:
    # Of the files and not of the stream, which may have fewer columns.
    rows, features = content.X.shape
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

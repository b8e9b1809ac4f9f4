"""Which streams: those that come with river, and those of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from river_oa3 import datasets
from river_oa3.datasets import DataError, Stream

__all__ = ["BUNDLED", "open_streams"]

BUNDLED: dict[str, object] = {
    "Shuttle": None,
    "Phishing": None,
    "Bananas": None,
    # Of its seven classes, the first against the rest.
    "ImageSegments": "brickface",
}
"""The sets of classes that come with river, and which class to look for where there are many."""


def open_streams(data_dir: str | None, names: list[str] | None) -> Iterator[Stream]:
    """The streams, all or those that are named, as they are: nothing is scaled."""
    files = _files(data_dir)
    known = [*BUNDLED, *files]
    for name in known if names is None else names:
        if name in files:
            yield datasets.open_stream(files[name])
        elif name in BUNDLED:
            yield datasets.open_stream(f"river:{name}", positive=BUNDLED[name])
        else:
            raise DataError(f"there is no stream {name!r}: choose from {', '.join(known)}")


def _files(data_dir: str | None) -> dict[str, Path]:
    if data_dir is None:
        return {}
    folder = Path(data_dir).expanduser()
    if not folder.is_dir():
        raise DataError(f"no such folder: {folder}")
    files = {path.stem: path for path in sorted(folder.glob("*.npz"))}
    if not files:
        raise DataError(f"{folder} has no .npz files: give a folder with some")
    return files

"""Downloads that are whole or not there."""

from __future__ import annotations

import contextlib
import http.client
import logging
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from river_oa3.datasets.errors import DataError

if TYPE_CHECKING:
    from river.datasets.base import RemoteDataset

Progress = Callable[[int, int | None], None]
"""Called with the bytes that have come and, where it is known, how many there will be."""

_CHUNK_BYTES = 1 << 18
_TIMEOUT_SECONDS = 60.0


def download(
    url: str, target: Path, progress: Progress | None = None, checksum: str | None = None
) -> None:
    """Fetch a file; what did not come whole, or with another checksum, is not kept.

    `checksum` is written as pooch takes it, "sha256:..."; None where nobody published one.
    """
    pooch = _import_pooch(url, target.parent)
    is_new = not target.parent.exists()
    downloader = pooch.HTTPDownloader(
        progressbar=False if progress is None else _ProgressBar(progress),
        chunk_size=_CHUNK_BYTES,
        timeout=_TIMEOUT_SECONDS,
        # A compressed file is kept as it is: its checksum is that of the compressed bytes.
        headers={"Accept-Encoding": "identity"},
    )
    try:
        with _quiet(pooch.get_logger()):
            pooch.retrieve(
                url, checksum, fname=target.name, path=target.parent, downloader=downloader
            )
    except (OSError, ValueError) as error:
        raise DataError(
            f"cannot download {url} to {target.parent}: {error}; try again, or fetch it by hand"
        ) from error
    finally:
        if is_new:
            # The folder is removed where nothing came, an interrupt from the keyboard included.
            with contextlib.suppress(OSError):
                target.parent.rmdir()


def download_river_set(dataset: RemoteDataset) -> None:
    """Let river fetch one of its own data sets."""
    name = type(dataset).__name__
    try:
        dataset.download(verbose=False)
        if not dataset.is_downloaded:
            raise OSError("it did not come whole")
    except (
        OSError,
        EOFError,
        http.client.HTTPException,
        tarfile.TarError,
        zipfile.BadZipFile,
    ) as error:
        raise DataError(f"cannot download {name} from {dataset.url}: {error}; try again") from error


def _import_pooch(url: str, folder: Path) -> Any:
    try:
        import pooch
    except ImportError:
        raise DataError(
            "downloads need pooch: pip install 'river-oa3[download]', or fetch "
            f"{url} by hand into {folder}"
        ) from None
    return pooch


@contextlib.contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Keep pooch from telling users what to write into this package's source."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


class _ProgressBar:
    """What pooch takes as a progress bar, as calls of a function."""

    def __init__(self, progress: Progress) -> None:
        self.total = 0  # set by pooch; 0 where the server does not say
        self._progress = progress
        self._done = 0
        self._reported = -1

    def update(self, size: int) -> None:
        """Add bytes: pooch counts whole chunks, and the last one is mostly a part of one."""
        self._done += size
        if self.total:
            self._done = min(self._done, self.total)
        if self._done > self._reported:
            self._reported = self._done
            self._progress(self._done, self.total or None)

    def reset(self) -> None:
        """Begin again: pooch does so at the end, before it adds the total."""
        self._done = 0

    def close(self) -> None:
        """Nothing to close."""

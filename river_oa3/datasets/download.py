"""Downloads that are whole or not there."""

from __future__ import annotations

import contextlib
import http.client
import os
import urllib.request
from collections.abc import Callable
from pathlib import Path

from river_oa3.datasets.errors import DataError

Progress = Callable[[int, int | None], None]
"""Called with the bytes that have come and, where it is known, how many there will be."""

_CHUNK = 1 << 18
_PATIENCE = 60.0


def download(url: str, target: Path, progress: Progress | None = None) -> None:
    """Fetch a file; what did not come whole is not kept."""
    is_new = not target.parent.exists()
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with urllib.request.urlopen(url, timeout=_PATIENCE) as answer:
            target.parent.mkdir(parents=True, exist_ok=True)
            _save(answer, partial, progress)
        os.replace(partial, target)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DataError(
            f"cannot download {url} to {target.parent}: {error}; try again, or fetch it by hand"
        ) from error
    finally:
        # An interrupt from the keyboard leaves nothing behind either.
        with contextlib.suppress(OSError):
            partial.unlink()
        if is_new:
            with contextlib.suppress(OSError):  # which it is where the download is in it
                target.parent.rmdir()


def _save(answer: http.client.HTTPResponse, partial: Path, progress: Progress | None) -> None:
    length = answer.headers.get("Content-Length")
    total = None if length is None else int(length)
    done = 0
    with open(partial, "wb") as file:
        while chunk := answer.read(_CHUNK):
            file.write(chunk)
            done += len(chunk)
            if progress is not None:
                progress(done, total)
    if total is not None and done != total:
        raise OSError(f"{done:,} of {total:,} bytes came")

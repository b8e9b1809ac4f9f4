"""Files of results, each there whole or not at all."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from river_oa3.datasets import DataError

__all__ = ["results_folder", "write_bytes", "write_text"]


def results_folder(path: str | os.PathLike[str]) -> Path:
    """The folder for results, made if need be; refused before any work if it cannot be one."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataError(
            f"{folder} cannot take results ({error.strerror}): choose another --output"
        ) from None
    return folder


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, whoever else writes it at the same time.

    The draft has a name that nobody else has: of two writers the last one wins, and neither sees
    or takes away what the other has half written.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        raise DataError(
            f"cannot write {path} ({error.strerror}): choose another --output"
        ) from None
    finally:
        draft.unlink(missing_ok=True)

"""Files by their path, each there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import typing
from pathlib import Path

from river_oa3.files.archive import LARGEST_FILE
from river_oa3.files.container import Content, read, to_bytes
from river_oa3.files.errors import FileError

__all__ = ["load", "read_path", "save"]

Location = str | os.PathLike[str]


def save(model: typing.Any, path: Location) -> None:
    """Store a model in a file that runs no code when it is loaded.

    It holds every learner of this package, `ActiveLearner` with its rule, budget and generator of
    random numbers, `PendingLabels` in memory, `AskedQuality`, and river's pipelines and unions of
    `StandardScaler`, `MinMaxScaler`, `MaxAbsScaler`, `Normalizer`, `OneHotEncoder`, `StatImputer`,
    `Select` and `Discard`. Budgets and rules of your own that are registered
    (`river_oa3.files.register`) go with it. Anything else, such as a function or another class of
    your own, is refused by name with a `FileError` that says what to do instead.

    A file that is there is replaced when the new one is safe on the disk; a full disk or an
    interrupt leaves it as it was.

    Parameters
    ----------
    model
        The model. A budget that it shares with others is stored as its own.
    path
        Where the file goes, usually with the suffix .oa3.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> import river_oa3

    >>> model = river_oa3.OA3DiagClassifier()
    >>> model.learn_one({'amount': 2.0}, True)

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, 'model.oa3')
    ...     river_oa3.save(model, path)
    ...     river_oa3.load(path).weights == model.weights
    True

    """
    content = to_bytes(model, LARGEST_FILE)
    # A link stays one, to the new file.
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{secrets.token_hex(8)}.oa3.part")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
        _sync_folder(target.parent)
    except OSError as error:
        # Nobody has heard of the draft.
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def load(path: Location) -> typing.Any:
    """The model of a file that `save` has written.

    Nothing in the file is run, whoever wrote it. A file that was damaged, or made up, is a
    `FileError` that names what is wrong. Loading takes no more memory than 60 times the size of the
    file and a megabyte, whatever the file says, and less than 10 times for one that `save` has
    written.

    What comes out goes on as what was stored would have: the same decisions follow, to the last
    bit.

    Parameters
    ----------
    path
        The file.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> import river_oa3

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, 'model.oa3')
    ...     _ = path.write_text('not a model')
    ...     river_oa3.load(path)
    Traceback (most recent call last):
        ...
    river_oa3.files.errors.FileError: ...model.oa3 cannot be loaded: it is no .oa3 file: ...

    """
    return read_path(path).model


def read_path(path: Location) -> Content:
    """The model of a file, and what the file says of itself."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST_FILE:
            raise FileError(f"{os.fspath(path)} cannot be loaded: it is larger than any .oa3 file")
        data = file.read(LARGEST_FILE + 1)
    try:
        return read(data)
    except FileError as error:
        raise FileError(f"{os.fspath(path)} cannot be loaded: {error}") from None


def _sync_folder(folder: Path) -> None:
    """Make sure that the new name is on the disk, where folders can be asked for it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

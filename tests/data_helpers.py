"""What the tests of data share: small files, and the error that bad ones give."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma

import numpy as np
import pytest

from river_oa3.datasets import DataError, open_stream, stream

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
BACKENDS = ["polars", "pandas", "pyarrow"]

TABLE = "size,colour,old,label\n1.5,red,true,spam\n0,blue,false,ham\n2,red,true,ham\n"
TABLE_EVENTS = [
    ({"size": 1.5, "colour=red": 1.0, "old": 1.0}, True),
    ({"colour=blue": 1.0}, False),
    ({"size": 2.0, "colour=red": 1.0, "old": 1.0}, False),
]

TRAINING, TEST = "1 1:1\n-1 2:1\n", "-1 1:1 3:1\n"
"""The two files of a w8a of three rows."""


@contextlib.contextmanager
def refused(*parts):
    """Expect an error of one line that holds all of these parts, the fix among them."""
    with pytest.raises(DataError) as caught:
        yield
    message = str(caught.value)
    assert message.splitlines() == [message]
    for part in parts:
        assert part in message


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def events(data, **options):
    return list(open_stream(data, **options).events())


def toy(**options):
    return stream("toy", [[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]], [1, 0, 0], **options)


def as_libsvm(rows):
    return "".join(
        f"{y} {' '.join(f'{index}:{value!r}' for index, value in x.items())}\n" for x, y in rows
    )


def saved(folder, name="toy.npz", **arrays):
    np.savez(folder / name, **arrays)
    return folder / name


def csr_parts(**changes):
    parts = {
        "data": np.array([3, 4, 2], dtype=np.int8),
        "indices": np.array([0, 1, 1], dtype=np.int16),
        "indptr": np.array([0, 2, 3, 3], dtype=np.int32),
        "shape": np.array([3, 2]),
        "y": np.array([1, -1, -1], dtype=np.int8),
    }
    return parts | changes

"""Arrays in NumPy's own format, of two types of numbers and at most two dimensions.

The header is read as this module writes it, and in no other way: it is Python in general.
"""

from __future__ import annotations

import re
import typing

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "array_bytes", "array_from_bytes"]

Array = NDArray[np.float64] | NDArray[np.int64]

_MAGIC = b"\x93NUMPY\x01\x00"
_LONGEST_HEADER = 128
_HEADER = re.compile(
    rb"\{'descr': '<([fi])8', 'fortran_order': False, 'shape': "
    rb"\((?:(\d{1,18}),|(\d{1,18}), (\d{1,18}))\), \} *\n"
)


def array_bytes(array: NDArray[typing.Any]) -> bytes:
    """An array of floats or integers as the content of an .npy file."""
    kind = "<i8" if array.dtype.kind == "i" else "<f8"
    shape = tuple(map(int, array.shape))
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(_MAGIC) + 2 + len(header) + 1) % 64) + b"\n"
    length = len(header).to_bytes(2, "little")
    return b"".join(
        (_MAGIC, length, header, np.ascontiguousarray(array, dtype=np.dtype(kind)).tobytes())
    )


def array_from_bytes(content: memoryview) -> Array:
    """The array of an .npy file, which is the file's memory: nothing is copied."""
    start = len(_MAGIC) + 2
    size = int.from_bytes(content[len(_MAGIC) : start], "little")
    if content[: len(_MAGIC)] != _MAGIC or size > _LONGEST_HEADER:
        raise ValueError("it is not an array in NumPy's format, version 1.0")
    header = _HEADER.fullmatch(content[start : start + size])
    if header is None:
        raise ValueError("its header is not that of a list or table of 64-bit numbers")
    kind, *sides = header.groups()
    shape = [int(side) for side in sides if side is not None]
    n_bytes = len(content) - start - size
    expected = 8
    for side in shape:
        expected *= side
    if expected != n_bytes:
        raise ValueError(f"it has {n_bytes} bytes of numbers, and its shape asks for {expected}")
    dtype: np.dtype[typing.Any] = np.dtype("<f8" if kind == b"f" else "<i8")
    numbers = np.frombuffer(content, dtype=dtype, offset=start + size).reshape(shape)
    return numbers.astype(dtype.newbyteorder("="), copy=False)

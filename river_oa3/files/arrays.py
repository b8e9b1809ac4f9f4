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
_START = len(_MAGIC) + 2
_HEADER = re.compile(
    rb"\{'descr': '<([fi])8', 'fortran_order': False, 'shape': "
    rb"\((?:(\d{1,18}),|(\d{1,18}), (\d{1,18}))\), \} *\n"
)
_LONGEST_HEADER = 128


def array_bytes(array: NDArray[typing.Any]) -> bytes:
    """An array of floats or integers as the content of an .npy file."""
    kind = "<i8" if array.dtype.kind == "i" else "<f8"
    numbers = np.ascontiguousarray(array, dtype=np.dtype(kind))
    return _beginning(kind, numbers.shape) + numbers.tobytes()


def _beginning(kind: str, shape: tuple[int, ...]) -> bytes:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(_START + len(header) + 1) % 64) + b"\n"
    return _MAGIC + len(header).to_bytes(2, "little") + header


def array_from_bytes(content: memoryview) -> Array:
    """The array of an .npy file: a copy, for in the file it may lie at any address."""
    size = int.from_bytes(content[len(_MAGIC) : _START], "little")
    header = None
    if size <= _LONGEST_HEADER:
        header = _HEADER.fullmatch(content[_START : _START + size])
    if header is None:
        raise ValueError("its header is not that of a list or table of 64-bit numbers")
    kind, *sides = header.groups()
    shape = tuple(int(side) for side in sides if side is not None)
    dtype: np.dtype[typing.Any] = np.dtype(f"<{kind.decode()}8")
    if content[: _START + size] != _beginning(dtype.str, shape):
        raise ValueError("its header is not as this package writes it")
    expected, n_bytes = 8, len(content) - _START - size
    for side in shape:
        expected *= side
    if expected != n_bytes:
        raise ValueError(f"it has {n_bytes} bytes of numbers, and its shape asks for {expected}")
    numbers = np.frombuffer(content, dtype=dtype, offset=_START + size).reshape(shape)
    return numbers.astype(dtype.newbyteorder("="))

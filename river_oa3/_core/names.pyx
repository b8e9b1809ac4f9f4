"""A hash of feature names that is the same in every process, on every machine, for ever.

Python's own `hash` of strings is salted per process. Names that are equal as dict keys (1, 1.0
and True) have the same hash here too. Objects of other types go by their `repr`.
"""

import numbers
from decimal import Decimal

import numpy as np

from cpython.long cimport PyLong_CheckExact
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_CheckExact

cdef extern from *:
    bint PyUnicode_IS_ASCII(object text)

# FNV-1a, 64 bit.
cdef uint64_t OFFSET = 14695981039346656037ULL
cdef uint64_t PRIME = 1099511628211ULL


cdef inline uint64_t _digest(const unsigned char* text, Py_ssize_t size, uint64_t state) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(size):
        state = (state ^ text[i]) * PRIME
    return state


cdef uint64_t stable_hash(object name) except? 0:
    cdef Py_ssize_t size
    cdef const char* text
    cdef bytes encoded
    if PyUnicode_CheckExact(name) and PyUnicode_IS_ASCII(name):
        text = PyUnicode_AsUTF8AndSize(name, &size)  # its own memory, nothing is encoded
        return _digest(<const unsigned char*>text, size, (OFFSET ^ c"s") * PRIME)
    if PyLong_CheckExact(name):  # as `_encode` would, without running Python code
        encoded = b"i%d/1" % name
    else:
        encoded = _encode(name)
    return _digest(encoded, len(encoded), OFFSET)


def _encode(name):
    """Bytes that say what the name is, the same for names that are equal."""
    if isinstance(name, str):
        return b"s" + str.encode(name, "utf-8", "surrogatepass")
    if isinstance(name, bytes):
        return b"b" + bytes(name)
    if name is None:
        return b"n"
    if isinstance(name, (tuple, frozenset)):
        parts = [_encode(part) for part in name]
        if isinstance(name, frozenset):
            parts.sort()
        return b"".join([b"f" if isinstance(name, frozenset) else b"t"]
                        + [b"%d:%b" % (len(part), part) for part in parts])
    if isinstance(name, (numbers.Number, Decimal, np.number, np.bool_)):
        return b"i" + _exact_number(name).encode()
    return b"o" + f"{type(name).__module__}.{type(name).__qualname__}:{name!r}".encode(
        "utf-8", "surrogatepass"
    )


def _exact_number(name):
    if isinstance(name, (numbers.Integral, np.bool_)):
        return f"{int(name)}/1"
    try:
        numerator, denominator = name.as_integer_ratio()
    except (AttributeError, ValueError, OverflowError):  # complex, NaN, infinity
        if isinstance(name, numbers.Complex) and name.imag == 0 and not isinstance(name, numbers.Real):
            return _exact_number(name.real)
        return repr(complex(name))
    return f"{numerator}/{denominator}"


def name_hash(name) -> int:
    """The stable 64-bit hash of a feature name."""
    return stable_hash(name)

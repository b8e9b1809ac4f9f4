"""A hash of feature names that is the same in every process, on every machine, for ever.

Python's own `hash` of strings is salted per process. Names that are equal as dict keys (1, 1.0
and True) have the same hash here too. Objects of other types go by their `repr`.
"""

import numbers
from decimal import Decimal

import numpy as np

from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.unicode cimport PyUnicode_CheckExact

cdef extern from *:
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_KIND(object text)
    const void* PyUnicode_DATA(object text)
    unsigned int PyUnicode_READ(int kind, const void* data, Py_ssize_t index)

# FNV-1a, 64 bit.
cdef uint64_t OFFSET = 14695981039346656037ULL
cdef uint64_t PRIME = 1099511628211ULL


cdef inline uint64_t _add_byte(uint64_t state, unsigned int byte) noexcept nogil:
    return (state ^ byte) * PRIME


cdef uint64_t stable_hash(object name) except? 0:
    """The hash of a name of any type; may run its code."""
    cdef uint64_t state
    cdef const unsigned char[::1] encoded
    if plain_hash(name, &state):
        return state
    encoded = _encode(name)
    state = OFFSET
    for byte in encoded:
        state = _add_byte(state, byte)
    return state


cdef bint plain_hash(object name, uint64_t* out) noexcept:
    """The hash of an exact str or an exact int of no more than 64 bits, or False.

    The same as by way of `_encode`, without a Python object being made.
    """
    cdef long long number
    cdef int overflow = 0
    if PyUnicode_CheckExact(name):
        out[0] = _text_hash(name)
        return True
    if PyLong_CheckExact(name):
        number = PyLong_AsLongLongAndOverflow(name, &overflow)
        if not overflow:
            out[0] = _integer_hash(number)
            return True
    return False


cdef uint64_t _text_hash(str text) noexcept:
    """Of "s" and the text in UTF-8, half of a surrogate pair encoded as if it were a character."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef uint64_t state = _add_byte(OFFSET, c"s")
    cdef unsigned int point
    cdef Py_ssize_t i
    for i in range(PyUnicode_GET_LENGTH(text)):
        point = PyUnicode_READ(kind, data, i)
        if point < 0x80:
            state = _add_byte(state, point)
            continue
        if point < 0x800:
            state = _add_byte(state, 0xC0 | point >> 6)
        else:
            if point < 0x10000:
                state = _add_byte(state, 0xE0 | point >> 12)
            else:
                state = _add_byte(state, 0xF0 | point >> 18)
                state = _add_byte(state, 0x80 | (point >> 12 & 0x3F))
            state = _add_byte(state, 0x80 | (point >> 6 & 0x3F))
        state = _add_byte(state, 0x80 | (point & 0x3F))
    return state


cdef uint64_t _integer_hash(long long number) noexcept nogil:
    """Of "i", the decimal digits and "/1"."""
    cdef unsigned char digits[20]
    cdef int n = 0
    cdef uint64_t state = _add_byte(OFFSET, c"i"), left = <uint64_t>number
    if number < 0:
        state = _add_byte(state, c"-")
        left = 0 - left
    while n == 0 or left:
        digits[n] = c"0" + <unsigned char>(left % 10)
        left //= 10
        n += 1
    while n:
        n -= 1
        state = _add_byte(state, digits[n])
    return _add_byte(_add_byte(state, c"/"), c"1")


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
    if _is_number(name):
        return b"i" + _exact_number(name).encode()
    return b"o" + f"{type(name).__module__}.{type(name).__qualname__}:{name!r}".encode(
        "utf-8", "surrogatepass"
    )


def _is_number(name):
    # Cython does not look for an error of isinstance where several types stand in a tuple, and takes
    # it for yes: Ctrl-C in the Python code of an abstract class would make any name a number.
    if isinstance(name, numbers.Number):
        return True
    return isinstance(name, Decimal) or isinstance(name, np.number) or isinstance(name, np.bool_)


def _exact_number(name):
    if isinstance(name, numbers.Integral) or isinstance(name, np.bool_):
        return f"{int(name)}/1"
    try:
        numerator, denominator = name.as_integer_ratio()
    except (AttributeError, ValueError, OverflowError):  # complex, NaN, infinity
        if isinstance(name, numbers.Complex) and name.imag == 0 and not isinstance(name, numbers.Real):
            return _exact_number(name.real)
        return repr(complex(name))
    return f"{numerator}/{denominator}"

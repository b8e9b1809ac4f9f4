"""Columns of the infinite Gaussian matrix G from which every sketch starts.

A column is a function of the seed and the feature's name alone, and its first rows do not depend
on how many rows are asked for.
"""

import numpy as np

from libc.math cimport M_PI, cos, log, sin, sqrt

from .names cimport stable_hash


cdef inline uint64_t _splitmix(uint64_t* state) noexcept nogil:
    cdef uint64_t z
    state[0] += 0x9E3779B97F4A7C15ULL
    z = state[0]
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef inline double _uniform(uint64_t* state) noexcept nogil:
    """A number inside (0, 1), never on its ends."""
    return ((_splitmix(state) >> 11) + 0.5) * (1.0 / 9007199254740992.0)


cdef void gaussian_column(uint64_t seed, uint64_t name, double* out, Py_ssize_t size) noexcept nogil:
    """Box-Muller over a stream that starts at the mixed seed and name."""
    cdef uint64_t state = seed
    cdef double radius, angle
    cdef Py_ssize_t i
    state = _splitmix(&state) ^ name
    for i in range(0, size, 2):
        radius = sqrt(-2.0 * log(_uniform(&state)))
        angle = 2.0 * M_PI * _uniform(&state)
        out[i] = radius * cos(angle)
        if i + 1 < size:
            out[i + 1] = radius * sin(angle)


def column(seed, name, Py_ssize_t size):
    """The first `size` entries of the column of G that belongs to `name`."""
    out = np.empty(size)
    cdef double[::1] view = out
    if size:
        gaussian_column(<uint64_t>(seed & 0xFFFFFFFFFFFFFFFF), stable_hash(name), &view[0], size)
    return out

"""Columns of the infinite Gaussian matrix G from which every sketch starts.

A column is a function of the seed and the feature's name alone, and its first rows do not depend
on how many rows are asked for.
"""

import numpy as np

from libc.math cimport fabs, log, sqrt

from .stable_hash cimport stable_hash


cdef inline uint64_t _splitmix(uint64_t* state) noexcept nogil:
    cdef uint64_t z
    state[0] += 0x9E3779B97F4A7C15ULL
    z = state[0]
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef inline double _quantile(double q) noexcept nogil:
    """The normal quantile of 1/2 + q to seven digits (Wichura, algorithm AS 241).

    Rational in the middle, with a logarithm in the tails alone: a vocabulary that grows asks for
    many of these.
    """
    cdef double r, z
    if fabs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * (
            ((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179
        ) / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0)
    r = sqrt(-log(0.5 - fabs(q)))
    if r <= 5.0:
        r -= 1.6
        z = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) / (
            (0.12021132975 * r + 0.73700164250) * r + 1.0
        )
    else:
        r -= 5.0
        z = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) / (
            (0.012258202635 * r + 0.24197894225) * r + 1.0
        )
    return z if q > 0.0 else -z


cdef void gaussian_column(uint64_t seed, uint64_t name, double* out, Py_ssize_t size) noexcept nogil:
    """Normal numbers from a stream that starts at the mixed seed and name."""
    cdef uint64_t state = seed
    cdef Py_ssize_t i
    state = _splitmix(&state) ^ name
    for i in range(size):
        # 52 bits and a half: exact, so that 0 and 1 are never hit
        out[i] = _quantile(((_splitmix(&state) >> 12) + 0.5) * (1.0 / 4503599627370496.0) - 0.5)


def column(seed, name, Py_ssize_t size):
    """The first `size` entries of the column of G that belongs to `name`."""
    out = np.empty(size)
    cdef double[::1] view = out
    if size:
        gaussian_column(<uint64_t>(seed & 0xFFFFFFFFFFFFFFFF), stable_hash(name), &view[0], size)
    return out

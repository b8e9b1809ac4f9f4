"""OA3 with a diagonal covariance (Algorithm 8 of the paper): mu and sigma, side by side."""

import numpy as np

from .event_buffer cimport Entry
from .feature_rows cimport FeatureRows
from .second_order cimport SecondOrder
from .snapshot cimport Snapshot

from .checks import stored

cdef enum:
    MU = 0
    SIGMA = 1
    WIDTH = 2


cdef class Diagonal(SecondOrder):
    cdef FeatureRows rows

    def __cinit__(self, *args):
        self.rows = FeatureRows(WIDTH)

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil:
        return d <= self.rows.capacity

    cdef int reserve(self, Py_ssize_t d) except -1:
        self.rows.reserve(d)
        self.features.rows = <const char*>self.rows.data
        self.features.stride = WIDTH * sizeof(double)
        return 0

    cdef void blank_rows(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t slot
        for slot in range(first, end):
            self.rows.data[slot * WIDTH + MU] = 0.0
            self.rows.data[slot * WIDTH + SIGMA] = 1.0

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
        cdef const double* mu = self.rows.data + MU
        cdef Py_ssize_t i = 0
        while i + 4 <= n:
            a += mu[x[i].slot * WIDTH] * x[i].value
            b += mu[x[i + 1].slot * WIDTH] * x[i + 1].value
            c += mu[x[i + 2].slot * WIDTH] * x[i + 2].value
            d += mu[x[i + 3].slot * WIDTH] * x[i + 3].value
            i += 4
        while i < n:
            a += mu[x[i].slot * WIDTH] * x[i].value
            i += 1
        return (a + b) + (c + d)

    cdef double judge(self, const Entry* x, Py_ssize_t n, double* v) noexcept nogil:
        cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0, even = 0.0, odd = 0.0
        cdef const double* row
        cdef Py_ssize_t i = 0
        # The sums of `margin`, in the same order, and those of the variance beside them.
        while i + 4 <= n:
            row = self.rows.data + x[i].slot * WIDTH
            a += row[MU] * x[i].value
            even += row[SIGMA] * x[i].value * x[i].value
            row = self.rows.data + x[i + 1].slot * WIDTH
            b += row[MU] * x[i + 1].value
            odd += row[SIGMA] * x[i + 1].value * x[i + 1].value
            row = self.rows.data + x[i + 2].slot * WIDTH
            c += row[MU] * x[i + 2].value
            even += row[SIGMA] * x[i + 2].value * x[i + 2].value
            row = self.rows.data + x[i + 3].slot * WIDTH
            d += row[MU] * x[i + 3].value
            odd += row[SIGMA] * x[i + 3].value * x[i + 3].value
            i += 4
        while i < n:
            row = self.rows.data + x[i].slot * WIDTH
            a += row[MU] * x[i].value
            if i & 1:
                odd += row[SIGMA] * x[i].value * x[i].value
            else:
                even += row[SIGMA] * x[i].value * x[i].value
            i += 1
        v[0] = even + odd
        return (a + b) + (c + d)

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        cdef double sigma, gamma = self._gamma
        cdef double* row
        cdef Py_ssize_t i
        for i in range(n):
            row = self.rows.data + x[i].slot * WIDTH
            # 1/sigma += x^2 / gamma, each coordinate with a denominator of its own
            sigma = row[SIGMA] * gamma / (gamma + row[SIGMA] * x[i].value * x[i].value)
            row[SIGMA] = sigma
            row[MU] += step * sigma * x[i].value

    cdef int copy_mean(self, Snapshot copy) except -1:
        return copy.add_vector(b"mu", self.rows.data + MU, self.table.count, WIDTH)

    cdef int copy_numbers(self, Snapshot copy) except -1:
        self.copy_mean(copy)
        return copy.add_vector(b"sigma", self.rows.data + SIGMA, self.table.count, WIDTH)

    def covariance(self):
        """Sigma as a dense matrix, features in the order of their slots."""
        return np.diag(self.snapshot().as_dict()["sigma"])

    def _check(self, state, d):
        return np.column_stack(
            [stored(state, "mu", (d,)), stored(state, "sigma", (d,), least=0.0, most=1.0)]
        )

    def _load(self, table):
        self.rows.copy_in(table)

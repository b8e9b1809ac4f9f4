"""OA3 with a diagonal covariance (Algorithm 8 of the paper): mu and sigma, side by side."""

import numpy as np

from .features cimport Entry
from .learner cimport Learner
from .rows cimport Rows

from .checks import stored

cdef enum:
    MU = 0
    SIGMA = 1
    WIDTH = 2


cdef class Diagonal(Learner):
    cdef Rows rows

    def __cinit__(self, *args):
        self.rows = Rows(WIDTH)

    cdef int reserve(self, Py_ssize_t d) except -1:
        cdef Py_ssize_t slot
        self.rows.reserve(d)
        self.features.rows = <const char*>self.rows.data
        self.features.stride = self.rows.width * sizeof(double)
        for slot in range(self.features.count, d):
            self.rows.data[slot * WIDTH + MU] = 0.0
            self.rows.data[slot * WIDTH + SIGMA] = 1.0
        return 0

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        cdef double p = 0.0
        cdef Py_ssize_t i
        for i in range(n):
            p += self.rows.data[x[i].slot * WIDTH + MU] * x[i].value
        return p

    cdef double variance(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        cdef double v = 0.0
        cdef Py_ssize_t i
        for i in range(n):
            v += self.rows.data[x[i].slot * WIDTH + SIGMA] * x[i].value * x[i].value
        return v

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

    cdef object mu(self):
        return self._table()[:, MU]

    def _table(self):
        return self.rows.copy_out(self.features.count)

    def covariance(self):
        """Sigma as a dense matrix, features in the order of `names`."""
        return np.diag(self._table()[:, SIGMA])

    def _numbers(self):
        table = self._table()
        return {"mu": table[:, MU].copy(), "sigma": table[:, SIGMA].copy()}

    def _load(self, state):
        shape = (self.features.count,)
        self.rows.copy_in(
            np.column_stack([stored(state, "mu", shape), stored(state, "sigma", shape)])
        )

"""The first-order rivals: a mean, and no opinion of how sure it is."""

from .event_buffer cimport Entry
from .feature_rows cimport FeatureRows
from .kernels cimport dot_entries
from .learner cimport Learner
from .loss cimport MARGIN, PA, PA_I, PA_II, PERCEPTRON, SLOPE
from .snapshot cimport Snapshot

from .checks import stored

LOSSES = {
    "PA": PA,
    "PA-I": PA_I,
    "PA-II": PA_II,
    "perceptron": PERCEPTRON,
    "slope": SLOPE,
    "margin": MARGIN,
}


cdef class FirstOrder(Learner):
    """mu alone, moved along x as one of the LOSSES says; eta is C where that is PA."""
    cdef FeatureRows rows
    cdef readonly str rule

    def __cinit__(self, eta, rho, rule):
        self.rows = FeatureRows(1)
        self.rule = rule
        self.loss = LOSSES[rule]

    def __init__(self, eta, rho, rule):
        super().__init__(eta, rho)

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil:
        return d <= self.rows.capacity

    cdef int reserve(self, Py_ssize_t d) except -1:
        self.rows.reserve(d)
        self.features.rows = <const char*>self.rows.data
        self.features.stride = sizeof(double)
        return 0

    cdef void blank_rows(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t slot
        for slot in range(first, end):
            self.rows.data[slot] = 0.0

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        return dot_entries(self.rows.data, x, n)

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        cdef double* mu = self.rows.data
        cdef Py_ssize_t i
        for i in range(n):
            mu[x[i].slot] += step * x[i].value

    def _arguments(self):
        return self._eta, self._rho, self.rule

    cdef int copy_mean(self, Snapshot copy) except -1:
        return copy.add_vector(b"mu", self.rows.data, self.table.count, 1)

    cdef int copy_numbers(self, Snapshot copy) except -1:
        return self.copy_mean(copy)

    def _check(self, state, d):
        return stored(state, "mu", (d,))

    def _load(self, mu):
        self.rows.copy_in(mu[:, None])

"""SSOA3 (Algorithms 7 and 10 of the paper): the sketch in factored form, O(m^2 + m nnz) per event.

Only the rows of U whose features are in the event change, by delta xh' with delta = U xh / t; F
takes the orthonormalisation, and b the part of mu's step that lies in the sketch's directions.
"""

from libc.math cimport sqrt
from libc.string cimport memcpy

from .event_buffer cimport Entry
from .kernels cimport larger, lower_times
from .learner cimport OVERFLOW_LIMIT
from .sketch cimport MU, Sketch, U
from .snapshot cimport Snapshot

from .checks import stored, stored_count, stored_number

# How long U's rows, and the terms F_ij U_j that make up V's rows, may get, squared. Beyond it too
# many digits cancel in mu = mu_bar + U'b or in V = F U, and the event takes the dense step, where
# nothing cancels.
cdef double MAX_SQUARED_LENGTH = 1e6

# Rounding adds up in the split mu_bar + U'b too: re-anchor once in so many events, or in so many as
# there are features, which keeps its cost for an event below that of the event itself.
cdef Py_ssize_t EVENTS_PER_ANCHOR = 4096


cdef class SparseSketch(Sketch):
    cdef readonly Py_ssize_t anchors
    cdef Py_ssize_t since_anchor

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        cdef Py_ssize_t d = self.table.count
        if new:
            self.add_features(self.event.newcomers, new)
            self.margin(x, n)
        self.since_anchor += 1
        if self.since_anchor <= max(EVENTS_PER_ANCHOR, d) and self.step_sparse(x, n, step, squares):
            return
        self.anchors += 1
        self.since_anchor = 0
        self.reanchor(d)
        self.margin(x, n)
        self.step_dense(x, n, step, squares)

    cdef bint step_sparse(self, const Entry* x, Py_ssize_t n, double step,
                          double squares) noexcept nogil:
        """The sketch update and mu's step in factored form, or nothing where digits would be lost."""
        cdef Py_ssize_t m = self.sketch_size, t = self.t + 1, i, j
        cdef double root = sqrt(self._gamma), xx = squares / self._gamma
        cdef double kappa = (2.0 + xx / t) / t, along = 0.0, pull, xh, length, largest
        cdef double* F = self.scratch
        cdef double* delta = self.delta
        cdef double* row
        for i in range(m):
            delta[i] = self.sums[U + i] / root
        lower_times(self.F, delta, self.s, m)
        memcpy(F, self.F, m * m * sizeof(double))
        self.orthonormalise(kappa)
        self.rotate(F)
        for j in range(m):
            length = self.lengths[j] + kappa * delta[j] * delta[j]
            largest = 1.0
            for i in range(j, m):
                largest = larger(largest, F[i * m + j] * F[i * m + j])
            if length * largest > MAX_SQUARED_LENGTH:
                return False
        memcpy(self.F, F, m * m * sizeof(double))
        self.learn_eigenvalues()
        for i in range(m):
            self.lengths[i] += kappa * delta[i] * delta[i]
            delta[i] /= t
            along += delta[i] * self.b[i]
        for i in range(n):
            row = self.rows.data + x[i].slot * self.rows.width
            xh = x[i].value / root
            # U moves on every label: mu_bar makes up for it also where the paper leaves it alone,
            # on a label without loss, or mu would move.
            row[MU] += step * x[i].value - along * xh
            for j in range(m):
                row[U + j] += delta[j] * xh
        for i in range(m):
            # V_new x = L^-1 s sqrt(gamma) (1 + xh.xh / t)
            pull = step * (self.shrinkage[i] * root * (1.0 + xx / t) * self.image[i])
            for j in range(i + 1):
                self.b[j] -= pull * F[i * m + j]
        return True

    cdef int copy_numbers(self, Snapshot copy) except -1:
        cdef Py_ssize_t m = self.sketch_size
        Sketch.copy_numbers(self, copy)
        copy.add_matrix(b"F", self.F, m, m, m)
        copy.add_vector(b"b", self.b, m, 1)
        copy.add_vector(b"lengths", self.lengths, m, 1)
        copy.add_integer(b"anchors", self.anchors)
        # What files of 0.1.0 call it.
        return copy.add_integer(b"since_fold", self.since_anchor)

    cdef int copy_mean(self, Snapshot copy) except -1:
        cdef Py_ssize_t m = self.sketch_size
        Sketch.copy_mean(self, copy)
        copy.add_matrix(b"U", self.rows.data + U, self.table.count, m, self.rows.width)
        return copy.add_vector(b"b", self.b, m, 1)

    cdef object mean(self, dict numbers):
        return numbers["mu"] + numbers["U"] @ numbers["b"]

    def _check(self, state, d):
        cdef Py_ssize_t m = self.sketch_size
        # No step of b is longer than m times that of mu.
        b_limit = 10.0 * m * stored_number(state, "reach", OVERFLOW_LIMIT)
        return {
            **super()._check(state, d),
            "F": self._check_turned(state),
            "b": stored(state, "b", (m,), -b_limit, b_limit),
            "lengths": stored(state, "lengths", (m,), 0.0, 1e8),
            "anchors": stored_count(state, "anchors"),
            "since_anchor": stored_count(state, "since_fold"),
        }

    def _check_turned(self, state):
        # It begins as the identity, and only ever takes from it.
        return stored(state, "F", (self.sketch_size, self.sketch_size), -2.0, 2.0)

    def _load(self, numbers):
        super()._load(numbers)
        self.take(self.F, numbers["F"])
        self.take(self.b, numbers["b"])
        self.take(self.lengths, numbers["lengths"])
        self.anchors = numbers["anchors"]
        self.since_anchor = numbers["since_anchor"]

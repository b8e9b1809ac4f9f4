"""OA3 with the full covariance (Algorithm 2 of the paper).

Sigma = S - W'W: rank-one terms wait in W until there are BLOCK of them, and are then taken from S
by one matrix product. That is bound by arithmetic, where one rank-one update after the other
would be bound by memory. S stands still in between, so where events are known before their turn,
as in a replay, S x is computed for AHEAD of them by one matrix product too.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from scipy.linalg.cython_blas cimport dgemm, dgemv, dsyrk

from .features cimport Entry
from .kernels cimport add_four, add_one, dot_entries, larger
from .learner cimport Learner

from .checks import stored
from .memory import available_bytes

cdef enum:
    BLOCK = 32
    AHEAD = 64
    # Where S no longer fits into the cache, it pays to look ahead.
    LARGE = 512
    # Lines of `lines`, each with one number a feature.
    MU = 0
    DIAGONAL = 1
    IMAGE = 2
    DENSE = 3
    WAITING = 4
    LINES = WAITING + BLOCK

# x'Sigma x is known to about ROUNDING n times the sum of S_ii x_i^2. Where that is not small beside
# gamma, as with features in the millions, rounding would decide what is left of Sigma.
cdef double ROUNDING = 1e-15
cdef double TOLERATED = 1e-3


cdef class Full(Learner):
    # S is side x side, lines are LINES x side; what lies beyond the name table is blank.
    cdef double* S
    cdef double* lines
    cdef Py_ssize_t side
    cdef Py_ssize_t n_waiting
    # Coming events as dense rows, and S times each of them; which of them is next, or -1.
    cdef double* coming
    cdef double* foreseen
    cdef Py_ssize_t n_foreseen
    cdef Py_ssize_t next

    def __cinit__(self, *args):
        self.S = NULL
        self.lines = NULL
        self.side = 0
        self.n_waiting = 0
        self.coming = NULL
        self.foreseen = NULL
        self.n_foreseen = 0
        self.next = -1

    def __dealloc__(self):
        free(self.S)
        free(self.lines)
        free(self.coming)
        free(self.foreseen)

    def __sizeof__(self):
        return object.__sizeof__(self) + self.side * (self.side + LINES) * sizeof(double)

    cdef int reserve(self, Py_ssize_t d) except -1:
        """Make room for d features; a new feature brings a unit row and column."""
        cdef Py_ssize_t slot
        if d > self.side:
            self.widen(d)
        for slot in range(self.features.count, d):
            self.line(DIAGONAL)[slot] = 1.0
            self.S[slot * self.side + slot] = 1.0
        return 0

    cdef int widen(self, Py_ssize_t d) except -1:
        """Half as much again, so that the square about doubles; less where memory is short."""
        cdef Py_ssize_t side = max(d, self.side + self.side // 2, 16), row
        cdef double* S = NULL
        cdef double* lines = NULL
        # Small ones are not worth asking the system about.
        room = available_bytes() if side > 2048 else float("inf")
        if 8.0 * side * (side + LINES) > room:
            side = d
        if 8.0 * side * (side + LINES) <= room:
            S = <double*>calloc(side * side, sizeof(double))
            lines = <double*>calloc(side * LINES, sizeof(double))
        if S == NULL or lines == NULL:
            free(S)
            free(lines)
            raise MemoryError(
                f"the full covariance of d = {d} features takes {8 * int(d) ** 2} bytes, more than "
                "there are: use SSOA3Classifier, whose memory grows with d alone"
            )
        for row in range(self.side):
            memcpy(S + row * side, self.S + row * self.side, self.side * sizeof(double))
        if self.side:
            for row in range(LINES):
                memcpy(lines + row * side, self.line(row), self.side * sizeof(double))
        free(self.S)
        free(self.lines)
        free(self.coming)
        free(self.foreseen)
        self.coming = NULL
        self.foreseen = NULL
        self.n_foreseen = 0
        self.next = -1
        self.looks_ahead = side >= LARGE
        self.S = S
        self.lines = lines
        self.side = side
        return 0

    cdef inline double* line(self, Py_ssize_t which) noexcept nogil:
        return self.lines + which * self.side

    cdef inline double* row(self, Py_ssize_t slot) noexcept nogil:
        return self.S + slot * self.side

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        return dot_entries(self.line(MU), x, n)

    cdef double variance(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        cdef double v = 0.0, along
        cdef double* row
        cdef Py_ssize_t i
        if self.next >= 0:
            v = dot_entries(self.foreseen + self.next * self.side, x, n)
        for i in range(n if self.next < 0 else 0):
            row = self.row(x[i].slot)
            v += x[i].value * (2.0 * dot_entries(row, x, i) + row[x[i].slot] * x[i].value)
        for i in range(self.n_waiting):
            along = dot_entries(self.line(WAITING + i), x, n)
            v -= along * along
        return 0.0 if v < 0.0 else v  # a NaN, from an overflow, is let through

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        cdef Py_ssize_t d = self.features.count, slot
        cdef double v, gain, scale, rounding = 0.0
        cdef double* mu = self.line(MU)
        cdef double* diagonal = self.line(DIAGONAL)
        cdef double* image = self.line(IMAGE)
        cdef double* w = self.line(WAITING + self.n_waiting)
        for slot in range(n):
            rounding += self.row(x[slot].slot)[x[slot].slot] * x[slot].value * x[slot].value
        if ROUNDING * n * rounding > TOLERATED * self._gamma:
            self.shrink(x, n, step, d)
            return
        v = self.image(x, n, d)
        gain = self._gamma / (self._gamma + v)
        scale = 1.0 / sqrt(self._gamma + v)
        for slot in range(d):
            # Sigma_new x = Sigma x * gamma / (gamma + v)
            mu[slot] += step * gain * image[slot]
            w[slot] = scale * image[slot]
            # Sigma_new >= gain * Sigma: only rounding can say otherwise.
            diagonal[slot] = larger(diagonal[slot] - w[slot] * w[slot], gain * diagonal[slot])
        self.n_waiting += 1
        if self.n_waiting == BLOCK:
            self.settle(d)

    cdef double image(self, const Entry* x, Py_ssize_t n, Py_ssize_t d) noexcept nogil:
        """Sigma x, left in its line; returns x'Sigma x."""
        if self.next >= 0:
            memcpy(self.line(IMAGE), self.foreseen + self.next * self.side, d * sizeof(double))
            self.take_waiting(self.coming + self.next * self.side, <int>d)
        elif n == d:
            self.dense_image(x, <int>d)
        else:
            self.sparse_image(x, n, d)
        return larger(dot_entries(self.line(IMAGE), x, n), 0.0)

    cdef void shrink(self, const Entry* x, Py_ssize_t n, double step, Py_ssize_t d) noexcept nogil:
        """An event too large for the full update takes the diagonal one.

        Each variance shrinks as the diagonal learner's would, and covariances with it, so that all
        correlations stay as they are and Sigma stays positive definite, though it may grow along
        some mixtures of features. Once its variances fit the scale of a feature, the full update
        can resolve it.
        """
        cdef Py_ssize_t i, j, slot
        cdef double before, gain, root
        if self.n_waiting:
            self.settle(d)
        self.n_foreseen = 0
        for i in range(n):
            slot = x[i].slot
            before = self.line(DIAGONAL)[slot]
            gain = self._gamma / (self._gamma + before * x[i].value * x[i].value)
            root = sqrt(gain)
            self.line(MU)[slot] += step * gain * before * x[i].value
            self.line(DIAGONAL)[slot] = gain * before
            for j in range(d):
                self.row(slot)[j] *= root
                self.row(j)[slot] *= root
            self.row(slot)[slot] = gain * before

    cdef void dense_image(self, const Entry* x, int d) noexcept nogil:
        cdef double* values = self.line(DENSE)
        cdef double one = 1.0, zero = 0.0
        cdef int side = <int>self.side, step = 1, i
        for i in range(d):
            values[i] = x[i].value
        dgemv(b"N", &d, &d, &one, self.S, &side, values, &step, &zero, self.line(IMAGE), &step)
        self.take_waiting(values, d)

    cdef void take_waiting(self, double* values, int d) noexcept nogil:
        """From S x, in its line, to Sigma x = S x - W'(W x)."""
        cdef double Wx[BLOCK]
        cdef double one = 1.0, minus = -1.0, zero = 0.0
        cdef int side = <int>self.side, waiting = <int>self.n_waiting, step = 1
        if waiting:
            dgemv(b"T", &d, &waiting, &one, self.line(WAITING), &side, values, &step, &zero, Wx,
                  &step)
            dgemv(b"N", &d, &waiting, &minus, self.line(WAITING), &side, Wx, &step, &one,
                  self.line(IMAGE), &step)

    cdef void sparse_image(self, const Entry* x, Py_ssize_t n, Py_ssize_t d) noexcept nogil:
        cdef double Wx[BLOCK]
        cdef double* image = self.line(IMAGE)
        cdef Py_ssize_t i
        memset(image, 0, d * sizeof(double))
        for i in range(self.n_waiting):
            Wx[i] = -dot_entries(self.line(WAITING + i), x, n)
        i = 0
        while i + 4 <= n:
            add_four(image, self.row(x[i].slot), self.row(x[i + 1].slot), self.row(x[i + 2].slot),
                     self.row(x[i + 3].slot), x[i].value, x[i + 1].value, x[i + 2].value,
                     x[i + 3].value, d)
            i += 4
        while i < n:
            add_one(image, self.row(x[i].slot), x[i].value, d)
            i += 1
        i = 0
        while i + 4 <= self.n_waiting:
            add_four(image, self.line(WAITING + i), self.line(WAITING + i + 1),
                     self.line(WAITING + i + 2), self.line(WAITING + i + 3), Wx[i], Wx[i + 1],
                     Wx[i + 2], Wx[i + 3], d)
            i += 4
        while i < self.n_waiting:
            add_one(image, self.line(WAITING + i), Wx[i], d)
            i += 1

    cdef void settle(self, Py_ssize_t d) noexcept nogil:
        """S -= W'W, and nothing waits."""
        cdef int order = <int>d, depth = <int>self.n_waiting, side = <int>self.side
        cdef double minus = -1.0, one = 1.0
        cdef Py_ssize_t i, j, a, b
        self.settle_foreseen(<int>d)
        # Row-major W is column-major W', and column-major lower is row-major upper.
        dsyrk(b"L", b"N", &order, &depth, &minus, self.line(WAITING), &side, &one, self.S, &side)
        for a in range(0, d, 32):  # in tiles, for the cache's sake
            for b in range(a, d, 32):
                for i in range(a, min(a + 32, d)):
                    for j in range(max(b, i + 1), min(b + 32, d)):
                        self.S[j * self.side + i] = self.S[i * self.side + j]
        for i in range(d):
            self.S[i * self.side + i] = self.line(DIAGONAL)[i]
        self.n_waiting = 0

    cdef Py_ssize_t foresee(self, Py_ssize_t place, const Entry* x, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t d = self.features.count, i
        cdef double* values
        self.n_foreseen = 0
        # S x of an event with few features is a sum of few rows, best made when it is needed.
        if 4 * n < d:
            return -1
        if self.coming == NULL:
            self.coming = <double*>malloc(self.side * AHEAD * sizeof(double))
            self.foreseen = <double*>malloc(self.side * AHEAD * sizeof(double))
        if self.coming == NULL or self.foreseen == NULL:
            return -1
        values = self.coming + place * self.side
        memset(values, 0, d * sizeof(double))
        for i in range(n):
            values[x[i].slot] = x[i].value
        return AHEAD - 1 - place

    cdef void prepare(self, Py_ssize_t count) noexcept nogil:
        cdef int d = <int>self.features.count, side = <int>self.side, events = <int>count
        cdef double one = 1.0, zero = 0.0
        dgemm(b"N", b"N", &d, &events, &d, &one, self.S, &side, self.coming, &side, &zero,
              self.foreseen, &side)
        self.n_foreseen = count

    cdef void turn_to(self, Py_ssize_t place) noexcept nogil:
        self.next = place if place < self.n_foreseen else -1

    cdef void settle_foreseen(self, int d) noexcept nogil:
        """S -= W'W for the events that are still to come."""
        cdef double WX[BLOCK * AHEAD]
        cdef int left = <int>(self.n_foreseen - self.next - 1), depth = <int>self.n_waiting
        cdef int side = <int>self.side
        cdef double one = 1.0, minus = -1.0, zero = 0.0
        cdef double* coming = self.coming + (self.next + 1) * self.side
        if self.next < 0 or left == 0:
            return
        dgemm(b"T", b"N", &depth, &left, &d, &one, self.line(WAITING), &side, coming, &side, &zero,
              WX, &depth)
        dgemm(b"N", b"N", &d, &left, &depth, &minus, self.line(WAITING), &side, WX, &depth, &one,
              self.foreseen + (self.next + 1) * self.side, &side)

    cdef object mu(self):
        return copy_out(self.lines, MU, 1, self.side, self.features.count)[0]

    def _numbers(self):
        cdef Py_ssize_t d = self.features.count
        return {
            "mu": self.mu(),
            "diagonal": copy_out(self.lines, DIAGONAL, 1, self.side, d)[0],
            "square": copy_out(self.S, 0, d, self.side, d),
            "waiting": copy_out(self.lines, WAITING, self.n_waiting, self.side, d),
        }

    def _load(self, state):
        cdef Py_ssize_t d = self.features.count
        waiting = min(len(state["waiting"]), BLOCK - 1)
        copy_in(self.lines, MU, self.side, stored(state, "mu", (d,))[None, :])
        copy_in(self.lines, DIAGONAL, self.side, stored(state, "diagonal", (d,))[None, :])
        copy_in(self.S, 0, self.side, stored(state, "square", (d, d)))
        copy_in(self.lines, WAITING, self.side, stored(state, "waiting", (waiting, d)))
        self.n_waiting = waiting

    def covariance(self):
        """Sigma as a dense matrix, features in the order of `names`."""
        self.features.enter()
        numbers = self._numbers()
        sigma = numbers["square"] - numbers["waiting"].T @ numbers["waiting"]
        np.fill_diagonal(sigma, numbers["diagonal"])
        return sigma


cdef object copy_out(const double* data, Py_ssize_t first, Py_ssize_t rows, Py_ssize_t side,
                     Py_ssize_t d):
    """Some rows of a block whose rows are `side` long, d numbers of each."""
    array = np.empty((rows, d))
    cdef double[:, ::1] view = array
    cdef Py_ssize_t row
    for row in range(rows if d else 0):
        memcpy(&view[row, 0], data + (first + row) * side, d * sizeof(double))
    return array


cdef int copy_in(double* data, Py_ssize_t first, Py_ssize_t side, object array) except -1:
    cdef const double[:, ::1] view = array
    cdef Py_ssize_t row
    for row in range(view.shape[0] if view.shape[1] else 0):
        memcpy(data + (first + row) * side, &view[row, 0], view.shape[1] * sizeof(double))
    return 0

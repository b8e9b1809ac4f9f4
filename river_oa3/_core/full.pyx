"""OA3 with the full covariance (Algorithm 2 of the paper).

Sigma = S - W'W: rank-one terms wait in W until there are BLOCK of them, and are then taken from S
by one matrix product. That is bound by arithmetic, where one rank-one update after the other
would be bound by memory. S stands still in between, so where events are known before their turn,
as in a replay, S x is computed for LOOKAHEAD of them by one matrix product too.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from .blas cimport dgemm, dgemv, dsyrk, one_thread, threads_as_before
from .event_buffer cimport Entry
from .kernels cimport add_four, add_one, dot_entries, larger
from .second_order cimport SecondOrder
from .snapshot cimport Snapshot

from .checks import refuse_covariance, refuse_state, stored, stored_array
from .memory import available_bytes

cdef enum:
    BLOCK = 32
    LOOKAHEAD = 64
    # Where S no longer fits into the cache, it pays to look ahead.
    MIN_LOOKAHEAD_SIDE = 512
    # From so many features on BLAS might share a product among threads.
    MIN_SHARED = 64
    # Lines of `lines`, each with one number per feature.
    MU = 0
    DIAGONAL = 1
    IMAGE = 2
    DENSE = 3
    WAITING = 4
    LINES = WAITING + BLOCK

# x'Sigma x is known to about ROUNDING n times the sum of S_ii x_i^2. Where that is not small beside
# gamma, as with features in the millions, rounding would decide what is left of Sigma.
cdef double ROUNDING = 1e-15
cdef double MAX_ROUNDING = 1e-3


cdef class Full(SecondOrder):
    # S is side x side, lines are LINES x side; what lies beyond the name table is blank.
    cdef double* S
    cdef double* lines
    cdef Py_ssize_t side
    cdef Py_ssize_t n_waiting
    # Coming events as dense rows, and S times each of them; which of them is next, or -1.
    cdef double* lookahead_rows
    cdef double* lookahead_images
    cdef Py_ssize_t n_lookahead
    cdef Py_ssize_t next

    def __cinit__(self, *args):
        self.S = NULL
        self.lines = NULL
        self.side = 0
        self.n_waiting = 0
        self.lookahead_rows = NULL
        self.lookahead_images = NULL
        self.n_lookahead = 0
        self.next = -1

    def __dealloc__(self):
        free(self.S)
        free(self.lines)
        free(self.lookahead_rows)
        free(self.lookahead_images)

    def __sizeof__(self):
        return object.__sizeof__(self) + self.side * (self.side + LINES) * sizeof(double)

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil:
        return d <= self.side

    cdef Py_ssize_t plan(self, Py_ssize_t d) except -1:
        """Half as much again, so that the square about doubles; less where memory is short."""
        cdef Py_ssize_t side = max(d, self.side + self.side // 2, 16)
        if d <= self.side:
            return d
        # Small ones are not worth asking the system about.
        room = available_bytes() if side > 2048 else float("inf")
        if 8.0 * side * (side + LINES) > room:
            side = d
        if 8.0 * side * (side + LINES) > room:
            refuse_covariance(d)
        return side

    cdef int reserve(self, Py_ssize_t side) except -1:
        cdef Py_ssize_t row
        cdef double* S
        cdef double* lines
        if side <= self.side:
            return 0
        S = <double*>calloc(side * side, sizeof(double))
        lines = <double*>calloc(side * LINES, sizeof(double))
        if S == NULL or lines == NULL:
            free(S)
            free(lines)
            refuse_covariance(side)
        for row in range(self.side):
            memcpy(S + row * side, self.S + row * self.side, self.side * sizeof(double))
        for row in range(LINES if self.side else 0):
            memcpy(lines + row * side, self.line(row), self.side * sizeof(double))
        free(self.S)
        free(self.lines)
        free(self.lookahead_rows)
        free(self.lookahead_images)
        self.lookahead_rows = NULL
        self.lookahead_images = NULL
        self.n_lookahead = 0
        self.next = -1
        self.looks_ahead = side >= MIN_LOOKAHEAD_SIDE
        self.S = S
        self.lines = lines
        self.side = side
        return 0

    cdef void blank_rows(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
        """A new feature brings a unit row and column; all else beyond the name table is 0."""
        cdef Py_ssize_t slot
        for slot in range(first, end):
            self.line(DIAGONAL)[slot] = 1.0
            self.row(slot)[slot] = 1.0

    cdef inline double* line(self, Py_ssize_t which) noexcept nogil:
        return self.lines + which * self.side

    cdef inline double* row(self, Py_ssize_t slot) noexcept nogil:
        return self.S + slot * self.side

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        return dot_entries(self.line(MU), x, n)

    cdef double judge(self, const Entry* x, Py_ssize_t n, double* variance) noexcept nogil:
        cdef double v = 0.0, along
        cdef double* row
        cdef Py_ssize_t i
        if self.next >= 0:
            v = dot_entries(self.lookahead_images + self.next * self.side, x, n)
        for i in range(n if self.next < 0 else 0):
            row = self.row(x[i].slot)
            v += x[i].value * (2.0 * dot_entries(row, x, i) + row[x[i].slot] * x[i].value)
        for i in range(self.n_waiting):
            along = dot_entries(self.line(WAITING + i), x, n)
            v -= along * along
        variance[0] = 0.0 if v < 0.0 else v  # a NaN, from an overflow, is let through
        return self.margin(x, n)

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        cdef Py_ssize_t d = self.table.count, i
        cdef double rounding = 0.0
        for i in range(n):
            rounding += self.row(x[i].slot)[x[i].slot] * x[i].value * x[i].value
        if ROUNDING * n * rounding > MAX_ROUNDING * self._gamma:
            self.shrink(x, n, step, d)
        else:
            self.step(x, n, step, d)

    cdef void begin_products(self) noexcept nogil:
        if self.table.count >= MIN_SHARED:
            one_thread()

    cdef void end_products(self) noexcept nogil:
        if self.table.count >= MIN_SHARED:
            threads_as_before()

    cdef void step(self, const Entry* x, Py_ssize_t n, double step, Py_ssize_t d) noexcept nogil:
        """Sigma -= (Sigma x)(Sigma x)' / (gamma + v), then mu += step * Sigma x."""
        cdef Py_ssize_t slot
        cdef double v, gain, scale
        cdef double* mu = self.line(MU)
        cdef double* diagonal = self.line(DIAGONAL)
        cdef double* image = self.line(IMAGE)
        cdef double* w = self.line(WAITING + self.n_waiting)
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
            self.flush_updates(d)

    cdef double image(self, const Entry* x, Py_ssize_t n, Py_ssize_t d) noexcept nogil:
        """Sigma x, left in its line; returns x'Sigma x."""
        if self.next >= 0:
            memcpy(self.line(IMAGE), self.lookahead_images + self.next * self.side,
                   d * sizeof(double))
            self.take_waiting(self.lookahead_rows + self.next * self.side, <int>d)
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
            self.flush_updates(d)
        self.n_lookahead = 0
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
        self.begin_products()
        dgemv(b"N", &d, &d, &one, self.S, &side, values, &step, &zero, self.line(IMAGE), &step)
        self.end_products()
        self.take_waiting(values, d)

    cdef void take_waiting(self, double* values, int d) noexcept nogil:
        """From S x, in its line, to Sigma x = S x - W'(W x)."""
        cdef double Wx[BLOCK]
        cdef double one = 1.0, minus = -1.0, zero = 0.0
        cdef int side = <int>self.side, waiting = <int>self.n_waiting, step = 1
        if waiting:
            self.begin_products()
            dgemv(b"T", &d, &waiting, &one, self.line(WAITING), &side, values, &step, &zero, Wx,
                  &step)
            dgemv(b"N", &d, &waiting, &minus, self.line(WAITING), &side, Wx, &step, &one,
                  self.line(IMAGE), &step)
            self.end_products()

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

    cdef void flush_updates(self, Py_ssize_t d) noexcept nogil:
        """S -= W'W, and nothing waits."""
        cdef int order = <int>d, depth = <int>self.n_waiting, side = <int>self.side
        cdef double minus = -1.0, one = 1.0
        cdef Py_ssize_t i, j, a, b
        self.begin_products()
        self.flush_lookahead(<int>d)
        # Row-major W is column-major W', and column-major lower is row-major upper.
        dsyrk(b"L", b"N", &order, &depth, &minus, self.line(WAITING), &side, &one, self.S, &side)
        self.end_products()
        for a in range(0, d, 32):  # in tiles, for the cache's sake
            for b in range(a, d, 32):
                for i in range(a, min(a + 32, d)):
                    for j in range(max(b, i + 1), min(b + 32, d)):
                        self.S[j * self.side + i] = self.S[i * self.side + j]
        for i in range(d):
            self.S[i * self.side + i] = self.line(DIAGONAL)[i]
        self.n_waiting = 0

    cdef Py_ssize_t lookahead_add(self, Py_ssize_t index, const Entry* x, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t d = self.table.count, i
        cdef double* values
        self.n_lookahead = 0
        # S x of an event with few features is a sum of few rows, best made when it is needed.
        if 4 * n < d:
            return -1
        if self.lookahead_rows == NULL:
            self.lookahead_rows = <double*>malloc(self.side * LOOKAHEAD * sizeof(double))
            self.lookahead_images = <double*>malloc(self.side * LOOKAHEAD * sizeof(double))
        if self.lookahead_rows == NULL or self.lookahead_images == NULL:
            return -1
        values = self.lookahead_rows + index * self.side
        memset(values, 0, d * sizeof(double))
        for i in range(n):
            values[x[i].slot] = x[i].value
        return LOOKAHEAD - 1 - index

    cdef void lookahead_prepare(self, Py_ssize_t count) noexcept nogil:
        cdef int d = <int>self.table.count, side = <int>self.side, events = <int>count
        cdef double one = 1.0, zero = 0.0
        self.begin_products()
        dgemm(b"N", b"N", &d, &events, &d, &one, self.S, &side, self.lookahead_rows, &side, &zero,
              self.lookahead_images, &side)
        self.end_products()
        self.n_lookahead = count

    cdef void lookahead_turn(self, Py_ssize_t index) noexcept nogil:
        self.next = index if index < self.n_lookahead else -1

    cdef void flush_lookahead(self, int d) noexcept nogil:
        """S -= W'W for the events that are still to come."""
        cdef double WX[BLOCK * LOOKAHEAD]
        cdef int left = <int>(self.n_lookahead - self.next - 1), depth = <int>self.n_waiting
        cdef int side = <int>self.side
        cdef double one = 1.0, minus = -1.0, zero = 0.0
        cdef double* rows = self.lookahead_rows + (self.next + 1) * self.side
        if self.next < 0 or left == 0:
            return
        dgemm(b"T", b"N", &depth, &left, &d, &one, self.line(WAITING), &side, rows, &side, &zero,
              WX, &depth)
        dgemm(b"N", b"N", &d, &left, &depth, &minus, self.line(WAITING), &side, WX, &depth, &one,
              self.lookahead_images + (self.next + 1) * self.side, &side)

    cdef int copy_mean(self, Snapshot copy) except -1:
        return copy.add_vector(b"mu", self.line(MU), self.table.count, 1)

    cdef int copy_numbers(self, Snapshot copy) except -1:
        cdef Py_ssize_t d = self.table.count
        self.copy_mean(copy)
        copy.add_vector(b"diagonal", self.line(DIAGONAL), d, 1)
        copy.add_matrix(b"square", self.S, d, d, self.side)
        return copy.add_matrix(b"waiting", self.line(WAITING), self.n_waiting, d, self.side)

    def covariance(self):
        """Sigma as a dense matrix, features in the order of their slots."""
        numbers = self.snapshot().as_dict()
        sigma = numbers["square"] - numbers["waiting"].T @ numbers["waiting"]
        np.fill_diagonal(sigma, numbers["diagonal"])
        return sigma

    def _check(self, state, d):
        # Sigma <= S <= I, and so is W'W: no number is beyond 1.
        n_waiting = min(len(stored_array(state, "waiting")), BLOCK - 1)
        diagonal = stored(state, "diagonal", (d,), least=0.0, most=1.0)
        square = stored(state, "square", (d, d), least=-1.0, most=1.0)
        waiting = stored(state, "waiting", (n_waiting, d), least=-1.0, most=1.0)
        left = square.diagonal() - (waiting * waiting).sum(axis=0)
        if not (np.allclose(square, square.T) and np.allclose(left, diagonal, atol=1e-6)):
            refuse_state("'square' is not the covariance that 'diagonal' and 'waiting' belong to")
        return {
            "mu": stored(state, "mu", (d,))[None, :],
            "diagonal": diagonal[None, :],
            "square": square,
            "waiting": waiting,
        }

    def _load(self, numbers):
        self.copy_in(self.line(MU), numbers["mu"])
        self.copy_in(self.line(DIAGONAL), numbers["diagonal"])
        self.copy_in(self.S, numbers["square"])
        self.copy_in(self.line(WAITING), numbers["waiting"])
        self.n_waiting = len(numbers["waiting"])

    cdef int copy_in(self, double* data, object array) except -1:
        """Fill the beginnings of rows that are `side` long."""
        cdef const double[:, ::1] view = array
        cdef Py_ssize_t row
        for row in range(view.shape[0] if view.shape[1] else 0):
            memcpy(data + row * self.side, &view[row, 0], view.shape[1] * sizeof(double))
        return 0

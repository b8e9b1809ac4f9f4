"""SOA3: the covariance as identity minus a few directions, kept by Oja's sketch.

The paper orthonormalises V + s xh'/t, s = V xh, by Gram-Schmidt in O(m^2 d). Because V's rows are
orthonormal before the step, the Gram matrix after it is I + kappa s s' with
kappa = 2/t + xh.xh/t^2, whose Cholesky factor L is known in closed form, row by row. So the step is
V = L^-1 (V + s xh'/t) in O(m d), with coefficients that never exceed 1: no input is so large that
rows lose their digits, and errors in orthonormality shrink with every step, for |L^-1| <= 1.
A new feature adds a column h to V, and with it h h' to the Gram matrix: the same with kappa = 1.
"""

from random import SystemRandom

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs, sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from .gaussian cimport gaussian_column
from .kernels cimport lower_times, sum_rows, sum_squares
from .snapshot cimport Snapshot

from .checks import positive_integer, refuse_state, stored, stored_count

# Entries of A below this are nothing beside what they are added to; as denormals they cost time.
cdef double NEGLIGIBLE = 1e-290

cdef Py_ssize_t MAX_SKETCH_SIZE = 65536

# The condition of a Gram matrix up to which a Cholesky factorisation keeps enough digits.
cdef double MAX_GRAM_TRACE = 1e3


cdef class Sketch(SecondOrder):
    def __cinit__(self, eta, gamma, rho, sketch_size, seed):
        cdef Py_ssize_t m, i
        self.sketch_size = m = positive_integer("sketch_size", sketch_size)
        if m > MAX_SKETCH_SIZE:
            raise ValueError(f"sketch_size must be {MAX_SKETCH_SIZE} or less, not {m}")
        if not (seed is None or isinstance(seed, (int, np.integer))):
            raise TypeError(f"seed must be an integer or None, not {seed!r}")
        self.seed = seed
        self.stream = (
            SystemRandom().getrandbits(64) if seed is None else int(seed)
        ) & 0xFFFFFFFFFFFFFFFF
        self.rows = FeatureRows(U + m)
        self.learns_without_loss = True
        self.t = 0
        self.rank = 0
        self.A = <double*>calloc(m * (3 * m + 10) + 1, sizeof(double))
        if self.A == NULL:
            raise MemoryError(f"no memory for a sketch of {m} rows")
        self.F = self.A + m * m
        self.scratch = self.F + m * m
        self.eigenvalues = self.scratch + m * m
        self.shrinkage = self.eigenvalues + m
        self.b = self.shrinkage + m
        self.lengths = self.b + m
        self.s = self.lengths + m
        self.carry = self.s + m
        self.norm = self.carry + m
        self.image = self.norm + m
        self.delta = self.image + m
        self.sums = self.delta + m
        for i in range(m):
            self.A[i * m + i] = 1.0
            self.F[i * m + i] = 1.0

    def __init__(self, eta, gamma, rho, sketch_size, seed):
        super().__init__(eta, gamma, rho)

    def __dealloc__(self):
        free(self.A)

    def __sizeof__(self):
        return object.__sizeof__(self) + (
            (self.sketch_size * (3 * self.sketch_size + 10) + 1) * sizeof(double)
        )

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil:
        return d <= self.rows.capacity

    cdef int reserve(self, Py_ssize_t d) except -1:
        self.rows.reserve(d)
        self.features.rows = <const char*>self.rows.data
        self.features.stride = self.rows.width * sizeof(double)
        return 0

    cdef void blank_rows(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t width = self.rows.width
        if end > first:
            memset(self.rows.data + first * width, 0, (end - first) * width * sizeof(double))

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        """mu.x, by way of mu_bar.x and U x, which are left in `sums` for the update."""
        cdef double p
        cdef Py_ssize_t i
        sum_rows(self.rows.data, self.rows.width, x, n, self.sums)
        p = self.sums[MU]
        for i in range(self.sketch_size):
            p += self.b[i] * self.sums[U + i]
        return p

    cdef double judge(self, const Entry* x, Py_ssize_t n, double* variance) noexcept nogil:
        """The variance is x.x minus what the sketch knows of x."""
        cdef double p = self.margin(x, n), v = sum_squares(x, n)
        cdef double* Vx = self.scratch
        cdef Py_ssize_t i
        lower_times(self.F, self.sums + U, Vx, self.sketch_size)
        for i in range(self.sketch_size):
            v -= self.shrinkage[i] * Vx[i] * Vx[i]
        variance[0] = 0.0 if v < 0.0 else v  # a NaN, from an overflow, is let through
        return p

    cdef void orthonormalise(self, double kappa) noexcept nogil:
        """L^-1 for the Gram matrix I + kappa s s', as `carry` and `norm`, and L^-1 s as `image`.

        With alpha_i = 1 + kappa (s_1^2 + .. + s_{i-1}^2), row i of L^-1 takes
        kappa s_i / alpha_i times the sum of s_j row_j over j < i from row i, and scales what is
        left by sqrt(alpha_i / alpha_{i+1}).
        """
        cdef double squares = 0.0, root = 1.0, inverse = 1.0, s
        cdef Py_ssize_t i
        for i in range(self.sketch_size):
            s = self.s[i]
            self.carry[i] = kappa * s * inverse * inverse
            self.image[i] = s * inverse
            squares += s * s
            self.norm[i] = root
            root = sqrt(1.0 + kappa * squares)
            inverse = 1.0 / root
            self.norm[i] *= inverse
            self.image[i] *= inverse

    cdef void rotate(self, double* matrix) noexcept nogil:
        """L^-1 times a lower-triangular matrix, in place."""
        cdef Py_ssize_t i, j, m = self.sketch_size
        cdef double sum, old
        for j in range(m):
            sum = 0.0
            for i in range(j, m):
                old = matrix[i * m + j]
                matrix[i * m + j] = (old - self.carry[i] * sum) * self.norm[i]
                sum += self.s[i] * old

    cdef void add_features(self, const Newcomer* newcomers, Py_ssize_t new) noexcept nogil:
        """Take in the features that an event brings for the first time; mu does not move."""
        cdef Py_ssize_t m = self.sketch_size, first = self.table.count - new, raised = 0, i, k
        cdef double* row
        if self.rank < m:
            self.reanchor(first)
        for k in range(new):
            row = self.rows.data + (first + k) * self.rows.width
            gaussian_column(self.stream, newcomers[k].hash, self.delta, m)
            lower_times(self.A, self.delta, row + U, m)
            for i in range(m):
                row[MU] -= row[U + i] * self.b[i]
            if self.rank < m:
                self.raise_rank(row + U, first + k)
                raised = k + 1
        self.reorthonormalise(first + raised, first + new)

    cdef void reorthonormalise(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
        """Make V's rows orthonormal over new columns of U too: the Gram matrix is I + sum h h'.

        One Cholesky factorisation for all of them, unless the columns are so long that it would
        lose digits: then one after the other.
        """
        cdef Py_ssize_t m = self.sketch_size, slot, i, j, k
        cdef double* gram = self.scratch
        cdef double* h = self.s
        cdef const double* u
        cdef double trace = 0.0
        memset(gram, 0, m * m * sizeof(double))
        for slot in range(first, end):
            u = self.rows.data + slot * self.rows.width + U
            lower_times(self.F, u, h, m)
            for i in range(m):
                self.lengths[i] += u[i] * u[i]
                trace += h[i] * h[i]
                for j in range(i + 1):
                    gram[i * m + j] += h[i] * h[j]
        if trace > MAX_GRAM_TRACE:
            for slot in range(first, end):
                lower_times(self.F, self.rows.data + slot * self.rows.width + U, h, m)
                self.orthonormalise(1.0)
                self.rotate(self.F)
            return
        for i in range(m):
            gram[i * m + i] += 1.0
            for j in range(i):
                for k in range(j):
                    gram[i * m + j] -= gram[i * m + k] * gram[j * m + k]
                gram[i * m + j] /= gram[j * m + j]
                gram[i * m + i] -= gram[i * m + j] * gram[i * m + j]
                for k in range(j + 1):
                    self.F[i * m + k] -= gram[i * m + j] * self.F[j * m + k]
            gram[i * m + i] = sqrt(gram[i * m + i])
            for k in range(i + 1):
                self.F[i * m + k] /= gram[i * m + i]

    cdef void raise_rank(self, double* u, Py_ssize_t slot) noexcept nogil:
        """A new feature while there are fewer features than rows: F = I, b = 0.

        The rows that are not zero span every old feature. So the next row comes to life along what
        they leave of the new one, and the rows behind it go on being zero on all features; what A
        says of them is what they will bring to the next.
        """
        cdef Py_ssize_t m = self.sketch_size, r = self.rank, i, j
        cdef double root = 1.0, a
        cdef double* whole = self.scratch  # the unit vector of the new feature, as rows' sum
        if u[r] == 0.0:
            u[r] = DBL_EPSILON
        a = u[r]
        for i in range(m):
            self.s[i] = u[i] if i < r else 0.0
            root += self.s[i] * self.s[i]
        root = sqrt(root)
        self.orthonormalise(1.0)
        self.rotate(self.F)
        for j in range(m):
            whole[j] = 0.0
            for i in range(r):
                whole[j] += self.image[i] * self.F[i * m + j]
        for j in range(m):
            self.F[r * m + j] = ((j == r) - a * whole[j]) * root / fabs(a)
            whole[j] += (1.0 if a > 0.0 else -1.0) / root * self.F[r * m + j]
        for i in range(r + 1, m):
            for j in range(m):
                self.F[i * m + j] = (i == j) - u[i] * whole[j]
        self.rank = r + 1
        self.reanchor(slot + 1)
        for j in range(slot + 1):
            memset(self.rows.data + j * self.rows.width + U + r + 1, 0, (m - r - 1) * sizeof(double))

    cdef void reanchor(self, Py_ssize_t d) noexcept nogil:
        """Re-anchor, V and mu unchanged: mu_bar += U'b, b = 0, U = F U, A = F A, F = I."""
        cdef Py_ssize_t m = self.sketch_size, i, j, k, slot
        cdef double* row
        cdef double* u
        cdef double total
        for slot in range(d):
            row = self.rows.data + slot * self.rows.width
            u = row + U
            for i in range(m):
                row[MU] += u[i] * self.b[i]
            for i in range(m - 1, -1, -1):
                total = 0.0
                for j in range(i + 1):
                    total += self.F[i * m + j] * u[j]
                u[i] = total
        for i in range(m - 1, -1, -1):
            for k in range(i + 1):
                total = 0.0
                for j in range(k, i + 1):
                    total += self.F[i * m + j] * self.A[j * m + k]
                self.A[i * m + k] = total if fabs(total) > NEGLIGIBLE else 0.0
        memset(self.F, 0, m * m * sizeof(double))
        memset(self.b, 0, m * sizeof(double))
        for i in range(m):
            self.F[i * m + i] = 1.0
            self.lengths[i] = 1.0 if i < self.rank else 0.0

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        if new:
            self.add_features(self.event.newcomers, new)
            self.reanchor(self.table.count)
            self.margin(x, n)
        self.step_dense(x, n, step, squares)

    cdef void learn_eigenvalues(self) noexcept nogil:
        """Step 1 of the sketch update: t += 1, Lambda = (1 - 1/t) Lambda + (1/t) (V xh)^2."""
        cdef Py_ssize_t i
        cdef double rate
        self.t += 1
        rate = 1.0 / self.t
        for i in range(self.sketch_size):
            self.eigenvalues[i] += (self.s[i] * self.s[i] - self.eigenvalues[i]) * rate
        self.refresh_shrinkage()

    cdef void refresh_shrinkage(self) noexcept nogil:
        """t Lambda / (1 + t Lambda)."""
        cdef double mass
        cdef Py_ssize_t i
        for i in range(self.sketch_size):
            mass = self.t * self.eigenvalues[i]
            self.shrinkage[i] = mass / (1.0 + mass)

    cdef void step_dense(self, const Entry* x, Py_ssize_t n, double step,
                         double squares) noexcept nogil:
        """The sketch update and mu's step, where F = I and b = 0; `sums` are those of the event."""
        cdef Py_ssize_t m = self.sketch_size, i, slot
        cdef double root = sqrt(self._gamma), xx = squares / self._gamma
        cdef double sum, old, pulled, xh, along = 0.0
        cdef double* pull = self.scratch  # step * shrinkage * V_new x
        cdef double* row
        cdef double* u
        for i in range(m):
            self.s[i] = self.sums[U + i] / root
        self.learn_eigenvalues()
        self.orthonormalise((2.0 + xx / self.t) / self.t)
        for i in range(m):
            pull[i] = step * (self.shrinkage[i] * root * (1.0 + xx / self.t) * self.image[i])
            self.image[i] /= self.t
            along += pull[i] * self.image[i]
        for slot in range(self.table.count):
            row = self.rows.data + slot * self.rows.width
            u = row + U
            sum = 0.0
            pulled = 0.0
            for i in range(m):
                old = u[i]
                u[i] = (old - self.carry[i] * sum) * self.norm[i]
                sum += self.s[i] * old
                pulled += pull[i] * u[i]
            row[MU] -= pulled
        for i in range(n):
            row = self.rows.data + x[i].slot * self.rows.width
            u = row + U
            xh = x[i].value / root
            row[MU] += step * x[i].value - along * xh
            for slot in range(m):
                u[slot] += self.image[slot] * xh
        self.rotate(self.A)
        for i in range(m * m):
            if fabs(self.A[i]) < NEGLIGIBLE:
                self.A[i] = 0.0

    cdef int copy_mean(self, Snapshot copy) except -1:
        return copy.add_vector(b"mu", self.rows.data + MU, self.table.count, self.rows.width)

    cdef int copy_numbers(self, Snapshot copy) except -1:
        cdef Py_ssize_t m = self.sketch_size, d = self.table.count
        copy.add_integer(b"stream", self.stream)
        copy.add_integer(b"t", self.t)
        copy.add_integer(b"rank", self.rank)
        Sketch.copy_mean(self, copy)
        copy.add_matrix(b"U", self.rows.data + U, d, m, self.rows.width)
        copy.add_matrix(b"A", self.A, m, m, m)
        return copy.add_vector(b"eigenvalues", self.eigenvalues, m, 1)

    cdef dict factors(self):
        """The stored numbers, and F, b and the shrinkage of the same moment."""
        cdef Py_ssize_t m = self.sketch_size
        cdef Snapshot copy = Snapshot()
        self.features.guard.wait()
        Sketch.copy_numbers(self, copy)
        copy.add_matrix(b"F", self.F, m, m, m)
        copy.add_vector(b"b", self.b, m, 1)
        copy.add_vector(b"shrinkage", self.shrinkage, m, 1)
        return copy.as_dict()

    def basis(self):
        """V, sketch_size x d, features in the order of their slots."""
        numbers = self.factors()
        return numbers["F"] @ numbers["U"].T

    def covariance(self):
        """Sigma as a dense matrix, features in the order of their slots."""
        numbers = self.factors()
        V = numbers["F"] @ numbers["U"].T
        return np.eye(V.shape[1]) - V.T @ (numbers["shrinkage"][:, None] * V)

    def _arguments(self):
        return (*super()._arguments(), self.sketch_size, self.seed)

    def _check(self, state, d):
        cdef Py_ssize_t m = self.sketch_size
        # U may be longer than V by what F takes back, and mu by what b does.
        rows = stored(state, "U", (d, m), -1e4, 1e4)
        numbers = {
            "stream": stored_count(state, "stream", 2**64 - 1),
            "t": stored_count(state, "t"),
            "rank": stored_count(state, "rank", min(m, d)),
            "rows": np.column_stack([stored(state, "mu", (d,), -1e160, 1e160), rows]),
            # Longer ones would take the digits of all others.
            "A": stored(state, "A", (m, m), -1e8, 1e8),
            # Of squared lengths that do not overflow, summed up.
            "eigenvalues": stored(state, "eigenvalues", (m,), 0.0, 1e152),
        }
        V = self._check_turned(state) @ rows.T
        if not np.allclose(V @ V.T, np.diag(np.arange(m) < numbers["rank"]), atol=1e-3):
            refuse_state("'U' does not hold directions at right angles, of length 1")
        return numbers

    def _check_turned(self, state):
        """What turns U into V."""
        return np.eye(self.sketch_size)

    def _load(self, numbers):
        self.stream = numbers["stream"]
        self.t = numbers["t"]
        self.rank = numbers["rank"]
        self.rows.copy_in(numbers["rows"])
        self.take(self.A, numbers["A"])
        self.take(self.eigenvalues, numbers["eigenvalues"])
        self.refresh_shrinkage()

    cdef int take(self, double* data, object array) except -1:
        cdef const double[::1] view = array.ravel()
        memcpy(data, &view[0], view.shape[0] * sizeof(double))
        return 0

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
from libc.string cimport memset

from .gaussian cimport gaussian_column
from .kernels cimport lower_times, sum_rows, sum_squares

from .checks import positive_integer, stored

# Entries of A below this are nothing beside what they are added to; as denormals they cost time.
cdef double NOTHING = 1e-290

cdef Py_ssize_t LARGEST_SKETCH = 65536

# The condition of a Gram matrix up to which a Cholesky factorisation keeps enough digits.
cdef double LONG = 1e3


cdef class Sketch(Learner):
    def __cinit__(self, eta, gamma, rho, sketch_size, seed):
        cdef Py_ssize_t m, i
        self.sketch_size = m = positive_integer("sketch_size", sketch_size)
        if m > LARGEST_SKETCH:
            raise ValueError(f"sketch_size must be {LARGEST_SKETCH} or less, not {m}")
        if not (seed is None or isinstance(seed, (int, np.integer))):
            raise TypeError(f"seed must be an integer or None, not {seed!r}")
        self.seed = seed
        self.stream = (
            SystemRandom().getrandbits(64) if seed is None else int(seed)
        ) & 0xFFFFFFFFFFFFFFFF
        self.rows = Rows(U + m)
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

    cdef int reserve(self, Py_ssize_t d) except -1:
        cdef Py_ssize_t slot
        self.rows.reserve(d)
        self.features.rows = <const char*>self.rows.data
        self.features.stride = self.rows.width * sizeof(double)
        for slot in range(self.features.count, d):
            memset(self.rows.data + slot * self.rows.width, 0, self.rows.width * sizeof(double))
        return 0

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        """mu.x, by way of mu_bar.x and U x, which are left in `sums` for the update."""
        cdef double p
        cdef Py_ssize_t i
        sum_rows(self.rows.data, self.rows.width, x, n, self.sums)
        p = self.sums[MU]
        for i in range(self.sketch_size):
            p += self.b[i] * self.sums[U + i]
        return p

    cdef double variance(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        """x.x minus what the sketch knows of x."""
        cdef double v = sum_squares(x, n)
        cdef double* Vx = self.scratch
        cdef Py_ssize_t i
        self.margin(x, n)
        lower_times(self.F, self.sums + U, Vx, self.sketch_size)
        for i in range(self.sketch_size):
            v -= self.shrinkage[i] * Vx[i] * Vx[i]
        return 0.0 if v < 0.0 else v  # a NaN, from an overflow, is let through

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

    cdef void meet(self, const Newcomer* newcomers, Py_ssize_t new) noexcept nogil:
        """Take in the features that an event brings for the first time; mu does not move."""
        cdef Py_ssize_t m = self.sketch_size, first = self.features.count - new, raised = 0, i, k
        cdef double* row
        if self.rank < m:
            self.fold(first)
        for k in range(new):
            row = self.rows.data + (first + k) * self.rows.width
            gaussian_column(self.stream, newcomers[k].hash, self.delta, m)
            lower_times(self.A, self.delta, row + U, m)
            for i in range(m):
                row[MU] -= row[U + i] * self.b[i]
            if self.rank < m:
                self.raise_rank(row + U, first + k)
                raised = k + 1
        self.absorb(first + raised, first + new)

    cdef void absorb(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
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
        if trace > LONG:
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
        self.fold(slot + 1)
        for j in range(slot + 1):
            memset(self.rows.data + j * self.rows.width + U + r + 1, 0, (m - r - 1) * sizeof(double))

    cdef void fold(self, Py_ssize_t d) noexcept nogil:
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
                self.A[i * m + k] = total if fabs(total) > NOTHING else 0.0
        memset(self.F, 0, m * m * sizeof(double))
        memset(self.b, 0, m * sizeof(double))
        for i in range(m):
            self.F[i * m + i] = 1.0
            self.lengths[i] = 1.0 if i < self.rank else 0.0

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        if new:
            self.meet(self.features.newcomers, new)
            self.fold(self.features.count)
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
        for slot in range(self.features.count):
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
            if fabs(self.A[i]) < NOTHING:
                self.A[i] = 0.0

    cdef object mu(self):
        table = self.rows.copy_out(self.features.count)
        return table[:, MU] + table[:, U:] @ self._vector(self.b)

    cdef object _vector(self, double* data):
        return np.array([data[i] for i in range(self.sketch_size)])

    cdef object _matrix(self, double* data):
        cdef Py_ssize_t m = self.sketch_size
        return np.array([[data[i * m + j] for j in range(m)] for i in range(m)])

    cdef int _take(self, double* data, object array) except -1:
        cdef const double[::1] view = array.ravel()
        cdef Py_ssize_t i
        for i in range(view.shape[0]):
            data[i] = view[i]
        return 0

    def basis(self):
        """V, sketch_size x d, features in the order of `names`."""
        self.features.enter()
        return self._matrix(self.F) @ self.rows.copy_out(self.features.count)[:, U:].T

    def covariance(self):
        """Sigma as a dense matrix, features in the order of `names`."""
        V = self.basis()
        return np.eye(V.shape[1]) - V.T @ (self._vector(self.shrinkage)[:, None] * V)

    def _arguments(self):
        return (*super()._arguments(), self.sketch_size, self.seed)

    def _numbers(self):
        table = self.rows.copy_out(self.features.count)
        return {
            "stream": self.stream,
            "t": self.t,
            "rank": self.rank,
            "mu": table[:, MU].copy(),
            "U": table[:, U:].copy(),
            "A": self._matrix(self.A),
            "eigenvalues": self._vector(self.eigenvalues),
        }

    def _load(self, state):
        cdef Py_ssize_t m = self.sketch_size, d = self.features.count
        self.stream = state["stream"]
        self.t = max(0, state["t"])
        self.rank = max(0, min(state["rank"], m, d))
        self.rows.copy_in(
            np.column_stack([stored(state, "mu", (d,)), stored(state, "U", (d, m))])
        )
        self._take(self.A, stored(state, "A", (m, m)))
        self._take(self.eigenvalues, stored(state, "eigenvalues", (m,)))
        self.refresh_shrinkage()

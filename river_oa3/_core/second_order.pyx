"""What learners with a covariance share."""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport fabs, fmin, isfinite, sqrt

from .event_buffer cimport Entry, EventBuffer
from .kernels cimport sum_squares
from .learner cimport NO_STEP, OVERFLOW, OVERFLOW_LIMIT, STEP
from .loss cimport SLOPE, gradient_step, has_loss

from .checks import positive, refuse_size


cdef class SecondOrder(Learner):
    def __cinit__(self, *args):
        self.loss = SLOPE
        self.learns_without_loss = False

    def __init__(self, eta, gamma, rho):
        super().__init__(eta, rho)
        self.gamma = gamma

    @property
    def gamma(self):
        return self._gamma

    @gamma.setter
    def gamma(self, value):
        value = positive("gamma", value)
        self.features.guard.wait()
        self._gamma = value

    cdef double variance_of(self, object x) except? -1:
        cdef double p, v
        self.judge_event(x, &p, &v)
        return v

    def variance_one(self, x):
        return self.variance_of(x)

    def confidence_one(self, x):
        return self.confidence(self.variance_of(x))

    cdef double new_variance(self) noexcept nogil:
        return self.event.new_squares()

    cdef double confidence(self, double v) noexcept nogil:
        """The paper's c = -1/2 eta rho_max / (1/v + 1/gamma), without a division by v."""
        cdef double gain = v / (v + self._gamma) if isfinite(v + self._gamma) else 1.0
        cdef double c = 0.5 * self._eta * (self._rho if self._rho > 1.0 else 1.0)
        return -fmin(fmin(c, DBL_MAX) * gain * self._gamma, DBL_MAX)

    cdef double spread(self, double v) noexcept nogil:
        return sqrt(self._gamma + v)

    cdef double longest_step(self, bint y, double w) noexcept nogil:
        """Sigma <= I: it makes no step longer than the gradient's."""
        return gradient_step(self.loss, self._eta, self._rho if y else 1.0, w)

    cdef double max_squares(self) noexcept nogil:
        """Events of a larger squared length overflow."""
        return OVERFLOW_LIMIT * fmin(1.0, self._gamma)

    cdef int decide(self, const Entry* x, Py_ssize_t n, double p, bint y, double w,
                    double* step, double* squares) noexcept nogil:
        cdef double size = self.longest_step(y, w), total = sum_squares(x, n)
        cdef double bound = self.mu_norm_bound + sqrt(total) * size
        squares[0] = total
        if not (total <= self.max_squares() and bound <= OVERFLOW_LIMIT and size <= OVERFLOW_LIMIT):
            return OVERFLOW
        # An event so short that its square is 0 teaches no more than one without features.
        if total == 0.0 or w == 0.0:
            return NO_STEP
        if has_loss(self.loss, p if y else -p, self._rho if y else 1.0, y):
            self.mu_norm_bound = bound
            step[0] = size if y else -size
            return STEP
        step[0] = 0.0
        return STEP if self.learns_without_loss else NO_STEP

    # Batches: a matrix of rows, one column per name.

    def margins(self, const double[:, ::1] X, list columns):
        """The margin of every row."""
        return self._answers(X, columns, False)[0]

    def judge_many(self, const double[:, ::1] X, list columns):
        """The margin and the variance of every row."""
        return self._answers(X, columns, True)

    def _answers(self, const double[:, ::1] X, list columns, bint wants_variance):
        margins, variances = np.zeros(len(X)), np.zeros(len(X))
        cdef double[::1] p = margins, v = variances
        cdef Py_ssize_t i, n_columns = X.shape[1]
        cdef EventBuffer event = self.event
        cdef Py_ssize_t[::1] slots
        cdef int[::1] order
        order, slots = self._layout(columns)
        if not n_columns:
            return margins, variances
        self.features.guard.acquire()
        with nogil:
            for i in range(X.shape[0]):
                event.load_row(&X[i, 0], &order[0], n_columns, &slots[0], True)
                if wants_variance:
                    p[i] = self.judge(event.entries, event.known, &v[i])
                    v[i] += self.new_variance()
                else:
                    p[i] = self.margin(event.entries, event.known)
        self.features.guard.release()
        if not (np.isfinite(margins).all() and np.isfinite(variances).all()):
            refuse_size("the variance or margin of a row is not finite")
        return margins, variances

    def learn_many(self, const double[:, ::1] X, list columns, const unsigned char[::1] y,
                   const double[::1] w, row_squares):
        """Learn the rows in order, all of them or none; `row_squares` are their squared lengths."""
        cdef Py_ssize_t i = 0, n_columns = X.shape[1]
        cdef EventBuffer event = self.event
        cdef Py_ssize_t[::1] slots
        cdef int[::1] order
        cdef double step, squares, p
        if not n_columns:
            return
        self._check_batch(row_squares, y, w)
        self._make_room(np.asarray(X), columns)
        while True:
            order, slots = self._layout(columns)
            self.features.guard.acquire()
            with nogil:
                while i < X.shape[0]:
                    event.load_row(&X[i, 0], &order[0], n_columns, &slots[0], True)
                    if event.new:
                        break
                    # `_check_batch` has ruled out that a row is too large.
                    p = self.margin(event.entries, event.known)
                    if self.decide(event.entries, event.known, p, y[i], w[i], &step,
                                   &squares) == STEP:
                        self.update(event.entries, event.known, 0, step, squares)
                    i += 1
            self.features.guard.release()
            if i == X.shape[0]:
                return
            # A row with a new feature goes the way of a single event.
            x = {name: value for name, value in zip(columns, np.asarray(X)[i].tolist())}
            kept = self.read_to_learn(x)
            self.learn_read(y[i], w[i])
            kept = None
            i += 1

    def _layout(self, list columns):
        """Columns in the order of their slots, and their slots (-1 where there is none)."""
        slots = np.array(
            [self.table.find(name, hash(name)) for name in columns], dtype=np.intp
        )
        order = np.argsort(slots, kind="stable").astype(np.intc)
        self.features.guard.wait()
        self.event.reserve(len(columns))
        return order, slots

    def _make_room(self, X, columns):
        """Reserve memory for every new feature of a batch, before its first row."""
        _, slots = self._layout(columns)
        self.grow(
            self.table.count
            + sum(X[:1, j].any() or X[:, j].any() for j in np.flatnonzero(slots < 0))
        )

    def _check_batch(self, const double[::1] squares, const unsigned char[::1] y,
                     const double[::1] w):
        """Refuse a batch that might overflow half way, before its first row."""
        cdef double bound = self.mu_norm_bound, longest = 0.0, largest = 0.0, step
        cdef Py_ssize_t i
        for i in range(squares.shape[0]):
            step = self.longest_step(y[i], w[i])
            bound += step * sqrt(squares[i])
            longest = max(longest, step)
            largest = max(largest, squares[i])
        if not (
            largest <= self.max_squares()
            and bound <= OVERFLOW_LIMIT
            and longest <= OVERFLOW_LIMIT
        ):
            self._refuse_event(largest)

    def _parameters(self):
        return f"eta = {self._eta:g}, gamma = {self._gamma:g} and rho = {self._rho:g}"

    def _arguments(self):
        return self._eta, self._gamma, self._rho

"""What learners with a covariance share."""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport fmin, isfinite, sqrt

from .columns cimport Columns
from .event_buffer cimport Entry, EventBuffer
from .guard cimport Guard
from .kernels cimport larger, sum_squares
from .learner cimport NO_STEP, OVERFLOW, OVERFLOW_LIMIT, STEP
from .loss cimport SLOPE, gradient_step, has_loss

from .checks import positive, refuse_size

# Of the limits: a row's own sums are added up in another order.
cdef double BATCH_SHARE = 1.0 - 1e-9


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

    def confidences(self, const double[::1] variances):
        """The confidence that goes with each variance."""
        confidences = np.empty(variances.shape[0])
        cdef double[::1] c = confidences
        cdef Py_ssize_t i
        for i in range(variances.shape[0]):
            c[i] = self.confidence(variances[i])
        return confidences

    def _answers(self, const double[:, ::1] X, list columns, bint wants_variance):
        margins, variances = np.zeros(len(X)), np.zeros(len(X))
        cdef double[::1] p = margins, v = variances
        cdef Columns layout = Columns(columns, False)
        cdef EventBuffer event = self.event
        cdef Guard guard = self.features.guard
        cdef Py_ssize_t i
        self.begin_batch(layout, None)
        with nogil:
            for i in range(X.shape[0] if layout.size else 0):
                guard.pause_while_forking()
                event.load_row(&X[i, 0], layout.order, layout.size, layout.slots, True)
                if wants_variance:
                    p[i] = self.judge(event.entries, event.known, &v[i])
                    v[i] += self.new_variance()
                else:
                    p[i] = self.margin(event.entries, event.known)
        guard.release()
        if not (np.isfinite(margins).all() and np.isfinite(variances).all()):
            refuse_size("the variance or margin of a row is not finite")
        return margins, variances

    def learn_many(self, const double[:, ::1] X, list columns, const unsigned char[::1] y,
                   const double[::1] w, const double[::1] row_squares):
        """Learn the rows in order, all of them or none; `row_squares` are their squared lengths."""
        cdef Columns layout = Columns(columns, True)
        cdef EventBuffer event = self.event
        cdef Guard guard = self.features.guard
        cdef double largest = 0.0, squares
        cdef Py_ssize_t i
        cdef bint fits
        self.begin_batch(layout, np.asarray(X))
        fits = self.batch_fits(row_squares, y, w, &largest)
        if fits:
            layout.hold(event)
            with nogil:
                for i in range(X.shape[0] if layout.size else 0):
                    guard.pause_while_forking()
                    event.load_row(&X[i, 0], layout.order, layout.size, layout.slots, True)
                    if event.new:
                        layout.prepare_new(event, self.table.count)
                    if self.learn_loaded(y[i], w[i], &squares) == STEP and event.new:
                        layout.admit(event)
            layout.drop()
        guard.release()
        if not fits:
            self._refuse_event(largest)

    cdef int begin_batch(self, Columns layout, object X) except -1:
        """Take the model for a batch, with its columns looked up and, for the rows X, with room."""
        cdef Py_ssize_t new = 0
        while True:
            layout.look_up(self.table)
            if X is not None:
                new = layout.n_new(X)
            if not self.has_room_for(new):
                self.grow(self.table.count + new)
            self.features.guard.wait()
            self.event.reserve(layout.size)
            self.features.guard.acquire()
            # Others may have had their turn before this one began.
            if self.table.count == layout.count and self.has_room_for(new):
                return 0
            self.features.guard.release()

    cdef bint batch_fits(self, const double[::1] squares, const unsigned char[::1] y,
                         const double[::1] w, double* largest) noexcept nogil:
        """Whether no row can overflow, whatever comes before it; the squares may be rounded."""
        cdef double bound = self.mu_norm_bound, longest = 0.0, step
        cdef Py_ssize_t i
        for i in range(squares.shape[0]):
            step = self.longest_step(y[i], w[i])
            bound += step * sqrt(squares[i])
            longest = larger(longest, step)
            largest[0] = larger(largest[0], squares[i])
        return (
            largest[0] <= BATCH_SHARE * self.max_squares()
            and bound <= BATCH_SHARE * OVERFLOW_LIMIT
            and longest <= OVERFLOW_LIMIT
        )

    def _parameters(self):
        return f"eta = {self._eta:g}, gamma = {self._gamma:g} and rho = {self._rho:g}"

    def _arguments(self):
        return self._eta, self._gamma, self._rho

"""The first-order rivals: a mean, and no opinion of how sure it is."""

from libc.math cimport fmin, sqrt

from .features cimport Entry
from .kernels cimport dot_entries, sum_squares
from .learner cimport LARGEST, NOTHING, OVERFLOW, STEP, Learner
from .rows cimport Rows

from .checks import stored

cdef enum Rule:
    # Passive-aggressive: the shortest step that leaves no loss; at most C; with C as a ridge.
    PA = 0
    PA_I = 1
    PA_II = 2
    # eta y x on a mistake.
    PERCEPTRON = 3
    # The gradient of rho_t max(0, 1 - y p), and of max(0, rho_t - y p).
    SLOPE = 4
    MARGIN = 5

RULES = {
    "PA": PA,
    "PA-I": PA_I,
    "PA-II": PA_II,
    "perceptron": PERCEPTRON,
    "slope": SLOPE,
    "margin": MARGIN,
}


cdef class FirstOrder(Learner):
    """mu alone, moved along x by one of the RULES; eta is C where the rule is PA."""
    cdef Rows rows
    cdef readonly str rule
    cdef int kind

    def __cinit__(self, eta, rho, rule):
        self.rows = Rows(1)
        self.rule = rule
        self.kind = RULES[rule]

    def __init__(self, eta, rho, rule):
        super().__init__(eta, 1.0, rho)

    cdef int reserve(self, Py_ssize_t d) except -1:
        cdef Py_ssize_t slot
        self.rows.reserve(d)
        self.features.rows = <const char*>self.rows.data
        self.features.stride = sizeof(double)
        for slot in range(self.features.count, d):
            self.rows.data[slot] = 0.0
        return 0

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        return dot_entries(self.rows.data, x, n)

    cdef double variance_of(self, object x) except? -1:
        self.features.read(x, False)
        return 0.0

    cdef double confidence(self, double v) noexcept nogil:
        return 0.0

    cdef int decide(self, const Entry* x, Py_ssize_t n, double p, bint y, double w,
                    double* step, double* squares) noexcept nogil:
        cdef double total = sum_squares(x, n), size, reach
        squares[0] = total
        if total == 0.0 or w == 0.0:
            return NOTHING
        size = self.step_size(p if y else -p, self._rho if y else 1.0, y, w, total)
        reach = self.reach + sqrt(total) * size
        if not (total <= LARGEST and size <= LARGEST and reach <= LARGEST):
            return OVERFLOW
        if size == 0.0:
            return NOTHING
        self.reach = reach
        step[0] = size if y else -size
        return STEP

    cdef double step_size(self, double yp, double rho_t, bint y, double w,
                          double squares) noexcept nogil:
        """How far mu goes along y x; w multiplies the loss, and so C."""
        cdef double loss = 1.0 - yp
        cdef bint is_mistake = yp < 0.0 or (yp == 0.0 and not y)
        if self.kind == PERCEPTRON:
            return self._eta * w if is_mistake else 0.0
        if self.kind == MARGIN:
            return self._eta * w if yp < rho_t else 0.0
        if loss <= 0.0:
            return 0.0
        if self.kind == SLOPE:
            return self._eta * w * rho_t
        if self.kind == PA:
            return loss / squares
        if self.kind == PA_I:
            return fmin(self._eta * w, loss / squares)
        return loss / (squares + 0.5 / (self._eta * w))

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        cdef double* mu = self.rows.data
        cdef Py_ssize_t i
        for i in range(n):
            mu[x[i].slot] += step * x[i].value

    cdef object mu(self):
        return self.rows.copy_out(self.features.count)[:, 0]

    def _arguments(self):
        return self._eta, self._rho, self.rule

    def _numbers(self):
        return {"mu": self.mu()}

    def _load(self, state):
        self.rows.copy_in(stored(state, "mu", (self.features.count,))[:, None])

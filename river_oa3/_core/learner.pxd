from .features cimport Entry, Features

cdef double LARGEST

cdef enum:
    # What `decide` says of an event.
    OVERFLOW = -1
    NOTHING = 0
    STEP = 1


cdef class Learner:
    """What the learners share: parameters, name table, checks, and the way through an event.

    A learner file fills in the methods at the end, and its own part of the state.
    """
    cdef double _eta, _gamma, _rho
    cdef Features features
    # An upper bound on the length of mu: Sigma <= I, so no step is longer than eta rho_t w |x|.
    cdef double reach
    # Sketches learn from a label without loss too; the others leave it alone.
    cdef bint learns_without_loss
    # Whether it gains from events that are known before their turn.
    cdef bint looks_ahead

    cdef double margin_of(self, object x) except? -1
    cdef double variance_of(self, object x) except? -1
    cdef double confidence(self, double v) noexcept nogil
    cdef int learn_read(self, bint y, double w) except -1
    cdef int refuse_event(self, double squares) except -1
    cdef int decide(self, const Entry* x, Py_ssize_t n, double p, bint y, double w,
                    double* step, double* squares) noexcept nogil
    cdef double judge(self, const Entry* x, Py_ssize_t n, double* v) noexcept nogil

    cdef int reserve(self, Py_ssize_t d) except -1
    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil
    cdef double variance(self, const Entry* x, Py_ssize_t n) noexcept nogil
    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil
    cdef object mu(self)

    cdef Py_ssize_t foresee(self, Py_ssize_t place, const Entry* x, Py_ssize_t n) noexcept nogil
    cdef void prepare(self, Py_ssize_t count) noexcept nogil
    cdef void turn_to(self, Py_ssize_t place) noexcept nogil

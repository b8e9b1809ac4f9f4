from .event_buffer cimport Entry
from .model cimport Model
from .snapshot cimport Snapshot

# Squared lengths and steps up to here leave every product in the learners finite.
cdef double OVERFLOW_LIMIT

cdef enum:
    # What `decide` says of an event.
    OVERFLOW = -1
    NO_STEP = 0
    STEP = 1


cdef class Learner(Model):
    """What the paper's learners share: parameters, checks, and an event's way through them.

    A learner file fills in the methods at the end, and its own part of the state.
    """
    cdef double _eta, _rho
    # Of the losses in `loss`.
    cdef int loss
    # An upper bound on the length of mu: no step is longer than its size times |x|.
    cdef double mu_norm_bound
    # Whether it gains from events that are known before their turn.
    cdef bint looks_ahead

    cdef double margin_of(self, object x) except? -1
    cdef int judge_event(self, object x, double* p, double* v) except -1
    cdef int learn_read(self, bint y, double w) except -1
    cdef int learn_loaded(self, bint y, double w, double* squares) noexcept nogil

    cdef int decide(self, const Entry* x, Py_ssize_t n, double p, bint y, double w,
                    double* step, double* squares) noexcept nogil
    cdef double new_variance(self) noexcept nogil
    cdef double confidence(self, double v) noexcept nogil
    cdef double spread(self, double v) noexcept nogil

    cdef void blank_rows(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil
    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil
    cdef double judge(self, const Entry* x, Py_ssize_t n, double* v) noexcept nogil
    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil
    cdef int copy_mean(self, Snapshot copy) except -1
    cdef object mean(self, dict numbers)

    cdef Py_ssize_t lookahead_add(self, Py_ssize_t index, const Entry* x,
                                  Py_ssize_t n) noexcept nogil
    cdef void lookahead_prepare(self, Py_ssize_t count) noexcept nogil
    cdef void lookahead_turn(self, Py_ssize_t index) noexcept nogil

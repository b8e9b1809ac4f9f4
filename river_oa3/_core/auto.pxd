from .auto_constants cimport BINS
from .model cimport Model
from .scaling cimport Feature, Pair
from .snapshot cimport Snapshot
from .threshold cimport Threshold


cdef struct Term:
    # A weight and what it is multiplied with, but for the length of rows.
    Pair* weight
    double z


cdef struct Change:
    # What the event makes of a feature's statistics.
    Py_ssize_t slot
    Feature seen
    bint wants_bins


cdef struct Bins:
    Pair weights[BINS]


cdef struct Judgement:
    # mu.z and its variance; the margin shrunk by its variance; the temperature, the probability.
    double m
    double v
    double s
    double tau
    double p
    # How far s is above the boundary.
    double margin


cdef class Auto(Model):
    """The learner that needs no tuning: raw events in, one fixed setting."""
    # The objective: prices of the two mistakes, and what they add to the boundary's log odds.
    cdef readonly double price_fn, price_fp
    cdef readonly bint knows_odds
    cdef double offset
    cdef readonly Py_ssize_t max_features

    cdef Feature* rows
    cdef Py_ssize_t capacity
    cdef Bins* bins
    cdef Py_ssize_t n_bins, bins_capacity
    # The slots of the dense features, in order, and what the newest event would make of them.
    cdef Py_ssize_t* dense
    cdef Py_ssize_t* dense_next
    cdef Py_ssize_t n_dense, n_dense_next, dense_capacity

    # Events, the sum of the squared lengths of their rows, and labels.
    cdef double t, squares
    cdef long long n_positive, n_negative
    cdef Pair intercept
    cdef Threshold threshold

    # The newest event as a row, and what observing it would change.
    cdef Term* terms
    cdef Change* changes
    cdef Py_ssize_t n_terms, n_changes, n_wanted, scratch_capacity
    cdef double next_squares, scale
    cdef Pair blank
    cdef Judgement judged
    # Whether `terms` are those of the event as observed.
    cdef bint is_current

    cdef int reserve_scratch(self, Py_ssize_t size) except -1
    cdef int reserve_bins(self, Py_ssize_t count) except -1
    cdef int reserve_dense(self, Py_ssize_t count) except -1
    cdef int check_size(self) except -1
    cdef int make_room(self) except -1
    cdef int forget_features(self, Py_ssize_t keep) except -1
    cdef void move_rows(self, const Py_ssize_t* new_slots, Py_ssize_t count,
                        Bins* bins) noexcept nogil
    cdef int copy_statistics(self, Snapshot copy) except -1
    cdef int judge_raw(self, object x) except -1
    cdef tuple answer(self, int missing)
    cdef int observe_raw(self, object x) except -1
    cdef int observe_read(self) except -1
    cdef void judge(self, bint is_counted) noexcept nogil
    cdef void judge_counted(self) noexcept nogil
    cdef void conclude(self, double m, double v) noexcept nogil
    cdef void commit(self) noexcept nogil
    cdef void admit_new(self) noexcept nogil
    cdef void learn(self, bint y, double w, double importance) noexcept nogil
    cdef int missing(self) noexcept nogil


cdef inline double confidence(double v) noexcept nogil:
    """The paper's c with eta = gamma = rho = 1."""
    return -0.5 * v / (1.0 + v)

from .auto_rows cimport AutoRows, Change, Term
from .calibration cimport Calibration
from .recall cimport Memory, Recall
from .scaling cimport Feature, Pair
from .threshold cimport Threshold


cdef struct Judgement:
    # mu.z and its variance; the margin shrunk by its variance; the temperature, and the
    # probability by which boundary and budget go.
    double m
    double v
    double s
    double tau
    double p
    # How far s is above the boundary.
    double margin


cdef class AutoEngine(AutoRows):
    """The learner that needs no tuning: raw events in, one fixed setting."""
    # The objective: prices of the two mistakes, and what they add to the boundary's log odds.
    cdef readonly double price_fn, price_fp
    cdef readonly bint knows_odds
    cdef double offset

    # Events, those that count in the scaling, the sum of their rows' squared lengths, and labels.
    cdef double clock, t, squares
    cdef long long n_positive, n_negative
    cdef Pair intercept
    cdef Threshold threshold
    cdef Calibration calibration
    cdef Recall recall

    # Of the newest event.
    cdef double next_squares, scale
    cdef Pair blank
    cdef Judgement judged
    # Whether `terms` are those of the event as observed.
    cdef bint is_current

    cdef int observe_read(self) except -1
    cdef void judge(self, bint is_counted) noexcept nogil
    cdef void judge_counted(self) noexcept nogil
    cdef void conclude(self, double m, double v) noexcept nogil
    cdef double probability(self) noexcept nogil
    cdef int missing(self) noexcept nogil
    cdef void commit(self) noexcept nogil
    cdef void halve(self) noexcept nogil
    cdef void admit_new(self) noexcept nogil
    cdef void learn(self, bint y, double w, double importance) noexcept nogil
    cdef void remember(self, double sign, double w, double step) noexcept nogil
    cdef void repeat(self, Memory* row) noexcept nogil
    cdef Pair* weight_of(self, long long number) noexcept nogil

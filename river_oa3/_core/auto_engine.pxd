from .auto_rows cimport AutoRows, Change, Term
from .calibration cimport Calibration
from .explanation cimport Explanation
from .recall cimport Memory, Recall
from .scaling cimport SIDES, Feature, Weight
from .threshold cimport Threshold


cdef struct Judgement:
    # mu.z and its variance, and the margin shrunk by its variance.
    double m
    double v
    double s
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
    cdef Weight intercept
    # The labels that the fast learner has not forgotten, how far it is ahead of the slow one on
    # the newest labels, when the last one came, and which of the two answers.
    cdef double fast_labels, evidence, last_label
    cdef double tau[SIDES]
    cdef int leader
    # Who answers for the event that was judged: the leader, unless its lead is too old.
    cdef int speaker
    # Only comparisons that show what forgetting is worth turn it off.
    cdef public bint forgets
    cdef Threshold threshold
    cdef Calibration calibration
    cdef Recall recall

    # Of the newest event.
    cdef double next_squares, scale
    cdef Weight blank
    cdef Judgement judged[SIDES]
    # Whether `terms` are those of the event as observed.
    cdef bint is_current

    cdef int observe_read(self) except -1
    cdef void judge(self, bint is_counted) noexcept nogil
    cdef void judge_counted(self) noexcept nogil
    cdef void conclude(self, int side, double m, double v) noexcept nogil
    cdef void bound(self, int side) noexcept nogil
    cdef void cool(self) noexcept nogil
    cdef double probability(self) noexcept nogil
    cdef void explain(self, Explanation found) noexcept nogil
    cdef bint is_of(self, const Weight* weight, Py_ssize_t slot) noexcept nogil
    cdef int missing(self) noexcept nogil
    cdef void commit(self) noexcept nogil
    cdef void halve(self) noexcept nogil
    cdef void admit_new(self) noexcept nogil
    cdef void learn(self, bint y, double w, double importance) noexcept nogil
    cdef void remember(self, double sign, double w, double step) noexcept nogil
    cdef void repeat(self, Memory* row) noexcept nogil
    cdef void weigh_evidence(self, double sign, double ratio) noexcept nogil
    cdef void forget_surprised(self, double sign, double ratio) noexcept nogil
    cdef double step(self, double sign, double w) noexcept nogil
    cdef Weight* weight_of(self, long long number) noexcept nogil

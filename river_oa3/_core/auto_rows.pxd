from .auto_constants cimport BINS
from .model cimport Model
from .scaling cimport Feature, Statistics, Weight


cdef struct Term:
    # A weight and what it is multiplied with, but for the length of rows.
    Weight* weight
    double z


cdef struct Change:
    # What the event makes of a feature's statistics.
    Py_ssize_t slot
    Statistics seen
    bint wants_bins


cdef struct Bins:
    Weight weights[BINS]


cdef class AutoRows(Model):
    """Rows of features and bins, the dense features, and room to judge an event."""
    cdef readonly Py_ssize_t max_features
    cdef Feature* rows
    cdef Py_ssize_t capacity
    cdef Bins* bins
    cdef Py_ssize_t n_bins, bins_capacity
    # The slots of the dense features, in order, and what the newest event would make of them.
    cdef Py_ssize_t* dense
    cdef Py_ssize_t* dense_next
    cdef Py_ssize_t n_dense, n_dense_next, dense_capacity
    # The newest event as a row, and what observing it would change.
    cdef Term* terms
    cdef Change* changes
    cdef Py_ssize_t n_terms, n_changes, n_wanted, scratch_capacity

    cdef int check_size(self) except -1
    cdef int make_room(self) except -1
    cdef int reserve_bins(self, Py_ssize_t count) except -1
    cdef int reserve_dense(self, Py_ssize_t count) except -1
    cdef int reserve_scratch(self, Py_ssize_t size) except -1
    cdef int forget_features(self, Py_ssize_t keep) except -1
    cdef void move_rows(self, const Py_ssize_t* new_slots, Py_ssize_t count,
                        Bins* bins) noexcept nogil
    cdef void forget_places(self) noexcept nogil

from libc.stdint cimport uint64_t

from .event_buffer cimport Entry, Newcomer
from .feature_rows cimport FeatureRows
from .second_order cimport SecondOrder

cdef enum:
    # A feature's row: its mean, then its column of U.
    MU = 0
    U = 1


cdef class Sketch(SecondOrder):
    """SOA3 (Algorithms 4 and 5 of the paper), and the ground that its sparse version stands on.

    V = F U with orthonormal rows, U = A U_raw, U_raw = G prod(I + xh xh'/t), mu = mu_bar + U'b.
    Here F = I and b = 0 between events, so that U is V and mu_bar is mu.
    """
    cdef readonly Py_ssize_t sketch_size
    cdef readonly object seed
    cdef uint64_t stream
    cdef FeatureRows rows
    cdef Py_ssize_t t
    # Rows of V that are not zero yet: no more than there are features.
    cdef Py_ssize_t rank
    # Lower triangular, sketch_size x sketch_size, row-major.
    cdef double* A
    cdef double* F
    # Vectors of sketch_size numbers.
    cdef double* eigenvalues
    cdef double* shrinkage
    cdef double* b
    # Squared lengths of U's rows.
    cdef double* lengths
    # The newest orthonormalisation: see `orthonormalise`.
    cdef double* s
    cdef double* carry
    cdef double* norm
    cdef double* image
    cdef double* delta
    # mu_bar.x and U x of the event whose margin was asked for last.
    cdef double* sums
    # sketch_size x sketch_size, for whatever is at hand.
    cdef double* scratch

    cdef void orthonormalise(self, double kappa) noexcept nogil
    cdef void rotate(self, double* matrix) noexcept nogil
    cdef void add_features(self, const Newcomer* newcomers, Py_ssize_t new) noexcept nogil
    cdef void reorthonormalise(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil
    cdef void raise_rank(self, double* u, Py_ssize_t slot) noexcept nogil
    cdef void reanchor(self, Py_ssize_t d) noexcept nogil
    cdef void learn_eigenvalues(self) noexcept nogil
    cdef void refresh_shrinkage(self) noexcept nogil
    cdef void step_dense(self, const Entry* x, Py_ssize_t n, double step, double squares) noexcept nogil

    cdef dict factors(self)
    cdef int take(self, double* data, object array) except -1

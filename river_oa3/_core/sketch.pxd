from libc.stdint cimport uint64_t

from .features cimport Entry, Newcomer
from .learner cimport Learner
from .rows cimport Rows

cdef enum:
    # A feature's row: its mean, then its column of U.
    MU = 0
    U = 1


cdef class Sketch(Learner):
    """SOA3 (Algorithms 4 and 5 of the paper), and the ground that its sparse version stands on.

    V = F U with orthonormal rows, U = A U_raw, U_raw = G prod(I + xh xh'/t), mu = mu_bar + U'b.
    Here F = I and b = 0 between events, so that U is V and mu_bar is mu.
    """
    cdef readonly Py_ssize_t sketch_size
    cdef readonly object seed
    cdef uint64_t stream
    cdef Rows rows
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
    cdef void meet(self, const Newcomer* newcomers, Py_ssize_t new) noexcept nogil
    cdef void absorb(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil
    cdef void raise_rank(self, double* u, Py_ssize_t slot) noexcept nogil
    cdef void fold(self, Py_ssize_t d) noexcept nogil
    cdef void learn_eigenvalues(self) noexcept nogil
    cdef void refresh_shrinkage(self) noexcept nogil
    cdef void step_dense(self, const Entry* x, Py_ssize_t n, double step, double squares) noexcept nogil

    cdef object _vector(self, double* data)
    cdef object _matrix(self, double* data)
    cdef int _take(self, double* data, object array) except -1

from .columns cimport Columns
from .learner cimport Learner


cdef class SecondOrder(Learner):
    """A learner that knows how sure it is: weights ~ N(mu, Sigma), with 0 <= Sigma <= I."""
    cdef double _gamma
    # Sketches learn from a label without loss too; the others leave it alone.
    cdef bint learns_without_loss

    cdef double variance_of(self, object x) except? -1
    cdef double longest_step(self, bint y, double w) noexcept nogil
    cdef double max_squares(self) noexcept nogil
    cdef int begin_batch(self, Columns layout, object X) except -1
    cdef bint batch_fits(self, const double[::1] squares, const unsigned char[::1] y,
                         const double[::1] w, double* largest) noexcept nogil

cdef class FeatureRows:
    """A growing table of doubles: one row of `width` numbers per feature."""
    cdef double* data
    cdef readonly Py_ssize_t width
    cdef readonly Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t rows) except -1
    cdef int copy_in(self, object array) except -1

cdef class Rows:
    """A growing table of doubles: one row of `width` numbers a feature."""
    cdef double* data
    cdef readonly Py_ssize_t width
    cdef readonly Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t rows) except -1
    cdef object copy_out(self, Py_ssize_t rows)
    cdef int copy_in(self, object array) except -1

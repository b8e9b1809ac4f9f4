from libc.stdlib cimport free
from libc.string cimport memcpy

from .hardware cimport grow_table


cdef class FeatureRows:
    def __cinit__(self, Py_ssize_t width):
        self.width = width
        self.data = NULL
        self.capacity = 0

    def __dealloc__(self):
        free(self.data)

    def __sizeof__(self):
        return object.__sizeof__(self) + self.capacity * self.width * sizeof(double)

    cdef int reserve(self, Py_ssize_t rows) except -1:
        """Make room for `rows` rows. Capacity goes up by doubling; rows keep their numbers."""
        cdef Py_ssize_t capacity = self.capacity if self.capacity else 16
        cdef double* data
        if rows <= self.capacity:
            return 0
        while capacity < rows:
            capacity *= 2
        data = <double*>grow_table(
            self.data,
            self.capacity * self.width * sizeof(double),
            capacity * self.width * sizeof(double),
        )
        if data == NULL:
            raise MemoryError(f"no memory for {capacity} rows of {self.width} numbers")
        self.data = data
        self.capacity = capacity
        return 0

    cdef int copy_in(self, object array) except -1:
        """Take the rows of a stored table."""
        cdef const double[:, ::1] view = array
        self.reserve(view.shape[0])
        if view.shape[0] and self.width:
            memcpy(self.data, &view[0, 0], view.shape[0] * self.width * sizeof(double))
        return 0

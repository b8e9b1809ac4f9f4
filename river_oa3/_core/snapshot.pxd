from libc.stdint cimport uint64_t

from .name_table cimport NameCopy, NameTable

cdef enum:
    MAX_PARTS = 32


cdef struct Part:
    const char* name
    # NULL where the part is a single number.
    double* data
    Py_ssize_t rows, columns
    bint is_vector
    bint is_integer
    uint64_t integer
    double real


cdef class Snapshot:
    """The state of a model at one moment: names, arrays and numbers.

    Everything is copied first, in one go, and only then turned into Python objects: making those
    may run code of others, which may change the model.
    """
    cdef NameCopy names
    cdef Part parts[MAX_PARTS]
    cdef int n_parts

    cdef int add_names(self, NameTable names) except -1
    cdef Part* add(self, const char* name) except NULL
    cdef int add_integer(self, const char* name, uint64_t value) except -1
    cdef int add_real(self, const char* name, double value) except -1
    cdef int add_vector(self, const char* name, const double* data, Py_ssize_t size,
                        Py_ssize_t stride) except -1
    cdef int add_matrix(self, const char* name, const double* data, Py_ssize_t rows,
                        Py_ssize_t columns, Py_ssize_t stride) except -1
    cdef double* new_matrix(self, const char* name, Py_ssize_t rows,
                            Py_ssize_t columns) except NULL
    cdef dict as_dict(self)

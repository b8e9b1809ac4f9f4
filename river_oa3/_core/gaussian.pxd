from libc.stdint cimport uint64_t

cdef void gaussian_column(uint64_t seed, uint64_t name, double* out, Py_ssize_t size) noexcept nogil

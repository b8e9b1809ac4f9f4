from libc.stdint cimport uint32_t, uint64_t

from cpython.object cimport PyObject

cdef enum:
    UNUSUAL = -3


cdef struct Bucket:
    # NULL where the bucket is free; a reference of its own elsewhere.
    PyObject* name
    uint32_t hash
    uint32_t slot


cdef class Names:
    """Open addressing: a power of two of buckets, at most half of them taken."""
    cdef Bucket* buckets
    cdef Py_ssize_t n_buckets
    cdef int shift
    cdef Py_ssize_t count

    cdef Py_ssize_t find(self, object name, Py_hash_t hash, bint plain) except -2
    cdef void insert(self, PyObject* name, Py_hash_t hash) noexcept nogil
    cdef int reserve_names(self, Py_ssize_t count) except -1
    cdef list names(self)
    cdef int load(self, list names) except -1


cdef inline uint32_t mixed(Py_hash_t hash) noexcept nogil:
    """Fibonacci hashing: the hashes of small ints are the ints themselves."""
    return <uint32_t>((<uint64_t>hash * 0x9E3779B97F4A7C15ULL) >> 32)

from libc.stdint cimport uint32_t, uint64_t

from cpython.object cimport PyObject

from .guard cimport Guard
from .hardware cimport fold_multiply

cdef enum:
    # What `find_plain` and `search` say where they have no answer.
    UNUSUAL = -3
    CHANGED = -4


cdef struct Bucket:
    # NULL where the bucket is free; a reference of its own elsewhere.
    PyObject* name
    uint32_t hash
    uint32_t slot


cdef class NameCopy:
    """Names in the order of their slots, which no garbage collection comes upon while it is made."""
    cdef PyObject** pointers
    cdef Py_ssize_t count

    cdef list names(self)


cdef class NameTable:
    """Open addressing: a power of two of buckets, at most half of them taken.

    A name keeps its slot until names are dropped.
    """
    # A batch may give names slots without the GIL: whoever reads the table waits for it.
    cdef Guard guard
    cdef Bucket* buckets
    cdef Py_ssize_t n_buckets
    cdef int shift
    cdef Py_ssize_t count
    # How often names were dropped, after which the others have new slots.
    cdef Py_ssize_t n_drops
    # Drawn once per process, so that nobody can choose names that share a bucket.
    cdef uint64_t salt, factor

    cdef Py_ssize_t find(self, object name, Py_hash_t hash) except -2
    cdef Py_ssize_t find_plain(self, object name, Py_hash_t hash) noexcept
    cdef Py_ssize_t search(self, object name, Py_hash_t hash) except -2
    cdef void insert(self, PyObject* name, Py_hash_t hash) noexcept nogil
    cdef bint has_room(self, Py_ssize_t count) noexcept nogil
    cdef int reserve(self, Py_ssize_t count) except -1
    cdef Py_ssize_t drop(self, Py_ssize_t* slots, PyObject** dropped) except -1
    cdef NameCopy copy(self)
    cdef int load(self, list names, list hashes) except -1

    cdef inline uint32_t mixed(self, Py_hash_t hash) noexcept nogil:
        """Python's hashes of small ints are the ints themselves: they are mixed before use."""
        return <uint32_t>(fold_multiply(<uint64_t>hash ^ self.salt, self.factor) >> 32)

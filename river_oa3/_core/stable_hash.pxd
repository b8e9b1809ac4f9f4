from libc.stdint cimport uint64_t

cdef bint plain_hash(object name, uint64_t* out) noexcept
cdef uint64_t stable_hash(object name) except? 0

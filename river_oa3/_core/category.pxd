from libc.stdint cimport uint64_t

from .hardware cimport fold_multiply

cdef enum:
    # Letters of a text that a model keeps as it is: what it takes is bounded by its features.
    LONGEST_TEXT = 100


cdef class Category:
    """The feature that a text stands for: one indicator per pair of a name and a value.

    No tuple, which could be somebody's name of another feature.
    """
    cdef readonly object name
    cdef readonly object value
    cdef Py_hash_t hash


cpdef str kept_text(str text)


cdef inline Py_hash_t category_hash(Py_hash_t name, Py_hash_t value) noexcept nogil:
    cdef Py_hash_t mixed = <Py_hash_t>fold_multiply(
        <uint64_t>name ^ 0x9E3779B97F4A7C15ULL, <uint64_t>value ^ 0xC2B2AE3D27D4EB4FULL
    )
    return mixed if mixed != -1 else -2  # which no hash of Python's is


cdef inline uint64_t category_digest(uint64_t name, uint64_t value) noexcept nogil:
    """The stable hash, out of those of the name and the value."""
    return fold_multiply(name ^ 0x9E3779B97F4A7C15ULL, value ^ 0xC2B2AE3D27D4EB4FULL)

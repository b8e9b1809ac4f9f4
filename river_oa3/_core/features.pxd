from libc.stdint cimport uint64_t


cdef struct Entry:
    Py_ssize_t slot
    double value


cdef struct Newcomer:
    uint64_t hash
    double value
    Py_ssize_t place


cdef double sort_new_squares(Newcomer* newcomers, Py_ssize_t new) noexcept nogil


cdef class Features:
    """The name table, and the newest event as slots and values.

    After `read`, `entries[:known]` are the event's known features in the order of their slots.
    After `read` for learning, `entries[known:known + new]` are its new features, in the order of
    their names' stable hash, with the slots that `admit` will give them. So nothing downstream
    depends on the order of the keys in the dict, to the last bit.
    """
    cdef dict table
    cdef Py_ssize_t count
    cdef list new_names
    cdef Entry* entries
    cdef Newcomer* newcomers
    cdef Py_ssize_t capacity
    cdef Py_ssize_t known
    cdef Py_ssize_t new
    cdef double new_squares

    cdef int reserve(self, Py_ssize_t size) except -1
    cdef int read(self, object x, bint learning) except -1
    cdef int read_any(self, list items, bint learning) except -1
    cdef int take(self, object name, double value, bint learning) except -1
    cdef int settle(self, bint learning) except -1
    cdef int admit(self) except -1
    cdef int load(self, list names) except -1

from .event_buffer cimport EventBuffer
from .features cimport Features
from .name_table cimport NameTable
from .snapshot cimport Snapshot


cdef class Model:
    """What everything that learns from events has: names, room for them, and a stored form."""
    cdef Features features
    cdef NameTable table
    cdef EventBuffer event

    cdef int use(self, Features features) except -1
    cdef object read_to_learn(self, object x)
    cdef bint has_room_for(self, Py_ssize_t new) noexcept nogil
    cdef int grow(self, Py_ssize_t d) except -1
    cdef Snapshot snapshot(self)

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil
    cdef Py_ssize_t plan(self, Py_ssize_t d) except -1
    cdef int reserve(self, Py_ssize_t d) except -1
    cdef int copy_numbers(self, Snapshot copy) except -1


cdef bint read_label(object y) except -1
cdef double read_weight(object w) except -1

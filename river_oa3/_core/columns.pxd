from libc.stdint cimport uint64_t

from .event_buffer cimport EventBuffer
from .name_table cimport NameTable


cdef struct Column:
    Py_ssize_t slot
    int index


cdef class Columns:
    """The columns of a batch: their names, and their slots of the moment, -1 where there is none.

    All hashing is done when it is made, for it may run anybody's code.
    """
    cdef list names
    cdef int size
    cdef Py_hash_t* hashes
    # The stable ones; only made for learning.
    cdef uint64_t* digests
    cdef Py_ssize_t* slots
    # The columns in the order of their slots.
    cdef int* order
    cdef Column* sorting
    # Columns that were new when the batch began: the table's references to their names are held.
    cdef unsigned char* held
    # How many names the table had when they were looked up.
    cdef Py_ssize_t count

    cdef int look_up(self, NameTable table) except -1
    cdef void sort(self) noexcept nogil
    cdef Py_ssize_t n_new(self, X) except -1
    cdef void hold(self, EventBuffer event) noexcept
    cdef void drop(self) noexcept
    cdef void prepare_new(self, EventBuffer event, Py_ssize_t count) noexcept nogil
    cdef void admit(self, EventBuffer event) noexcept nogil

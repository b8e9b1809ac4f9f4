from .event_buffer cimport EventBuffer
from .guard cimport Guard
from .name_table cimport NameTable


cdef class Features:
    """Reads dicts: names become slots, and the event stands in `event` until the next is read.

    From the return of `read` to the end of what is done with the event no Python code may run and
    no Python container may be allocated: either might read another event into the same buffer.
    """
    cdef NameTable names
    cdef EventBuffer event
    cdef Guard guard
    # The learner's rows, to be fetched ahead of their use.
    cdef const char* rows
    cdef Py_ssize_t stride

    cdef object read(self, object x, bint learning)
    cdef object read_any(self, list items, bint learning)
    cdef object read_again(self, object kept)
    cdef void fetch_row(self, Py_ssize_t slot) noexcept nogil
    cdef void sort(self, bint learning) noexcept nogil
    cdef int reserve(self, Py_ssize_t count) except -1
    cdef void hold_new(self) noexcept
    cdef void drop_new(self) noexcept
    cdef void admit(self) noexcept nogil

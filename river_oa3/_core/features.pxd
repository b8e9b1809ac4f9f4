from .event_buffer cimport EventBuffer, Reading
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
    # Whether texts are taken as categories, and None and NaN as missing; refused elsewhere.
    cdef bint is_raw
    # The learner's rows, to be fetched ahead of their use.
    cdef const char* rows
    cdef Py_ssize_t stride

    cdef object read(self, object x, bint learning)
    cdef object read_any(self, list items, bint learning)
    cdef Py_ssize_t find_category(self, Reading* reading) noexcept
    cdef object read_again(self, object kept)
    cdef void fetch_row(self, Py_ssize_t slot) noexcept nogil
    cdef void sort(self, bint learning) noexcept nogil
    cdef int reserve(self, Py_ssize_t count) except -1
    cdef void hold_new(self) noexcept
    cdef void drop_new(self) noexcept
    cdef void admit(self) noexcept nogil

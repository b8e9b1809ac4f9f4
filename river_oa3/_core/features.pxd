from libc.stdint cimport uint64_t

from cpython.object cimport PyObject

from .table cimport Names


cdef struct Entry:
    Py_ssize_t slot
    double value


cdef struct Reading:
    PyObject* name
    PyObject* item
    Py_hash_t hash
    double value


cdef struct Newcomer:
    # The stable one.
    uint64_t hash
    double value
    # Where in `readings` it stands.
    Py_ssize_t place


cdef double sort_new_squares(Newcomer* newcomers, Py_ssize_t new) noexcept nogil


cdef class Features(Names):
    """The name table, and the newest event as slots and values.

    After `read`, `entries[:known]` are the event's known features in the order of their slots.
    After `read` for learning, `entries[known:known + new]` are its new features, in the order of
    their names' stable hash, with the slots that `admit` will give them. So nothing downstream
    depends on the order of the keys in the dict, to the last bit.
    """
    cdef Reading* readings
    cdef Entry* entries
    cdef Newcomer* newcomers
    cdef Py_ssize_t capacity
    cdef Py_ssize_t known
    cdef Py_ssize_t new
    cdef double new_squares
    # Keeps the names of new features alive until they are in the table.
    cdef list new_names
    # Set while a batch runs without the GIL, or memory is looked for; every other door waits.
    cdef long busy

    # While there are few features, their order comes from a bitmap instead of a sort.
    cdef uint64_t* bitmap
    cdef double* values
    cdef Py_ssize_t mapped

    # The learner's rows, to be fetched ahead of their use.
    cdef const char* rows
    cdef Py_ssize_t stride

    cdef int enter(self) except -1
    cdef void begin(self) noexcept
    cdef void end(self) noexcept
    cdef int read(self, object x, bint learning) except -1
    cdef int read_any(self, list items, bint learning) except -1
    cdef void place(self, Py_ssize_t i, Py_ssize_t slot) noexcept nogil
    cdef int settle(self, bint learning) except -1
    cdef void sort_known(self) noexcept nogil
    cdef void gather(self) noexcept nogil
    cdef void admit(self) noexcept
    cdef int reserve(self, Py_ssize_t size) except -1
    cdef int reserve_names(self, Py_ssize_t count) except -1
    cdef int map(self, Py_ssize_t count) except -1

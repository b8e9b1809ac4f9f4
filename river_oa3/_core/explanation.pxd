from cpython.object cimport PyObject

from .name_table cimport NameTable


cdef struct Share:
    Py_ssize_t slot
    double value


cdef class Explanation:
    """What each known feature of an event adds to its margin.

    As in a snapshot, everything is copied first, and only then turned into Python objects.
    """
    # In the order of their slots, each of which is there once.
    cdef Share* shares
    # A reference of its own to the name of each.
    cdef PyObject** names
    cdef Py_ssize_t count
    # What the intercept and the boundary add, where there are any.
    cdef double rest

    cdef int reserve(self, Py_ssize_t size) except -1
    cdef int find_names(self, NameTable table) except -1
    cdef Py_ssize_t place(self, Py_ssize_t slot) noexcept nogil
    cdef list listed(self, list items)

    cdef inline void add(self, Py_ssize_t slot, double value) noexcept nogil:
        self.shares[self.count].slot = slot
        self.shares[self.count].value = value
        self.count += 1


cdef list items_of(object x)

from libc.stdint cimport uint64_t

from cpython.object cimport PyObject


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
    Py_ssize_t index


cdef class EventBuffer:
    """The newest event as slots and values.

    `entries[:known]` are its known features in the order of their slots. Where it was read to be
    learned, `entries[known:known + new]` are its new features, in the order of their names' stable
    hash, with the slots that they will get. So nothing downstream depends on the order of the keys
    in the dict, to the last bit.
    """
    cdef Reading* readings
    cdef Entry* entries
    cdef Newcomer* newcomers
    cdef Py_ssize_t capacity
    cdef Py_ssize_t known
    cdef Py_ssize_t new

    # While there are few features, their order comes from a bitmap instead of a sort.
    cdef uint64_t* bitmap
    cdef double* values
    cdef Py_ssize_t mapped

    cdef int reserve(self, Py_ssize_t size) except -1
    cdef int reserve_bitmap(self, Py_ssize_t count) except -1
    cdef void sort_known(self, Py_ssize_t count) noexcept nogil
    cdef void sort_by_bitmap(self, Py_ssize_t count) noexcept nogil
    cdef void sort_new(self, Py_ssize_t count) noexcept nogil
    cdef double new_squares(self) noexcept nogil

    cdef inline void clear(self) noexcept nogil:
        self.known = 0
        self.new = 0

    cdef inline void add(self, Py_ssize_t slot, double value) noexcept nogil:
        """Put a feature among the known ones or, without a slot, among the new ones."""
        if slot >= 0:
            self.entries[self.known].slot = slot
            self.entries[self.known].value = value
            self.known += 1
        else:
            self.newcomers[self.new].value = value
            self.new += 1

    cdef inline void load_row(self, const double* values, const int* columns, Py_ssize_t size,
                              const Py_ssize_t* slots, bint is_dense) noexcept nogil:
        """Take the row of a matrix: `size` numbers, or those that `columns` picks of a dense row.

        NaN is a missing number: nothing of a feature that is not known, and as it is of another.
        """
        cdef Py_ssize_t k, slot, known = 0, new = 0
        cdef double value
        cdef Entry* entries = self.entries
        for k in range(size):
            value = values[columns[k]] if is_dense else values[k]
            if is_dense and value == 0.0:  # sparse rows hold none, unless they were columns before
                continue
            slot = slots[columns[k]]
            if slot >= 0:
                entries[known].slot = slot
                entries[known].value = value
                known += 1
            elif value < 0.0 or value > 0.0:
                self.newcomers[new].value = value
                self.newcomers[new].index = columns[k]
                new += 1
        self.known = known
        self.new = new


cdef void* grown(void* memory, size_t size) except NULL

"""Rows of a matrix as events, without a dict per row."""

from libc.stdlib cimport calloc, free, qsort

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from .stable_hash cimport stable_hash


cdef int _by_slot(const void* a, const void* b) noexcept nogil:
    cdef const Column* left = <const Column*>a
    cdef const Column* right = <const Column*>b
    if left.slot != right.slot:
        return (left.slot > right.slot) - (left.slot < right.slot)
    return (left.index > right.index) - (left.index < right.index)


cdef class Columns:
    def __cinit__(self, list names, bint learning):
        cdef int i
        self.names = list(names)
        self.size = <int>len(self.names)
        # One more than there are, so that there is always something to point to.
        self.hashes = <Py_hash_t*>calloc(self.size + 1, sizeof(Py_hash_t))
        self.digests = <uint64_t*>calloc(self.size + 1, sizeof(uint64_t))
        self.slots = <Py_ssize_t*>calloc(self.size + 1, sizeof(Py_ssize_t))
        self.order = <int*>calloc(self.size + 1, sizeof(int))
        self.sorting = <Column*>calloc(self.size + 1, sizeof(Column))
        self.held = <unsigned char*>calloc(self.size + 1, 1)
        if NULL in (self.hashes, self.digests, self.slots, self.order, self.sorting, self.held):
            raise MemoryError(f"no memory for a batch of {self.size} columns")
        for i in range(self.size):
            self.hashes[i] = hash(self.names[i])
            self.digests[i] = stable_hash(self.names[i]) if learning else 0

    def __dealloc__(self):
        free(self.hashes)
        free(self.digests)
        free(self.slots)
        free(self.order)
        free(self.sorting)
        free(self.held)

    cdef int look_up(self, NameTable table) except -1:
        """Find the slots; where names compare in their own way, that may change the table."""
        cdef int i
        self.count = table.count
        for i in range(self.size):
            self.slots[i] = table.find(self.names[i], self.hashes[i])
        self.sort()
        return 0

    cdef void sort(self) noexcept nogil:
        cdef int i
        for i in range(self.size):
            self.sorting[i].slot = self.slots[i]
            self.sorting[i].index = i
        qsort(self.sorting, self.size, sizeof(Column), _by_slot)
        for i in range(self.size):
            self.order[i] = self.sorting[i].index

    cdef Py_ssize_t n_new(self, X) except -1:
        """How many columns without a slot have a number that is not zero."""
        cdef int i
        return sum(
            [bool(X[:1, i].any() or X[:, i].any()) for i in range(self.size) if self.slots[i] < 0]
        )

    cdef void hold(self, EventBuffer event) noexcept:
        """Get ready to name new columns without the GIL."""
        cdef int i
        for i in range(self.size):
            event.readings[i].name = <PyObject*>self.names[i]
            event.readings[i].hash = self.hashes[i]
            self.held[i] = self.slots[i] < 0
            if self.held[i]:
                Py_INCREF(self.names[i])

    cdef void drop(self) noexcept:
        """Let go of names that the table has not taken."""
        cdef int i
        for i in range(self.size):
            if self.held[i] and self.slots[i] < 0:
                Py_DECREF(self.names[i])

    cdef void prepare_new(self, EventBuffer event, Py_ssize_t count) noexcept nogil:
        """Bring the new features of a row into their order."""
        cdef Py_ssize_t i
        for i in range(event.new):
            event.newcomers[i].hash = self.digests[event.newcomers[i].index]
        event.sort_new(count)

    cdef void admit(self, EventBuffer event) noexcept nogil:
        """Note the slots that the new features of a row have got."""
        cdef Py_ssize_t i
        for i in range(event.new):
            self.slots[event.newcomers[i].index] = event.entries[event.known + i].slot
        self.sort()

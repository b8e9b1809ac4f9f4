"""A few labels, gone over again: what a row should have taught depends on those that came after."""

from libc.stdlib cimport free, realloc


cdef class Recall:
    def __dealloc__(self):
        cdef int i
        for i in range(REMEMBERED):
            free(self.rows[i].parts)

    def __sizeof__(self):
        cdef int i
        parts = sum([self.rows[i].capacity for i in range(REMEMBERED)])
        return object.__sizeof__(self) + parts * sizeof(Part)

    cdef Memory* add(self, Py_ssize_t size) noexcept nogil:
        """The place of a new row of `size` parts, in which the oldest may have been.

        NULL where there is no memory for it: then it is not remembered.
        """
        cdef Memory* row = self.by_age(self.count % REMEMBERED)
        cdef void* parts
        if size > row.capacity:
            parts = realloc(row.parts, size * sizeof(Part))
            if parts == NULL:
                return NULL
            row.parts = <Part*>parts
            row.capacity = size
        row.size = size
        if self.count == REMEMBERED:
            self.oldest = (self.oldest + 1) % REMEMBERED
        else:
            self.count += 1
        return row

    cdef void clear(self) noexcept nogil:
        self.count = 0
        self.oldest = 0
        self.next = 0

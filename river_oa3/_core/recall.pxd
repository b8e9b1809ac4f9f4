cdef enum:
    # Labelled rows that are remembered, how many of them each label goes over again, and from how
    # many labels on.
    REMEMBERED = 100
    REPEATS = 10
    FIRST_REPEAT = 10
    # From so many labels on, there are fewer repeats per label.
    MANY_LABELS = 300


cdef struct Part:
    # Which weight: the slot of a feature, or the complement of the number of a bin.
    long long weight
    double z


cdef struct Memory:
    Part* parts
    Py_ssize_t size, capacity
    double sign, w
    # How far the row has moved the weights in all.
    double step


cdef class Recall:
    """The newest labelled rows, as they were learned."""
    cdef Memory rows[REMEMBERED]
    # How many there are, which one is the oldest, and which one is gone over next.
    cdef Py_ssize_t count, oldest, next

    cdef Memory* add(self, Py_ssize_t size) noexcept nogil
    cdef void clear(self) noexcept nogil

    cdef inline Memory* turn(self) noexcept nogil:
        """The row whose turn it is to be gone over again."""
        self.next = self.next + 1 if self.next + 1 < self.count else 0
        return self.rows + self.next

    cdef inline Memory* by_age(self, Py_ssize_t i) noexcept nogil:
        return self.rows + (self.oldest + i) % REMEMBERED

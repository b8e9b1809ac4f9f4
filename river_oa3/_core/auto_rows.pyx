"""Where AutoOA3 keeps what it knows of features, and what becomes of those that are too many."""

from libc.stdlib cimport free, qsort

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

from .event_buffer cimport grown
from .features cimport Features
from .hardware cimport grow_table


cdef struct Age:
    double last
    Py_ssize_t slot


cdef int _by_age(const void* a, const void* b) noexcept nogil:
    cdef const Age* left = <const Age*>a
    cdef const Age* right = <const Age*>b
    if left.last != right.last:
        return (left.last > right.last) - (left.last < right.last)
    return (left.slot > right.slot) - (left.slot < right.slot)


cdef class AutoRows(Model):
    def __cinit__(self, *args):
        self.use(Features(is_raw=True))
        self.reserve(16)
        self.reserve_bins(1)

    def __dealloc__(self):
        free(self.rows)
        free(self.bins)
        free(self.dense)
        free(self.dense_next)
        free(self.terms)
        free(self.changes)

    def __sizeof__(self):
        return (
            object.__sizeof__(self)
            + self.capacity * sizeof(Feature)
            + self.bins_capacity * sizeof(Bins)
            + 2 * self.dense_capacity * sizeof(Py_ssize_t)
            + self.scratch_capacity * (2 * sizeof(Term) + sizeof(Change))
        )

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil:
        return d <= self.capacity and d <= self.max_features

    cdef int check_size(self) except -1:
        """Refuse an event that could not be kept as a whole."""
        cdef Py_ssize_t size = self.event.known + self.event.new
        if size > self.max_features:
            raise ValueError(
                f"this event has {size} features, and max_features is {self.max_features}: raise "
                "it, or leave some out"
            )
        return 0

    cdef object read_to_learn(self, object x):
        kept = self.features.read(x, True)
        self.check_size()
        while not self.has_room_for(self.event.new):
            self.make_room()
            kept = self.features.read_again(kept)
        return kept

    cdef int make_room(self) except -1:
        """Make room for the event that was read, which has to be read again after it."""
        cdef Py_ssize_t size = self.event.known + self.event.new
        cdef Py_ssize_t d = self.table.count + self.event.new
        if d <= self.max_features:
            return self.grow(d)
        # A quarter at a time, so that what it costs is spread over many events.
        return self.forget_features(
            min(self.max_features - self.max_features // 4, self.max_features - size)
        )

    cdef int reserve(self, Py_ssize_t d) except -1:
        cdef Py_ssize_t capacity = self.capacity if self.capacity else 16
        cdef void* rows
        if d <= self.capacity:
            return 0
        while capacity < d:
            capacity += capacity // 2
        rows = grow_table(
            self.rows, self.capacity * sizeof(Feature), capacity * sizeof(Feature)
        )
        if rows == NULL:
            raise MemoryError(f"no memory for {capacity} features")
        self.rows = <Feature*>rows
        self.capacity = capacity
        self.features.rows = <const char*>self.rows
        self.features.stride = sizeof(Feature)
        return 0

    cdef int reserve_bins(self, Py_ssize_t count) except -1:
        cdef Py_ssize_t capacity = self.bins_capacity if self.bins_capacity else 16
        if count <= self.bins_capacity:
            return 0
        while capacity < count:
            capacity *= 2
        self.bins = <Bins*>grown(self.bins, capacity * sizeof(Bins))
        self.bins_capacity = capacity
        return 0

    cdef int reserve_dense(self, Py_ssize_t count) except -1:
        cdef Py_ssize_t capacity = self.dense_capacity if self.dense_capacity else 16
        if count <= self.dense_capacity:
            return 0
        while capacity < count:
            capacity *= 2
        self.dense = <Py_ssize_t*>grown(self.dense, capacity * sizeof(Py_ssize_t))
        self.dense_next = <Py_ssize_t*>grown(self.dense_next, capacity * sizeof(Py_ssize_t))
        self.dense_capacity = capacity
        return 0

    cdef int reserve_scratch(self, Py_ssize_t size) except -1:
        """Make room to judge an event of `size` features; nothing of Python's is made or run."""
        cdef Py_ssize_t capacity = self.scratch_capacity if self.scratch_capacity else 32
        size += self.n_dense
        self.reserve_dense(size)
        if size <= self.scratch_capacity:
            return 0
        while capacity < size:
            capacity *= 2
        self.terms = <Term*>grown(self.terms, 2 * capacity * sizeof(Term))
        self.changes = <Change*>grown(self.changes, capacity * sizeof(Change))
        self.scratch_capacity = capacity
        return 0

    cdef int forget_features(self, Py_ssize_t keep) except -1:
        """Forget the features that have not been seen for longest, all but `keep`."""
        cdef Py_ssize_t count, i, n_dropped = 0
        cdef Age* ages = NULL
        cdef Py_ssize_t* new_slots = NULL
        cdef PyObject** dropped = NULL
        cdef Bins* bins = NULL
        self.features.guard.wait()
        count = self.table.count
        try:
            ages = <Age*>grown(NULL, count * sizeof(Age) + 1)
            new_slots = <Py_ssize_t*>grown(NULL, count * sizeof(Py_ssize_t) + 1)
            dropped = <PyObject**>grown(NULL, count * sizeof(PyObject*) + 1)
            bins = <Bins*>grown(NULL, self.bins_capacity * sizeof(Bins) + 1)
            for i in range(count):
                ages[i].last = self.rows[i].last
                ages[i].slot = i
            qsort(ages, count, sizeof(Age), _by_age)
            for i in range(count):
                new_slots[ages[i].slot] = 0 if i >= count - keep else -1
            n_dropped = self.table.drop(new_slots, dropped)
            self.move_rows(new_slots, count, bins)
            bins = NULL
        finally:
            free(ages)
            free(new_slots)
            free(bins)
            # The model is whole: letting go of names may run code of others.
            for i in range(n_dropped):
                Py_DECREF(<object>dropped[i])
            free(dropped)
        return 0

    cdef void move_rows(self, const Py_ssize_t* new_slots, Py_ssize_t count,
                        Bins* bins) noexcept nogil:
        """Close the gaps that forgotten features leave; `bins` takes the place of the old ones."""
        cdef Py_ssize_t i, n = 0
        cdef Feature* row
        for i in range(self.n_dense):
            if new_slots[self.dense[i]] >= 0:
                self.dense[n] = new_slots[self.dense[i]]
                n += 1
        self.n_dense = n
        n = 0
        for i in range(count):
            if new_slots[i] >= 0:
                row = self.rows + new_slots[i]
                row[0] = self.rows[i]
                if row.bins >= 0:
                    bins[n] = self.bins[row.bins]
                    row.bins = n
                    n += 1
        free(self.bins)
        self.bins = bins
        self.n_bins = n
        self.forget_places()

    cdef void forget_places(self) noexcept nogil:
        """Told when features have moved: whoever remembers where they were forgets it."""
        pass

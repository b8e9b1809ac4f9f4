"""One event at a time, in memory that is used again for the next."""

from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memset

from .hardware cimport lowest_bit

cdef enum:
    # Up to so many items an insertion sort beats the library's.
    MAX_INSERTION_SORT = 48
    # Events of no more features are ordered by counting, LANES at a time.
    MAX_RANK_SORT = 32
    LANES = 8
    # Name tables of no more features are ordered by bitmap.
    MAX_MAPPED = 4096


cdef int _by_slot(const void* a, const void* b) noexcept nogil:
    cdef Py_ssize_t left = (<const Entry*>a).slot, right = (<const Entry*>b).slot
    return (left > right) - (left < right)


cdef int _by_hash(const void* a, const void* b) noexcept nogil:
    cdef uint64_t left = (<const Newcomer*>a).hash, right = (<const Newcomer*>b).hash
    return (left > right) - (left < right)


cdef int _by_value(const void* a, const void* b) noexcept nogil:
    cdef double left = (<const Newcomer*>a).value, right = (<const Newcomer*>b).value
    return (left > right) - (left < right)


cdef void rank_entries(Entry* entries, Py_ssize_t n) noexcept nogil:
    """Sort a few entries by counting, for each, how many come before it.

    More comparisons than other ways, and not one branch for the processor to guess wrong.
    """
    cdef Entry copy[MAX_RANK_SORT]
    cdef int slots[MAX_RANK_SORT]
    cdef int ranks[MAX_RANK_SORT]
    cdef int slot
    cdef Py_ssize_t i, j, first = 0
    for i in range(n):
        copy[i] = entries[i]
        slots[i] = <int>entries[i].slot
    while first < n:
        for i in range(LANES):
            ranks[first + i] = 0
        for j in range(n):
            slot = slots[j]
            for i in range(LANES):
                ranks[first + i] += slot < slots[first + i]
        first += LANES
    for i in range(n):
        entries[ranks[i]] = copy[i]


cdef class EventBuffer:
    def __dealloc__(self):
        free(self.readings)
        free(self.entries)
        free(self.newcomers)
        free(self.bitmap)
        free(self.values)

    def __sizeof__(self):
        return (
            object.__sizeof__(self)
            + self.capacity * (sizeof(Reading) + sizeof(Entry) + sizeof(Newcomer))
            + self.mapped * sizeof(double) + self.mapped // 8
        )

    cdef int reserve(self, Py_ssize_t size) except -1:
        """Make room for an event of `size` features."""
        cdef Py_ssize_t capacity = self.capacity if self.capacity else 16
        if size <= self.capacity:
            return 0
        while capacity < size:
            capacity *= 2
        self.readings = <Reading*>grown(self.readings, capacity * sizeof(Reading))
        self.entries = <Entry*>grown(self.entries, capacity * sizeof(Entry))
        self.newcomers = <Newcomer*>grown(self.newcomers, capacity * sizeof(Newcomer))
        self.capacity = capacity
        return 0

    cdef int reserve_bitmap(self, Py_ssize_t count) except -1:
        """Keep the bitmap as large as a name table of `count` names, up to its limit."""
        cdef Py_ssize_t mapped = 64 if self.mapped == 0 else self.mapped
        if count <= self.mapped or count > MAX_MAPPED:
            return 0
        while mapped < count:
            mapped *= 2
        self.bitmap = <uint64_t*>grown(self.bitmap, mapped // 8)
        memset(self.bitmap, 0, mapped // 8)
        self.values = <double*>grown(self.values, mapped * sizeof(double))
        self.mapped = mapped
        return 0

    cdef void sort_known(self, Py_ssize_t count) noexcept nogil:
        """Put the known entries, out of `count` names, in the order of their slots."""
        if self.known <= MAX_RANK_SORT:
            rank_entries(self.entries, self.known)
        elif count <= self.mapped:
            self.sort_by_bitmap(count)
        else:
            qsort(self.entries, self.known, sizeof(Entry), _by_slot)

    cdef void sort_by_bitmap(self, Py_ssize_t count) noexcept nogil:
        """Order the known entries by way of the bitmap, which is left empty."""
        cdef Py_ssize_t i, slot, n = 0, words = (count + 63) // 64
        cdef uint64_t word
        for i in range(self.known):
            slot = self.entries[i].slot
            self.bitmap[slot >> 6] |= <uint64_t>1 << (slot & 63)
            self.values[slot] = self.entries[i].value
        for i in range(words):
            word = self.bitmap[i]
            self.bitmap[i] = 0
            while word:
                slot = (i << 6) + lowest_bit(word)
                self.entries[n].slot = slot
                self.entries[n].value = self.values[slot]
                n += 1
                word &= word - 1

    cdef void sort_new(self, Py_ssize_t count) noexcept nogil:
        """Put the new features in the order of their stable hash, with slots from `count` on."""
        cdef Newcomer* newcomers = self.newcomers
        cdef Newcomer newcomer
        cdef Py_ssize_t i, j
        if self.new > MAX_INSERTION_SORT:
            qsort(newcomers, self.new, sizeof(Newcomer), _by_hash)
        else:
            for i in range(1, self.new):
                newcomer = newcomers[i]
                j = i
                while j > 0 and newcomers[j - 1].hash > newcomer.hash:
                    newcomers[j] = newcomers[j - 1]
                    j -= 1
                newcomers[j] = newcomer
        for i in range(self.new):
            self.entries[self.known + i].slot = count + i
            self.entries[self.known + i].value = newcomers[i].value

    cdef double new_squares(self) noexcept nogil:
        """The squares of the new features, added up in an order of their own, which stays."""
        cdef Newcomer* newcomers = self.newcomers
        cdef double total = 0.0, value
        cdef Py_ssize_t i, j
        if self.new > MAX_INSERTION_SORT:
            qsort(newcomers, self.new, sizeof(Newcomer), _by_value)
        else:
            for i in range(1, self.new):
                value = newcomers[i].value
                j = i
                while j > 0 and newcomers[j - 1].value > value:
                    newcomers[j].value = newcomers[j - 1].value
                    j -= 1
                newcomers[j].value = value
        for i in range(self.new):
            total += newcomers[i].value * newcomers[i].value
        return total


cdef void* grown(void* memory, size_t size) except NULL:
    cdef void* larger = realloc(memory, size)
    if larger == NULL:
        raise MemoryError(f"no memory for {size} bytes")
    return larger

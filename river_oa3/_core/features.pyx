"""Dict to slots and values, in one pass with one hash lookup a feature."""

import os
import time

from libc.math cimport isfinite
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memset

from cpython.dict cimport PyDict_Check, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_Check, PyLong_CheckExact
from cpython.object cimport PyObject_Hash
from cpython.ref cimport Py_INCREF
from cpython.unicode cimport PyUnicode_CheckExact

from .hardware cimport fetch_ahead, lowest_bit
from .names cimport stable_hash
from .table cimport UNUSUAL, Names, mixed

from .checks import as_mapping, as_number, refuse_value

cdef enum:
    # Up to so many items an insertion sort beats the library's.
    SHORT = 48
    # Events of no more features are ordered by counting, LANES at a time.
    FEW = 32
    LANES = 8
    # Name tables of no more features are ordered by bitmap.
    MAPPED = 4096


# A process that was forked from one at work must not wait for a thread that it does not have.
cdef long generation = 1


def _forked():
    global generation
    generation += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


cdef int _by_slot(const void* a, const void* b) noexcept nogil:
    cdef Py_ssize_t left = (<const Entry*>a).slot, right = (<const Entry*>b).slot
    return (left > right) - (left < right)


cdef int _by_hash(const void* a, const void* b) noexcept nogil:
    cdef uint64_t left = (<const Newcomer*>a).hash, right = (<const Newcomer*>b).hash
    return (left > right) - (left < right)


cdef int _by_value(const void* a, const void* b) noexcept nogil:
    cdef double left = (<const Newcomer*>a).value, right = (<const Newcomer*>b).value
    return (left > right) - (left < right)


cdef void sort_entries(Entry* entries, Py_ssize_t n) noexcept nogil:
    if n > FEW:
        qsort(entries, n, sizeof(Entry), _by_slot)
    else:
        rank_entries(entries, n)


cdef void rank_entries(Entry* entries, Py_ssize_t n) noexcept nogil:
    """Sort a few entries by counting, for each, how many come before it.

    More comparisons than other ways, and not one branch for the processor to guess wrong.
    """
    cdef Entry copy[FEW]
    cdef int slots[FEW]
    cdef int ranks[FEW]
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


cdef void sort_newcomers(Newcomer* newcomers, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Newcomer newcomer
    if n > SHORT:
        qsort(newcomers, n, sizeof(Newcomer), _by_hash)
        return
    for i in range(1, n):
        newcomer = newcomers[i]
        j = i
        while j > 0 and newcomers[j - 1].hash > newcomer.hash:
            newcomers[j] = newcomers[j - 1]
            j -= 1
        newcomers[j] = newcomer


cdef double sort_new_squares(Newcomer* newcomers, Py_ssize_t new) noexcept nogil:
    """The squares of features without a slot, added up in an order of their own."""
    cdef double total = 0.0, value
    cdef Py_ssize_t i, j
    if new > SHORT:
        qsort(newcomers, new, sizeof(Newcomer), _by_value)
    else:
        for i in range(1, new):
            value = newcomers[i].value
            j = i
            while j > 0 and newcomers[j - 1].value > value:
                newcomers[j].value = newcomers[j - 1].value
                j -= 1
            newcomers[j].value = value
    for i in range(new):
        total += newcomers[i].value * newcomers[i].value
    return total


cdef class Features(Names):
    def __cinit__(self):
        self.stride = 0
        self.busy = 0

    def __dealloc__(self):
        free(self.readings)
        free(self.entries)
        free(self.newcomers)
        free(self.bitmap)
        free(self.values)

    def __sizeof__(self):
        return (
            super().__sizeof__()
            + self.capacity * (sizeof(Reading) + sizeof(Entry) + sizeof(Newcomer))
            + self.mapped * sizeof(double) + self.mapped // 8
        )

    cdef int enter(self) except -1:
        """Wait until no other thread is at work on the model."""
        while self.busy == generation:
            time.sleep(1e-4)
        return 0

    cdef void begin(self) noexcept:
        """Keep other threads out until `end`; call `enter` just before."""
        self.busy = generation

    cdef void end(self) noexcept:
        self.busy = 0

    cdef int read(self, object x, bint learning) except -1:
        """Read one event; with `learning`, its new features are made ready for `admit`.

        Names and values of the usual types run no code of their own. Others may, and that code may
        change the dict, use this model or let another thread use it: they take another way.
        """
        cdef PyObject* name
        cdef PyObject* item
        cdef Py_ssize_t position = 0, size = 0, n = 0, i, slot
        cdef double value
        cdef int unusual = 0
        cdef Reading* reading
        if not PyDict_Check(x):
            x = as_mapping(x)
        self.new_names = None  # letting go of names may run code, so do it first
        self.enter()
        self.reserve(PyDict_Size(x))
        # What an event points to is seldom in the cache: ask for all of it, then look at it.
        while PyDict_Next(x, &position, &name, &item):
            fetch_ahead(name)
            fetch_ahead(item)
            self.readings[size].name = name
            self.readings[size].item = item
            size += 1
        for i in range(size):
            name = self.readings[i].name
            item = self.readings[i].item
            if PyFloat_Check(<object>item):
                value = PyFloat_AS_DOUBLE(<object>item)
            elif PyLong_Check(<object>item):
                value = <double>PyLong_AsLongAndOverflow(<object>item, &unusual)
            else:
                unusual = 1
            if unusual or not (
                PyUnicode_CheckExact(<object>name) or PyLong_CheckExact(<object>name)
            ):
                return self.read_any(list(dict.items(x)), learning)
            if value == 0.0:
                continue
            if not isfinite(value):
                refuse_value(<object>name, value)
            reading = self.readings + n
            reading.name = name
            reading.hash = PyObject_Hash(<object>name)
            reading.value = value
            fetch_ahead(self.buckets + (mixed(reading.hash) >> self.shift))
            n += 1
        self.known = 0
        self.new = 0
        for i in range(n):
            reading = self.readings + i
            slot = self.find(<object>reading.name, reading.hash, True)
            if slot == UNUSUAL:
                return self.read_any(list(dict.items(x)), learning)
            if slot < 0 and learning:
                self.newcomers[self.new].hash = stable_hash(<object>reading.name)
            self.place(i, slot)
        return self.settle(learning)

    cdef int read_any(self, list items, bint learning) except -1:
        """Read an event with names or values of any type: foreign code first, our memory after."""
        cdef Py_ssize_t i, n, count = -1
        cdef double value
        cdef list names = [], values = [], hashes = [], slots = [], digests = []
        for name, item in items:
            value = PyFloat_AS_DOUBLE(item) if PyFloat_Check(item) else as_number(name, item)
            if value == 0.0:
                continue
            if not isfinite(value):
                refuse_value(name, value)
            names.append(name)
            values.append(value)
            hashes.append(PyObject_Hash(name))
            digests.append(stable_hash(name) if learning else 0)
        n = len(names)
        # Comparing names may run code that teaches this model new ones: look again then.
        while self.busy == generation or count != self.count:
            self.enter()
            count = self.count
            slots = [self.find(names[i], hashes[i], False) for i in range(n)]
        self.reserve(n)
        self.new_names = names
        self.known = 0
        self.new = 0
        for i in range(n):
            self.readings[i].name = <PyObject*>names[i]
            self.readings[i].hash = hashes[i]
            self.readings[i].value = values[i]
            self.newcomers[self.new].hash = digests[i]
            self.place(i, slots[i])
        return self.settle(learning)

    cdef inline void place(self, Py_ssize_t i, Py_ssize_t slot) noexcept nogil:
        """Put a reading among the known or the new features."""
        if slot >= 0:
            fetch_ahead(self.rows + slot * self.stride)
            fetch_ahead(self.rows + (slot + 1) * self.stride - 1)
            self.entries[self.known].slot = slot
            self.entries[self.known].value = self.readings[i].value
            self.known += 1
        else:
            self.newcomers[self.new].value = self.readings[i].value
            self.newcomers[self.new].place = i
            self.new += 1

    cdef int settle(self, bint learning) except -1:
        """Bring the event into the order that does not depend on the dict's."""
        cdef Py_ssize_t i
        self.sort_known()
        if not learning:
            self.new_squares = sort_new_squares(self.newcomers, self.new)
            return 0
        if self.new:
            self.new_names = [
                <object>self.readings[self.newcomers[i].place].name for i in range(self.new)
            ]
        sort_newcomers(self.newcomers, self.new)
        for i in range(self.new):
            self.entries[self.known + i].slot = self.count + i
            self.entries[self.known + i].value = self.newcomers[i].value
        return 0

    cdef void sort_known(self) noexcept nogil:
        """Put the known entries in the order of their slots."""
        if self.known > FEW and self.count <= self.mapped:
            self.gather()
        else:
            sort_entries(self.entries, self.known)

    cdef void gather(self) noexcept nogil:
        """Order the known entries by way of the bitmap, which is left empty."""
        cdef Py_ssize_t i, slot, n = 0, words = (self.count + 63) // 64
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

    cdef void admit(self) noexcept:
        """Give the new features of the event that was read their slots.

        `reserve_names` has made room for them: nothing here can fail.
        """
        cdef Py_ssize_t i
        cdef Reading* reading
        for i in range(self.new):
            reading = self.readings + self.newcomers[i].place
            Py_INCREF(<object>reading.name)
            self.insert(reading.name, reading.hash)

    cdef int reserve_names(self, Py_ssize_t count) except -1:
        Names.reserve_names(self, count)
        return self.map(count)

    cdef int map(self, Py_ssize_t count) except -1:
        """Keep the bitmap as large as the name table, up to its limit."""
        cdef Py_ssize_t mapped = 64 if self.mapped == 0 else self.mapped
        if count <= self.mapped or count > MAPPED:
            return 0
        while mapped < count:
            mapped *= 2
        self.bitmap = <uint64_t*>grown(self.bitmap, mapped // 8)
        self.values = <double*>grown(self.values, mapped * sizeof(double))
        memset(self.bitmap, 0, mapped // 8)
        self.mapped = mapped
        return 0


cdef void* grown(void* memory, size_t size) except NULL:
    cdef void* larger = realloc(memory, size)
    if larger == NULL:
        raise MemoryError(f"no memory for {size} bytes")
    return larger

"""Feature names and their slots.

A table of our own, because of large vocabularies: one cache line per lookup instead of a dict's
four, all lookups of an event under way at once, and no int object per feature.
"""

import os
import sys

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cpython.long cimport PyLong_CheckExact
from cpython.object cimport Py_EQ, PyObject_RichCompareBool
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact, PyUnicode_Compare

from .hardware cimport grow_table, lowest_bit

cdef enum:
    # How often a lookup starts again because comparing names has changed the table.
    MAX_RESTARTS = 1000

# Slots, results and stored models do not depend on these.
cdef uint64_t process_salt = int.from_bytes(os.urandom(8), "little")
cdef uint64_t process_factor = int.from_bytes(os.urandom(8), "little") | 1


cdef class NameTable:
    def __cinit__(self, Guard guard):
        self.guard = guard
        self.salt = process_salt
        self.factor = process_factor
        self.reserve(0)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_buckets):
            Py_XDECREF(self.buckets[i].name)
        free(self.buckets)

    def __sizeof__(self):
        return (
            object.__sizeof__(self)
            + self.n_buckets * sizeof(Bucket)
            + sum(map(sys.getsizeof, self.copy().names()))
        )

    cdef Py_ssize_t find(self, object name, Py_hash_t hash) except -2:
        """The slot of a name of any type, or -1; comparing names may run anybody's code."""
        cdef Py_ssize_t slot
        for _ in range(MAX_RESTARTS):
            self.guard.wait()
            slot = self.search(name, hash)
            if slot != CHANGED:
                return slot
        raise RuntimeError(
            f"a feature's name, a {type(name).__name__}, changes the model whenever it is compared"
        )

    cdef Py_ssize_t find_plain(self, object name, Py_hash_t hash) noexcept:
        """The slot of an exact str or int, or -1; UNUSUAL where the answer would need code."""
        cdef uint32_t short_hash = self.mixed(hash)
        cdef Py_ssize_t i = short_hash >> self.shift
        cdef Bucket* bucket = self.buckets + i
        while bucket.name != NULL:
            if bucket.name == <PyObject*>name:
                return bucket.slot
            if bucket.hash == short_hash:
                if PyUnicode_CheckExact(name) and PyUnicode_Check(<object>bucket.name):
                    if PyUnicode_Compare(name, <object>bucket.name) == 0:
                        return bucket.slot
                elif not (PyLong_CheckExact(name) and PyLong_CheckExact(<object>bucket.name)):
                    return UNUSUAL
                elif PyObject_RichCompareBool(name, <object>bucket.name, Py_EQ):
                    return bucket.slot
            i = (i + 1) & (self.n_buckets - 1)
            bucket = self.buckets + i
        return -1

    cdef Py_ssize_t search(self, object name, Py_hash_t hash) except -2:
        """As `find`, or CHANGED where a comparison has changed the table."""
        cdef uint32_t short_hash = self.mixed(hash)
        cdef Py_ssize_t i = short_hash >> self.shift, slot
        cdef Bucket* buckets = self.buckets
        cdef Py_ssize_t count = self.count
        while buckets[i].name != NULL:
            slot = buckets[i].slot
            if buckets[i].name == <PyObject*>name:
                return slot
            if buckets[i].hash == short_hash:
                known = <object>buckets[i].name
                if PyUnicode_CheckExact(name) and PyUnicode_Check(known):
                    if PyUnicode_Compare(name, known) == 0:
                        return slot
                elif PyObject_RichCompareBool(name, known, Py_EQ):
                    return slot
                if self.buckets != buckets or self.count != count:
                    return CHANGED
            i = (i + 1) & (self.n_buckets - 1)
        return -1

    cdef void insert(self, PyObject* name, Py_hash_t hash) noexcept nogil:
        """Give a name, with a reference to it, the next slot; there has to be room."""
        cdef uint32_t short_hash = self.mixed(hash)
        cdef Bucket* bucket = free_bucket(self.buckets, self.n_buckets, short_hash >> self.shift)
        bucket.name = name
        bucket.hash = short_hash
        bucket.slot = <uint32_t>self.count
        self.count += 1

    cdef bint has_room(self, Py_ssize_t count) noexcept nogil:
        return 2 * count <= self.n_buckets

    cdef int reserve(self, Py_ssize_t count) except -1:
        """Make room for `count` names in all, in one go."""
        cdef Py_ssize_t n_buckets = self.n_buckets if self.n_buckets else 16, i
        cdef int shift
        cdef Bucket* buckets
        cdef Bucket* bucket
        if self.n_buckets and self.has_room(count):
            return 0
        if count > 0x40000000:
            raise MemoryError("a model holds no more than 1073741824 features")
        while 2 * count > n_buckets:
            n_buckets *= 2
        shift = 32 - lowest_bit(n_buckets)
        buckets = <Bucket*>grow_table(NULL, 0, n_buckets * sizeof(Bucket))
        if buckets == NULL:
            raise MemoryError(f"no memory for {count} names")
        memset(buckets, 0, n_buckets * sizeof(Bucket))
        for i in range(self.n_buckets):
            if self.buckets[i].name != NULL:
                bucket = free_bucket(buckets, n_buckets, self.buckets[i].hash >> shift)
                bucket[0] = self.buckets[i]
        free(self.buckets)
        self.buckets = buckets
        self.n_buckets = n_buckets
        self.shift = shift
        return 0

    cdef Py_ssize_t drop(self, Py_ssize_t* slots, PyObject** dropped) except -1:
        """Drop the names whose entry in `slots` is below 0; the others close up, in their order.

        The new slots are left in `slots`. Returns how many names stand in `dropped`, each with
        a reference that the caller has to let go.
        """
        cdef Py_ssize_t i, kept = 0, n_dropped = 0
        cdef Bucket* old = self.buckets
        cdef Bucket* bucket
        cdef Bucket* buckets = <Bucket*>grow_table(NULL, 0, self.n_buckets * sizeof(Bucket))
        if buckets == NULL:
            raise MemoryError(f"no memory for {self.count} names")
        memset(buckets, 0, self.n_buckets * sizeof(Bucket))
        for i in range(self.count):
            if slots[i] >= 0:
                slots[i] = kept
                kept += 1
        for i in range(self.n_buckets):
            if old[i].name == NULL:
                continue
            if slots[old[i].slot] < 0:
                dropped[n_dropped] = old[i].name
                n_dropped += 1
            else:
                bucket = free_bucket(buckets, self.n_buckets, old[i].hash >> self.shift)
                bucket[0] = old[i]
                bucket.slot = <uint32_t>slots[old[i].slot]
        free(old)
        self.buckets = buckets
        self.count = kept
        self.n_drops += 1
        return n_dropped

    cdef NameCopy copy(self):
        """The names of now, in one go."""
        cdef NameCopy copy = NameCopy.__new__(NameCopy)
        cdef Py_ssize_t i
        self.guard.wait()
        copy.pointers = <PyObject**>malloc(max(self.count, 1) * sizeof(PyObject*))
        if copy.pointers == NULL:
            raise MemoryError(f"no memory for {self.count} names")
        for i in range(self.n_buckets):
            if self.buckets[i].name != NULL:
                Py_INCREF(<object>self.buckets[i].name)
                copy.pointers[self.buckets[i].slot] = self.buckets[i].name
        copy.count = self.count
        return copy

    cdef int load(self, list names, list hashes) except -1:
        """Take the names of a stored table, in the order of their slots, into an empty one."""
        cdef Py_ssize_t i
        if self.count:
            raise ValueError("a stored model is loaded into a new one; this one has learned")
        self.reserve(len(hashes))
        for i in range(len(hashes)):
            Py_INCREF(names[i])
            self.insert(<PyObject*>names[i], hashes[i])
        return 0


cdef class NameCopy:
    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.count):
            Py_XDECREF(self.pointers[i])
        free(self.pointers)

    cdef list names(self):
        return [<object>self.pointers[i] for i in range(self.count)]


cdef inline Bucket* free_bucket(Bucket* buckets, Py_ssize_t n, Py_ssize_t start) noexcept nogil:
    while buckets[start].name != NULL:
        start = (start + 1) & (n - 1)
    return buckets + start

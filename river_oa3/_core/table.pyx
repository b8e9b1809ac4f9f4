"""Feature names and their slots.

A table of our own, because of large vocabularies: one cache line a lookup instead of a dict's four,
all lookups of an event under way at once, and no int object a feature.
"""

import sys

from libc.stdlib cimport free
from libc.string cimport memset

from cpython.long cimport PyLong_CheckExact
from cpython.object cimport Py_EQ, PyObject_Hash, PyObject_RichCompareBool
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact, PyUnicode_Compare

from .hardware cimport grow_table, lowest_bit


cdef class Names:
    def __cinit__(self):
        Names.reserve_names(self, 0)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_buckets):
            Py_XDECREF(self.buckets[i].name)
        free(self.buckets)

    def __sizeof__(self):
        return (
            object.__sizeof__(self)
            + self.n_buckets * sizeof(Bucket)
            + sum(map(sys.getsizeof, self.names()))
        )

    cdef Py_ssize_t find(self, object name, Py_hash_t hash, bint plain) except -2:
        """The slot of a name, or -1.

        With `plain`, for an exact str or int, no foreign code is run: where the answer would need
        it, it is UNUSUAL.
        """
        cdef uint32_t short_hash = mixed(hash)
        cdef Py_ssize_t i = short_hash >> self.shift
        cdef Bucket* bucket = self.buckets + i
        cdef Bucket* buckets = self.buckets
        cdef Py_ssize_t count = self.count
        while bucket.name != NULL:
            if bucket.name == <PyObject*>name:
                return bucket.slot
            if bucket.hash == short_hash:
                if PyUnicode_CheckExact(name):
                    if PyUnicode_Check(<object>bucket.name) and (
                        PyUnicode_Compare(name, <object>bucket.name) == 0
                    ):
                        return bucket.slot
                elif plain and not PyLong_CheckExact(<object>bucket.name):
                    return UNUSUAL
                elif PyObject_RichCompareBool(name, <object>bucket.name, Py_EQ):
                    if self.buckets == buckets and self.count == count:
                        return bucket.slot
                if self.buckets != buckets or self.count != count:
                    return self.find(name, hash, plain)
            i = (i + 1) & (self.n_buckets - 1)
            bucket = self.buckets + i
        return -1

    cdef void insert(self, PyObject* name, Py_hash_t hash) noexcept nogil:
        cdef uint32_t short_hash = mixed(hash)
        cdef Bucket* bucket = free_bucket(self.buckets, self.n_buckets, short_hash >> self.shift)
        bucket.name = name
        bucket.hash = short_hash
        bucket.slot = <uint32_t>self.count
        self.count += 1

    cdef int reserve_names(self, Py_ssize_t count) except -1:
        """Make room for `count` names in all."""
        cdef Py_ssize_t n_buckets = self.n_buckets if self.n_buckets else 16, i
        cdef int shift
        cdef Bucket* buckets
        cdef Bucket* bucket
        if self.n_buckets and 2 * count <= self.n_buckets:
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

    cdef list names(self):
        """The names in the order of their slots."""
        cdef list names = [None] * self.count
        cdef Py_ssize_t i
        for i in range(self.n_buckets):
            if self.buckets[i].name != NULL:
                names[self.buckets[i].slot] = <object>self.buckets[i].name
        return names

    cdef int load(self, list names) except -1:
        """Take the names of a stored table, in the order of their slots."""
        if len(set(names)) != len(names):
            raise ValueError("this stored model is damaged: a feature's name occurs twice")
        self.reserve_names(len(names))
        for name in names:
            Py_INCREF(name)
            self.insert(<PyObject*>name, PyObject_Hash(name))
        return 0


cdef inline Bucket* free_bucket(Bucket* buckets, Py_ssize_t n, Py_ssize_t start) noexcept nogil:
    while buckets[start].name != NULL:
        start = (start + 1) & (n - 1)
    return buckets + start

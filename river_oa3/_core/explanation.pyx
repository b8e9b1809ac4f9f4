"""What a margin is made of, feature by feature."""

from libc.stdint cimport uint8_t
from libc.stdlib cimport calloc, free

from cpython.ref cimport Py_INCREF, Py_XDECREF

from .category cimport Category
from .event_buffer cimport grown

from .checks import as_mapping


cdef class Explanation:
    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.names != NULL:
            for i in range(self.count):
                Py_XDECREF(self.names[i])
        free(self.names)
        free(self.shares)

    cdef int reserve(self, Py_ssize_t size) except -1:
        """Make room, once, for so many features; nothing of Python's is made or run."""
        self.shares = <Share*>grown(NULL, size * sizeof(Share) + 1)
        return 0

    cdef int find_names(self, NameTable table) except -1:
        """Look up the names of the features; nothing of Python's is made or run.

        The table leads from names to slots: one pass over all of it finds any number of names.
        """
        cdef uint8_t* wanted = <uint8_t*>calloc(table.count + 1, 1)
        cdef PyObject** names = <PyObject**>calloc(self.count + 1, sizeof(PyObject*))
        cdef Py_ssize_t i
        if wanted == NULL or names == NULL:
            free(wanted)
            free(names)
            raise MemoryError(f"no memory to explain an event of {self.count} features")
        self.names = names
        for i in range(self.count):
            wanted[self.shares[i].slot] = 1
        for i in range(table.n_buckets):
            if table.buckets[i].name != NULL and wanted[table.buckets[i].slot]:
                Py_INCREF(<object>table.buckets[i].name)
                names[self.place(table.buckets[i].slot)] = table.buckets[i].name
        free(wanted)
        return 0

    cdef Py_ssize_t place(self, Py_ssize_t slot) noexcept nogil:
        """Where among the shares a slot stands that is one of theirs."""
        cdef Py_ssize_t low = 0, high = self.count - 1, middle
        while low < high:
            middle = (low + high) // 2
            if self.shares[middle].slot < slot:
                low = middle + 1
            else:
                high = middle
        return low

    cdef list listed(self, list items):
        """(feature, value, contribution) of the event's items and of what it leaves out."""
        cdef Py_ssize_t i
        cdef dict found = {}
        for i in range(self.count):
            name = <object>self.names[i]
            if type(name) is Category:
                name = (<Category>name).name
            found[name] = found.get(name, 0.0) + self.shares[i].value
        listed = [(name, value, found.pop(name, 0.0)) for name, value in items]
        listed += [(name, None, share) for name, share in found.items() if share != 0.0]
        return listed


cdef list items_of(object x):
    """The features of an event, as they are."""
    return list(dict.items(x if isinstance(x, dict) else as_mapping(x)))

"""Dict to slots and values, in one pass with one hash lookup a feature."""

from libc.math cimport isfinite
from libc.stdlib cimport free, qsort, realloc

from cpython.dict cimport PyDict_Check, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_AsSsize_t, PyLong_Check, PyLong_CheckExact
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact

from .names cimport stable_hash

from .checks import as_mapping, as_number, refuse_value

cdef extern from *:
    PyObject* PyDict_GetItemWithError(object table, object key) except? NULL

# Below this an insertion sort beats the library's sort.
cdef Py_ssize_t FEW = 48


cdef int _by_slot(const void* a, const void* b) noexcept nogil:
    cdef Py_ssize_t left = (<const Entry*>a).slot, right = (<const Entry*>b).slot
    return (left > right) - (left < right)


cdef int _by_hash(const void* a, const void* b) noexcept nogil:
    cdef uint64_t left = (<const Newcomer*>a).hash, right = (<const Newcomer*>b).hash
    return (left > right) - (left < right)


cdef int _by_value(const void* a, const void* b) noexcept nogil:
    cdef double left = (<const Newcomer*>a).value, right = (<const Newcomer*>b).value
    return (left > right) - (left < right)


cdef inline void sort_entries(Entry* entries, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Entry entry
    if n > FEW:
        for i in range(1, n):
            if entries[i].slot < entries[i - 1].slot:
                qsort(entries, n, sizeof(Entry), _by_slot)
                return
        return
    for i in range(1, n):
        entry = entries[i]
        j = i
        while j > 0 and entries[j - 1].slot > entry.slot:
            entries[j] = entries[j - 1]
            j -= 1
        entries[j] = entry


cdef double sort_new_squares(Newcomer* newcomers, Py_ssize_t new) noexcept nogil:
    """The squares of features without a slot, added up in an order of their own."""
    cdef double total = 0.0
    cdef Py_ssize_t i
    if new > 1:
        qsort(newcomers, new, sizeof(Newcomer), _by_value)
    for i in range(new):
        total += newcomers[i].value * newcomers[i].value
    return total


cdef class Features:
    def __cinit__(self):
        self.table = {}
        self.new_names = []
        self.entries = NULL
        self.newcomers = NULL
        self.capacity = 0
        self.count = 0

    def __dealloc__(self):
        free(self.entries)
        free(self.newcomers)

    def __sizeof__(self):
        return object.__sizeof__(self) + self.capacity * (sizeof(Entry) + sizeof(Newcomer))

    cdef int reserve(self, Py_ssize_t size) except -1:
        """Make room for an event of `size` features."""
        cdef Py_ssize_t capacity = self.capacity if self.capacity else 16
        cdef void* memory
        if size <= self.capacity:
            return 0
        while capacity < size:
            capacity *= 2
        memory = realloc(self.entries, capacity * sizeof(Entry))
        if memory != NULL:
            self.entries = <Entry*>memory
            memory = realloc(self.newcomers, capacity * sizeof(Newcomer))
        if memory == NULL:
            raise MemoryError(f"no memory for an event of {size} features")
        self.newcomers = <Newcomer*>memory
        self.capacity = capacity
        return 0

    cdef int read(self, object x, bint learning) except -1:
        """Read one event. Only with `learning` are the new features' names kept."""
        cdef PyObject* name
        cdef PyObject* item
        cdef Py_ssize_t position = 0
        cdef double value
        cdef int too_long = 0
        if not PyDict_Check(x):
            x = as_mapping(x)
        self.known = 0
        self.new = 0
        if self.new_names:
            self.new_names.clear()
        self.reserve(PyDict_Size(x))
        while PyDict_Next(x, &position, &name, &item):
            # Names and values of other types may run code of their own, which may change the
            # dict under our feet: they are read from a copy.
            if not (PyUnicode_CheckExact(<object>name) or PyLong_CheckExact(<object>name)):
                return self.read_any(list(x.items()), learning)
            if PyFloat_Check(<object>item):
                value = PyFloat_AS_DOUBLE(<object>item)
            elif PyLong_Check(<object>item):
                value = <double>PyLong_AsLongAndOverflow(<object>item, &too_long)
            else:
                too_long = 1
            if too_long:
                return self.read_any(list(x.items()), learning)
            if value != 0.0:
                self.take(<object>name, value, learning)
        return self.settle(learning)

    cdef int read_any(self, list items, bint learning) except -1:
        """Read an event with names or values that are not of the usual types."""
        cdef double value
        self.known = 0
        self.new = 0
        self.new_names.clear()
        self.reserve(len(items))
        for name, item in items:
            value = PyFloat_AS_DOUBLE(item) if PyFloat_Check(item) else as_number(name, item)
            if value != 0.0:
                self.take(name, value, learning)
        return self.settle(learning)

    cdef inline int take(self, object name, double value, bint learning) except -1:
        cdef PyObject* slot
        if not isfinite(value):
            refuse_value(name, value)
        slot = PyDict_GetItemWithError(self.table, name)
        if slot != NULL:
            self.entries[self.known].slot = PyLong_AsSsize_t(<object>slot)
            self.entries[self.known].value = value
            self.known += 1
        else:
            self.newcomers[self.new].value = value
            if learning:
                self.newcomers[self.new].hash = stable_hash(name)
                self.newcomers[self.new].place = self.new
                self.new_names.append(name)
            self.new += 1
        return 0

    cdef int settle(self, bint learning) except -1:
        """Bring the event into the order that does not depend on the dict's."""
        cdef Py_ssize_t i
        sort_entries(self.entries, self.known)
        if not learning:
            self.new_squares = sort_new_squares(self.newcomers, self.new)
            return 0
        if self.new > 1:
            qsort(self.newcomers, self.new, sizeof(Newcomer), _by_hash)
        for i in range(self.new):
            self.entries[self.known + i].slot = self.count + i
            self.entries[self.known + i].value = self.newcomers[i].value
        return 0

    cdef int admit(self) except -1:
        """Give the new features of the event that was read their slots, all or none."""
        cdef Py_ssize_t i
        try:
            for i in range(self.new):
                self.table[self.new_names[self.newcomers[i].place]] = self.count + i
        except BaseException:
            self.table = {name: slot for name, slot in self.table.items() if slot < self.count}
            raise
        finally:
            self.new_names.clear()
        self.count += self.new
        return 0

    cdef int load(self, list names) except -1:
        """Take the names of a stored table, in the order of their slots."""
        self.table = {name: slot for slot, name in enumerate(names)}
        self.count = len(names)
        return 0

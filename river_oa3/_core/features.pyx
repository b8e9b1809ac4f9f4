"""Dict to slots and values, in one pass with one hash lookup per feature."""

from libc.math cimport NAN, isfinite, isnan
from libc.stdint cimport uint32_t

from cpython.dict cimport PyDict_Check, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_Check, PyLong_CheckExact
from cpython.object cimport PyObject, PyObject_Hash
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.unicode cimport PyUnicode_CheckExact, PyUnicode_Compare, PyUnicode_GET_LENGTH

from .category cimport LONGEST_TEXT, Category, category_digest, category_hash
from .event_buffer cimport EventBuffer, Reading
from .guard cimport Guard
from .hardware cimport fetch_ahead
from .name_table cimport UNUSUAL, Bucket, NameTable
from .stable_hash cimport plain_hash, stable_hash

from .checks import as_feature, as_mapping, as_number, refuse_value

cdef enum:
    # How often an event is looked up again because its names change the model.
    MAX_LOOKUPS = 1000


cdef Py_ssize_t first_twice(list slots) except? -1:
    """Where the first known feature stands that was there before; -1 where none was."""
    cdef Py_ssize_t i
    known = set()
    for i in range(len(slots)):
        if slots[i] >= 0:
            if slots[i] in known:
                return i
            known.add(slots[i])
    return -1


cdef class Features:
    def __cinit__(self, bint is_raw=False):
        self.is_raw = is_raw
        self.guard = Guard()
        self.names = NameTable(self.guard)
        self.event = EventBuffer()

    cdef object read(self, object x, bint learning):
        """Read one event; with `learning`, its new features are made ready for `admit`.

        Returns what keeps the event's names alive: hold on to it until the event is done with.

        Names and values of the usual types run no code of their own. Others may, and that code may
        change the dict, use this model or let another thread use it: they take another way.
        """
        cdef PyObject* name
        cdef PyObject* item
        cdef PyObject* text
        cdef Py_ssize_t position = 0, size = 0, n = 0, i, slot
        cdef double value
        cdef int unusual = 0
        cdef Reading* reading
        cdef EventBuffer event = self.event
        cdef NameTable names = self.names
        if not PyDict_Check(x):
            x = as_mapping(x)
        if self.guard.busy:
            self.guard.wait()
        event.reserve(PyDict_Size(x))
        # What an event points to is seldom in the cache: ask for all of it, then look at it.
        while PyDict_Next(x, &position, &name, &item):
            fetch_ahead(name)
            fetch_ahead(item)
            event.readings[size].name = name
            event.readings[size].item = item
            size += 1
        for i in range(size):
            name = event.readings[i].name
            item = event.readings[i].item
            text = NULL
            if PyFloat_Check(<object>item):
                value = PyFloat_AS_DOUBLE(<object>item)
            elif PyLong_Check(<object>item):
                value = <double>PyLong_AsLongAndOverflow(<object>item, &unusual)
            elif self.is_raw and PyUnicode_CheckExact(<object>item):
                text = item
                value = 1.0
                if PyUnicode_GET_LENGTH(<object>item) > LONGEST_TEXT:
                    unusual = 1
            elif self.is_raw and <object>item is None:
                value = NAN
            else:
                unusual = 1
            if unusual or not (
                PyUnicode_CheckExact(<object>name) or PyLong_CheckExact(<object>name)
            ):
                return self.read_any(list(dict.items(x)), learning)
            if value == 0.0:
                continue
            if not isfinite(value) and not (self.is_raw and isnan(value)):
                refuse_value(<object>name, value)
            reading = event.readings + n
            reading.name = name
            reading.item = text
            reading.hash = PyObject_Hash(<object>name)
            reading.value = value
            if text != NULL:
                reading.hash = category_hash(reading.hash, PyObject_Hash(<object>text))
            fetch_ahead(names.buckets + (names.mixed(reading.hash) >> names.shift))
            n += 1
        event.clear()
        for i in range(n):
            reading = event.readings + i
            if reading.item == NULL:
                slot = names.find_plain(<object>reading.name, reading.hash)
            else:
                slot = self.find_category(reading)
                if slot < 0 and learning:  # it needs an object of its own
                    slot = UNUSUAL
            if slot >= 0:
                self.fetch_row(slot)
            elif slot == UNUSUAL:
                return self.read_any(list(dict.items(x)), learning)
            elif isnan(reading.value):  # nothing of a feature that is not known
                continue
            elif learning:
                event.newcomers[event.new].index = i
                if not plain_hash(<object>reading.name, &event.newcomers[event.new].hash):
                    return self.read_any(list(dict.items(x)), learning)
            event.add(slot, reading.value)
        self.sort(learning)
        return x

    cdef Py_ssize_t find_category(self, Reading* reading) noexcept:
        """The slot of an exact text under the name of an exact str or int; -1 or UNUSUAL else."""
        cdef NameTable names = self.names
        cdef uint32_t short_hash = names.mixed(reading.hash)
        cdef Py_ssize_t i = short_hash >> names.shift
        cdef Bucket* bucket = names.buckets + i
        cdef Category known
        while bucket.name != NULL:
            if bucket.hash == short_hash and type(<object>bucket.name) is Category:
                known = <Category>bucket.name
                if not PyUnicode_CheckExact(known.value):
                    return UNUSUAL
                if PyUnicode_Compare(<object>reading.item, known.value) == 0:
                    if known.name is <object>reading.name:
                        return bucket.slot
                    if not (
                        PyUnicode_CheckExact(<object>reading.name)
                        and PyUnicode_CheckExact(known.name)
                    ):
                        return UNUSUAL
                    if PyUnicode_Compare(<object>reading.name, known.name) == 0:
                        return bucket.slot
            i = (i + 1) & (names.n_buckets - 1)
            bucket = names.buckets + i
        return -1

    cdef object read_any(self, list items, bint learning):
        """Read an event with names or values of any type: foreign code first, our memory after.

        What it returns owns all that was read: letting go of a value may run code as well.
        """
        cdef Py_ssize_t i, n, count = -1, n_drops = 0
        cdef double value
        cdef list names = [], values = [], hashes = [], slots = [], digests = []
        cdef list kept = [items, names]
        cdef EventBuffer event = self.event
        cdef int lookups = 0
        cdef Py_ssize_t twice = -1
        for name, item in items:
            if PyFloat_Check(item):
                value = PyFloat_AS_DOUBLE(item)
            elif self.is_raw:
                item = as_feature(name, item)
                if isinstance(item, str):
                    category = Category(name, item)
                    names.append(category)
                    values.append(1.0)
                    hashes.append(PyObject_Hash(category))
                    digests.append(
                        category_digest(stable_hash(name), stable_hash(category.value))
                        if learning else 0
                    )
                    continue
                value = item
            else:
                value = as_number(name, item)
            if value == 0.0:
                continue
            if not isfinite(value) and not (self.is_raw and isnan(value)):
                refuse_value(name, value)
            names.append(name)
            values.append(value)
            hashes.append(PyObject_Hash(name))
            digests.append(stable_hash(name) if learning else 0)
        n = len(names)
        # Comparing names may run code that teaches this model new ones: look again then.
        while self.guard.busy or count != self.names.count or n_drops != self.names.n_drops:
            self.guard.wait()
            count = self.names.count
            n_drops = self.names.n_drops
            slots = [self.names.find(names[i], hashes[i]) for i in range(n)]
            twice = first_twice(slots)
            lookups += 1
            if lookups > MAX_LOOKUPS:
                raise RuntimeError("the names of this event change the model they are looked up in")
        if twice >= 0:
            raise ValueError(
                f"two names of this event are one feature: {names[slots.index(slots[twice])]!r} "
                f"and {names[twice]!r} are equal, and were not when the event was made: use names "
                "whose __eq__ does not change"
            )
        event.reserve(n)
        event.clear()
        for i in range(n):
            event.readings[i].name = <PyObject*>names[i]
            event.readings[i].hash = hashes[i]
            if <Py_ssize_t>slots[i] < 0:
                if isnan(values[i]):
                    continue
                event.newcomers[event.new].index = i
                event.newcomers[event.new].hash = digests[i]
            event.add(slots[i], values[i])
        self.sort(learning)
        return kept

    cdef object read_again(self, object kept):
        """Read to learn, once more, what `read` has read and returned."""
        if PyDict_Check(kept):
            return self.read(kept, True)
        return self.read_any((<list>kept)[0], True)

    cdef inline void fetch_row(self, Py_ssize_t slot) noexcept nogil:
        if self.stride:
            fetch_ahead(self.rows + slot * self.stride)
            fetch_ahead(self.rows + (slot + 1) * self.stride - 1)

    cdef inline void sort(self, bint learning) noexcept nogil:
        """Bring the event into the order that does not depend on the dict's."""
        self.event.sort_known(self.names.count)
        if learning:
            self.event.sort_new(self.names.count)

    cdef int reserve(self, Py_ssize_t count) except -1:
        """Make room for `count` names in all; no batch may be at work."""
        self.names.reserve(count)
        return self.event.reserve_bitmap(count)

    cdef void hold_new(self) noexcept:
        """Take a reference to each new name, for the table."""
        cdef Py_ssize_t i
        for i in range(self.event.new):
            Py_INCREF(<object>self.event.readings[self.event.newcomers[i].index].name)

    cdef void drop_new(self) noexcept:
        """Give the references back; the event still holds the names."""
        cdef Py_ssize_t i
        for i in range(self.event.new):
            Py_DECREF(<object>self.event.readings[self.event.newcomers[i].index].name)

    cdef void admit(self) noexcept nogil:
        """Give the new features, whose names are held, their slots; there has to be room."""
        cdef Py_ssize_t i
        cdef Reading* reading
        for i in range(self.event.new):
            reading = self.event.readings + self.event.newcomers[i].index
            self.names.insert(reading.name, reading.hash)

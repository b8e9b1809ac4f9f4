"""Names that become slots, room that grows with them, and a state of plain arrays."""

from libc.float cimport DBL_MAX

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact

from .checks import as_label, as_weight, stored_names, stored_part

# State of another number is refused, older numbers are translated in `__setstate__`.
FORMAT = 1


def _restore(cls, arguments, state):
    model = cls(*arguments)
    model.__setstate__(state)
    return model


cdef class Model:
    cdef int use(self, Features features) except -1:
        """Read events in this way."""
        self.features = features
        self.table = features.names
        self.event = features.event
        return 0

    def names(self):
        """Feature names in the order of their slots."""
        return self.table.copy().names()

    cdef object read_to_learn(self, object x):
        """Read an event, with room for its new features; returns what keeps their names alive."""
        kept = self.features.read(x, True)
        while not self.has_room_for(self.event.new):
            # Making room may run Python code: read again after it.
            self.grow(self.table.count + self.event.new)
            kept = self.features.read_again(kept)
        return kept

    cdef bint has_room_for(self, Py_ssize_t new) noexcept nogil:
        """Whether there is room for so many features more."""
        cdef Py_ssize_t d = self.table.count + new
        return new == 0 or (self.table.has_room(d) and self.has_room(d))

    cdef int grow(self, Py_ssize_t d) except -1:
        """Make room for d features in all."""
        cdef Py_ssize_t planned = self.plan(d)
        self.features.guard.wait()
        self.reserve(planned)
        self.features.reserve(d)
        return 0

    # Persistence: plain arrays in a dict, with a format number.

    cdef Snapshot snapshot(self):
        cdef Snapshot copy = Snapshot()
        self.features.guard.wait()
        copy.add_names(self.table)
        self.copy_numbers(copy)
        return copy

    def __reduce__(self):
        return _restore, (type(self), self._arguments(), self.__getstate__())

    def __getstate__(self):
        cdef Snapshot copy = self.snapshot()
        return {"format": FORMAT, "names": copy.names.names(), **copy.as_dict()}

    def __setstate__(self, state):
        number = stored_part(state, "format")
        if number not in range(1, FORMAT + 1):
            raise ValueError(
                f"this model was stored in format {number}; this version of river_oa3 reads "
                f"formats up to {FORMAT}: upgrade it"
            )
        if self.table.count:
            raise ValueError("a stored model is loaded into a new one; this one has learned")
        # All is checked before anything is taken. Names come last, in one go: up to then this is a
        # model without features, whatever code is run by hashing them.
        names = stored_names(state)
        hashes = [hash(name) for name in names]
        numbers = self._checked(state, len(names))
        self.grow(len(names))
        if self.table.count:  # hashing its names has taught it something
            raise ValueError("a stored model is loaded into a new one; this one has learned")
        self._take(numbers)
        self.table.load(names, hashes)

    # What a learner fills in.

    def _arguments(self):
        """What makes another one like it, as new."""
        raise NotImplementedError

    def _checked(self, state, d):
        """What is stored beside the names of d features, checked."""
        return self._check(state, d)

    def _take(self, numbers):
        """Take what `_checked` has let pass; room is there, and names follow."""
        self._load(numbers)

    def _check(self, state, d):
        """The learner's own part of a stored state, checked, for d features."""
        raise NotImplementedError

    def _load(self, numbers):
        """Take what `_check` has let pass."""
        raise NotImplementedError

    cdef int copy_numbers(self, Snapshot copy) except -1:
        """Copy the learner's part of the state; may neither run nor make anything of Python's."""
        raise NotImplementedError

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil:
        return False

    cdef Py_ssize_t plan(self, Py_ssize_t d) except -1:
        """For how many features to make room when there are d; may run Python code."""
        return d

    cdef int reserve(self, Py_ssize_t d) except -1:
        """Make room, in one go; raises a MemoryError with nothing changed."""
        raise NotImplementedError


cdef bint read_label(object y) except -1:
    if y is True:
        return True
    if y is False:
        return False
    return as_label(y)


cdef double read_weight(object w) except -1:
    cdef double weight = PyFloat_AS_DOUBLE(w) if PyFloat_CheckExact(w) else as_weight(w)
    if not 0.0 <= weight <= DBL_MAX:
        as_weight(w)
    return weight

"""What replays of all learners share: rows of a matrix as events, decisions, and counts."""

import numpy as np

from .checks import refuse_size


cdef class Playback:
    def __init__(self, model, data, indices, indptr, y, names, order, uniforms, budget,
                 checkpoints, empty_is_mistake):
        self.model = model
        self.event = self.model.event
        self.guard = self.model.features.guard
        self.data = data
        self.indices = indices
        self.indptr = indptr
        self.y = y
        self.names = names
        self.order = order
        self.uniforms = uniforms
        self.budget = budget
        self.checkpoints = checkpoints
        self.empty_is_mistake = empty_is_mistake
        self.curve = np.zeros((len(checkpoints), COUNTS), dtype=np.int64)
        self.asked = np.zeros(len(order), dtype=np.uint8)
        self.slots = np.empty(len(names), dtype=np.intp)
        self.find_all()

    cdef int find(self, Py_ssize_t column) except -1:
        """Look up the slot of a column."""
        name = self.names[column]
        self.slots[column] = self.model.table.find(name, hash(name))
        return 0

    cdef int find_all(self) except -1:
        """Look up the slots of all columns; where names compare in their own way, code may run."""
        cdef Py_ssize_t column
        self.known_count = self.model.table.count
        self.known_drops = self.model.table.n_drops
        for column in range(self.slots.shape[0]):
            self.find(column)
        return 0

    cdef int find_row(self, SparseRow row, Py_ssize_t new) except -1:
        """Look up the columns of a row that has just brought so many new features."""
        cdef Py_ssize_t k
        self.known_count += new
        if not self.is_found():
            return self.find_all()
        for k in range(row.size):
            self.find(row.columns[k])
        return 0

    cdef bint is_found(self) noexcept nogil:
        """Whether nobody has named or dropped features since the slots were looked up."""
        return (
            self.known_count == self.model.table.count
            and self.known_drops == self.model.table.n_drops
        )

    def play(self):
        """Run to the end; either every event is learned or an error says which one is too large."""
        cdef int reason = NEW_FEATURE
        widest = np.diff(self.indptr).max(initial=0)
        while reason != FINISHED:
            self.guard.wait()
            self.event.reserve(widest)
            self.prepare()
            self.guard.acquire()
            if not self.is_found():
                # Others have had their turn.
                self.guard.release()
                self.find_all()
                continue
            with nogil:
                reason = self.run()
            self.guard.release()
            if reason == NEW_FEATURE:
                try:
                    self.meet_new(self.row(self.t))
                except OverflowError:
                    reason = TOO_LARGE
                self.t += reason == NEW_FEATURE
            if reason == TOO_LARGE:
                refuse_size(f"event {self.t + 1} of the replay is too large")
        return np.asarray(self.curve), np.asarray(self.asked), self.used

    cdef dict as_dict(self, SparseRow row):
        cdef Py_ssize_t k
        return {self.names[row.columns[k]]: row.values[k] for k in range(row.size)}

    # What a replay of a learner fills in.

    cdef int prepare(self) except -1:
        """Make what room `run` needs."""
        return 0

    cdef int run(self) noexcept nogil:
        """Go on to the end, or to an event that needs the name table."""
        return FINISHED

    cdef int meet_new(self, SparseRow row) except -1:
        """Do with an event that has a new feature what `run` could not."""
        return 0

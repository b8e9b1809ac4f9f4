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
        for column in range(len(names)):
            self.find(column)

    cdef int find(self, Py_ssize_t column) except -1:
        """Look up the slot of a column."""
        name = self.names[column]
        self.slots[column] = self.model.table.find(name, hash(name))
        return 0

    def play(self):
        """Run to the end; either every event is learned or an error says which one is too large."""
        cdef int reason = NEW_FEATURE
        widest = np.diff(self.indptr).max(initial=0)
        while reason != FINISHED:
            self.guard.wait()
            self.event.reserve(widest)
            self.prepare()
            self.guard.acquire()
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

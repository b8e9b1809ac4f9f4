"""Batches of raw rows through AutoOA3: the same numbers as row by row, in one pass."""

import numpy as np

from .auto cimport Auto
from .auto_engine cimport Judgement
from .loss cimport sigmoid
from .playback cimport FINISHED, NEW_FEATURE, Playback, SparseRow
from .scaling cimport FAST, SLOW

from .category import Category

cdef enum:
    REPORTED = 7


cdef class AutoBatch(Playback):
    """Rows that are judged, or observed and learned, in their order."""
    cdef Auto learner
    cdef bint learns
    cdef const double[::1] weights
    # What is thought of each row: see `report_rows`.
    cdef double[:, ::1] found

    def __init__(self, learner, data, indices, indptr, names, y=None, weights=None):
        n = len(indptr) - 1
        super().__init__(
            learner, data, indices, indptr, np.zeros(n, np.uint8) if y is None else y, names,
            np.arange(n), np.empty(0), 0, np.empty(0, dtype=np.intp), False,
        )
        self.learner = learner
        self.learns = y is not None
        self.weights = np.empty(0) if weights is None else weights
        self.found = np.empty((REPORTED, n))

    cdef int prepare(self) except -1:
        self.learner.reserve_scratch(len(self.names) + self.learner.table.count)
        return self.learner.reserve_bins(self.learner.n_bins + self.learner.table.count)

    cdef int run(self) noexcept nogil:
        while self.t < self.order.shape[0]:
            self.begin_event()
            self.load(self.row(self.t))
            if self.learns and self.event.new:
                return NEW_FEATURE
            self.learner.judge(False)
            self.report()
            if self.learns:
                self.learner.commit()
                if self.weights[self.t] > 0.0:
                    self.learner.learn(self.y[self.t], self.weights[self.t], 1.0)
            self.t += 1
        return FINISHED

    cdef void report(self) noexcept nogil:
        cdef int speaker = self.learner.speaker
        cdef const Judgement* judged = self.learner.judged
        self.found[0, self.t] = judged[speaker].margin
        self.found[1, self.t] = self.learner.probability()
        self.found[2, self.t] = judged[1 - speaker].margin
        self.found[3, self.t] = judged[speaker].v
        self.found[4, self.t] = self.learner.next_squares - self.learner.squares
        self.found[5, self.t] = sigmoid(self.learner.tau[SLOW] * judged[SLOW].s)
        self.found[6, self.t] = sigmoid(self.learner.tau[FAST] * judged[FAST].s)

    cdef int meet_new(self, SparseRow row) except -1:
        cdef Py_ssize_t count = self.learner.table.count
        self.learner.learn_one(self.as_dict(row), row.label, self.weights[self.t])
        return self.find_row(row, self.learner.table.count - count)

    cdef dict as_dict(self, SparseRow row):
        cdef Py_ssize_t k
        x = {}
        for k in range(row.size):
            name = self.names[row.columns[k]]
            if type(name) is Category:
                x[name.name] = name.value
            else:
                x[name] = row.values[k]
        return x

    def answers(self):
        return np.asarray(self.found)


def judge_rows(*args):
    """The margin and the probability of every row; nothing is observed."""
    return report_rows(*args)[:2]


def report_rows(*args):
    """All that is thought of every row, a line for each; nothing is observed.

    The margin, the probability of a positive, the margin of the learner that does not answer, the
    variance, what the row would add to the sum of squared lengths, and the probability that each
    learner gives it as the boundary is drawn by it.
    """
    batch = AutoBatch(*args)
    batch.play()
    return batch.answers()


def learn_rows(*args):
    """Observe and learn every row."""
    AutoBatch(*args).play()

"""The whole active loop over the rows of a sparse matrix: predict, account, ask, spend, learn."""

import numpy as np

from libc.math cimport isfinite

from .event_buffer cimport Entry, EventBuffer
from .guard cimport Guard
from .hardware cimport fetch_ahead
from .learner cimport OVERFLOW, STEP, Learner
from .name_table cimport NameTable
from .query cimport Rule

from .checks import refuse_size

cdef enum:
    # How often a replay looks whether another thread forks.
    EVENTS_PER_PAUSE = 16
    # How many events ahead a row is fetched from memory.
    DISTANCE = 6
    TRUE_POSITIVE = 0
    FALSE_POSITIVE = 1
    TRUE_NEGATIVE = 2
    FALSE_NEGATIVE = 3
    ASKED = 4
    COUNTS = 5

# Why `run` came back.
cdef enum:
    FINISHED = 0
    NEW_FEATURE = 1
    TOO_LARGE = 2

cdef struct SparseRow:
    const double* values
    const int* columns
    Py_ssize_t size
    bint label


cdef class Replay:
    """A stream, a learner, and how far the one has come in the other."""
    cdef Learner learner
    cdef NameTable table
    cdef EventBuffer event
    cdef Guard guard
    # The stream: rows in CSR form, the order in which they come, and the slot of each column.
    cdef const double[::1] data
    cdef const int[::1] indices
    cdef const long long[::1] indptr
    cdef const unsigned char[::1] y
    cdef const Py_ssize_t[::1] order
    cdef list names
    cdef Py_ssize_t[::1] slots
    cdef bint empty_is_mistake
    cdef Rule rule
    cdef Py_ssize_t budget
    cdef const double[::1] uniforms
    # Where it stands.
    cdef Py_ssize_t t, used, next_checkpoint, lookahead_from, lookahead_to
    cdef long long count[COUNTS]
    # What it writes down.
    cdef const Py_ssize_t[::1] checkpoints
    cdef long long[:, ::1] curve
    cdef unsigned char[::1] asked

    def __init__(self, learner, data, indices, indptr, y, names, order, uniforms, rule, budget,
                 checkpoints, empty_is_mistake):
        self.learner = learner
        self.table = self.learner.table
        self.event = self.learner.event
        self.guard = self.learner.features.guard
        self.data = data
        self.indices = indices
        self.indptr = indptr
        self.y = y
        self.names = names
        self.order = order
        self.uniforms = uniforms
        self.rule = rule
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
        self.slots[column] = self.table.find(name, hash(name))
        return 0

    def play(self):
        """Run to the end; either every event is learned or an error says which one is too large."""
        cdef int reason = NEW_FEATURE
        widest = np.diff(self.indptr).max(initial=0)
        while reason != FINISHED:
            self.guard.wait()
            self.event.reserve(widest)
            self.guard.acquire()
            with nogil:
                reason = self.run()
                self.learner.lookahead_turn(-1)
            self.guard.release()
            if reason == NEW_FEATURE:
                try:
                    self.learn_as_dict(self.row(self.t))
                except OverflowError:
                    reason = TOO_LARGE
                self.t += reason == NEW_FEATURE
            if reason == TOO_LARGE:
                refuse_size(f"event {self.t + 1} of the replay is too large")
        return np.asarray(self.curve), np.asarray(self.asked), self.used

    cdef int learn_as_dict(self, SparseRow row) except -1:
        """An event with a new feature goes the way of a single event."""
        cdef Py_ssize_t k
        x = {self.names[row.columns[k]]: row.values[k] for k in range(row.size)}
        kept = self.learner.read_to_learn(x)
        self.learner.learn_read(row.label, 1.0)
        for k in range(row.size):
            self.find(row.columns[k])
        self.lookahead_to = self.t
        return 0

    cdef int run(self) noexcept nogil:
        """Go on to the end, or to an event that needs the name table."""
        cdef Py_ssize_t n_events = self.order.shape[0]
        cdef Entry* x = self.event.entries
        cdef Py_ssize_t n
        cdef double p, v, chance, step, squares
        cdef int verdict
        cdef SparseRow row
        while self.t < n_events:
            if self.t % EVENTS_PER_PAUSE == 0:
                self.guard.pause_while_forking()
            if self.t + 2 * DISTANCE < n_events:
                # Rows come in any order: first where one starts, then the row itself.
                fetch_ahead(&self.indptr[self.order[self.t + 2 * DISTANCE]])
                fetch_ahead(&self.y[self.order[self.t + 2 * DISTANCE]])
                fetch(self.row(self.t + DISTANCE))
            if self.learner.looks_ahead:
                self.look_ahead()
            row = self.row(self.t)
            self.load(row)
            n = self.event.known
            v = 0.0
            if self.rule.use_confidence and self.count[ASKED] < self.budget:
                p = self.learner.judge(x, n, &v)
            else:
                p = self.learner.margin(x, n)
            chance = self.probability(p, v) if row.size and self.count[ASKED] < self.budget else 0.0
            if not (isfinite(p) and isfinite(chance)):
                return TOO_LARGE
            self.account(p >= 0.0, &row)
            self.asked[self.t] = self.draw(chance)
            self.write_down()
            if self.asked[self.t]:
                if self.event.new:
                    return NEW_FEATURE
                verdict = self.learner.decide(x, n, p, row.label, 1.0, &step, &squares)
                if verdict == OVERFLOW:
                    return TOO_LARGE
                if verdict == STEP:
                    self.learner.update(x, n, 0, step, squares)
            self.t += 1
        return FINISHED

    cdef inline SparseRow row(self, Py_ssize_t t) noexcept nogil:
        cdef SparseRow row
        cdef Py_ssize_t i = self.order[t]
        row.values = &self.data[0] + self.indptr[i]
        row.columns = &self.indices[0] + self.indptr[i]
        row.size = self.indptr[i + 1] - self.indptr[i]
        row.label = self.y[i]
        return row

    cdef inline void load(self, SparseRow row) noexcept nogil:
        self.event.load_row(row.values, row.columns, row.size, &self.slots[0], False)
        self.event.sort_known(self.table.count)

    cdef void look_ahead(self) noexcept nogil:
        """Show the learner the coming events, as many as it would work ahead on."""
        cdef Py_ssize_t index = 0, more = 1
        if self.t < self.lookahead_to or self.count[ASKED] >= self.budget:
            self.learner.lookahead_turn(self.t - self.lookahead_from if self.t < self.lookahead_to else -1)
            return
        while more > 0 and self.t + index < self.order.shape[0]:
            self.load(self.row(self.t + index))
            if self.event.new:
                break
            more = self.learner.lookahead_add(index, self.event.entries, self.event.known)
            index += more >= 0
        if index:
            self.learner.lookahead_prepare(index)
        self.learner.lookahead_turn(0 if index else -1)
        self.lookahead_from = self.t
        self.lookahead_to = self.t + index

    cdef inline double probability(self, double p, double v) noexcept nogil:
        """The probability of asking about the event that was loaded; no number if it overflows."""
        cdef double confidence = 0.0
        if self.rule.use_confidence:
            v += self.learner.new_variance()
            if not isfinite(v):
                return v
            confidence = self.learner.confidence(v)
        return self.rule.probability(p, confidence)

    cdef inline bint draw(self, double chance) noexcept nogil:
        """Decide; a uniform is used where the decision is open, and only there."""
        cdef bint ask = chance >= 1.0
        if not ask and chance > 0.0:
            ask = self.uniforms[self.used] <= chance
            self.used += 1
        return ask

    cdef inline void account(self, bint predicted, const SparseRow* row) noexcept nogil:
        if self.empty_is_mistake and row.size == 0:
            predicted = not row.label
        if predicted:
            self.count[TRUE_POSITIVE if row.label else FALSE_POSITIVE] += 1
        else:
            self.count[FALSE_NEGATIVE if row.label else TRUE_NEGATIVE] += 1

    cdef inline void write_down(self) noexcept nogil:
        cdef Py_ssize_t k
        self.count[ASKED] += self.asked[self.t]
        while (
            self.next_checkpoint < self.checkpoints.shape[0]
            and self.checkpoints[self.next_checkpoint] == self.t + 1
        ):
            for k in range(COUNTS):
                self.curve[self.next_checkpoint, k] = self.count[k]
            self.next_checkpoint += 1


cdef inline void fetch(SparseRow row) noexcept nogil:
    """Ask for the start and the end of a row; what lies between follows by itself."""
    fetch_ahead(row.values)
    fetch_ahead(row.columns)
    if row.size > 8:
        fetch_ahead(row.values + row.size - 1)
        fetch_ahead(row.columns + row.size - 1)


def replay(*args):
    """Run a learner through the rows of a matrix in a given order, as single events would.

    Takes what `Replay` takes. Returns the counts of true and false positives, true and false
    negatives and labels asked for after as many events as each checkpoint says, the decision on
    every event, and how many of the uniforms were used.
    """
    return Replay(*args).play()

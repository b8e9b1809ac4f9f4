"""The whole active loop over the rows of a sparse matrix: predict, account, ask, spend, learn."""

from libc.math cimport isfinite

from .event_buffer cimport Entry
from .learner cimport OVERFLOW, STEP, Learner
from .playback cimport ASKED, FINISHED, NEW_FEATURE, TOO_LARGE, Playback, SparseRow
from .query cimport Rule


cdef class Replay(Playback):
    """The paper's learners."""
    cdef Learner learner
    cdef Rule rule
    cdef Py_ssize_t lookahead_from, lookahead_to

    def __init__(self, learner, rule, *stream):
        super().__init__(learner, *stream)
        self.learner = learner
        self.rule = rule

    cdef int meet_new(self, SparseRow row) except -1:
        """An event with a new feature that is asked about goes the way of a single event."""
        cdef Py_ssize_t count
        kept = self.learner.read_to_learn(self.as_dict(row))
        count = self.learner.table.count
        self.learner.learn_read(row.label, 1.0)
        self.find_row(row, self.learner.table.count - count)
        self.lookahead_to = self.t
        return 0

    cdef int run(self) noexcept nogil:
        cdef int reason = self.run_on()
        self.learner.lookahead_turn(-1)
        return reason

    cdef int run_on(self) noexcept nogil:
        cdef Entry* x = self.event.entries
        cdef Py_ssize_t n
        cdef double p, v, chance, step, squares
        cdef bint asked
        cdef int verdict
        cdef SparseRow row
        while self.t < self.order.shape[0]:
            self.begin_event()
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
            asked = self.draw(chance)
            self.write_down(asked)
            if asked:
                if self.event.new:
                    return NEW_FEATURE
                verdict = self.learner.decide(x, n, p, row.label, 1.0, &step, &squares)
                if verdict == OVERFLOW:
                    return TOO_LARGE
                if verdict == STEP:
                    self.learner.update(x, n, 0, step, squares)
            self.t += 1
        return FINISHED

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


def replay(*args):
    """Run a learner through the rows of a matrix in a given order, as single events would.

    Takes what `Replay` takes. Returns the counts of true and false positives, true and false
    negatives and labels asked for after as many events as each checkpoint says, the decision on
    every event, and how many of the uniforms were used.
    """
    return Replay(*args).play()

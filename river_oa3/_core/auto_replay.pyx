"""The active loop of AutoOA3 over the rows of a sparse matrix."""

from .auto cimport Auto
from .auto_engine cimport Judgement
from .playback cimport ASKED, FINISHED, NEW_FEATURE, Playback, SparseRow
from .query cimport AdaptiveRule, View


cdef class AutoReplay(Playback):
    cdef Auto learner
    cdef AdaptiveRule rule
    # The pace of the budget.
    cdef double rate, floor

    def __init__(self, learner, rule, rate, floor, *stream):
        super().__init__(learner, *stream)
        self.learner = learner
        self.rule = rule
        self.rate = rate
        self.floor = floor

    cdef int prepare(self) except -1:
        # No event has more features than there are columns, and no more of them are dense.
        self.learner.reserve_scratch(len(self.names) + self.learner.table.count)
        return self.learner.reserve_bins(self.learner.n_bins + self.learner.table.count)

    cdef int run(self) noexcept nogil:
        cdef SparseRow row
        while self.t < self.order.shape[0]:
            self.begin_event()
            row = self.row(self.t)
            self.load(row)
            if self.event.new:
                return NEW_FEATURE
            self.learner.judge(False)
            self.answer(row)
            self.t += 1
        return FINISHED

    cdef void answer(self, SparseRow row) noexcept nogil:
        """Account for the event that was judged, observe it, and learn it if it is asked about."""
        cdef View view = self.view(self.learner.missing())
        cdef double chance = 0.0
        cdef bint asked
        self.account(view.margin >= 0.0, &row)
        self.learner.commit()
        if self.count[ASKED] < self.budget:
            chance = self.rule.chance(view, self.rate, self.floor)
            self.rule.note(view)
        asked = self.draw(chance)
        self.write_down(asked)
        if asked:
            # As the label is learned: the boundary has moved with the event.
            self.learner.judge_counted()
            chance = self.rule.noted_chance(self.view(view.missing), self.rate, self.floor)
            self.learner.learn(row.label, 1.0, 1.0 / chance)

    cdef View view(self, int missing) noexcept nogil:
        cdef const Judgement* judged = self.learner.judged + self.learner.speaker
        cdef View view
        view.margin = judged.margin
        view.second_margin = self.learner.judged[1 - self.learner.speaker].margin
        view.v = judged.v
        view.missing = missing
        return view

    cdef int meet_new(self, SparseRow row) except -1:
        cdef Py_ssize_t new
        kept = self.learner.read_to_learn(self.as_dict(row))
        new = self.event.new
        self.learner.reserve_scratch(self.event.known + new)
        self.learner.judge(False)
        self.learner.reserve_bins(self.learner.n_bins + self.learner.n_wanted)
        self.learner.features.hold_new()
        self.answer(row)
        return self.find_row(row, new)


def replay_auto(*args):
    """Run the learner through the rows of a matrix in a given order, as single events would.

    Takes what `AutoReplay` takes, and returns what `replay` returns.
    """
    return AutoReplay(*args).play()

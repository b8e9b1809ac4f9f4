"""What happens to an event in a learner: it is read, checked, decided on and learned."""

import numpy as np

from libc.math cimport erfc, isfinite, sqrt

from .explanation cimport Explanation, items_of
from .features cimport Features
from .kernels cimport sum_squares
from .loss cimport step_size
from .model cimport read_label, read_weight

from .checks import positive, refuse_size, refuse_state, stored_number
from .model import _restore  # noqa: F401 - where files of 0.1.0 look for it

OVERFLOW_LIMIT = 1e150
cdef double SQRT_HALF = 0.7071067811865476


cdef class Learner(Model):
    def __cinit__(self, *args):
        self.use(Features())
        self.mu_norm_bound = 0.0
        self.looks_ahead = False

    def __init__(self, eta, rho):
        self.eta = eta
        self.rho = rho

    @property
    def eta(self):
        return self._eta

    @eta.setter
    def eta(self, value):
        value = positive("eta", value)
        self.features.guard.wait()
        self._eta = value

    @property
    def rho(self):
        return self._rho

    @rho.setter
    def rho(self, value):
        value = positive("rho", value)
        self.features.guard.wait()
        self._rho = value

    # Questions: nothing below changes a number or registers a name.

    cdef double margin_of(self, object x) except? -1:
        kept = self.features.read(x, False)
        cdef double p = self.margin(self.event.entries, self.event.known)
        if not isfinite(p):
            refuse_size("its margin is not finite")
        return p

    cdef int judge_event(self, object x, double* p, double* v) except -1:
        """Margin and variance of an event, both finite."""
        kept = self.features.read(x, False)
        p[0] = self.judge(self.event.entries, self.event.known, v)
        v[0] += self.new_variance()
        if not isfinite(v[0]):
            refuse_size("its variance is not finite")
        if not isfinite(p[0]):
            refuse_size("its margin is not finite")
        return self.event.known + self.event.new > 0

    def margin_one(self, x):
        return self.margin_of(x)

    def predict_one(self, x):
        return self.margin_of(x) >= 0.0

    def probability_one(self, x):
        """The probability of True, and of False."""
        cdef double p, v, z
        self.judge_event(x, &p, &v)
        z = SQRT_HALF / self.spread(v) * p
        return 0.5 * erfc(-z), 0.5 * erfc(z)

    def judge_one(self, x):
        """Margin, variance and confidence of an event at once, and whether it has any feature."""
        cdef double p, v
        cdef bint has_features = self.judge_event(x, &p, &v)
        return p, v, self.confidence(v), has_features

    def explain_one(self, x):
        """(feature, value, contribution) of each feature of an event, and 0, for there is no rest."""
        cdef Explanation found = Explanation()
        cdef list items = items_of(x)
        kept = self.features.read(x, False)
        cdef double p = self.margin(self.event.entries, self.event.known)
        cdef Py_ssize_t i
        found.reserve(self.event.known)
        for i in range(self.event.known):
            found.add(self.event.entries[i].slot, self.margin(self.event.entries + i, 1))
        found.find_names(self.table)
        if not isfinite(p):
            refuse_size("its margin is not finite")
        return found.listed(items), found.rest

    def weights(self):
        """Feature name -> mu."""
        cdef Snapshot copy = Snapshot()
        self.features.guard.wait()
        copy.add_names(self.table)
        self.copy_mean(copy)
        return dict(zip(copy.names.names(), self.mean(copy.as_dict()).tolist()))

    # Learning: either the whole event is learned or nothing is touched.

    def learn_one(self, x, y, w=1.0):
        cdef bint label = read_label(y)
        cdef double weight = read_weight(w)
        kept = self.read_to_learn(x)
        self.learn_read(label, weight)

    cdef int learn_read(self, bint y, double w) except -1:
        """Learn the event that `read_to_learn` has read."""
        cdef double squares
        cdef int verdict
        if self.event.new:
            self.features.hold_new()
        verdict = self.learn_loaded(y, w, &squares)
        if verdict != STEP and self.event.new:
            self.features.drop_new()
        if verdict == OVERFLOW:
            self._refuse_event(squares)
        return 0

    cdef int learn_loaded(self, bint y, double w, double* squares) noexcept nogil:
        """Learn the event in the buffer, whose new names are held, if there is a step to make."""
        cdef Entry* x = self.event.entries
        cdef Py_ssize_t new = self.event.new, n = self.event.known + new
        cdef double step
        cdef int verdict
        if new:
            # Beyond the name table the features are as new: mu = 0, Sigma = I.
            self.blank_rows(self.table.count, self.table.count + new)
        verdict = self.decide(x, n, self.margin(x, n), y, w, &step, squares)
        if verdict == STEP:
            if new:
                self.features.admit()
            self.update(x, n, new, step, squares[0])
        return verdict

    cdef int decide(self, const Entry* x, Py_ssize_t n, double p, bint y, double w,
                    double* step, double* squares) noexcept nogil:
        """Whether there is something to learn, and how far mu goes along x.

        The margin p has just been computed: what it left behind is used by `update`.
        """
        cdef double size, bound
        squares[0] = sum_squares(x, n)
        if squares[0] == 0.0 or w == 0.0:
            return NO_STEP
        size = step_size(self.loss, p if y else -p, self._eta, self._rho if y else 1.0, w, y,
                         squares[0])
        bound = self.mu_norm_bound + sqrt(squares[0]) * size
        if not (
            squares[0] <= OVERFLOW_LIMIT and size <= OVERFLOW_LIMIT and bound <= OVERFLOW_LIMIT
        ):
            return OVERFLOW
        if size == 0.0:
            return NO_STEP
        self.mu_norm_bound = bound
        step[0] = size if y else -size
        return STEP

    def _refuse_event(self, squares):
        refuse_size(f"its squared length is {squares:.3g}, with {self._parameters()}")

    def _parameters(self):
        """The parameters in words."""
        return f"eta = {self._eta:g} and rho = {self._rho:g}"

    cdef Snapshot snapshot(self):
        cdef Snapshot copy = Model.snapshot(self)
        copy.add_real(b"reach", self.mu_norm_bound)  # what files of 0.1.0 call it
        return copy

    def _checked(self, state, d):
        numbers = self._check(state, d)
        reach = stored_number(state, "reach", OVERFLOW_LIMIT)
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.linalg.norm(self.mean(state))
        if not length <= reach * (1.0 + 1e-6):
            refuse_state(f"its weights have the length {length:g}, and 'reach' is {reach:g}")
        return numbers, reach

    def _take(self, numbers):
        of_learner, self.mu_norm_bound = numbers
        self._load(of_learner)

    def _arguments(self):
        return self._eta, self._rho

    # What a learner file fills in.

    cdef int copy_mean(self, Snapshot copy) except -1:
        """Copy what `mean` needs; may neither run nor make anything of Python's."""
        raise NotImplementedError

    cdef object mean(self, dict numbers):
        """mu, out of what `copy_mean` has copied."""
        return numbers["mu"]

    cdef void blank_rows(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
        """Set the rows of features that have not been learned yet to their beginnings."""
        pass

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        """mu.x"""
        return 0.0

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        """Learn an event whose last `new` features have just got their names."""
        pass

    # How sure it is: what `SecondOrder` fills in.

    cdef double judge(self, const Entry* x, Py_ssize_t n, double* v) noexcept nogil:
        """Margin and variance of known features at once."""
        v[0] = 0.0
        return self.margin(x, n)

    cdef double new_variance(self) noexcept nogil:
        """What the new features of the event add to its variance."""
        return 0.0

    cdef double confidence(self, double v) noexcept nogil:
        return 0.0

    cdef double spread(self, double v) noexcept nogil:
        """In units of which a margin becomes a probability."""
        return 1.0

    # What a learner may do with events that are known before their turn, as in a replay.

    cdef Py_ssize_t lookahead_add(self, Py_ssize_t index, const Entry* x,
                                  Py_ssize_t n) noexcept nogil:
        """Look at a coming event; returns how many more it would look at, -1 if not even this."""
        return -1

    cdef void lookahead_prepare(self, Py_ssize_t count) noexcept nogil:
        """Work ahead on the events that were added."""
        pass

    cdef void lookahead_turn(self, Py_ssize_t index) noexcept nogil:
        """Say which of them is next; -1 for an event that was not added."""
        pass

"""The way of an event through a learner: read, check, decide, update."""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport erfc, fabs, fmin, isfinite, sqrt

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact

from .features cimport sort_new_squares
from .kernels cimport sum_squares

from .checks import as_label, as_weight, positive, refuse_size

# State of another number is refused, older numbers are translated in `__setstate__`.
FORMAT = 1

# Squared lengths and weights up to here leave every product in the learners finite.
LARGEST = 1e150
cdef double SQRT_HALF = 0.7071067811865476


def _restore(cls, arguments, state):
    learner = cls(*arguments)
    learner.__setstate__(state)
    return learner


cdef class Learner:
    def __cinit__(self, *args):
        self.features = Features()
        self.reach = 0.0
        self.learns_without_loss = False
        self.looks_ahead = False

    def __init__(self, eta, gamma, rho):
        self.eta = eta
        self.gamma = gamma
        self.rho = rho

    @property
    def eta(self):
        return self._eta

    @eta.setter
    def eta(self, value):
        self.features.enter()
        self._eta = positive("eta", value)

    @property
    def gamma(self):
        return self._gamma

    @gamma.setter
    def gamma(self, value):
        self.features.enter()
        self._gamma = positive("gamma", value)

    @property
    def rho(self):
        return self._rho

    @rho.setter
    def rho(self, value):
        self.features.enter()
        self._rho = positive("rho", value)

    # Reading: nothing below changes a number or registers a name.

    cdef double margin_of(self, object x) except? -1:
        self.features.read(x, False)
        cdef double p = self.margin(self.features.entries, self.features.known)
        if not isfinite(p):
            refuse_size("its margin is not finite")
        return p

    cdef double variance_of(self, object x) except? -1:
        self.features.read(x, False)
        cdef double v = self.features.new_squares + self.variance(
            self.features.entries, self.features.known
        )
        if not isfinite(v):
            refuse_size("its variance is not finite")
        return v

    def margin_one(self, x):
        return self.margin_of(x)

    def variance_one(self, x):
        return self.variance_of(x)

    def confidence_one(self, x):
        return self.confidence(self.variance_of(x))

    def predict_one(self, x):
        return self.margin_of(x) >= 0.0

    def probability_one(self, x):
        """The probability of True, and of False."""
        cdef double v = self.variance_of(x)
        cdef double z = SQRT_HALF / sqrt(self._gamma + v)
        # The event is still there: its margin needs no second reading.
        z *= self.margin(self.features.entries, self.features.known)
        if not isfinite(z):
            refuse_size("its margin is not finite")
        return 0.5 * erfc(-z), 0.5 * erfc(z)

    def judge_one(self, x):
        """Margin, variance and confidence of an event at once, and whether it has any feature."""
        cdef double v = self.variance_of(x)
        cdef double p = self.margin(self.features.entries, self.features.known)
        if not isfinite(p):
            refuse_size("its margin is not finite")
        return p, v, self.confidence(v), self.features.known + self.features.new > 0

    cdef double confidence(self, double v) noexcept nogil:
        """The paper's c = -1/2 eta rho_max / (1/v + 1/gamma), without a division by v."""
        cdef double gain = v / (v + self._gamma) if isfinite(v + self._gamma) else 1.0
        cdef double c = 0.5 * self._eta * (self._rho if self._rho > 1.0 else 1.0)
        return -fmin(fmin(c, DBL_MAX) * gain * self._gamma, DBL_MAX)

    def names(self):
        """Feature names in the order of their slots."""
        self.features.enter()
        return self.features.names()

    def weights(self):
        """Feature name -> mu."""
        self.features.enter()
        return dict(zip(self.features.names(), self.mu().tolist()))

    # Learning: either the whole event is learned or nothing is touched.

    def learn_one(self, x, y, w=1.0):
        cdef bint label
        cdef double weight
        if y is True:
            label = True
        elif y is False:
            label = False
        else:
            label = as_label(y)
        weight = PyFloat_AS_DOUBLE(w) if PyFloat_CheckExact(w) else as_weight(w)
        if not 0.0 <= weight <= DBL_MAX:
            as_weight(w)
        self.features.read(x, True)
        self.learn_read(label, weight)

    cdef int learn_read(self, bint y, double w) except -1:
        """Learn the event that `features` has read."""
        cdef Features f = self.features
        cdef Py_ssize_t n = f.known + f.new
        cdef double step, squares
        cdef int verdict
        if f.new:
            f.begin()
            try:
                # Rows beyond the name table are blank: mu = 0, Sigma = I.
                self.reserve(f.count + f.new)
                f.reserve_names(f.count + f.new)
            finally:
                f.end()
        verdict = self.decide(f.entries, n, self.margin(f.entries, n), y, w, &step, &squares)
        if verdict == OVERFLOW:
            self.refuse_event(squares)
        if verdict == STEP:
            f.admit()
            self.update(f.entries, n, f.new, step, squares)
        return 0

    cdef int decide(self, const Entry* x, Py_ssize_t n, double p, bint y, double w,
                    double* step, double* squares) noexcept nogil:
        """Whether there is something to learn, and the length of mu's step: eta w rho_t y.

        The margin p has just been computed: what it left behind is used by `update`.
        """
        cdef double reach, total = sum_squares(x, n)
        squares[0] = total
        step[0] = self._eta * w * (self._rho if y else -1.0)
        reach = self.reach + sqrt(total) * (step[0] if y else -step[0])
        if not (
            total <= LARGEST * fmin(1.0, self._gamma)
            and reach <= LARGEST
            and fabs(step[0]) <= LARGEST
        ):
            return OVERFLOW
        # An event so short that its square is 0 teaches no more than one without features.
        if total == 0.0 or w == 0.0:
            return NOTHING
        if (p if y else -p) < 1.0:
            self.reach = reach
            return STEP
        step[0] = 0.0
        return STEP if self.learns_without_loss else NOTHING

    cdef int refuse_event(self, double squares) except -1:
        refuse_size(
            f"its squared length is {squares:.3g}, with eta = {self._eta:g}, "
            f"gamma = {self._gamma:g} and rho = {self._rho:g}"
        )

    # Batches: a matrix of rows, one column a name.

    def margins(self, const double[:, ::1] X, list columns):
        """The margin of every row."""
        return self._answers(X, columns, False)

    def variances(self, const double[:, ::1] X, list columns):
        """The variance of every row."""
        return self._answers(X, columns, True)

    def _answers(self, const double[:, ::1] X, list columns, bint variance):
        out = np.empty(X.shape[0])
        cdef double[::1] answers = out
        cdef Py_ssize_t i, j, column
        cdef Features f = self.features
        cdef Py_ssize_t[::1] order, slots
        cdef double value
        order, slots = self._layout(columns)
        f.begin()
        try:
            with nogil:
                for i in range(X.shape[0]):
                    f.known = 0
                    f.new = 0
                    for j in range(order.shape[0]):
                        column = order[j]
                        value = X[i, column]
                        if value == 0.0:
                            continue
                        if slots[column] >= 0:
                            f.entries[f.known].slot = slots[column]
                            f.entries[f.known].value = value
                            f.known += 1
                        else:
                            f.newcomers[f.new].value = value
                            f.new += 1
                    if variance:
                        answers[i] = self.variance(f.entries, f.known) + sort_new_squares(
                            f.newcomers, f.new
                        )
                    else:
                        answers[i] = self.margin(f.entries, f.known)
        finally:
            f.end()
        if not np.isfinite(out).all():
            refuse_size("the variance or margin of a row is not finite")
        return out

    def learn_many(self, const double[:, ::1] X, list columns, const unsigned char[::1] y,
                   const double[::1] w, row_squares):
        """Learn the rows in order, all of them or none; `row_squares` are their squared lengths."""
        cdef Py_ssize_t i = 0, j, column
        cdef Features f = self.features
        cdef Py_ssize_t[::1] order, slots
        cdef double value, step, squares, p
        self._check_batch(row_squares, np.asarray(y), np.asarray(w))
        self._make_room(np.asarray(X), columns)
        while i < X.shape[0]:
            order, slots = self._layout(columns)
            f.begin()
            try:
                with nogil:
                    while i < X.shape[0]:
                        f.known = 0
                        f.new = 0
                        for j in range(order.shape[0]):
                            column = order[j]
                            value = X[i, column]
                            if value == 0.0:
                                continue
                            if slots[column] < 0:
                                f.new = 1
                                break
                            f.entries[f.known].slot = slots[column]
                            f.entries[f.known].value = value
                            f.known += 1
                        if f.new:
                            break
                        # `_check_batch` has ruled out that a row is too large.
                        p = self.margin(f.entries, f.known)
                        if self.decide(f.entries, f.known, p, y[i], w[i], &step, &squares) == STEP:
                            self.update(f.entries, f.known, 0, step, squares)
                        i += 1
            finally:
                f.end()
            if i < X.shape[0]:
                # A row with a new feature goes the way of a single event.
                f.read({columns[j]: X[i, j] for j in range(X.shape[1])}, True)
                self.learn_read(y[i], w[i])
                i += 1

    def _layout(self, list columns):
        """Columns in the order of their slots, and their slots (-1 where there is none).

        No other thread is at work on the model when this returns.
        """
        self.features.enter()
        slots = np.array(
            [self.features.find(name, hash(name), False) for name in columns], dtype=np.intp
        )
        order = np.argsort(slots, kind="stable")
        self.features.enter()
        self.features.reserve(len(columns))
        return order, slots

    def _make_room(self, X, columns):
        """Reserve memory for every new feature of a batch, before its first row."""
        cdef Features f = self.features
        _, slots = self._layout(columns)
        new = sum(X[:1, j].any() or X[:, j].any() for j in np.flatnonzero(slots < 0))
        f.enter()
        f.begin()
        try:
            self.reserve(f.count + new)
            f.reserve_names(f.count + new)
        finally:
            f.end()

    def _check_batch(self, squares, y, w):
        """Refuse a batch that might overflow half way, before its first row."""
        with np.errstate(over="ignore"):
            steps = self._eta * w * np.where(y, self._rho, 1.0) * np.sqrt(squares)
            reach = self.reach + steps.sum() + self._eta * max(1.0, self._rho) * w.max(initial=0.0)
        largest = squares.max(initial=0.0)
        if not (largest <= LARGEST * min(1.0, self._gamma) and reach <= LARGEST):
            self.refuse_event(largest)

    # Persistence: plain arrays in a dict, with a format number.

    def __reduce__(self):
        return _restore, (type(self), self._arguments(), self.__getstate__())

    def __getstate__(self):
        cdef Features f = self.features
        f.enter()
        names = f.names()
        f.begin()  # NumPy may let another thread in while it copies
        try:
            return {"format": FORMAT, "names": names, "reach": self.reach, **self._numbers()}
        finally:
            f.end()

    def __setstate__(self, state):
        if state["format"] not in range(1, FORMAT + 1):
            raise ValueError(
                f"this model was stored in format {state['format']}; this version of river_oa3 "
                f"reads formats up to {FORMAT}: upgrade it"
            )
        self.reserve(len(state["names"]))
        self.features.load(state["names"])
        self.reach = state["reach"]
        self._load(state)

    def _arguments(self):
        return self._eta, self._gamma, self._rho

    # What a learner file fills in.

    def _numbers(self):
        raise NotImplementedError

    def _load(self, state):
        raise NotImplementedError

    cdef int reserve(self, Py_ssize_t d) except -1:
        raise NotImplementedError

    cdef double margin(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        return 0.0

    cdef double variance(self, const Entry* x, Py_ssize_t n) noexcept nogil:
        return 0.0

    cdef void update(self, const Entry* x, Py_ssize_t n, Py_ssize_t new, double step,
                     double squares) noexcept nogil:
        pass

    cdef object mu(self):
        raise NotImplementedError

    cdef double judge(self, const Entry* x, Py_ssize_t n, double* v) noexcept nogil:
        """Variance and margin at once, which a learner may do faster than one after the other."""
        v[0] = self.variance(x, n)
        return self.margin(x, n)

    # What a learner may do with events that are known before their turn, as in a replay.

    cdef Py_ssize_t foresee(self, Py_ssize_t place, const Entry* x, Py_ssize_t n) noexcept nogil:
        """Look at a coming event; returns how many more it would look at, -1 if not even this."""
        return -1

    cdef void prepare(self, Py_ssize_t count) noexcept nogil:
        """Work ahead on the events that were foreseen."""
        pass

    cdef void turn_to(self, Py_ssize_t place) noexcept nogil:
        """Say which of them is next; -1 for an event that was not foreseen."""
        pass

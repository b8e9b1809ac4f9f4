"""AutoOA3: second-order logistic regression on raw events, with nothing to set.

An event is judged as if it had been counted in the scaling already; observing it stores that.
Learning a label then works on the row as it was observed.
"""

import numpy as np

from libc.math cimport fmax, log, pi, sqrt
from libc.stdlib cimport free, qsort
from libc.string cimport memcpy

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

from .auto_constants cimport (
    BIN_VALUE, BINS, DENSE, ENOUGH, FORGETTING, LARGEST, LEAST_SHARE, PRIOR, TEMPERATURE,
)
from .event_buffer cimport Entry, grown
from .features cimport Features
from .hardware cimport grow_table
from .loss cimport implicit_logistic_step, sigmoid
from .query cimport BOTH, NEGATIVE, NEITHER, POSITIVE
from .scaling cimport clipped, count_value, dense_value, rarity, sparse_value
from .snapshot cimport Snapshot
from .threshold cimport note_event, note_positive

from .category import Category
from .checks import (
    as_label,
    as_weight,
    refuse_state,
    stored,
    stored_array,
    stored_count,
    stored_number,
)

cdef Py_ssize_t END = <Py_ssize_t>(<size_t>-1 >> 1)
LARGEST_STORED = 1e305

cdef enum:
    # Numbers in a row of features, and in the threshold.
    STRIDE = 7
    N_RUNNING = 7


cdef class Auto(Model):
    def __cinit__(self, *args):
        self.use(Features(is_raw=True))
        self.intercept.sigma = PRIOR
        self.blank.sigma = PRIOR
        self.reserve(16)
        self.reserve_bins(1)

    def __init__(self, price_fn, price_fp, knows_odds, max_features):
        """Prices of a miss and a false alarm; `knows_odds` if they are per event, as costs are."""
        self.price_fn = price_fn
        self.price_fp = price_fp
        self.knows_odds = knows_odds
        self.max_features = max_features
        # A price of nothing is as good as a very small one.
        self.offset = clipped(log(fmax(price_fp, 1e-300)) - log(fmax(price_fn, 1e-300)), 600.0)

    def __dealloc__(self):
        free(self.rows)
        free(self.bins)
        free(self.dense)
        free(self.dense_next)
        free(self.terms)
        free(self.changes)

    def __sizeof__(self):
        return (
            object.__sizeof__(self)
            + self.capacity * sizeof(Feature)
            + self.bins_capacity * sizeof(Bins)
            + 2 * self.dense_capacity * sizeof(Py_ssize_t)
            + self.scratch_capacity * (2 * sizeof(Term) + sizeof(Change))
        )

    # Questions: nothing below changes a number or registers a name.

    cdef int judge_raw(self, object x) except -1:
        kept = self.features.read(x, False)
        self.check_size()
        self.reserve_scratch(self.event.known + self.event.new)
        self.judge(False)
        return 0

    def margin_one(self, x):
        self.judge_raw(x)
        return self.judged.margin

    def predict_one(self, x):
        self.judge_raw(x)
        return self.judged.margin >= 0.0

    def probability_one(self, x):
        """The probability of True, and of False."""
        self.judge_raw(x)
        return self.judged.p, sigmoid(-self.judged.tau * self.judged.s)

    def variance_one(self, x):
        self.judge_raw(x)
        return self.judged.v

    def confidence_one(self, x):
        self.judge_raw(x)
        return confidence(self.judged.v)

    def judge_one(self, x):
        """Margin, variance, confidence, and which class has not been learned yet."""
        self.judge_raw(x)
        return self.answer(self.missing())

    def judge_observed_one(self, x):
        """The same of an event that has been observed before."""
        kept = self.features.read(x, False)
        self.check_size()
        self.reserve_scratch(self.event.known + self.event.new)
        self.judge(True)
        return self.answer(self.missing())

    cdef tuple answer(self, int missing):
        return self.judged.margin, self.judged.v, confidence(self.judged.v), missing

    def weights(self):
        """Feature name -> mu of the standardised value; categories as (name, value)."""
        cdef Snapshot copy = Snapshot()
        self.features.guard.wait()
        copy.add_names(self.table)
        self.copy_statistics(copy)
        names = [
            (name.name, name.value) if type(name) is Category else name
            for name in copy.names.names()
        ]
        return dict(zip(names, copy.as_dict()["mu"].tolist()))

    @property
    def intercept_weight(self):
        self.features.guard.wait()
        return self.intercept.mu

    @property
    def counts(self):
        """Events observed, positives and negatives learned."""
        self.features.guard.wait()
        return int(self.t), self.n_positive, self.n_negative

    cdef int missing(self) noexcept nogil:
        if self.n_positive == 0:
            return BOTH if self.n_negative == 0 else POSITIVE
        return NEGATIVE if self.n_negative == 0 else NEITHER

    # Learning: either the whole event is taken or nothing is touched.

    def observe_one(self, x):
        self.observe_raw(x)

    def judge_and_observe_one(self, x):
        """What `judge_one` says, and `observe_one`, of one reading."""
        # What there is to learn is that of the moment of the answer.
        cdef int missing = self.missing()
        self.observe_raw(x)
        return self.answer(missing)

    def learn_one(self, x, y, w=1.0, bint is_observed=False, double importance=1.0):
        """Learn a label; `importance` is the inverse of the probability with which it was asked."""
        cdef bint label
        cdef double weight
        if y is True:
            label = True
        elif y is False:
            label = False
        else:
            label = as_label(y)
        weight = PyFloat_AS_DOUBLE(w) if PyFloat_CheckExact(w) else as_weight(w)
        if not 0.0 <= weight <= 1.7976931348623157e308:
            as_weight(w)
        kept = self.read_to_learn(x)
        if is_observed:
            self.reserve_scratch(self.event.known + self.event.new)
            # Names that were forgotten since it was observed.
            if self.event.new:
                self.features.hold_new()
                self.admit_new()
            self.is_current = False
        else:
            self.observe_read()
        if weight > 0.0:
            self.learn(label, weight, importance)

    cdef int observe_raw(self, object x) except -1:
        kept = self.read_to_learn(x)
        return self.observe_read()

    cdef int observe_read(self) except -1:
        """Judge the event that `read_to_learn` has read, and store what it says of its features."""
        self.reserve_scratch(self.event.known + self.event.new)
        self.judge(False)
        self.reserve_bins(self.n_bins + self.n_wanted)
        if self.event.new:
            self.features.hold_new()
        self.commit()
        return 0

    cdef void judge(self, bint is_counted) noexcept nogil:
        """Scale the event in the buffer, counted in the statistics or not yet, and judge it."""
        cdef const Entry* x = self.event.entries
        cdef Py_ssize_t known = self.event.known, i = 0, k = 0, n_terms = 0, n_changes = 0
        cdef Py_ssize_t slot, next_dense, n_dense_next = 0
        cdef double t = self.t if is_counted else self.t + 1.0
        cdef double value, z, length = 0.0, m = 0.0, v = 0.0
        cdef Feature seen
        cdef Feature* row
        cdef Pair* weight
        cdef int bin
        self.n_wanted = 0
        while i < known or k < self.n_dense:
            # Features of the event and dense ones that it leaves out, in the order of their slots.
            slot = x[i].slot if i < known else END
            next_dense = self.dense[k] if k < self.n_dense else END
            value = 0.0
            if slot <= next_dense:
                value = clipped(x[i].value, LARGEST)
                i += 1
                k += slot == next_dense
            else:
                slot = next_dense
                k += 1
            row = self.rows + slot
            seen = row[0]
            if value != 0.0 and not is_counted:
                count_value(&seen, value)
            bin = -1
            if seen.n > DENSE * t:
                self.dense_next[n_dense_next] = slot
                n_dense_next += 1
                z = dense_value(&seen, value, t, &bin)
            elif value != 0.0:
                z = sparse_value(&seen, value, t)
            else:
                continue
            if value != 0.0 and not is_counted:
                self.changes[n_changes].slot = slot
                self.changes[n_changes].seen = seen
                self.changes[n_changes].wants_bins = bin >= 0 and row.bins < 0
                self.n_wanted += self.changes[n_changes].wants_bins
                n_changes += 1
            if z != 0.0:
                self.terms[n_terms].weight = &row.weight
                self.terms[n_terms].z = z
                n_terms += 1
                length += z * z
                m += row.weight.mu * z
                v += row.weight.sigma * z * z
            if bin >= 0:
                weight = &self.bins[row.bins].weights[bin] if row.bins >= 0 else &self.blank
                self.terms[n_terms].weight = weight
                self.terms[n_terms].z = BIN_VALUE
                n_terms += 1
                length += BIN_VALUE * BIN_VALUE
                m += weight.mu * BIN_VALUE
                v += weight.sigma * (BIN_VALUE * BIN_VALUE)
        if self.event.new and t > 1.0:
            # A feature's first value is 1 or -1 as a sparse one, and its own mean as a dense one.
            z = self.event.new * rarity(1.0, t)
            length += z
            v += PRIOR * z
        self.n_terms = n_terms
        self.n_changes = n_changes
        self.n_dense_next = n_dense_next
        self.next_squares = self.squares if is_counted else self.squares + length
        # The running root mean square of the length of rows, not the row's own.
        self.scale = sqrt(t / self.next_squares) if self.next_squares > 0.0 else 0.0
        self.is_current = is_counted
        self.conclude(
            self.scale * m + self.intercept.mu,
            self.scale * self.scale * v + self.intercept.sigma,
        )

    cdef void judge_counted(self) noexcept nogil:
        """Judge the event in the buffer, which has been observed, anew."""
        if self.is_current:
            # Nothing but the boundary has moved since.
            self.conclude(self.judged.m, self.judged.v)
        else:
            self.judge(True)

    cdef void conclude(self, double m, double v) noexcept nogil:
        """From a margin and its variance to a probability and a decision."""
        cdef Judgement* judged = &self.judged
        cdef double labels = <double>(self.n_positive + self.n_negative), boundary
        judged.m = m
        judged.v = v
        judged.s = m / sqrt(1.0 + pi / 8.0 * v)
        judged.tau = 1.0 + 1.0 / sqrt(1.0 + labels / TEMPERATURE)
        judged.p = sigmoid(judged.tau * judged.s)
        boundary = self.offset if self.knows_odds else self.threshold.log_odds + self.offset
        # Without any label: negative.
        judged.margin = judged.s - boundary / judged.tau if labels > 0.0 else -1.0

    cdef void commit(self) noexcept nogil:
        """Store what `judge` found; new names are held, and room for bins is there."""
        cdef Change* change
        cdef Feature* row
        cdef Py_ssize_t* dense = self.dense
        cdef Py_ssize_t i
        cdef int k
        cdef bint has_new = self.event.new > 0
        self.t += 1.0
        for i in range(self.n_changes):
            change = self.changes + i
            row = self.rows + change.slot
            row.n = change.seen.n
            row.mean = change.seen.mean
            row.var = change.seen.var
            row.last = self.t
            if change.wants_bins:
                row.bins = self.n_bins
                for k in range(BINS):
                    self.bins[self.n_bins].weights[k] = self.blank
                self.n_bins += 1
        self.dense = self.dense_next
        self.dense_next = dense
        self.n_dense = self.n_dense_next
        self.squares = self.next_squares
        if (self.n_positive and self.n_negative) or self.n_positive + self.n_negative >= ENOUGH:
            note_event(&self.threshold, self.judged.p, self.judged.margin >= 0.0, self.price_fn,
                       self.price_fp)
        if has_new:
            self.admit_new()
        self.is_current = self.n_wanted == 0 and not has_new

    cdef void admit_new(self) noexcept nogil:
        """Give the new features of the event, whose names are held, rows of their own."""
        cdef Entry* entry
        cdef Feature* row
        cdef Py_ssize_t i, new = self.event.new
        self.features.admit()
        for i in range(new):
            entry = self.event.entries + self.event.known + i
            row = self.rows + entry.slot
            row.n = 1.0
            row.mean = clipped(entry.value, LARGEST)
            row.var = 0.0
            row.last = self.t
            row.weight = self.blank
            row.bins = -1
            if 1.0 > DENSE * self.t:
                self.dense[self.n_dense] = entry.slot
                self.n_dense += 1
        self.event.known += new
        self.event.new = 0

    cdef void learn(self, bint y, double w, double importance) noexcept nogil:
        """Learn the label of the event in the buffer, which has been observed."""
        cdef double sign = 1.0 if y else -1.0, m, v = 0.0, step, slope, z
        cdef Pair* weight
        cdef Py_ssize_t i
        self.judge_counted()
        m = self.judged.m
        if y:
            note_positive(&self.threshold, self.judged.margin >= 0.0, importance)
            self.n_positive += 1
        else:
            self.n_negative += 1
        forget(&self.intercept)
        for i in range(self.n_terms):
            forget(self.terms[i].weight)
            z = self.terms[i].z
            v += self.terms[i].weight.sigma * z * z
        v = self.scale * self.scale * v + self.intercept.sigma
        step = implicit_logistic_step(sign * m, v, w)
        slope = sigmoid(sign * m + step * v)
        slope *= w * (1.0 - slope)
        move(&self.intercept, 1.0, sign * step, slope)
        for i in range(self.n_terms):
            move(self.terms[i].weight, self.scale * self.terms[i].z, sign * step, slope)
        self.is_current = False

    # Room

    cdef bint has_room(self, Py_ssize_t d) noexcept nogil:
        return d <= self.capacity and d <= self.max_features

    cdef int check_size(self) except -1:
        """Refuse an event that could not be kept as a whole."""
        cdef Py_ssize_t size = self.event.known + self.event.new
        if size > self.max_features:
            raise ValueError(
                f"this event has {size} features, and max_features is {self.max_features}: raise "
                "it, or leave some out"
            )
        return 0

    cdef object read_to_learn(self, object x):
        kept = self.features.read(x, True)
        self.check_size()
        while not self.has_room_for(self.event.new):
            self.make_room()
            kept = self.features.read_again(kept)
        return kept

    cdef int make_room(self) except -1:
        """Make room for the event that was read, which has to be read again after it."""
        cdef Py_ssize_t size = self.event.known + self.event.new
        cdef Py_ssize_t d = self.table.count + self.event.new
        if d <= self.max_features:
            return self.grow(d)
        # A quarter at a time, so that what it costs is spread over many events.
        return self.forget_features(
            min(self.max_features - self.max_features // 4, self.max_features - size)
        )

    cdef int reserve(self, Py_ssize_t d) except -1:
        cdef Py_ssize_t capacity = self.capacity if self.capacity else 16
        cdef void* rows
        if d <= self.capacity:
            return 0
        while capacity < d:
            capacity *= 2
        rows = grow_table(
            self.rows, self.capacity * sizeof(Feature), capacity * sizeof(Feature)
        )
        if rows == NULL:
            raise MemoryError(f"no memory for {capacity} features")
        self.rows = <Feature*>rows
        self.capacity = capacity
        self.features.rows = <const char*>self.rows
        self.features.stride = sizeof(Feature)
        return 0

    cdef int reserve_bins(self, Py_ssize_t count) except -1:
        cdef Py_ssize_t capacity = self.bins_capacity if self.bins_capacity else 16
        if count <= self.bins_capacity:
            return 0
        while capacity < count:
            capacity *= 2
        self.bins = <Bins*>grown(self.bins, capacity * sizeof(Bins))
        self.bins_capacity = capacity
        return 0

    cdef int reserve_dense(self, Py_ssize_t count) except -1:
        cdef Py_ssize_t capacity = self.dense_capacity if self.dense_capacity else 16
        if count <= self.dense_capacity:
            return 0
        while capacity < count:
            capacity *= 2
        self.dense = <Py_ssize_t*>grown(self.dense, capacity * sizeof(Py_ssize_t))
        self.dense_next = <Py_ssize_t*>grown(self.dense_next, capacity * sizeof(Py_ssize_t))
        self.dense_capacity = capacity
        return 0

    cdef int reserve_scratch(self, Py_ssize_t size) except -1:
        """Make room to judge an event of `size` features; nothing of Python's is made or run."""
        cdef Py_ssize_t capacity = self.scratch_capacity if self.scratch_capacity else 32
        size += self.n_dense
        self.reserve_dense(size)
        if size <= self.scratch_capacity:
            return 0
        while capacity < size:
            capacity *= 2
        self.terms = <Term*>grown(self.terms, 2 * capacity * sizeof(Term))
        self.changes = <Change*>grown(self.changes, capacity * sizeof(Change))
        self.scratch_capacity = capacity
        return 0

    cdef int forget_features(self, Py_ssize_t keep) except -1:
        """Forget the features that have not been seen for longest, all but `keep`."""
        cdef Py_ssize_t count, i, n_dropped = 0
        cdef Age* ages = NULL
        cdef Py_ssize_t* new_slots = NULL
        cdef PyObject** dropped = NULL
        cdef Bins* bins = NULL
        self.features.guard.wait()
        count = self.table.count
        try:
            ages = <Age*>grown(NULL, count * sizeof(Age) + 1)
            new_slots = <Py_ssize_t*>grown(NULL, count * sizeof(Py_ssize_t) + 1)
            dropped = <PyObject**>grown(NULL, count * sizeof(PyObject*) + 1)
            bins = <Bins*>grown(NULL, self.bins_capacity * sizeof(Bins) + 1)
            for i in range(count):
                ages[i].last = self.rows[i].last
                ages[i].slot = i
            qsort(ages, count, sizeof(Age), _by_age)
            for i in range(count):
                new_slots[ages[i].slot] = 0 if i >= count - keep else -1
            n_dropped = self.table.drop(new_slots, dropped)
            self.move_rows(new_slots, count, bins)
            bins = NULL
        finally:
            free(ages)
            free(new_slots)
            free(bins)
            # The model is whole: letting go of names may run code of others.
            for i in range(n_dropped):
                Py_DECREF(<object>dropped[i])
            free(dropped)
        return 0

    cdef void move_rows(self, const Py_ssize_t* new_slots, Py_ssize_t count,
                        Bins* bins) noexcept nogil:
        """Close the gaps that forgotten features leave; `bins` takes the place of the old ones."""
        cdef Py_ssize_t i, n = 0
        cdef Feature* row
        for i in range(self.n_dense):
            if new_slots[self.dense[i]] >= 0:
                self.dense[n] = new_slots[self.dense[i]]
                n += 1
        self.n_dense = n
        n = 0
        for i in range(count):
            if new_slots[i] >= 0:
                row = self.rows + new_slots[i]
                row[0] = self.rows[i]
                if row.bins >= 0:
                    bins[n] = self.bins[row.bins]
                    row.bins = n
                    n += 1
        free(self.bins)
        self.bins = bins
        self.n_bins = n

    # Persistence

    cdef int copy_statistics(self, Snapshot copy) except -1:
        cdef Py_ssize_t d = self.table.count
        copy.add_vector(b"n", &self.rows[0].n, d, STRIDE)
        copy.add_vector(b"mean", &self.rows[0].mean, d, STRIDE)
        copy.add_vector(b"var", &self.rows[0].var, d, STRIDE)
        copy.add_vector(b"last", &self.rows[0].last, d, STRIDE)
        copy.add_vector(b"mu", &self.rows[0].weight.mu, d, STRIDE)
        return copy.add_vector(b"sigma", &self.rows[0].weight.sigma, d, STRIDE)

    cdef int copy_numbers(self, Snapshot copy) except -1:
        self.copy_statistics(copy)
        # The bits of whole numbers, which `__getstate__` reads as such.
        copy.add_vector(b"bins_of", <double*>&self.rows[0].bins, self.table.count, STRIDE)
        copy.add_matrix(b"bins", <double*>self.bins, self.n_bins, 2 * BINS, 2 * BINS)
        copy.add_vector(b"intercept", &self.intercept.mu, 2, 1)
        copy.add_vector(b"threshold", &self.threshold.p_mean, N_RUNNING, 1)
        copy.add_real(b"t", self.t)
        copy.add_real(b"squares", self.squares)
        copy.add_integer(b"n_positive", self.n_positive)
        return copy.add_integer(b"n_negative", self.n_negative)

    def __getstate__(self):
        state = super().__getstate__()
        state["bins_of"] = state["bins_of"].view(np.int64)
        return state

    def _arguments(self):
        return self.price_fn, self.price_fp, self.knows_odds, self.max_features

    def _check(self, state, d):
        if d > self.max_features:
            refuse_state(f"it has {d} features, and its max_features is {self.max_features}")
        t = stored_number(state, "t", 2.0**53)
        numbers = {
            "n": stored(state, "n", (d,), least=0.0, most=t),
            "mean": stored(state, "mean", (d,), least=-LARGEST, most=LARGEST),
            "var": stored(state, "var", (d,), least=0.0, most=4.0 * LARGEST**2),
            "last": stored(state, "last", (d,), least=0.0, most=t),
            "mu": stored(state, "mu", (d,)),
            "sigma": stored(state, "sigma", (d,), least=0.0, most=PRIOR),
        }
        bins = stored_array(state, "bins")
        bins_of = stored(state, "bins_of", (d,), least=-1.0, most=len(bins) - 1.0)
        used = np.sort(bins_of[bins_of >= 0])
        if not np.array_equal(used, np.arange(len(bins))):
            refuse_state("'bins_of' does not say whose each row of 'bins' is")
        shape = (len(bins), 2 * BINS)
        stored({"sigma of 'bins'": bins[:, 1::2]}, "sigma of 'bins'", (len(bins), BINS), 0.0, PRIOR)
        return {
            "t": t,
            "squares": stored_number(state, "squares", LARGEST_STORED),
            "n_positive": stored_count(state, "n_positive"),
            "n_negative": stored_count(state, "n_negative"),
            "features": np.column_stack([*numbers.values(), bins_of.astype(np.int64).view(float)]),
            "bins": stored(state, "bins", shape),
            "intercept": stored(state, "intercept", (2,)),
            "threshold": stored(state, "threshold", (N_RUNNING,), most=LARGEST_STORED),
        }

    def _load(self, numbers):
        cdef Py_ssize_t slot
        self.reserve_bins(len(numbers["bins"]))
        self.reserve_dense(len(numbers["features"]))
        copy_in(<double*>self.rows, numbers["features"])
        copy_in(<double*>self.bins, numbers["bins"])
        copy_in(&self.intercept.mu, numbers["intercept"])
        copy_in(&self.threshold.p_mean, numbers["threshold"])
        self.n_bins = len(numbers["bins"])
        self.t = numbers["t"]
        self.squares = numbers["squares"]
        self.n_positive = numbers["n_positive"]
        self.n_negative = numbers["n_negative"]
        self.n_dense = 0
        for slot in range(<Py_ssize_t>len(numbers["features"])):
            if self.rows[slot].n > DENSE * self.t:
                self.dense[self.n_dense] = slot
                self.n_dense += 1


cdef struct Age:
    double last
    Py_ssize_t slot


cdef int _by_age(const void* a, const void* b) noexcept nogil:
    cdef const Age* left = <const Age*>a
    cdef const Age* right = <const Age*>b
    if left.last != right.last:
        return (left.last > right.last) - (left.last < right.last)
    return (left.slot > right.slot) - (left.slot < right.slot)


cdef inline void forget(Pair* weight) noexcept nogil:
    """Precision decays a little toward the prior's."""
    weight.sigma *= PRIOR / ((1.0 - FORGETTING) * PRIOR + FORGETTING * weight.sigma)


cdef inline void move(Pair* weight, double z, double step, double slope) noexcept nogil:
    """A step along z, and the certainty that comes with it."""
    weight.mu += step * weight.sigma * z
    weight.sigma = fmax(
        weight.sigma / (1.0 + slope * z * z * weight.sigma), LEAST_SHARE * PRIOR
    )


cdef int copy_in(double* memory, object array) except -1:
    """Take the numbers of a stored array."""
    cdef const double[::1] flat = np.ascontiguousarray(array).reshape(-1)
    if flat.shape[0]:
        memcpy(memory, &flat[0], flat.shape[0] * sizeof(double))
    return 0

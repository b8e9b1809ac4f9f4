"""AutoOA3 as Python sees it: raw events, answers, and a stored form."""

import numpy as np

from libc.math cimport fmax, fmin, log
from libc.string cimport memcpy

from .auto_engine cimport Judgement
from .auto_constants cimport BINS, DENSE, LARGEST, LARGEST_STEP, LEAST_SHARE, PRIOR
from .calibration cimport KNOTS
from .explanation cimport Explanation, items_of
from .model cimport read_label, read_weight
from .recall cimport REMEMBERED, Memory
from .scaling cimport FAST, SIDES, SLOW, clipped
from .snapshot cimport Snapshot

from .category import Category
from .checks import (
    refuse_state,
    stored,
    stored_array,
    stored_count,
    stored_number,
    stored_part,
)

LARGEST_STORED = 1e305
# No weight that was learned comes near it; beside it the longest step is rounding.
LARGEST_MU = 1e60
# Of the labels that the line of the calibration remembers.
LARGEST_PRECISION = 1e8

# Of each feature, what the first stored models had not yet.
LATER = ("gaps", "block_n", "block_mean", "block_var")

cdef enum:
    # Numbers in a row of features, and in the threshold.
    STRIDE = 13
    N_RUNNING = 9
    N_BINS = 4 * BINS
    N_CALIBRATION = 7 + 2 * KNOTS


cdef class Auto(AutoEngine):
    def __init__(self, price_fn, price_fp, knows_odds, max_features):
        """Prices of a miss and a false alarm; `knows_odds` if they are per event, as costs are."""
        # So that a few hundred times a price is finite.
        self.price_fn = fmin(price_fn, 1e300)
        self.price_fp = fmin(price_fp, 1e300)
        self.knows_odds = knows_odds
        self.max_features = max_features
        # A price of nothing is as good as a very small one.
        self.offset = clipped(log(fmax(price_fp, 1e-300)) - log(fmax(price_fn, 1e-300)), 600.0)

    # Questions: nothing below changes a number or registers a name.

    cdef object judge_raw(self, object x):
        """Judge an event; returns what has to be held on to until the answer is read.

        Letting go of an event may run code of others, which may judge another one.
        """
        kept = self.features.read(x, False)
        self.check_size()
        self.reserve_scratch(self.event.known + self.event.new)
        self.judge(False)
        return kept

    def margin_one(self, x):
        kept = self.judge_raw(x)
        return self.judged[self.speaker].margin

    def predict_one(self, x):
        kept = self.judge_raw(x)
        return self.judged[self.speaker].margin >= 0.0

    def probability_one(self, x):
        """The probability of True, and of False."""
        cdef double p
        kept = self.judge_raw(x)
        p = self.probability()
        return p, 1.0 - p

    def variance_one(self, x):
        kept = self.judge_raw(x)
        return self.judged[self.speaker].v

    def confidence_one(self, x):
        kept = self.judge_raw(x)
        return confidence(self.judged[self.speaker].v)

    def judge_one(self, x):
        """Both margins, variance, confidence, and which class has not been learned yet."""
        kept = self.judge_raw(x)
        return self.answer(self.missing())

    def judge_observed_one(self, x):
        """The same of an event that has been observed before."""
        kept = self.features.read(x, False)
        self.check_size()
        self.reserve_scratch(self.event.known + self.event.new)
        self.judge(True)
        return self.answer(self.missing())

    def explain_one(self, x):
        """(feature, value, contribution) of each feature, and what else the margin is made of."""
        cdef Explanation found = Explanation()
        cdef list items = items_of(x)
        kept = self.judge_raw(x)
        found.reserve(self.event.known + self.n_dense)
        self.explain(found)
        found.find_names(self.table)
        return found.listed(items), found.rest

    cdef tuple answer(self, int missing):
        cdef const Judgement* judged = self.judged + self.speaker
        cdef double second_margin = self.judged[1 - self.speaker].margin
        return judged.margin, second_margin, judged.v, confidence(judged.v), missing

    def weights(self):
        """Feature name -> mu of the standardised value; categories as (name, value)."""
        cdef Snapshot copy = Snapshot()
        self.features.guard.wait()
        copy.add_names(self.table)
        self.copy_statistics(copy)
        mu = "mu" if self.leader == SLOW else "fast_mu"
        names = [
            (name.name, name.value) if type(name) is Category else name
            for name in copy.names.names()
        ]
        return dict(zip(names, copy.as_dict()[mu].tolist()))

    @property
    def intercept_weight(self):
        self.features.guard.wait()
        return self.intercept.of[self.leader].mu

    @property
    def missing_class(self):
        """The class that has not been learned yet: 1, -1, 2 for both, 0 for neither."""
        self.features.guard.wait()
        return self.missing()

    @property
    def counts(self):
        """Events observed, positives and negatives learned."""
        self.features.guard.wait()
        return int(self.clock), self.n_positive, self.n_negative

    # Learning: either the whole event is taken or nothing is touched.

    def observe_one(self, x):
        self.observe_raw(x)

    def judge_and_observe_one(self, x):
        """What `judge_one` says, and `observe_one`, of one reading."""
        # What there is to learn is that of the moment of the answer.
        cdef int missing = self.missing()
        kept = self.observe_raw(x)
        return self.answer(missing)

    def learn_one(self, x, y, w=1.0, bint is_observed=False, double importance=1.0):
        """Learn a label; `importance` is the inverse of the probability with which it was asked."""
        cdef bint label = read_label(y)
        cdef double weight = read_weight(w)
        kept = self.read_to_learn(x)
        if is_observed and self.t > 0.0:
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

    cdef object observe_raw(self, object x):
        """Observe an event; returns what has to be held on to, as above."""
        kept = self.read_to_learn(x)
        self.observe_read()
        return kept

    # Persistence

    cdef int copy_statistics(self, Snapshot copy) except -1:
        cdef Py_ssize_t d = self.table.count
        copy.add_vector(b"n", &self.rows[0].seen.n, d, STRIDE)
        copy.add_vector(b"mean", &self.rows[0].seen.mean, d, STRIDE)
        copy.add_vector(b"var", &self.rows[0].seen.var, d, STRIDE)
        copy.add_vector(b"gaps", &self.rows[0].seen.gaps, d, STRIDE)
        copy.add_vector(b"block_n", &self.rows[0].seen.block_n, d, STRIDE)
        copy.add_vector(b"block_mean", &self.rows[0].seen.block_mean, d, STRIDE)
        copy.add_vector(b"block_var", &self.rows[0].seen.block_var, d, STRIDE)
        copy.add_vector(b"last", &self.rows[0].last, d, STRIDE)
        copy.add_vector(b"mu", &self.rows[0].weight.of[SLOW].mu, d, STRIDE)
        copy.add_vector(b"sigma", &self.rows[0].weight.of[SLOW].sigma, d, STRIDE)
        copy.add_vector(b"fast_mu", &self.rows[0].weight.of[FAST].mu, d, STRIDE)
        return copy.add_vector(b"fast_sigma", &self.rows[0].weight.of[FAST].sigma, d, STRIDE)

    cdef int copy_numbers(self, Snapshot copy) except -1:
        self.copy_statistics(copy)
        # The bits of whole numbers, which `__getstate__` reads as such.
        copy.add_vector(b"bins_of", <double*>&self.rows[0].bins, self.table.count, STRIDE)
        copy.add_matrix(b"bins", <double*>self.bins, self.n_bins, N_BINS, N_BINS)
        copy.add_vector(b"intercept", <double*>&self.intercept, 2 * SIDES, 1)
        copy.add_vector(b"threshold", <double*>&self.threshold, N_RUNNING, 1)
        copy.add_vector(b"calibration", <double*>&self.calibration, N_CALIBRATION, 1)
        self.copy_recall(copy)
        copy.add_real(b"fast_labels", self.fast_labels)
        copy.add_real(b"evidence", self.evidence)
        copy.add_real(b"last_label", self.last_label)
        copy.add_integer(b"leader", self.leader)
        copy.add_real(b"t", self.t)
        copy.add_real(b"clock", self.clock)
        copy.add_real(b"squares", self.squares)
        copy.add_integer(b"n_positive", self.n_positive)
        return copy.add_integer(b"n_negative", self.n_negative)

    cdef int copy_recall(self, Snapshot copy) except -1:
        """The remembered rows, the oldest first: numbers of each, and the parts of all."""
        cdef Py_ssize_t i, k, size = 0
        cdef Memory* row
        cdef double* out
        for i in range(self.recall.count):
            size += self.recall.by_age(i).size
        out = copy.new_matrix(b"recalled", self.recall.count, 4)
        for i in range(self.recall.count):
            row = self.recall.by_age(i)
            out[4 * i] = row.size
            out[4 * i + 1] = row.sign
            out[4 * i + 2] = row.w
            out[4 * i + 3] = row.step
        out = copy.new_matrix(b"recalled_parts", size, 2)
        for i in range(self.recall.count):
            row = self.recall.by_age(i)
            for k in range(row.size):
                out[0] = <double>row.parts[k].weight
                out[1] = row.parts[k].z
                out += 2
        i = self.recall.next - self.recall.oldest
        return copy.add_integer(b"recall_next", i if i >= 0 else i + REMEMBERED)

    def __getstate__(self):
        state = super().__getstate__()
        state["bins_of"] = state["bins_of"].view(np.int64)
        return state

    def _arguments(self):
        return self.price_fn, self.price_fp, self.knows_odds, self.max_features

    def _check(self, state, d):
        if d > self.max_features:
            refuse_state(f"it has {d} features, and its max_features is {self.max_features}")
        least = LEAST_SHARE * PRIOR * (1.0 - 1e-9)
        t = stored_number(state, "t", 2.0**53)
        clock = stored_number(state, "clock", 2.0**53)
        if not state.keys() & set(LATER):
            state = state | dict.fromkeys(LATER, np.zeros(d))
        numbers = {
            # More than t where names were forgotten and came again with a late label.
            # And hardly any where the count had no lower limit yet.
            "n": stored(state, "n", (d,), least=max(1e-301, t * 1e-304), most=t + 1.0),
            "mean": stored(state, "mean", (d,), least=-LARGEST, most=LARGEST),
            "var": stored(state, "var", (d,), least=0.0, most=4.0 * LARGEST**2),
            "gaps": stored(state, "gaps", (d,), least=0.0, most=2.0**53),
            "block_n": stored(state, "block_n", (d,), least=0.0, most=2.0**53),
            "block_mean": stored(state, "block_mean", (d,), least=-LARGEST, most=LARGEST),
            "block_var": stored(state, "block_var", (d,), least=0.0, most=4.0 * LARGEST**2),
            "last": stored(state, "last", (d,), least=0.0, most=clock),
            "mu": stored(state, "mu", (d,), -LARGEST_MU, LARGEST_MU),
            "sigma": stored(state, "sigma", (d,), least, PRIOR),
            "fast_mu": stored(state, "fast_mu", (d,), -LARGEST_MU, LARGEST_MU),
            "fast_sigma": stored(state, "fast_sigma", (d,), least, PRIOR),
        }
        bins = stored_array(state, "bins")
        stored(state, "bins", (len(bins), N_BINS), -LARGEST_MU, LARGEST_MU)
        _check_variances("bins", bins, least)
        intercept = stored(state, "intercept", (2 * SIDES,), -LARGEST_MU, LARGEST_MU)
        _check_variances("intercept", intercept[None], least)
        bins_of = stored(state, "bins_of", (d,), least=-1.0, most=len(bins) - 1.0)
        if not (
            (bins_of % 1 == 0).all()
            and np.array_equal(np.sort(bins_of[bins_of >= 0]), np.arange(len(bins)))
        ):
            refuse_state("'bins_of' does not say whose each row of 'bins' is")
        evidence = {"evidence": np.array([stored_part(state, "evidence")])}
        return {
            "t": t,
            "clock": clock,
            "calibration": self._check_calibration(state),
            "recall": self._check_recall(state, d, len(bins)),
            "squares": stored_number(state, "squares", LARGEST_STORED),
            "n_positive": stored_count(state, "n_positive"),
            "n_negative": stored_count(state, "n_negative"),
            "features": np.column_stack([*numbers.values(), bins_of.astype(np.int64).view(float)]),
            "bins": bins,
            "intercept": intercept,
            "fast_labels": stored_number(state, "fast_labels", 2.0**53),
            "evidence": float(stored(evidence, "evidence", (1,))[0]),
            "last_label": stored_number(state, "last_label", clock),
            "leader": stored_count(state, "leader", FAST),
            "threshold": self._check_threshold(state),
        }

    def _check_threshold(self, state):
        threshold = stored(state, "threshold", (N_RUNNING,), -1e3, 1e3)
        means, counts = threshold[[0, 1, 3]], threshold[[2, 4, 5, 6]]
        if not (means.min() >= 0.0 and means.max() <= 1.0 and counts.min() >= 0.0):
            refuse_state("'threshold' holds shares or counts that cannot be")
        return threshold

    def _check_calibration(self, state):
        calibration = stored(state, "calibration", (N_CALIBRATION,), most=LARGEST_STORED)
        a, b, c = calibration[2:5].tolist()
        knots = calibration[7:7 + KNOTS]
        if not (
            np.abs(calibration[:2]).max() <= LARGEST_MU
            and min(a, c, *calibration[5:7], *knots) >= 0.0
            and max(a, c) <= LARGEST_PRECISION
            and a * c + 1e-9 >= (1.0 - 1e-9) * b * b
        ):
            refuse_state("'calibration' holds weights or precisions that cannot be")
        return calibration

    def _check_recall(self, state, d, n_bins):
        rows = stored_array(state, "recalled")
        rows = stored(state, "recalled", (min(len(rows), REMEMBERED), 4), most=LARGEST_STORED)
        sizes = rows[:, 0]
        if (sizes < 0).any() or (sizes % 1 != 0).any() or (np.abs(rows[:, 1]) != 1.0).any():
            refuse_state("'recalled' holds rows that cannot be")
        w, steps = rows[:, 2], rows[:, 3]
        if (steps < 0).any() or (steps > np.minimum(w * (1.0 + 1e-9), LARGEST_STEP)).any():
            refuse_state("'recalled' holds steps that no weight of a label has made")
        parts = stored(state, "recalled_parts", (int(sizes.sum()), 2), -1e15, 1e15)
        weights = parts[:, 0]
        if parts.size and not (
            (weights % 1 == 0).all() and -n_bins * BINS <= weights.min() and weights.max() < d
        ):
            refuse_state("'recalled_parts' names weights that are not there")
        return rows, parts, stored_count(state, "recall_next", max(len(rows) - 1, 0))

    def _load_recall(self, rows, parts, following):
        cdef const double[:, ::1] numbers = np.ascontiguousarray(rows)
        cdef const double[:, ::1] flat = np.ascontiguousarray(parts)
        cdef Py_ssize_t i, k, n = 0
        cdef Memory* row
        self.recall.clear()
        for i in range(numbers.shape[0]):
            row = self.recall.add(<Py_ssize_t>numbers[i, 0])
            if row == NULL:
                raise MemoryError("no memory for the labels of a stored model")
            row.sign = numbers[i, 1]
            row.w = numbers[i, 2]
            row.step = numbers[i, 3]
            for k in range(row.size):
                row.parts[k].weight = <long long>flat[n, 0]
                row.parts[k].z = flat[n, 1]
                n += 1
        self.recall.next = following

    def _load(self, numbers):
        cdef Py_ssize_t slot
        self.reserve_bins(len(numbers["bins"]))
        self.reserve_dense(len(numbers["features"]))
        copy_in(<double*>self.rows, numbers["features"])
        copy_in(<double*>self.bins, numbers["bins"])
        copy_in(<double*>&self.intercept, numbers["intercept"])
        copy_in(<double*>&self.threshold, numbers["threshold"])
        self.fast_labels = numbers["fast_labels"]
        self.evidence = numbers["evidence"]
        self.last_label = numbers["last_label"]
        self.leader = numbers["leader"]
        self.n_bins = len(numbers["bins"])
        copy_in(<double*>&self.calibration, numbers["calibration"])
        self._load_recall(*numbers["recall"])
        self.t = numbers["t"]
        self.clock = numbers["clock"]
        self.squares = numbers["squares"]
        self.n_positive = numbers["n_positive"]
        self.n_negative = numbers["n_negative"]
        self.cool()
        self.n_dense = 0
        for slot in range(<Py_ssize_t>len(numbers["features"])):
            if self.rows[slot].seen.n > DENSE * self.t:
                self.dense[self.n_dense] = slot
                self.n_dense += 1


def _check_variances(name, rows, least):
    """Of rows that hold means and variances in turn."""
    variances = {f"sigma of {name!r}": np.ascontiguousarray(rows[:, 1::2])}
    stored(variances, f"sigma of {name!r}", variances[f"sigma of {name!r}"].shape, least, PRIOR)


cdef int copy_in(double* memory, object array) except -1:
    """Take the numbers of a stored array."""
    cdef const double[::1] flat = np.ascontiguousarray(array).reshape(-1)
    if flat.shape[0]:
        memcpy(memory, &flat[0], flat.shape[0] * sizeof(double))
    return 0

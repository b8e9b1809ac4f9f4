"""AutoOA3 in numbers: how an event is judged, observed and learned.

An event is judged as if it had been counted in the scaling already; observing it stores that.
Learning a label then works on the row as it was observed.
"""

from libc.math cimport isnan, pi, sqrt

from .auto_constants cimport (
    BIN_VALUE, BINS, DENSE, ENOUGH, EVIDENCE_CAP, EVIDENCE_EVENTS, EVIDENCE_LABELS,
    EVIDENCE_SWITCH, FORGETTING, LARGEST, LARGEST_SCALE, LARGEST_STEP, LEAST_COUNT, LEAST_SHARE,
    PRIOR, SCALE_WINDOW, SMALLEST, SURPRISE, SURPRISE_SLOPE, TEMPERATURE,
)
from .calibration cimport calibrate, calibrated
from .event_buffer cimport Entry
from .explanation cimport Explanation
from .kernels cimport larger, smaller
from .loss cimport curvature, implicit_logistic_step, logistic_lead, sigmoid
from .query cimport BOTH, NEGATIVE, NEITHER, POSITIVE
from .recall cimport FIRST_REPEAT, MANY_LABELS, REPEATS, Memory, Recall
from .scaling cimport (
    FAST, SLOW, Gaussian, Statistics, clipped, count_value, dense_value, rarity, share_of,
    sparse_value,
)
from .threshold cimport note_event, note_positive

cdef Py_ssize_t END = <Py_ssize_t>(<size_t>-1 >> 1)


cdef inline double temperature(double labels) noexcept nogil:
    return 1.0 + 1.0 / sqrt(1.0 + labels / TEMPERATURE)


cdef inline double longest(double step) noexcept nogil:
    return smaller(step, LARGEST_STEP)


cdef inline void forget(Weight* weight, double slow, double fast) noexcept nogil:
    """Variances grow toward the prior's, and never beyond it, by a share for each learner."""
    cdef Gaussian* one = &weight.of[SLOW]
    cdef Gaussian* other = &weight.of[FAST]
    one.sigma += slow * one.sigma * (1.0 - one.sigma * (1.0 / PRIOR))
    other.sigma += fast * other.sigma * (1.0 - other.sigma * (1.0 / PRIOR))


cdef inline void forget_mean(Gaussian* weight, double share) noexcept nogil:
    """Precision, and precision times mean, decay toward the prior's."""
    cdef double precision = (1.0 - share) / weight.sigma
    cdef double sigma = 1.0 / (precision + share / PRIOR)
    weight.mu *= precision * sigma
    weight.sigma = sigma


cdef inline void move(Gaussian* weight, double z, double step, double bend) noexcept nogil:
    """A step along z, and the certainty that comes with it."""
    weight.mu += step * weight.sigma * z
    weight.sigma = larger(
        weight.sigma / (1.0 + bend * z * z * weight.sigma), LEAST_SHARE * PRIOR
    )


cdef class AutoEngine(AutoRows):
    def __cinit__(self, *args):
        cdef int side
        for side in range(SIDES):
            self.blank.of[side].sigma = PRIOR
        self.intercept = self.blank
        self.forgets = True
        self.cool()
        self.recall = Recall()

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
        cdef const Py_ssize_t* dense = self.dense
        cdef Py_ssize_t* dense_next = self.dense_next
        cdef Change* change = self.changes
        cdef Term* term = self.terms
        cdef Py_ssize_t known = self.event.known, n_dense = self.n_dense, i = 0, k = 0
        cdef Py_ssize_t slot, next_dense, n_dense_next = 0, n_wanted = 0
        cdef double t = self.t if is_counted else self.t + 1.0
        cdef double value, z, z2, part, length = 0.0, m = 0.0, v = 0.0, fast_m = 0.0, fast_v = 0.0
        cdef Statistics seen
        cdef Feature* row
        cdef Weight* weight
        cdef int bin
        cdef bint is_missing
        while i < known or k < n_dense:
            # Features of the event and dense ones that it leaves out, in the order of their slots.
            slot = x[i].slot if i < known else END
            next_dense = dense[k] if k < n_dense else END
            value = 0.0
            is_missing = False
            if slot <= next_dense:
                is_missing = isnan(x[i].value)
                if not is_missing:
                    value = clipped(x[i].value, LARGEST)
                i += 1
                k += slot == next_dense
            else:
                slot = next_dense
                k += 1
            row = self.rows + slot
            seen = row.seen
            part = 0.0
            if is_missing and not is_counted:
                seen.gaps += 1.0
            if value != 0.0:
                part = 1.0 / seen.n if is_counted else count_value(&seen, value)
            bin = -1
            if seen.n > DENSE * t:
                dense_next[n_dense_next] = slot
                n_dense_next += 1
                z = dense_value(&seen, value, share_of(&seen, t), is_missing, &bin)
                if row.bins < 0 and (is_counted or value == 0.0):
                    bin = -1  # bins come with a value that is counted
            else:
                z = sparse_value(&seen, value, t, part) if value != 0.0 else 0.0
            if (value != 0.0 or is_missing) and not is_counted:
                change.slot = slot
                change.seen = seen
                change.wants_bins = bin >= 0 and row.bins < 0
                n_wanted += change.wants_bins
                change += 1
            if z != 0.0:
                weight = &row.weight
                term.weight = weight
                term.z = z
                term += 1
                z2 = z * z
                length += z2
                m += weight.of[SLOW].mu * z
                v += weight.of[SLOW].sigma * z2
                fast_m += weight.of[FAST].mu * z
                fast_v += weight.of[FAST].sigma * z2
            if bin >= 0:
                weight = &self.bins[row.bins].weights[bin] if row.bins >= 0 else &self.blank
                term.weight = weight
                term.z = BIN_VALUE
                term += 1
                length += BIN_VALUE * BIN_VALUE
                m += weight.of[SLOW].mu * BIN_VALUE
                v += weight.of[SLOW].sigma * (BIN_VALUE * BIN_VALUE)
                fast_m += weight.of[FAST].mu * BIN_VALUE
                fast_v += weight.of[FAST].sigma * (BIN_VALUE * BIN_VALUE)
        if self.event.new and t > 1.0:
            # A feature's first value is 1 or -1 as a sparse one, and its own mean as a dense one.
            z2 = self.event.new * rarity(1.0, t)
            length += z2
            v += PRIOR * z2
            fast_v += PRIOR * z2
        self.n_terms = term - self.terms
        self.n_changes = change - self.changes
        self.n_wanted = n_wanted
        self.n_dense_next = n_dense_next
        self.next_squares = self.squares if is_counted else self.squares + length
        # The running root mean square of the length of rows, not the row's own.
        self.scale = 0.0
        if self.next_squares > SMALLEST:
            self.scale = smaller(sqrt(t / self.next_squares), LARGEST_SCALE)
        self.is_current = is_counted
        self.conclude(SLOW, m, v)
        self.conclude(FAST, fast_m, fast_v)
        self.speaker = self.leader
        if self.clock + (not is_counted) - self.last_label > EVIDENCE_EVENTS:
            # What was ahead on the newest labels says little where no more of them come.
            self.speaker = SLOW

    cdef void judge_counted(self) noexcept nogil:
        """Judge the event in the buffer, which has been observed, anew."""
        cdef int side
        if self.is_current:
            # Nothing but the boundary has moved since.
            for side in range(SIDES):
                self.bound(side)
        else:
            self.judge(True)

    cdef void conclude(self, int side, double m, double v) noexcept nogil:
        """From a learner's sums over the row to a probability and a decision."""
        cdef Judgement* judged = self.judged + side
        cdef const Gaussian* intercept = self.intercept.of + side
        judged.m = self.scale * m + intercept.mu
        judged.v = self.scale * self.scale * v + intercept.sigma
        judged.s = judged.m / sqrt(1.0 + pi / 8.0 * judged.v)
        self.bound(side)

    cdef void bound(self, int side) noexcept nogil:
        """How far a learner is above its boundary; without any label: below."""
        cdef Judgement* judged = self.judged + side
        cdef double log_odds = self.offset
        if not self.knows_odds:
            log_odds += self.threshold.log_odds[side]
        if self.n_positive or self.n_negative:
            judged.margin = judged.s - log_odds / self.tau[side]
        else:
            judged.margin = -1.0

    cdef void cool(self) noexcept nogil:
        """Set the temperatures of the log odds, which fall with the labels that are known."""
        self.tau[SLOW] = temperature(<double>(self.n_positive + self.n_negative))
        self.tau[FAST] = temperature(self.fast_labels)

    cdef void commit(self) noexcept nogil:
        """Store what `judge` found; new names are held, and room for bins is there."""
        cdef Change* change
        cdef Feature* row
        cdef Py_ssize_t* dense = self.dense
        cdef Py_ssize_t i
        cdef int k
        cdef bint has_new = self.event.new > 0
        self.t += 1.0
        self.clock += 1.0
        if self.leader != self.speaker:
            self.leader = self.speaker
            self.evidence = 0.0
        for i in range(self.n_changes):
            change = self.changes + i
            row = self.rows + change.slot
            row.seen = change.seen
            row.last = self.clock
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
            note_event(
                &self.threshold,
                sigmoid(self.tau[SLOW] * self.judged[SLOW].s),
                sigmoid(self.tau[FAST] * self.judged[FAST].s),
                self.speaker,
                self.judged[self.speaker].margin >= 0.0,
                self.price_fn,
                self.price_fp,
            )
        if has_new:
            self.admit_new()
        if self.forgets and self.t >= 2.0 * SCALE_WINDOW:
            self.halve()
        self.is_current = self.n_wanted == 0 and not has_new

    cdef void halve(self) noexcept nogil:
        """Let old events count for less in the scaling; no ratio changes."""
        cdef Py_ssize_t slot
        self.t *= 0.5
        self.squares *= 0.5
        for slot in range(self.table.count):
            self.rows[slot].seen.n = larger(0.5 * self.rows[slot].seen.n, LEAST_COUNT)
            self.rows[slot].seen.gaps *= 0.5

    cdef void admit_new(self) noexcept nogil:
        """Give the new features of the event, whose names are held, rows of their own."""
        cdef Entry* entry
        cdef Feature* row
        cdef Py_ssize_t i, new = self.event.new
        self.features.admit()
        for i in range(new):
            entry = self.event.entries + self.event.known + i
            row = self.rows + entry.slot
            row.seen.n = row.seen.block_n = 1.0
            row.seen.mean = row.seen.block_mean = clipped(entry.value, LARGEST)
            row.seen.var = row.seen.block_var = row.seen.gaps = 0.0
            row.last = self.clock
            row.weight = self.blank
            row.bins = -1
            if 1.0 > DENSE * self.t:
                self.dense[self.n_dense] = entry.slot
                self.n_dense += 1
        self.event.known += new
        self.event.new = 0

    cdef void learn(self, bint y, double w, double importance) noexcept nogil:
        """Learn the label of the event in the buffer, which has been observed."""
        cdef double sign = 1.0 if y else -1.0, ratio, step
        cdef long long labels, i
        cdef const Judgement* judged
        w = smaller(w, 1e290)  # so that its product with an importance is finite, and can be stored
        self.judge_counted()
        judged = self.judged + self.speaker
        calibrate(&self.calibration, self.tau[self.speaker] * judged.s, y, w, importance)
        if y:
            note_positive(&self.threshold, judged.margin >= 0.0, importance)
            self.n_positive += 1
            ratio = (self.n_negative + 1.0) / self.n_positive
        else:
            self.n_negative += 1
            ratio = (self.n_positive + 1.0) / self.n_negative
        # A label of the class with more of them says less.
        ratio = smaller(1.0, ratio)
        labels = self.n_positive + self.n_negative
        self.last_label = self.clock
        self.fast_labels += 1.0
        if self.forgets and labels > 1:
            self.weigh_evidence(sign, ratio)
        if self.forgets and self.n_positive and self.n_negative:
            self.forget_surprised(sign, ratio)
        step = self.step(sign, w)
        self.is_current = False
        self.cool()
        self.remember(sign, w, step)
        if labels >= FIRST_REPEAT:
            for i in range(REPEATS if labels <= MANY_LABELS else REPEATS * MANY_LABELS // labels):
                self.repeat(self.recall.turn())

    cdef void weigh_evidence(self, double sign, double ratio) noexcept nogil:
        """Which learner would have done better on the newest labels: that one answers."""
        cdef const Judgement* slow = self.judged + SLOW
        cdef const Judgement* fast = self.judged + FAST
        cdef double ahead = logistic_lead(
            sign * self.tau[SLOW] * slow.margin, sign * self.tau[FAST] * fast.margin
        )
        self.evidence *= 1.0 - 1.0 / EVIDENCE_LABELS
        self.evidence += ratio * clipped(ahead, EVIDENCE_CAP)
        if self.evidence > EVIDENCE_SWITCH:
            self.leader = FAST
        elif self.evidence < 0.0:
            self.leader = SLOW

    cdef void forget_surprised(self, double sign, double ratio) noexcept nogil:
        """Let the fast learner forget what it knew of the row, the more the more it was wrong."""
        cdef Judgement* fast = self.judged + FAST
        cdef double share, m = 0.0
        cdef Py_ssize_t i
        if sign * fast.margin >= 0.0:
            return
        share = SURPRISE * sqrt(ratio) * (
            2.0 * sigmoid(-sign * SURPRISE_SLOPE * self.tau[FAST] * fast.margin) - 1.0
        )
        self.fast_labels *= 1.0 - share
        forget_mean(&self.intercept.of[FAST], share)
        for i in range(self.n_terms):
            forget_mean(&self.terms[i].weight.of[FAST], share)
            m += self.terms[i].weight.of[FAST].mu * self.terms[i].z
        fast.m = self.scale * m + self.intercept.of[FAST].mu

    cdef double step(self, double sign, double w) noexcept nogil:
        """Move both learners' weights, which forget a little first; returns the slow one's step."""
        cdef const Term* terms = self.terms
        cdef Weight* intercept = &self.intercept
        cdef Weight* weight
        cdef double share = FORGETTING if self.forgets else 0.0, scale = self.scale, z
        # The slow one forgets ever less: to follow changes is the fast one's part.
        cdef double less = larger(
            0.1 * share, smaller(share, 1.0 / (1 + self.n_positive + self.n_negative))
        )
        cdef double v = 0.0, fast_v = 0.0, step, fast_step, bend, fast_bend
        cdef Py_ssize_t i, n_terms = self.n_terms
        forget(intercept, less, share)
        for i in range(n_terms):
            weight = terms[i].weight
            forget(weight, less, share)
            z = terms[i].z
            v += weight.of[SLOW].sigma * z * z
            fast_v += weight.of[FAST].sigma * z * z
        v = scale * scale * v + intercept.of[SLOW].sigma
        fast_v = scale * scale * fast_v + intercept.of[FAST].sigma
        step = longest(implicit_logistic_step(sign * self.judged[SLOW].m, v, w, -1.0))
        fast_step = longest(implicit_logistic_step(sign * self.judged[FAST].m, fast_v, w, -1.0))
        bend = curvature(step, w)
        fast_bend = curvature(fast_step, w)
        move(&intercept.of[SLOW], 1.0, sign * step, bend)
        move(&intercept.of[FAST], 1.0, sign * fast_step, fast_bend)
        for i in range(n_terms):
            weight = terms[i].weight
            z = scale * terms[i].z
            move(&weight.of[SLOW], z, sign * step, bend)
            move(&weight.of[FAST], z, sign * fast_step, fast_bend)
        return step

    cdef void remember(self, double sign, double w, double step) noexcept nogil:
        """Keep the row that the slow learner has learned, to go over it again."""
        cdef Memory* row = self.recall.add(self.n_terms)
        cdef Weight* weight
        cdef Py_ssize_t i
        if row == NULL:
            return
        row.sign = sign
        row.w = w
        row.step = step
        for i in range(self.n_terms):
            weight = self.terms[i].weight
            row.parts[i].z = self.scale * self.terms[i].z
            if &self.rows[0].weight <= weight < <Weight*>(self.rows + self.capacity):
                row.parts[i].weight = (<char*>weight - <char*>self.rows) // sizeof(Feature)
            else:
                row.parts[i].weight = ~(weight - <Weight*>self.bins)

    cdef void forget_places(self) noexcept nogil:
        self.recall.clear()

    cdef Weight* weight_of(self, long long number) noexcept nogil:
        return &self.rows[number].weight if number >= 0 else <Weight*>self.bins + ~number

    cdef void repeat(self, Memory* row) noexcept nogil:
        """Set right how far a row has moved the weights, given all that was learned since."""
        cdef double m = self.intercept.of[SLOW].mu, v = self.intercept.of[SLOW].sigma, z
        cdef double step, further
        cdef Gaussian* weight
        cdef Py_ssize_t i
        for i in range(row.size):
            weight = &self.weight_of(row.parts[i].weight).of[SLOW]
            z = row.parts[i].z
            m += weight.mu * z
            v += weight.sigma * z * z
        step = longest(implicit_logistic_step(row.sign * m - row.step * v, v, row.w, row.step))
        further = row.sign * (step - row.step)
        row.step = step
        self.intercept.of[SLOW].mu += further * self.intercept.of[SLOW].sigma
        for i in range(row.size):
            weight = &self.weight_of(row.parts[i].weight).of[SLOW]
            weight.mu += further * weight.sigma * row.parts[i].z

    cdef double probability(self) noexcept nogil:
        """What is reported of the event that was judged."""
        cdef const Judgement* judged = self.judged + self.speaker
        return calibrated(&self.calibration, self.tau[self.speaker] * judged.s)

    cdef void explain(self, Explanation found) noexcept nogil:
        """What the features of the event that was judged, and the rest, add to its margin."""
        cdef const Judgement* judged = self.judged + self.speaker
        cdef double shrinkage = 1.0 / sqrt(1.0 + pi / 8.0 * judged.v), sum_
        cdef const Entry* x = self.event.entries
        cdef Py_ssize_t known = self.event.known, i = 0, k = 0, term = 0, slot, next_dense
        while i < known or k < self.n_dense:
            # In the order of their slots, as `judge` has come by them.
            slot = x[i].slot if i < known else END
            next_dense = self.dense[k] if k < self.n_dense else END
            i += slot <= next_dense
            k += next_dense <= slot
            slot = min(slot, next_dense)
            sum_ = 0.0
            while term < self.n_terms and self.is_of(self.terms[term].weight, slot):
                sum_ += self.terms[term].weight.of[self.speaker].mu * self.terms[term].z
                term += 1
            found.add(slot, shrinkage * self.scale * sum_)
        found.rest = shrinkage * self.intercept.of[self.speaker].mu + (judged.margin - judged.s)

    cdef bint is_of(self, const Weight* weight, Py_ssize_t slot) noexcept nogil:
        """Whether a weight is the feature's own, one of its bins, or the blank one of new bins."""
        cdef const Feature* row = self.rows + slot
        cdef const Weight* bins = NULL if row.bins < 0 else self.bins[row.bins].weights
        return (
            weight == &row.weight
            or weight == &self.blank
            or (bins != NULL and bins <= weight < bins + BINS)
        )

    cdef int missing(self) noexcept nogil:
        if self.n_positive == 0:
            return BOTH if self.n_negative == 0 else POSITIVE
        return NEGATIVE if self.n_negative == 0 else NEITHER

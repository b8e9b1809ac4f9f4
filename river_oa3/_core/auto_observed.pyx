"""What many events without labels teach AutoOA3, from sums that others have made of them."""

import numpy as np

from libc.math cimport floor

from .auto cimport Auto
from .auto_constants cimport BIN_START, BINS, DENSE, ENOUGH, LARGEST, ROUNDING, SCALE_WINDOW, SMALLEST
from .kernels cimport larger, smaller
from .scaling cimport Feature, Statistics, clipped, drawn_in, end_block
from .threshold cimport note_events

from .category import Category

# Values beyond it count as this one.
LARGEST_VALUE = LARGEST

cdef enum:
    # What has been halved so often is gone, beside what has not.
    MOST_HALVINGS = 64


cdef inline void merge(Statistics* seen, double n, double mean, double var) noexcept nogil:
    """Take in the values of other events, of which the number, the mean and the variance are known.
    """
    mean = clipped(mean, LARGEST)
    merge_moments(&seen.n, &seen.mean, &seen.var, n, mean, var)
    merge_moments(&seen.block_n, &seen.block_mean, &seen.block_var, n, mean, var)
    end_block(seen)


cdef inline void merge_moments(double* known, double* known_mean, double* known_var, double n,
                               double mean, double var) noexcept nogil:
    cdef double total = known[0] + n, gap = mean - known_mean[0], part = n / total
    known_var[0] = larger(
        0.0,
        known_var[0] + part * (var - known_var[0]) + part * (known[0] / total) * gap * gap,
    )
    known_mean[0] += part * gap
    known[0] = total


cdef inline bint wants_bins(const Feature* row, double t) noexcept nogil:
    cdef const Statistics* seen = &row.seen
    return (
        row.bins < 0 and seen.n > DENSE * t and seen.n >= BIN_START
        and seen.var > ROUNDING * seen.mean * seen.mean + SMALLEST
    )


def as_counted(Auto model, list names, const double[::1] values, const int[::1] columns):
    """Values as they count in the means and variances of a model that does not learn from them.

    Each belongs to the name that `columns` says. Wild ones of features that it knows are drawn in.
    """
    cdef double[::1] counted = np.array(values)
    cdef Py_ssize_t i, slot
    cdef double value
    cdef Py_ssize_t[::1] slots = np.array(
        [model.table.find(name, hash(name)) for name in names], dtype=np.intp
    )
    for i in range(counted.shape[0]):
        value = clipped(counted[i], LARGEST)
        slot = slots[columns[i]]
        if slot >= 0 and value == value and value != 0.0 and model.rows[slot].seen.n >= 2.0:
            value = drawn_in(&model.rows[slot].seen, value)
        counted[i] = value
    return np.asarray(counted)


def observe_sums(Auto model, list names, const double[::1] n, const double[::1] mean,
                 const double[::1] var, const double[::1] gaps, double events, double squares,
                 double slow, double fast, double positives):
    """Observe `events` events at once.

    Of each feature: how many of the events had it, the mean and the variance of its values there,
    and in how many it was missing. Of the rows: the sum of their squared lengths, the sums of the
    probabilities that the slow and the fast learner gave them, and how many were predicted positive.
    """
    if events <= 0.0:
        return
    model.clock += events
    kept, slots = _slots(model, names, np.asarray(n), np.asarray(gaps))
    cdef const Py_ssize_t[::1] which = kept, slot = slots
    cdef Py_ssize_t i
    cdef double left = events, part, share
    model.reserve_dense(model.table.count)
    model.reserve_bins(model.n_bins + len(names))
    with nogil:
        while left > 0.0:
            # Up to where the scaling lets old events count for less; the events are taken as alike.
            part = smaller(left, larger(1.0, 2.0 * SCALE_WINDOW - model.t))
            if not model.forgets:
                part = left
            share = part / events
            model.t += part
            model.squares += share * squares
            for i in range(slot.shape[0]):
                model.rows[slot[i]].seen.gaps += share * gaps[which[i]]
                if n[which[i]] > 0.0:
                    merge(
                        &model.rows[slot[i]].seen, share * n[which[i]], mean[which[i]],
                        var[which[i]],
                    )
            left -= part
            if model.forgets and model.t >= 2.0 * SCALE_WINDOW:
                model.halve()
                if left > MOST_HALVINGS * SCALE_WINDOW:
                    # Nothing would be left of these.
                    left -= SCALE_WINDOW * floor(left / SCALE_WINDOW - MOST_HALVINGS)
        find_dense(model)
        if (
            (model.n_positive and model.n_negative)
            or model.n_positive + model.n_negative >= ENOUGH
        ):
            note_events(
                &model.threshold, events, slow / events, fast / events, model.leader,
                positives / events, model.price_fn, model.price_fp,
            )
    model.is_current = False


cdef void find_dense(Auto model) noexcept nogil:
    """Which features are dense now; those that have become so get their bins."""
    cdef Py_ssize_t slot
    cdef Feature* row
    cdef int k
    model.n_dense = 0
    for slot in range(model.table.count):
        row = model.rows + slot
        if row.seen.n > DENSE * model.t:
            model.dense[model.n_dense] = slot
            model.n_dense += 1
        if wants_bins(row, model.t) and model.n_bins < model.bins_capacity:
            row.bins = model.n_bins
            for k in range(BINS):
                model.bins[model.n_bins].weights[k] = model.blank
            model.n_bins += 1


def _slots(Auto model, list names, n, gaps):
    """Which features are kept, and where; new ones are given a place, without a value.

    Where there are more than a model may know, the most frequent are kept, and old ones make way.
    """
    cdef Py_ssize_t slot
    found = np.array([model.table.find(name, hash(name)) for name in names], dtype=np.intp)
    most = model.max_features - model.max_features // 4
    # Nothing is known of a feature that is only missing.
    kept = np.flatnonzero((n > 0.0) | ((gaps > 0.0) & (found >= 0)))
    if len(kept) > most and (found[kept] < 0).any():
        kept = np.sort(kept[np.argsort(-n[kept], kind="stable")[:most]])
    for slot in found[kept]:
        if slot >= 0:
            model.rows[slot].last = model.clock
    for i in kept[found[kept] < 0]:
        name = names[i]
        _admit(model, {name.name: name.value} if type(name) is Category else {name: 1.0})
    slots = [model.table.find(names[i], hash(names[i])) for i in kept]
    return kept.astype(np.intp), np.array(slots, dtype=np.intp)


cdef inline void clear(Statistics* seen) noexcept nogil:
    seen.n = seen.mean = seen.block_n = seen.block_mean = 0.0


cdef int _admit(Auto model, dict x) except -1:
    cdef Py_ssize_t i, known
    kept = model.read_to_learn(x)
    model.reserve_scratch(model.event.known + model.event.new)
    known = model.event.known
    if model.event.new:
        model.features.hold_new()
        model.admit_new()
        for i in range(known, model.event.known):
            clear(&model.rows[model.event.entries[i].slot].seen)
    return 0

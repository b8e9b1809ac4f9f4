"""Where the boundary lies, without knowing how rare positives are.

A model that is taught the labels it asked for overrates its odds, for it asks where positives are.
The mean of its own probabilities over all events is overrated alike: for a balanced sum an event is
positive where its probability is above that mean. While false alarms outweigh misses the boundary
is drawn back toward even odds.
"""

from libc.math cimport log, pow

from .auto_constants cimport FORGETTING, IMPORTANCE, K_WINDOW, P_WINDOW, PSEUDO
from .kernels cimport larger, smaller
from .scaling cimport FAST, SIDES, SLOW


cdef struct Threshold:
    # Running means of each learner's probability and of "predicted positive", and how many events
    # they hold.
    double p_mean[SIDES]
    double p_count
    double k_mean
    double k_count
    # Weights of the asked positives that were predicted, and missed.
    double hits
    double misses
    # The logarithm of the odds at each learner's boundary, 0 before anything is known.
    double log_odds[SIDES]


cdef inline void note_event(Threshold* known, double slow, double fast, int leader, bint positive,
                            double price_fn, double price_fp) noexcept nogil:
    """Take in the probabilities that both learners give to an event, and what became of it."""
    known.p_count = smaller(known.p_count + 1.0, P_WINDOW)
    known.p_mean[SLOW] += (slow - known.p_mean[SLOW]) / known.p_count
    known.p_mean[FAST] += (fast - known.p_mean[FAST]) / known.p_count
    known.k_count = smaller(known.k_count + 1.0, K_WINDOW)
    known.k_mean += ((1.0 if positive else 0.0) - known.k_mean) / known.k_count
    draw_boundary(known, leader, price_fn, price_fp)


cdef inline void note_events(Threshold* known, double count, double slow, double fast, int leader,
                             double positive, double price_fn, double price_fp) noexcept nogil:
    """Take in so many events at once, of which the means are known."""
    cdef double part = share_of_new(known.p_count, count, P_WINDOW)
    known.p_mean[SLOW] += part * (slow - known.p_mean[SLOW])
    known.p_mean[FAST] += part * (fast - known.p_mean[FAST])
    known.k_mean += share_of_new(known.k_count, count, K_WINDOW) * (positive - known.k_mean)
    known.p_count = smaller(known.p_count + count, P_WINDOW)
    known.k_count = smaller(known.k_count + count, K_WINDOW)
    draw_boundary(known, leader, price_fn, price_fp)


cdef inline double share_of_new(double old, double new, double window) noexcept nogil:
    """What new events come to in a running mean: a plain one until the window is full."""
    cdef double plain = smaller(new, window - old), left = old / (old + plain) if old > 0.0 else 0.0
    return 1.0 - left * pow(1.0 - 1.0 / window, new - plain)


cdef inline void draw_boundary(Threshold* known, int leader, double price_fn,
                               double price_fp) noexcept nogil:
    """Set the boundary by the running means, drawn back while false alarms outweigh misses."""
    cdef double missed, alarms, pull, mean
    cdef int side
    missed = price_fn * (known.misses + PSEUDO) / (known.hits + known.misses + 2.0 * PSEUDO)
    alarms = price_fp * larger(0.0, known.k_mean - known.p_mean[leader])
    pull = larger(0.0, (alarms - missed) / (alarms + missed)) if alarms > 0.0 else 0.0
    for side in range(SIDES):
        mean = (known.p_mean[side] * known.p_count + 0.5) / (known.p_count + 1.0)
        known.log_odds[side] = (1.0 - pull) * log(mean / (1.0 - mean))


cdef inline void note_positive(Threshold* known, bint predicted, double importance) noexcept nogil:
    """A positive among the asked labels, with the inverse of the probability of asking."""
    known.hits *= 1.0 - FORGETTING
    known.misses *= 1.0 - FORGETTING
    if predicted:
        known.hits += smaller(importance, IMPORTANCE)
    else:
        known.misses += smaller(importance, IMPORTANCE)

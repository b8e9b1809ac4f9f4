"""Probabilities that mean what they say: learned from the labels, for those who read them.

A model with one variance per weight is too sure of itself, and one that is taught the labels it
asked for is wrong about the odds. Decisions do not mind; a reader does. So what is reported goes
through a line on the log odds, with a 2 x 2 covariance, and then through a table of what is left
over at eleven knots. Both learn from the labels, by the inverse of the probability of asking.
"""

from .kernels cimport larger, smaller
from .loss cimport curvature, implicit_logistic_step, sigmoid

cdef enum:
    KNOTS = 11

cdef extern from *:
    """
    /* Variances of the slope and of the shift of which nothing is known. */
    #define OA3_SLOPE_PRIOR 1.0
    #define OA3_SHIFT_PRIOR 4.0
    /* What a label takes from what the line has learned. */
    #define OA3_LINE_FORGETTING 0.002
    /* Labels that a knot is worth before it has seen any. */
    #define OA3_KNOT_PRIOR 3.0
    /* Log odds are cut off here, and weights relative to their mean. */
    #define OA3_LOG_ODDS 20.0
    #define OA3_WEIGHT 10.0
    /* Labels in the running mean of the weights. */
    #define OA3_WEIGHT_WINDOW 100.0
    """
    const double SLOPE_PRIOR "OA3_SLOPE_PRIOR"
    const double SHIFT_PRIOR "OA3_SHIFT_PRIOR"
    const double LINE_FORGETTING "OA3_LINE_FORGETTING"
    const double KNOT_PRIOR "OA3_KNOT_PRIOR"
    const double LOG_ODDS "OA3_LOG_ODDS"
    const double WEIGHT "OA3_WEIGHT"
    const double WEIGHT_WINDOW "OA3_WEIGHT_WINDOW"


cdef struct Calibration:
    # The line beyond the identity, and its precision beyond the prior's.
    double slope
    double shift
    double slope_precision
    double cross_precision
    double shift_precision
    # Running mean of the weights of labels, and how many it holds.
    double weight_mean
    double weight_count
    # Weights of the labels at each knot, and of what they were above the line.
    double weights[KNOTS]
    double residuals[KNOTS]


cdef inline double line(const Calibration* known, double log_odds) noexcept nogil:
    log_odds = larger(-LOG_ODDS, smaller(LOG_ODDS, log_odds))
    # A model that is right more often than not keeps its direction.
    return sigmoid(larger(0.1, 1.0 + known.slope) * log_odds + known.shift)


cdef inline double calibrated(const Calibration* known, double log_odds) noexcept nogil:
    """The probability to report, which rises with the log odds."""
    cdef double levels[KNOTS]
    cdef double sizes[KNOTS]
    cdef double p = line(known, log_odds), level, size
    cdef int ends[KNOTS]
    cdef int i, n = 0, knot = <int>(p * (KNOTS - 1))
    cdef double part = p * (KNOTS - 1) - knot, low = 0.0, high = 1.0
    if knot > KNOTS - 2:
        knot = KNOTS - 2
        part = 1.0
    for i in range(KNOTS):
        # Neighbours that are out of order are pooled.
        size = known.weights[i] + KNOT_PRIOR
        level = i / (KNOTS - 1.0) + known.residuals[i] / size
        while n and levels[n - 1] > level:
            n -= 1
            level = (level * size + levels[n] * sizes[n]) / (size + sizes[n])
            size += sizes[n]
        levels[n] = level
        sizes[n] = size
        ends[n] = i
        n += 1
    for i in range(n - 1, -1, -1):
        if ends[i] >= knot:
            low = levels[i]
        if ends[i] >= knot + 1:
            high = levels[i]
    return larger(0.0, smaller(1.0, (1.0 - part) * low + part * high))


cdef inline void calibrate(Calibration* known, double log_odds, bint y, double w,
                           double importance) noexcept nogil:
    """Learn a label; of `w` and the inverse of the probability of asking, their ratio counts."""
    cdef double p, a, b, c, det, along, across, v, step, slope, sign = 1.0 if y else -1.0
    cdef double residual, part
    cdef int knot
    known.weight_count = smaller(known.weight_count + 1.0, WEIGHT_WINDOW)
    known.weight_mean += (w * importance - known.weight_mean) / known.weight_count
    # Not 0, which the smallest of weights would be relative to others.
    w = larger(1e-300, smaller(w * importance / known.weight_mean, WEIGHT))
    log_odds = larger(-LOG_ODDS, smaller(LOG_ODDS, log_odds))
    p = line(known, log_odds)
    knot = <int>smaller(p * (KNOTS - 1), KNOTS - 2)
    part = p * (KNOTS - 1) - knot
    residual = (1.0 if y else 0.0) - p
    known.weights[knot] += w * (1.0 - part)
    known.residuals[knot] += w * (1.0 - part) * residual
    known.weights[knot + 1] += w * part
    known.residuals[knot + 1] += w * part * residual
    known.slope_precision *= 1.0 - LINE_FORGETTING
    known.cross_precision *= 1.0 - LINE_FORGETTING
    known.shift_precision *= 1.0 - LINE_FORGETTING
    a = known.slope_precision + 1.0 / SLOPE_PRIOR
    b = known.cross_precision
    c = known.shift_precision + 1.0 / SHIFT_PRIOR
    det = a * c - b * b
    along = (c * log_odds - b) / det
    across = (a - b * log_odds) / det
    v = along * log_odds + across
    step = implicit_logistic_step(
        sign * ((1.0 + known.slope) * log_odds + known.shift), v, w, -1.0
    )
    slope = curvature(step, w)
    known.slope += sign * step * along
    known.shift += sign * step * across
    known.slope_precision += slope * log_odds * log_odds
    known.cross_precision += slope * log_odds
    known.shift_precision += slope
